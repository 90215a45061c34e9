"""The rule: what noise explains, what it does not, and how often it errs."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import REPOSITORY
from course.reverify.rule import Judgement, grain, judge, student
from reverify.measure_rule import NOTHING_CHANGED, SHIFTS, World, rates

STEADY = ["72.00", "72.40", "71.80", "72.10", "71.90"]
WILD = ["72.00", "110.00", "50.00", "95.00", "60.00"]
MEASURED = json.loads((REPOSITORY / "docs/assets/rule.json").read_text())


def times(*factors: float, of: list[str] = STEADY) -> list[str]:
    """The repeats, each multiplied by its factor (the last one again where they run out)."""
    wanted = [*factors, *[factors[-1]] * (len(of) - len(factors))]
    return [f"{float(text) * factor:.2f}" for text, factor in zip(of, wanted, strict=True)]


@pytest.mark.parametrize(
    ("old", "new", "verdict", "reason"),
    [
        (STEADY, times(1.0), "SAME", ""),
        (STEADY, times(1.005), "SAME", ""),
        (STEADY, times(1.02), "AMBIGUOUS", "noise may explain it"),
        (STEADY, times(1.1), "SLOWER", ""),
        (STEADY, times(0.9), "FASTER", ""),
        (WILD, WILD, "AMBIGUOUS", "too noisy to see a change by half"),
        (STEADY, times(1.3, 1.3, 1.3, 1.3, 0.99), "AMBIGUOUS", "too noisy to see a change by half"),
        (STEADY[:2], STEADY[:2], "AMBIGUOUS", "fewer than 3 repeats on one side"),
        (STEADY, STEADY[:1], "AMBIGUOUS", "fewer than 3 repeats on one side"),
        (["0.00"] * 5, STEADY, "AMBIGUOUS", "a figure of zero has no quotient"),
        (STEADY, ["0.00", *STEADY[1:]], "AMBIGUOUS", "a figure of zero has no quotient"),
    ],
)
def test_verdicts(old: list[str], new: list[str], verdict: str, reason: str) -> None:
    """Beyond noise, within it, in between, and where noise hides everything."""
    judgement = judge(old, new, "lower")
    assert (judgement.verdict, judgement.reason) == (verdict, reason)


def test_better_may_be_higher() -> None:
    """Of a rate, more is FASTER; the slowdown is told the same way round."""
    judgement = judge(STEADY, times(1.1), "higher")
    assert judgement.verdict == "FASTER"
    assert judgement.slowdown == pytest.approx(1 / 1.1, rel=1e-3)
    assert judge(STEADY, times(0.9), "higher").verdict == "SLOWER"


@pytest.mark.parametrize(
    ("low", "high", "verdict", "reason"),
    [
        (0.0, 0.0, "SLOWER", ""),
        (0.0, math.log(1.10), "AMBIGUOUS", "the clocks may explain it"),
        (0.0, math.log(1.04), "AMBIGUOUS", "noise may explain it"),
        (math.log(0.90), 0.0, "SLOWER", ""),
    ],
)
def test_clocks_are_no_regression(low: float, high: float, verdict: str, reason: str) -> None:
    """What lower clocks explain is not SLOWER; clocks that moved the other way excuse nothing."""
    judgement = judge(STEADY, times(1.06), "lower", (low, high))
    assert (judgement.verdict, judgement.reason) == (verdict, reason)


def test_few_digits_hide_small_changes() -> None:
    """0.014 may be 0.0135 or 0.0145: one digit up is the SAME, twice the time is not."""
    assert grain("0.014") == pytest.approx(0.0357, rel=1e-2)
    assert judge(["0.014"] * 5, ["0.015"] * 5, "lower").verdict == "SAME"
    assert judge(["0.014"] * 5, ["0.028"] * 5, "lower").verdict == "SLOWER"
    assert judge(["14.000"] * 5, ["15.000"] * 5, "lower").verdict == "SLOWER"


def test_many_rows_must_stand_out_more() -> None:
    """A shift that one row alone would show is not enough among nine."""
    alone, among = judge(STEADY, times(1.03), "lower"), judge(STEADY, times(1.03), "lower", rows=9)
    assert alone.verdict == "SLOWER"
    assert among.verdict == "AMBIGUOUS"
    assert alone.sees is not None
    assert among.sees is not None
    assert alone.sees < 1.03 < among.sees


def test_all_pairs_must_agree() -> None:
    """A capture of which one run in five is as before is not called SLOWER."""
    scattered = times(1.4, 1.4, 1.4, 1.4, 1.0)
    assert judge(STEADY, scattered, "lower").verdict == "AMBIGUOUS"


@pytest.mark.parametrize(
    ("level", "freedom", "quantile"),
    [
        (0.95, 1, 12.706),
        (0.95, 2, 4.303),
        (0.95, 8, 2.306),
        (0.95, 9, 2.262),
        (0.999, 4, 8.610),
        (0.999, 30, 3.646),
        (0.95, 196, 1.972),
    ],
)
def test_students_t(level: float, freedom: int, quantile: float) -> None:
    """The quantiles of the printed tables."""
    assert student(level, freedom) == pytest.approx(quantile, abs=5e-4)


repeats = st.lists(
    st.floats(0.001, 1000).map(lambda figure: f"{figure:.3f}"), min_size=1, max_size=12
)


@settings(deadline=None)
@given(repeats, repeats, st.sampled_from(["lower", "higher"]), st.integers(1, 30))
def test_the_rule_is_fair(
    old: list[str], new: list[str], better: Literal["lower", "higher"], rows: int
) -> None:
    """Whatever is given, there is a verdict; with old and new exchanged, the opposite one."""
    there, back = judge(old, new, better, rows=rows), judge(new, old, better, rows=rows)
    opposite = {"SLOWER": "FASTER", "FASTER": "SLOWER"}
    assert back.verdict == opposite.get(there.verdict, there.verdict)
    assert there.verdict != "NOT COMPARABLE"


@settings(deadline=None)
@given(repeats)
def test_a_capture_never_differs_from_itself(old: list[str]) -> None:
    """SAME, or AMBIGUOUS where there is too much noise or too few repeats."""
    assert judge(old, old, "lower").verdict in ("SAME", "AMBIGUOUS")


def test_the_measured_curve_is_this_rules() -> None:
    """Points of the page's curve, made again, are the points of the file."""
    for curve in MEASURED["curves"]:
        at = 6
        assert rates(World(curve["scatter"]), SHIFTS[at])["SLOWER"] == curve["slower"][at]
    named = {entry["world"]: entry for entry in MEASURED["false_alarms"]}
    assert set(named) == set(NOTHING_CHANGED)
    name = "each capture is off by as much as one run"
    again = rates(NOTHING_CHANGED[name], 1.0)
    assert {verdict: named[name][verdict] for verdict in again} == again


def test_false_alarms_are_rare() -> None:
    """While captures differ no more than granted, at most one row in a thousand is called wrong."""
    for entry in MEASURED["false_alarms"]:
        if entry["offset"] <= 1:
            assert entry["SLOWER"] + entry["FASTER"] <= 0.001, entry["world"]


def test_misses_are_measured() -> None:
    """With runs that scatter by 1 %, a slowdown by a fifth is nearly always seen."""
    curve = next(c for c in MEASURED["curves"] if c["scatter"] == 0.01)
    assert curve["slower"][MEASURED["shifts"].index(1.2)] > 0.98


def test_a_judgement_is_plain() -> None:
    """Nothing in it but these four."""
    assert [field.name for field in fields(Judgement)] == ["verdict", "slowdown", "sees", "reason"]
