"""Re-verify: capture again on this machine's card and say whether the published results hold."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal

from rich.console import Console

from course import gpu
from course.capture import capture
from course.errors import CourseError
from course.evidence import read_log
from course.program import Program
from course.project import Capture, Project
from course.reverify.compare import Comparison, arch_of, compare
from course.reverify.history import published_capture
from course.reverify.rule import FEWEST

State = Literal["passed", "first", "unclear", "slower", "not comparable", "failed"]

# Errors of a capture that say something of the program, not of the machine.
DISPROVED = {
    "build-failed",
    "run-failed",
    "run-killed",
    "run-ended",
    "bad-output",
    "missing-cases",
    "bad-arithmetic",
    "runs-disagree",
}
EXIT = {"passed": 0, "first": 0, "unclear": 0, "not comparable": 0, "failed": 1, "slower": 3}
REPEATS = 5


@dataclass(frozen=True)
class Answer:
    """What one card says today of one program. `log` is where the new log stands, if there is one;
    `failure` why there is none, or what differs that must be equal."""

    program: str
    gpu: str
    state: State
    log: Path | None = None
    comparison: Comparison | None = None
    failure: str = ""

    @property
    def exit_status(self) -> int:
        return EXIT[self.state]

    def to_json(self) -> dict[str, Any]:
        compared = self.comparison
        return {
            "program": self.program,
            "gpu": self.gpu,
            "state": self.state,
            "log": self.log.name if self.log else None,
            "published": compared.old.log.path.name if compared else None,
            "failure": self.failure,
            "hindrances": list(compared.hindrances) if compared else [],
            "rows": list(_json_rows(compared)) if compared else [],
        }


def _json_rows(comparison: Comparison) -> list[dict[str, Any]]:
    rows = []
    for row in comparison.rows:
        speaker = row.speaker
        rows.append(
            {
                "row": row.name,
                "verdict": row.verdict,
                "column": speaker.column.name,
                "published": speaker.old,
                "new": speaker.new,
                "slowdown": speaker.judgement.slowdown,
                "sees": speaker.judgement.sees,
                "reason": speaker.judgement.reason,
            }
        )
    return rows


def reverify(
    root: Path,
    program_name: str,
    *,
    console: Console,
    repeat: int | None = None,
    arch: str | None = None,
    commit: str | None = None,
) -> Answer:
    """Capture a program again and compare with what is published of the same card.

    The new log joins the evidence when it confirms the published one, or is the first of its card
    or of the present source; otherwise it is kept aside, so that no date moves without a pass.
    Raises CourseError when this machine cannot answer.
    """
    if repeat is not None and repeat < FEWEST:
        message = f"repeat is {repeat}; fewer than {FEWEST} runs show no noise and confirm nothing"
        raise CourseError("bad-option", message, fix=f"repeat {FEWEST} times or more")
    project = _sound(Project.load(root), program_name)
    program = Program.load(root, program_name)
    card = _card()
    published = published_capture(project, program_name, card)
    stamp = published.log.stamp if published else None
    try:
        path = capture(
            root,
            program_name,
            repeat=repeat or max(REPEATS, len(stamp.runs) if stamp else 0),
            arch=arch or arch_of(program, stamp.build if stamp else None),
            commit=commit,
            console=console,
        )
    except CourseError as error:
        if error.code not in DISPROVED:
            raise
        return Answer(program_name, card, "failed", failure=error.message)
    return _answer(project, program, card, published, path)


def _card() -> str:
    try:
        return gpu.probe().facts.name
    except CourseError as error:
        error.fix = (
            "run it on a machine with an NVIDIA GPU, or give a log from one: course compare LOG"
        )
        raise


def _sound(project: Project, program: str) -> Project:
    """The project, once its evidence of the program reads: else there is nothing to compare."""
    places = (f"evidence/{program}/", f"code/{program}/")
    for fault in project.faults:
        if fault.path.startswith(places):
            path = project.root / fault.path
            raise CourseError(fault.code, fault.message, path=path, line=fault.line, fix=fault.fix)
    return project


def _answer(
    project: Project, program: Program, card: str, published: Capture | None, path: Path
) -> Answer:
    log = read_log(path)
    new = Capture(log, program, log.parse(program.spec.output))
    comparison = compare(published, new) if published else None
    state = state_of(comparison)
    failure = "; ".join(comparison.differences) if comparison else ""
    if state not in ("passed", "first"):
        path = _set_aside(path)
    return Answer(program.name, card, state, path, comparison, failure)


def state_of(comparison: Comparison | None) -> State:
    """What a comparison with the published capture comes to."""
    if comparison is None:
        return "first"
    if comparison.old.stale and not comparison.new.stale:
        return "first"  # of the present source: what is published is of another one
    if comparison.differences:
        return "failed"
    if comparison.hindrances:
        return "not comparable"
    if comparison.of("SLOWER"):
        return "slower"
    return "passed" if comparison.passes else "unclear"


def _set_aside(path: Path) -> Path:
    """Move a log to the folder that no page shows; nothing there is ever overwritten."""
    folder = path.parent / "aside"
    try:
        folder.mkdir(exist_ok=True)
        names = (f"{path.stem}{f'-{n}' if n > 1 else ''}{path.suffix}" for n in count(1))
        aside = next(folder / name for name in names if not (folder / name).exists())
        return path.rename(aside)
    except OSError as error:
        raise CourseError("unwritable", f"cannot move: {error.strerror}", path=folder) from error
