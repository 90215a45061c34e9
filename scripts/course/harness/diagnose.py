"""From what the CPU check found to the lesson's words: which pitfall it is, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from course.harness.contract import BUDGET, TRAFFIC_N
from course.harness.guards import Guards
from course.harness.report import Diagnosis
from course.harness.submission import Submission
from course.simt import Case, Counters, Finding

Told = list[Diagnosis]


@dataclass(frozen=True)
class Evidence:
    """All that the CPU check saw: the findings of all cases, and which cases failed."""

    submission: Submission
    findings: Sequence[Finding]
    failed: Mapping[Case, bool]
    unset_values: bool = False  # the compiler saw a value used before it is set

    def of(self, *kinds: str) -> list[Finding]:
        return [finding for finding in self.findings if finding.kind in kinds]

    @property
    def guards(self) -> Guards:
        return Guards(self.submission)


def diagnose(evidence: Evidence) -> list[Diagnosis]:
    """The first that fits, causes before consequences, then advice; one for each line."""
    for judge in CAUSES:
        told = list(judge(evidence))
        if told:
            break
    return _once([*told, *_advice(evidence)])


def _barriers(evidence: Evidence) -> Iterator[Diagnosis]:
    for finding in evidence.of("barrier-divergence"):
        yield _as("barrier-in-branch", finding)


def _hangs(evidence: Evidence) -> Iterator[Diagnosis]:
    for finding in evidence.of("hang"):
        yield _as(None, finding)


def _wrong_axis(evidence: Evidence) -> Iterator[Diagnosis]:
    """Right on squares of whole tiles and wrong elsewhere, and a guard mixes two axes."""
    squares = [wrong for case, wrong in evidence.failed.items() if _is_whole_square(case)]
    kinds = ("wrong-result", "unwritten-output", "out-of-bounds")
    if not any(evidence.failed.values()) or any(squares) or not evidence.of(*kinds):
        return
    for line in evidence.guards.wrong_axis:
        yield Diagnosis(
            "wrong-axis-guard",
            str(evidence.submission.source.path),
            line,
            "this guard tests an index against the size of another axis: squares of whole tiles "
            "come out right, rectangles do not",
            "test against the matrix that is read: A has M rows and K columns, B has K rows and N "
            "columns, C has M rows and N columns",
        )


def _is_whole_square(case: Case) -> bool:
    return case.m == case.n == case.k and case.m % 16 == 0


def _races(evidence: Evidence) -> Iterator[Diagnosis]:
    for finding in evidence.of("race"):
        yield _as(_missing_barrier(evidence.guards, finding), finding)


def _missing_barrier(guards: Guards, finding: Finding) -> str | None:
    """Which of the two barriers would have kept the two lines apart."""
    lines = {finding.line, finding.detail.get("other_line") or finding.line}
    stores = lines & set(guards.stores(str(finding.detail.get("array"))))
    reads = lines - stores
    if not stores or not reads:
        return None
    store, read = min(stores), min(reads)
    between = any(min(store, read) < line < max(store, read) for line in guards.barriers)
    after_load = (store < read) != between
    return "missing-barrier-after-load" if after_load else "missing-barrier-after-compute"


def _out_of_bounds(evidence: Evidence) -> Iterator[Diagnosis]:
    *inputs, output = evidence.submission.kernel.parameters[:3]
    stores = evidence.guards.stores(output)
    for finding in evidence.of("out-of-bounds", "misaligned"):
        array, pitfall = finding.detail.get("array"), None
        if finding.kind == "out-of-bounds" and array in inputs:
            written = "which is an input" in finding.message
            pitfall = "out-of-bounds-store" if written else "out-of-bounds-load"
        elif finding.kind == "out-of-bounds" and array == output:
            # A load far past B may come to lie next to C.
            loads = " reads " in finding.message and finding.line not in stores
            pitfall = "out-of-bounds-load" if loads else "out-of-bounds-store"
        yield _as(pitfall, finding)


def _old_cells(evidence: Evidence) -> Iterator[Diagnosis]:
    """Cells that hold a value of an earlier step, or none. Uninitialised ones have other causes
    too: only where a guarded store without an else fills the array is it this pitfall."""
    for finding in evidence.of("stale-shared"):
        yield _as("guarded-load-without-else", finding)
    for finding in evidence.of("uninitialized-shared"):
        guarded = finding.line != finding.detail.get("reading_line")
        yield _as("guarded-load-without-else" if guarded else None, finding)


def _sums(evidence: Evidence) -> Iterator[Diagnosis]:
    """C is wrong, and no access was."""
    wrong = evidence.of("wrong-result")
    kernel_line = evidence.submission.kernel.line
    for finding in wrong:
        if finding.line != kernel_line and "start the sum" in finding.fix:
            yield _as("uninitialized-accumulator", finding)
            return
    line = evidence.guards.steps_rounded_down
    ragged_only = all(case.k % 16 for case, failed in evidence.failed.items() if failed)
    for finding in wrong[:1]:
        if line is not None and ragged_only:
            yield Diagnosis(
                "tile-count-rounded-down",
                finding.path,
                line,
                f"the division rounds down, so the sums lack their last products: "
                f"{finding.message}",
                "round up: (k + kTileDim - 1) / kTileDim",
            )
        else:
            yield _as(None, finding)


def _unwritten(evidence: Evidence) -> Iterator[Diagnosis]:
    for finding in evidence.of("unwritten-output"):
        yield _as(None, finding)


CAUSES: tuple[Callable[[Evidence], Iterator[Diagnosis]], ...] = (
    _hangs,
    _barriers,
    _wrong_axis,
    _out_of_bounds,
    _races,
    _old_cells,
    _sums,
    _unwritten,
)


def _advice(evidence: Evidence) -> Iterator[Diagnosis]:
    for finding in evidence.of("bank-conflict"):
        yield _as("bank-conflicts", finding)
    for finding in evidence.of("uncoalesced"):
        yield _as("uncoalesced", finding)


def diagnose_traffic(submission: Submission, counters: Counters) -> Iterator[Diagnosis]:
    """Over the budget, and whether the tile was used at all."""
    reads = counters.loads_per_thread
    if reads <= BUDGET:
        return
    over = f"a thread reads {reads:,} times at N = {TRAFFIC_N}, where the budget is {BUDGET}"
    unused = not counters.shared_load_requests
    yield Diagnosis(
        "no-shared-memory" if unused else None,
        str(submission.source.path),
        submission.kernel.line,
        over + ("; shared memory was never used" if unused else ""),
        "let the block fetch each float once, and read the operands of the inner product from "
        "shared memory",
    )


def _as(pitfall: str | None, finding: Finding) -> Diagnosis:
    return Diagnosis(pitfall, finding.path, finding.line, finding.message, finding.fix)


def _once(told: Sequence[Diagnosis]) -> Told:
    seen: dict[tuple[str | None, int], Diagnosis] = {}
    for entry in told:
        seen.setdefault((entry.pitfall, entry.line), entry)
    return list(seen.values())
