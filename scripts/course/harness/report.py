"""The harness's answer: one report for each submission."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from course.harness.contract import (
    BUDGET,
    NOT_JUDGED,
    NOT_PASSED,
    PASSED,
    PITFALLS,
    TILE,
    TRAFFIC_N,
)
from course.harness.ladder import Inputs, size_of
from course.simt import Case

Verdict = Literal["pass", "fail", "error"]


@dataclass(frozen=True)
class CaseResult:
    """One case as it was run. `right` is None where it was not: an earlier one hung."""

    case: Case
    inputs: Inputs
    seed: int
    device: Literal["cpu", "gpu"]
    right: bool | None
    watched: bool = False
    mismatches: int = 0
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return {
            "case": [self.case.m, self.case.n, self.case.k],
            "inputs": self.inputs,
            "seed": self.seed,
            "device": self.device,
            "watched": self.watched,
            "right": self.right,
            "mismatches": self.mismatches,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True)
class Traffic:
    """Global reads of the thread that makes the most, at tile 16 and N = 512; None: not known."""

    reads_per_thread: int | None = None

    @property
    def within(self) -> bool:
        return self.reads_per_thread is not None and self.reads_per_thread <= BUDGET

    def to_json(self) -> dict[str, Any]:
        return {
            "tile": TILE,
            "n": TRAFFIC_N,
            "reads_per_thread": self.reads_per_thread,
            "budget": BUDGET,
            "within": self.within,
        }


@dataclass(frozen=True)
class Diagnosis:
    """One thing that is wrong, in the lesson's words. `pitfall` is None where it has no name."""

    pitfall: str | None
    path: str
    line: int
    message: str
    fix: str = ""

    @property
    def is_advice(self) -> bool:
        return self.pitfall is not None and PITFALLS[self.pitfall].advice

    def to_json(self) -> dict[str, Any]:
        return {
            "pitfall": self.pitfall,
            "path": self.path,
            "line": self.line,
            "message": self.message,
        }


@dataclass(frozen=True)
class Time:
    """One contestant at one case: the median and the quartiles of its times, in milliseconds."""

    name: str
    case: Case
    median: float
    low: float
    high: float

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "case": [self.case.m, self.case.n, self.case.k],
            "median_ms": self.median,
            "quartiles_ms": [self.low, self.high],
        }


@dataclass(frozen=True)
class Report:
    """`error` says why a submission could not be judged; `notes` what a reader has to know.

    `walls` names what stood between the submission and the system while it ran on the CPU.
    """

    path: str
    seed: int
    device: str
    cases: tuple[CaseResult, ...] = ()
    minimal_failing_case: Case | None = None
    rule: str | None = None
    traffic: Traffic = Traffic()
    diagnosis: tuple[Diagnosis, ...] = ()
    answer: str | None = None
    times: tuple[Time, ...] = ()
    notes: tuple[str, ...] = ()
    walls: tuple[str, ...] = ()
    error: Diagnosis | None = None

    @property
    def failing(self) -> tuple[CaseResult, ...]:
        """The failing cases, smallest first."""
        wrong = [result for result in self.cases if result.right is False]
        return tuple(sorted(wrong, key=lambda result: size_of(result.case)))

    @property
    def correct(self) -> bool:
        """Right at every case that the ladder asks for, and nothing but advice to give."""
        return (
            bool(self.cases) and all(result.right for result in self.cases) and self.error is None
        )

    @property
    def verdict(self) -> Verdict:
        if self.error is not None:
            return "error"
        faults = any(not entry.is_advice for entry in self.diagnosis)
        return "pass" if self.correct and self.traffic.within and not faults else "fail"

    @property
    def exit_status(self) -> int:
        return {"pass": PASSED, "fail": NOT_PASSED, "error": NOT_JUDGED}[self.verdict]

    @property
    def smallest_failing_case(self) -> Case | None:
        return self.failing[0].case if self.failing else None

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "correct": self.correct,
            "smallest_failing_case": _sizes(self.smallest_failing_case),
            "minimal_failing_case": _sizes(self.minimal_failing_case),
            "rule": self.rule,
            "traffic": self.traffic.to_json(),
            "diagnosis": [entry.to_json() for entry in self.diagnosis],
            "cases": [result.to_json() for result in self.cases],
            "device": self.device,
            "seed": self.seed,
            "answer": self.answer,
            "times": [time.to_json() for time in self.times],
            "notes": list(self.notes),
            "walls": list(self.walls),
            "error": None if self.error is None else self.error.message,
        }


def _sizes(case: Case | None) -> list[int] | None:
    return None if case is None else [case.m, case.n, case.k]
