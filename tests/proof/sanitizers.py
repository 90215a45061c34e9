"""Runs the gallery plain and under compute-sanitizer: `python -m proof.sanitizers OUTDIR`.

Writes sanitizers.json, one entry a kernel, and what every run printed to raw/sanitizers.txt.
"""

import json
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gallery
from gallery import Case, Entry
from proof.build import (
    LESSON,
    NOT_RUN,
    ROOT,
    Run,
    arguments,
    build_all,
    in_parallel,
    launch_source,
    machine,
    run,
    write_json,
)

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
PLAIN = "plain"
WORKERS = 8  # processes that share the GPU
TIME_LIMIT = 225.0  # seconds in which a run may still start
PLAIN_LIMIT, TOOL_LIMIT, HANG_LIMIT = 20.0, 45.0, 15.0

SUMMARY = re.compile(r"^=+ (?:ERROR|RACECHECK) SUMMARY: (.*)$", re.MULTILINE)
RECORD = re.compile(
    r"^=+ ((?:Invalid|Misaligned|(?:Error|Warning): Race|Barrier|Divergent|Uninitialized|Host API"
    r"|Program hit|Potential).*)$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Job:
    """One kernel at one case, plain or under one tool."""

    entry: Entry
    tool: str
    case: Case

    @property
    def name(self) -> str:
        return f"{self.entry.name} / {self.tool} / {self.case}"

    @property
    def limit(self) -> float:
        if self.entry.fault == "hang":
            return HANG_LIMIT
        return PLAIN_LIMIT if self.tool == PLAIN else TOOL_LIMIT

    def command(self, program: Path) -> list[str]:
        # initcheck counts the poison as a value, so it gets the output as it was allocated.
        start = "bare" if self.tool == "initcheck" else "poison"
        command = [str(program), *arguments(self.entry, [self.case], start)]
        if self.tool == PLAIN:
            return command
        options = ["--tool", self.tool, "--print-limit", "10", "--show-backtrace", "no"]
        return ["compute-sanitizer", *options, *command]


def jobs() -> list[Job]:
    """Plain at each size; each tool at the size that shows the fault best."""
    found = []
    for entry in gallery.load():
        sizes = dict.fromkeys(entry.cases + entry.right_at)
        if not entry.fixed_grid and entry.fault != "hang":
            sizes[LESSON] = None
        found += [Job(entry, PLAIN, case) for case in sizes]
        found += [Job(entry, tool, entry.cases[0]) for tool in TOOLS]
        if entry.fault == "barrier-divergence":  # the lesson says what synccheck makes of these
            found.append(Job(entry, "synccheck", LESSON))
    return found


def reading(job: Job, done: Run) -> dict[str, Any]:
    """What one run said, by the words and numbers that it printed."""
    result: dict[str, Any] = {"case": list(job.case)}
    if done.status == NOT_RUN:
        return result | {"not_run": done.output[:500]}
    if done.status is None:
        result["timeout"] = job.limit
    printed = [json.loads(line) for line in done.output.splitlines() if line.startswith("{")]
    for line in printed:
        result |= {key: line[key] for key in ("wrong", "unwritten", "error") if key in line}
    if job.tool == PLAIN:
        return result | {"status": done.status}

    summary = SUMMARY.search(done.output)
    lines = re.findall(rf"{re.escape(job.entry.path.name)}:(\d+)", done.output)
    says = [re.sub(r" at \w+\(.*|0x[0-9a-f]+", "…", said) for said in RECORD.findall(done.output)]
    return result | {
        "summary": summary[1] if summary else None,
        "reports": summary is not None and not summary[1].startswith("0 "),
        "says": list(dict.fromkeys(says))[:5],
        "lines": sorted({int(line) for line in lines}),
    }


def run_all(
    todo: list[Job], programs: dict[str, Path | RuntimeError], deadline: float
) -> list[Run]:
    def one(job: Job) -> Run:
        program = programs[job.entry.name]
        if isinstance(program, RuntimeError):
            return Run(str(program), NOT_RUN)
        if time.monotonic() > deadline:
            return Run("no time was left", NOT_RUN)
        return run(job.command(program), job.limit)

    results = in_parallel({job.name: partial(one, job) for job in todo}, WORKERS)
    return [results[job.name] for job in todo]


def write(outdir: Path, done: list[tuple[Job, Run]], folder: str) -> None:
    matrix: dict[str, Any] = {}
    for job, result in done:
        entry = job.entry
        row = matrix.setdefault(
            entry.name,
            {
                **launch_source(entry),
                "fault": entry.fault,
                "pitfall": entry.pitfall,
                "fault_lines": entry.fault_lines,
            },
        )
        row.setdefault(job.tool, []).append(reading(job, result))
    report = {"machine": machine(), "matrix": matrix}
    write_json(outdir / "sanitizers.json", report)
    text = "".join(f"##### {job.name}: {run.status}\n{run.output}\n" for job, run in done)
    text = text.replace(f"{ROOT}/", "").replace(f"{folder}/", "")
    (outdir / "raw" / "sanitizers.txt").write_text(text)


def main(outdir: Path) -> int:
    (outdir / "raw").mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + TIME_LIMIT
    ends = [job for job in jobs() if job.entry.fault != "hang"]
    hangs = [job for job in jobs() if job.entry.fault == "hang"]
    done: list[tuple[Job, Run]] = []
    with tempfile.TemporaryDirectory() as folder:
        programs = build_all(gallery.load(), Path(folder), flags=["-lineinfo"])
        for part in (ends, hangs):  # last those that keep the GPU busy until they are killed
            done += zip(part, run_all(part, programs, deadline), strict=True)
            write(outdir, done, folder)
    unknown = [job.name for job, result in done if result.status == NOT_RUN]
    print(f"sanitizers: {len(done) - len(unknown)} of {len(done)} runs", *unknown, sep="\n  ")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
