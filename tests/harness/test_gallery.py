"""Every kernel of the gallery that the harness can launch is judged rightly, and by its name."""

from __future__ import annotations

import pytest

from course.harness.contract import PITFALLS
from course.simt import Case
from gallery import Entry, load
from harness.conftest import Judge

# Others need a block, a tile, shared memory or a signature that the contract does not give.
LAUNCHABLE = [
    entry
    for entry in load()
    if entry.block == (16, 16) and entry.tile == (16, 16) and entry.kernel == "matmulTiled"
    if not entry.shared and entry.name != "early-return-no-barrier"
]
BROKEN = [entry for entry in LAUNCHABLE if not entry.is_right]
RIGHT = [entry for entry in LAUNCHABLE if entry.is_right]
RULES = {
    "guarded-load-without-else": "fails whenever K is not a multiple of 16",
    "barrier-in-branch": "fails whenever M or N is not a multiple of 16",
    "break-before-barrier": "fails whenever M is not a multiple of 16 and K is larger than 16",
    "missing-barrier-after-load": "fails at every size",
    "missing-barrier-after-compute": "fails whenever K is larger than 16",
    "wrong-axis-guard-store": "fails whenever M is not N",
    "tile-count-rounded-down": "fails whenever K is not a multiple of 16",
    "output-transposed": "fails whenever M is larger than 1 and N is larger than 1",
}
MINIMAL = {
    "guarded-load-without-else": Case(1, 1, 1),
    "missing-barrier-after-compute": Case(1, 1, 17),
    "wrong-axis-guard-load": Case(1, 1, 2),
    "output-transposed": Case(2, 2, 1),
}


@pytest.mark.parametrize("entry", BROKEN, ids=lambda entry: entry.name)
def test_a_broken_kernel_does_not_pass_and_is_named(entry: Entry, judge: Judge) -> None:
    """The verdict, the pitfall, one of the marked lines, the rule and the smallest case."""
    report = judge(entry.path)
    advice = entry.pitfall is not None and PITFALLS[entry.pitfall].advice
    assert report.verdict == ("pass" if advice else "fail"), report
    named = {d.pitfall: d for d in report.diagnosis}
    assert entry.pitfall is None or entry.pitfall in named, report.diagnosis
    if entry.pitfall not in (None, "no-shared-memory"):
        marked = set(entry.fault_lines)
        assert marked & {d.line for d in report.diagnosis if d.pitfall == entry.pitfall}
    assert all(d.path == str(entry.path) and d.message for d in report.diagnosis)
    assert report.rule == RULES.get(entry.name, report.rule)
    assert report.minimal_failing_case == MINIMAL.get(entry.name, report.minimal_failing_case)


@pytest.mark.parametrize("entry", RIGHT, ids=lambda entry: entry.name)
def test_a_right_kernel_is_never_accused(entry: Entry, judge: Judge) -> None:
    """The control. What is right without the tile is right, and over the budget."""
    report = judge(entry.path)
    assert report.correct, report
    assert report.rule is None
    assert report.smallest_failing_case is report.minimal_failing_case is None
    thrifty = entry.name != "float4-with-tail"
    assert report.verdict == ("pass" if thrifty else "fail")
    faults = [d.pitfall for d in report.diagnosis if not d.is_advice]
    assert faults == ([] if thrifty else ["no-shared-memory"])


def test_every_pitfall_has_a_kernel_that_shows_it() -> None:
    assert {entry.pitfall for entry in BROKEN if entry.pitfall} == set(PITFALLS)
