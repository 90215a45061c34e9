"""What the CPU check says: findings, counters, and one report for each case."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from course.errors import CourseError
from course.program import Case

Kind = Literal[
    "out-of-bounds",
    "uninitialized-shared",
    "stale-shared",
    "race",
    "barrier-divergence",
    "hang",
    "unwritten-output",
    "misaligned",
    "wrong-result",
    "bank-conflict",
    "uncoalesced",
]
ADVICE: frozenset[Kind] = frozenset({"bank-conflict", "uncoalesced"})


def checked(case: Case) -> Case:
    """Itself, if the CPU check can run it; else a CourseError."""
    if min(case) < 1:
        raise CourseError("case", f"{case}: every size must be at least 1", fix="use 1 or more")
    floats = case.m * case.k + case.k * case.n + case.m * case.n
    if floats > 200_000_000 or case.k > 1_000_000:
        raise CourseError(
            "case",
            f"{case} needs {floats * 4 / 1e9:.1f} GB; the CPU check takes at most 0.8 GB",
            fix="use a smaller case, or a GPU",
        )
    return case


@dataclass(frozen=True)
class Finding:
    """One fault or measurement, at one line.

    `detail` holds what the message says as data: thread, block, array, index, count.
    """

    kind: Kind
    path: str
    line: int
    message: str
    fix: str
    detail: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def is_failure(self) -> bool:
        return self.kind not in ADVICE

    def to_json(self) -> dict[str, Any]:
        return {k: v for k, v in asdict(self).items() if k != "detail"}

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message} [{self.kind}]\n  fix: {self.fix}"


@dataclass(frozen=True)
class Counters:
    """Measured as the hardware's counters count: a request is one instruction of a warp.

    Loads, stores and words a thread are of global memory; a wide load is one load of several words.
    """

    loads_per_thread: int = 0  # the most that any thread made
    loads_per_thread_mean: float = 0
    stores_per_thread: int = 0
    stores_per_thread_mean: float = 0
    words_per_thread: int = 0  # 4-byte words loaded
    words_per_thread_mean: float = 0
    global_load_requests: int = 0
    global_load_sectors: int = 0
    global_store_requests: int = 0
    global_store_sectors: int = 0
    shared_load_requests: int = 0
    shared_store_requests: int = 0
    shared_bank_conflicts: int = 0


@dataclass(frozen=True)
class TraceReport:
    """One kernel at one case. `correct` is True only if every element was compared and equal."""

    kernel: str
    case: Case
    block: tuple[int, int]
    grid: tuple[int, int]
    seed: int
    correct: bool
    mismatches: int
    counters: Counters
    findings: tuple[Finding, ...]
    watched: bool = True
    out_of_time: bool = False  # the launch was ended before it came to its end
    seconds: float = 0
    printed: str = ""
    rule: str | None = None  # when it fails, if a rule was found: "K is not a multiple of 16"

    @property
    def failures(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.is_failure)

    @property
    def clean(self) -> bool:
        return self.correct and not self.failures

    @property
    def exit_code(self) -> int:
        return 0 if self.clean else 1

    def to_json(self) -> dict[str, Any]:
        c = self.counters
        return {
            "kernel": self.kernel,
            "case": [self.case.m, self.case.n, self.case.k],
            "block": list(self.block),
            "grid": list(self.grid),
            "correct": self.correct,
            "mismatches": self.mismatches,
            "loads_per_thread": c.loads_per_thread,
            "global_load_requests": c.global_load_requests,
            "global_load_sectors": c.global_load_sectors,
            "global_store_requests": c.global_store_requests,
            "global_store_sectors": c.global_store_sectors,
            "shared_bank_conflicts": c.shared_bank_conflicts,
            "findings": [f.to_json() for f in self.findings],
        }
