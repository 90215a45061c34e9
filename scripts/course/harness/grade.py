"""`grade`: one submission in, one report out."""

from __future__ import annotations

import json
import secrets
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from course.errors import CourseError
from course.harness import cpu, gpu, sandbox, sanitizer
from course.harness.ladder import GPU_ONLY, LARGE, SMALL, cases, rungs
from course.harness.launch import judge_main
from course.harness.report import Diagnosis, Report
from course.harness.submission import Submission
from course.simt import Case
from course.writing import write_atomically

COPY = "submission.cu"
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
            on_gpu = device == "gpu" or (device == "auto" and gpu.card() is not None)
            job = _Job(file, Path(folder), seed, on_gpu, sanitize, say)
            report = job.run(report, cases(SMALL, LARGE) if fixed is None else list(fixed))
        except CourseError as error:
            report = replace(report, error=_told(error, file))
        if keep is not None:
            _keep(report, Path(folder), keep)
    return report


@dataclass(frozen=True)
class _Job:
    """The submission is judged as a copy in a folder of its own, where it has no neighbours."""

    file: Path
    folder: Path
    seed: int
    on_gpu: bool
    sanitize: bool
    say: Say

    def run(self, report: Report, fixed: list[Case]) -> Report:
        if self.on_gpu and gpu.card() is None:
            raise gpu.no_gpu()
        submission = Submission.read(self.file)
        alone = self.folder / COPY
        shutil.copyfile(self.file, alone)
        report = replace(report, answer=submission.answer)
        self.say("compiling")
        judged = cpu.judge(submission, alone, rungs(self.seed, fixed), self.say)
        self.say("reading its main")
        own, note = judge_main(submission, alone)
        notes = [note, "" if judged.walls.seccomp else sandbox.OPEN]
        report = replace(
            report,
            cases=judged.cases,
            minimal_failing_case=judged.minimal,
            rule=judged.rule,
            traffic=judged.traffic,
            walls=tuple(judged.walls.names),
            diagnosis=self._placed([*own, *judged.diagnosis]),
            notes=tuple(note for note in notes if note),
        )
        return self._on_gpu(report, submission, alone) if self.on_gpu else report

    def _on_gpu(self, report: Report, submission: Submission, alone: Path) -> Report:
        ladder = gpu.on_gpu(rungs(self.seed + 700, cases(SMALL, LARGE, GPU_ONLY)))
        judged = gpu.judge(submission, alone, self.folder, ladder, self.say)
        told: list[Diagnosis] = []
        if self.sanitize:
            told, note = sanitizer.judge(submission, alone, self.folder, self.say)
            judged.notes += [note] if note else []
        return replace(
            report,
            device=(gpu.card() or gpu.Card("gpu", "")).name,
            cases=(*report.cases, *judged.cases),
            times=tuple(judged.times) if report.correct else (),
            notes=(*report.notes, *judged.notes),
            diagnosis=(*report.diagnosis, *self._placed(told)),
        )

    def _placed(self, told: Sequence[Diagnosis]) -> tuple[Diagnosis, ...]:
        """The diagnoses with the submission's own path in place of the copy's."""
        return tuple(replace(entry, path=str(self.file)) for entry in told)


def _keep(report: Report, folder: Path, keep: Path) -> None:
    """The judged copy and the report, as JSON."""
    if (folder / COPY).exists():
        write_atomically(keep / COPY, (folder / COPY).read_bytes())
    text = json.dumps(report.to_json(), indent=2) + "\n"
    write_atomically(keep / "report.json", text.encode())


def _told(error: CourseError, file: Path) -> Diagnosis:
    return Diagnosis(None, str(file), error.line or 1, error.message, error.fix)
