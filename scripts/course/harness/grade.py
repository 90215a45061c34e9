"""`grade`: one submission in, one report out."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from course.errors import CourseError
from course.harness import cpu, sandbox
from course.harness.ladder import LARGE, SMALL, cases, rungs
from course.harness.launch import judge_main
from course.harness.report import Diagnosis, Report
from course.harness.submission import Submission
from course.simt import Case

Device = Literal["auto", "cpu", "gpu"]
Say = Callable[[str], None]


def grade(
    file: Path,
    *,
    device: Device = "auto",
    seed: int | None = None,
    keep: Path | None = None,
    sanitize: bool = False,
    progress: Say | None = None,
    fixed: Sequence[Case] | None = None,
) -> Report:
    """Judge the kernel in `file`. Never raises for what a submission does: the report says it.

    `seed` makes a run repeatable; `fixed` replaces the ladder's fixed cases.
    """
    say = progress or (lambda _: None)
    seed = secrets.randbelow(1_000_000) * 1000 if seed is None else seed
    report = Report(str(file), seed, "cpu")
    with tempfile.TemporaryDirectory(prefix="course-grade-") as folder:
        try:
            return _judge(report, file, Path(folder), say, fixed)
        except CourseError as error:
            return replace(report, error=_told(error, file))


def _judge(
    report: Report, file: Path, folder: Path, say: Say, fixed: Sequence[Case] | None
) -> Report:
    """The submission is judged as a copy in a folder of its own, where it has no neighbours."""
    submission = Submission.read(file)
    alone = folder / "submission.cu"
    shutil.copyfile(file, alone)
    report = replace(report, answer=submission.answer)
    say("compiling")
    ladder = rungs(report.seed, cases(SMALL, LARGE) if fixed is None else list(fixed))
    judged = cpu.judge(submission, alone, ladder, say)
    diagnosis = judged.diagnosis
    say("reading its main")
    own, note = judge_main(submission, alone)
    return replace(
        report,
        cases=judged.cases,
        minimal_failing_case=judged.minimal,
        rule=judged.rule,
        traffic=judged.traffic,
        diagnosis=tuple(replace(d, path=str(file)) for d in [*own, *diagnosis]),
        notes=tuple(n for n in (note, "" if sandbox.is_closed() else sandbox.OPEN) if n),
    )


def _told(error: CourseError, file: Path) -> Diagnosis:
    return Diagnosis(None, str(file), error.line or 1, error.message, error.fix)
