"""The judge that needs no GPU: the CPU check over the ladder, then smaller, then why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from course.harness.contract import BLOCK, KERNEL, TRAFFIC_N
from course.harness.diagnose import Evidence, diagnose, diagnose_traffic
from course.harness.ladder import Rung, repeats
from course.harness.report import CaseResult, Diagnosis, Traffic
from course.harness.rule import rule_of, scan
from course.harness.sandbox import screen
from course.harness.shrink import shrink
from course.harness.submission import Submission
from course.simt import Case, Finding, Program, Run, TraceReport, Walls, ensure_caught
from course.simt.run import Order

Say = Callable[[str], None]
ORDERS: tuple[Order, ...] = ("forward", "reverse", "random")
PATIENCE = 1.0  # seconds of processor time that a small case may take; it needs milliseconds
LONG_PATIENCE = 40.0  # a large one, which needs a few
PART = 12  # cases that share a child


@dataclass
class CpuJudgement:
    """What the CPU check makes of a submission."""

    cases: tuple[CaseResult, ...] = ()
    minimal: Case | None = None
    rule: str | None = None
    traffic: Traffic = field(default_factory=Traffic)
    diagnosis: list[Diagnosis] = field(default_factory=list)
    walls: Walls = field(default_factory=Walls)


def judge(submission: Submission, path: Path, rungs: Sequence[Rung], say: Say) -> CpuJudgement:
    """Judge the kernel in the file at `path`. Raises CourseError if it cannot be judged."""
    ensure_caught()
    with Program(path, KERNEL) as program:
        screen(program.built(watched=True).library, path)
        judge = _Judge(program, submission, say)
        return judge.run(list(rungs))


class _Judge:
    def __init__(self, program: Program, submission: Submission, say: Say) -> None:
        self.program = program
        self.submission = submission
        self.say = say
        self.findings: list[Finding] = []
        self.failed: dict[Case, bool] = {}
        self.hung = False

    def run(self, rungs: list[Rung]) -> CpuJudgement:
        results: dict[Rung, TraceReport] = {}
        for part in _parts(rungs):
            results |= self._climb(part, len(results), len(rungs))
        orders = [] if self.hung else self._probe_orders(rungs)
        cases = tuple(_result(rung, results.get(rung)) for rung in rungs) + tuple(orders)
        judgement = CpuJudgement(cases)
        judgement.minimal = self._shrink(rungs, results)
        if any(self.failed.values()) and not self.hung:
            self._scan(next(r for r in rungs if r in results and not results[r].clean))
        judgement.rule = rule_of(self.failed)
        judgement.diagnosis = diagnose(Evidence(self.submission, self.findings, self.failed))
        self._measure(results, judgement)
        judgement.walls = self.program.walls
        return judgement

    def _climb(self, rungs: Sequence[Rung], done: int, total: int) -> dict[Rung, TraceReport]:
        if self.hung or not rungs:
            return {}
        seen: list[TraceReport] = []

        def tell(report: TraceReport) -> None:
            seen.append(report)
            at = done + len(seen)
            self.say(f"case {at} of {total}: {report.case}, {'right' if report.clean else 'wrong'}")

        reports = self._runs([_run(rung) for rung in rungs], tell)
        return dict(zip(rungs, reports, strict=False))

    def _runs(
        self, runs: Sequence[Run], tell: Callable[[TraceReport], None] | None = None
    ) -> list[TraceReport]:
        reports = self.program.run(runs, on_report=tell)
        for run, report in zip(runs, reports, strict=False):
            self.findings += report.findings
            if run.fill == "integers":
                self.failed[run.case] = self.failed.get(run.case, False) or not report.clean
        self.hung = self.hung or len(reports) < len(runs)
        self.hung = self.hung or any(report.out_of_time for report in reports)
        self.hung = self.hung or any(f.kind == "hang" for r in reports for f in r.findings)
        return reports

    def _probe_orders(self, rungs: Sequence[Rung]) -> list[CaseResult]:
        """The same case with the threads of a block in other orders."""
        probe = next((rung for rung in rungs if rung.inputs == "infinite-a"), None)
        if probe is None:
            return []
        again = [replace(probe, inputs="integers", seed=probe.seed + 10 + i) for i in range(3)]
        runs = [replace(_run(r), order=o) for r, o in zip(again, ORDERS, strict=True)]
        reports = self._runs(runs)
        return [_result(r, report) for r, report in zip(again, reports, strict=False)]

    def _shrink(self, rungs: Sequence[Rung], results: dict[Rung, TraceReport]) -> Case | None:
        failing = [rung for rung in rungs if rung in results and not results[rung].clean]
        if not failing:
            return None
        start = min(failing, key=lambda rung: (rung.case.work, rung.case))
        if self.hung:
            return start.case
        self.say(f"making {start.case} smaller")

        def first_failing(cases: Sequence[Case]) -> Case | None:
            for at in range(0, len(cases), 16):
                small = [
                    replace(_run(start), case=case, seed=start.seed + number)
                    for case in cases[at : at + 16]
                    for number in range(repeats(case))
                ]
                reports = self._runs([replace(r, watch=_is_small(r.case)) for r in small])
                for report in reports:
                    if not report.clean:
                        return report.case
                if self.hung:
                    return None
            return None

        return shrink(start.case, first_failing)

    def _scan(self, rung: Rung) -> None:
        self.say("looking for the rule")
        run = replace(_run(rung), watch=True)
        self._runs([replace(run, case=case, seconds=PATIENCE) for case in scan()])

    def _measure(self, results: dict[Rung, TraceReport], judgement: CpuJudgement) -> None:
        """The most that a thread reads at any watched case with the K of the budget."""
        counted = [
            report.counters
            for rung, report in results.items()
            if rung.case.k == TRAFFIC_N and rung.watched
        ]
        if self.hung or not counted:
            return
        counters = max(counted, key=lambda counters: counters.loads_per_thread)
        judgement.traffic = Traffic(counters.loads_per_thread)
        if not any(self.failed.values()):
            judgement.diagnosis += diagnose_traffic(self.submission, counters)


def _parts(rungs: Sequence[Rung]) -> Iterator[Sequence[Rung]]:
    """The first case on its own, as a file may never even start; then handfuls, the large last.

    The patience with a child is the sum of its cases', so handfuls bound what waiting can cost.
    """
    watched = [rung for rung in rungs if rung.watched]
    yield watched[:1]
    yield from (watched[at : at + PART] for at in range(1, len(watched), PART))
    yield from ([rung] for rung in rungs if not rung.watched)


def _is_small(case: Case) -> bool:
    return case.work <= 1_000_000


def _run(rung: Rung) -> Run:
    return Run(
        rung.case,
        BLOCK,
        seed=rung.seed,
        watch=rung.watched,
        watch_stale=rung.watched and _is_small(rung.case),
        fill=rung.inputs,
        seconds=PATIENCE if _is_small(rung.case) else LONG_PATIENCE,
    )


def _result(rung: Rung, report: TraceReport | None) -> CaseResult:
    return CaseResult(
        rung.case,
        rung.inputs,
        rung.seed,
        "cpu",
        None if report is None else report.clean,
        rung.watched,
        0 if report is None else report.mismatches,
        0.0 if report is None else report.seconds,
    )
