"""Is every log what its program declares, and does every program have evidence and a page?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from course.errors import Finding
from course.evidence import evidence_folders
from course.output import Mismatch, OutputError, choose_published, mismatches, missing_rows
from course.project import Capture, Project


def check_evidence(project: Project) -> Iterator[Finding]:
    for name, program in project.programs.items():
        path = project.relative(program.folder / "program.yml")
        if not project.captures[name]:
            yield Finding(
                path,
                1,
                "no-evidence",
                f"the program {name} has no evidence: nothing readable in evidence/{name}/",
                f"course capture {name}  (on a machine with a GPU)",
            )
        if not project.lessons(name):
            yield Finding(
                path,
                1,
                "no-page",
                f"no page has `program: {name}` in its front matter, or shows its evidence",
                f"write a page with `program: {name}` under docs/, or remove code/{name}",
            )
        for capture in project.captures[name]:
            yield from _check_capture(project, capture)
    for name in evidence_folders(project.root):
        if name not in project.programs and name not in project.unreadable:
            message = f"evidence of the program {name}, which is not under code/: nothing reads it"
            fix = f"bring code/{name} back, or remove evidence/{name} in the commit that removes it"
            yield Finding(f"evidence/{name}", 1, "evidence-orphaned", message, fix)


def _check_capture(project: Project, capture: Capture) -> Iterator[Finding]:
    log, program = capture.log, capture.program
    stamp, path = log.stamp, project.relative(log.path)
    fix = f"move the log away and run: course capture {program.name}"

    def finding(code: str, message: str) -> Finding:
        return Finding(path, 1, code, message, fix)

    if stamp.program != program.name:
        message = f"the stamp is of `{stamp.program}`, the folder of `{program.name}`"
        yield finding("log-misfiled", message)
    try:
        median = choose_published(capture.outputs, program.spec.output) + 1
    except OutputError as error:
        yield finding("bad-output", error.message)
        return
    if stamp.published_run != median:
        message = f"run {stamp.published_run} is published; the median run is {median}"
        yield finding("not-median", message)
    for number, (run, output) in enumerate(zip(stamp.runs, capture.outputs, strict=True), start=1):
        if run.exit_status:
            yield finding(
                "verdict-failed", f"run {number} ended with exit status {run.exit_status}"
            )
        if stamp.verdict is not None and output.verdict != stamp.verdict:
            message = f"run {number} says {output.verdict!r}, the stamp {stamp.verdict!r}"
            yield finding("verdict-failed", message)
        for missing in missing_rows(output, program):
            message = f"run {number} has no row for {missing}, which program.yml declares"
            yield finding("cases-missing", message)
        for mismatch in mismatches(output, program):
            yield finding("arithmetic-differs", f"run {number}: {_says(mismatch)}")
        yield from _facts(finding, number, capture)


def _says(mismatch: Mismatch) -> str:
    return (
        f"line {mismatch.line} of the output has {mismatch.name} {mismatch.text}, "
        f"its formula `{mismatch.formula}` gives {mismatch.expected}"
    )


def _facts(
    finding: Callable[[str, str], Finding], number: int, capture: Capture
) -> Iterator[Finding]:
    """The card that the program printed is the card of the stamp."""
    gpu, facts = capture.log.stamp.gpu, capture.outputs[number - 1].facts
    for name, stamped in (("gpu", gpu.name), ("compute_capability", gpu.compute_capability)):
        printed = facts.get(name, (stamped, 1))[0]
        if stamped is not None and printed != stamped:
            message = f"run {number} printed {name} {printed!r}, the stamp has {stamped!r}"
            yield finding("card-differs", message)
