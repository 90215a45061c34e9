"""The ladder, shrinking, the rule, the report: the parts that need no compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.harness.contract import BUDGET, PITFALLS, TRAFFIC_N
from course.harness.ladder import (
    FEW_ELEMENTS,
    GPU_ONLY,
    LARGE,
    SMALL,
    cases,
    random_cases,
    repeats,
    rungs,
    size_of,
    traffic_cases,
)
from course.harness.report import CaseResult, Diagnosis, Report, Traffic
from course.harness.rule import rule_of, scan
from course.harness.show import lines
from course.harness.shrink import EVERY_SIZE, shrink, sizes_below
from course.simt import Case

SIZES = st.integers(1, 1100)
CASES = st.builds(Case, SIZES, SIZES, SIZES)
Fails = Callable[[Case], bool]
FAULTS: list[tuple[str, Fails]] = [
    ("fails at every size", lambda c: True),
    ("fails whenever K is not a multiple of 16", lambda c: c.k % 16 != 0),
    ("fails whenever M or N is not a multiple of 16", lambda c: bool(c.m % 16 or c.n % 16)),
    ("fails whenever K is not a multiple of 32", lambda c: c.k % 32 != 0),
    ("fails whenever K is larger than 16", lambda c: c.k > 16),
    ("fails whenever K is smaller than 16", lambda c: c.k < 16),
    ("fails whenever M is not N", lambda c: c.m != c.n),
    ("fails whenever K is larger than N", lambda c: c.k > c.n),
    (
        "fails whenever M is not a multiple of 16 and K is larger than 16",
        lambda c: c.m % 16 != 0 and c.k > 16,
    ),
]


def observed(fails: Fails) -> dict[Case, bool]:
    return {case: fails(case) for case in [*cases(SMALL, LARGE), *scan()]}


@pytest.mark.parametrize(("rule", "fails"), FAULTS, ids=[rule for rule, _ in FAULTS])
def test_the_rule_is_found(rule: str, fails: Fails) -> None:
    assert rule_of(observed(fails)) == rule


def test_no_failure_has_no_rule() -> None:
    assert rule_of(observed(lambda c: False)) is None


def test_a_fault_without_a_rule_is_told_none() -> None:
    """Silence is better than a rule that a case contradicts."""
    assert rule_of(observed(lambda c: (c.m * 7 + c.n * 5 + c.k * 3) % 11 == 0)) is None


def test_a_rule_that_leaves_failures_says_so() -> None:
    fails: Fails = lambda c: c.k % 16 != 0 or c == Case(48, 80, 32)  # noqa: E731
    assert rule_of(observed(fails)) == (
        "fails whenever K is not a multiple of 16, and at some other sizes"
    )


def first_failing(fails: Fails) -> Callable[[Sequence[Case]], Case | None]:
    return lambda tried: next((case for case in tried if fails(case)), None)


@pytest.mark.parametrize(
    ("start", "fails", "smallest"),
    [
        (Case(611, 613, 617), lambda c: c.k % 16 != 0, Case(1, 1, 1)),
        (Case(611, 613, 617), lambda c: c.k > 16 and c.m % 16 != 0, Case(1, 1, 17)),
        (Case(611, 613, 617), lambda c: c.k % 16 == 9 and c.m > 600, Case(601, 1, 9)),
        (Case(1000, 1000, 1000), lambda c: c.m > 256, Case(257, 1, 1)),
        (Case(5, 6, 7), lambda c: c == Case(5, 6, 7), Case(5, 6, 7)),
    ],
)
def test_shrinking_ends_at_the_smallest(start: Case, fails: Fails, smallest: Case) -> None:
    found = shrink(start, first_failing(fails))
    assert fails(found)
    assert size_of(found) <= size_of(start)
    if found != smallest:  # above the sizes that are all tried, only some are
        assert max(smallest.m, smallest.n, smallest.k) > EVERY_SIZE


@given(CASES, st.sampled_from(FAULTS))
def test_no_single_smaller_size_fails(start: Case, fault: tuple[str, Fails]) -> None:
    """Whatever the start, what is reported fails, and every smaller size that is tried does not."""
    _, fails = fault
    if not fails(start):
        return
    found = shrink(start, first_failing(fails))
    assert fails(found)
    for axis in "mnk":
        for size in sizes_below(getattr(found, axis)):
            assert not fails(found._replace(**{axis: size}))


@given(st.integers(1, 5000))
def test_sizes_below_are_below_and_in_order(size: int) -> None:
    tried = list(sizes_below(size))
    assert tried == sorted(set(tried))
    assert all(0 < s < size for s in tried)
    assert set(range(1, min(size, EVERY_SIZE + 1))) <= set(tried)


def test_the_ladder_holds_what_the_contract_names() -> None:
    fixed = set(cases(SMALL, LARGE))
    wanted = "1x1x1 15x15x15 16x16x16 17x17x17 31x31x31 33x33x33 512x512x512 611x613x617"
    assert {Case.parse(text) for text in f"{wanted} 1000x1000x1000".split()} <= fixed
    assert {Case(4096, 4096, 4096), Case(4001, 4003, 4007)} <= set(cases(GPU_ONLY))
    assert any(case.m == 1 for case in fixed)
    assert any(case.n == 1 for case in fixed)
    assert any(case.k < 16 for case in fixed)


@given(st.integers(0, 10**9))
def test_random_sizes_come_from_the_seed_alone(seed: int) -> None:
    first, second = list(random_cases(seed)), list(random_cases(seed))
    assert first == second
    assert not set(first) & set(cases(SMALL, LARGE, GPU_ONLY))
    assert all(case.k == TRAFFIC_N for case in traffic_cases(seed))


@given(st.integers(0, 10**6))
def test_every_rung_has_numbers_of_its_own(seed: int) -> None:
    """An earlier output is never right again; smallest first; small C more than once."""
    ladder = rungs(seed, cases(SMALL))
    assert len({rung.seed for rung in ladder}) == len(ladder)
    whole = [rung.case for rung in ladder if rung.inputs == "integers"]
    assert whole == sorted(whole, key=size_of)
    for case in set(whole):
        assert whole.count(case) == repeats(case) == (3 if case.m * case.n < FEW_ELEMENTS else 1)


def result(case: Case, right: bool | None) -> CaseResult:
    return CaseResult(case, "integers", 7, "cpu", right)


RIGHT = Report("a.cu", 7, "cpu", cases=(result(Case(1, 1, 1), True),), traffic=Traffic(64))
VERDICTS = [
    (RIGHT, "pass", 0),
    (replace(RIGHT, traffic=Traffic(BUDGET)), "pass", 0),
    (replace(RIGHT, traffic=Traffic(BUDGET + 1)), "fail", 1),
    (replace(RIGHT, traffic=Traffic()), "fail", 1),
    (replace(RIGHT, cases=()), "fail", 1),
    (replace(RIGHT, cases=(*RIGHT.cases, result(Case(2, 2, 2), None))), "fail", 1),
    (replace(RIGHT, cases=(*RIGHT.cases, result(Case(2, 2, 2), False))), "fail", 1),
    (replace(RIGHT, diagnosis=(Diagnosis(None, "a.cu", 1, "x"),)), "fail", 1),
    (replace(RIGHT, diagnosis=(Diagnosis("uncoalesced", "a.cu", 1, "x"),)), "pass", 0),
    (replace(RIGHT, error=Diagnosis(None, "a.cu", 1, "x")), "error", 2),
]


@pytest.mark.parametrize(("report", "verdict", "status"), VERDICTS)
def test_verdicts(report: Report, verdict: str, status: int) -> None:
    """Passing takes every case, the budget, and no fault; nothing that was not run is right."""
    assert (report.verdict, report.exit_status) == (verdict, status)


def test_the_smallest_failing_case_is_by_work_not_by_order() -> None:
    wrong = [Case(611, 613, 617), Case(17, 1, 5), Case(4096, 4096, 4096)]
    report = replace(RIGHT, cases=tuple(result(case, False) for case in wrong))
    assert report.smallest_failing_case == Case(17, 1, 5)


def test_json_has_the_keys_of_the_contract() -> None:
    report = replace(RIGHT, diagnosis=(Diagnosis("uncoalesced", "a.cu", 3, "x", "y"),))
    plain = report.to_json()
    assert list(plain)[:10] == [
        "verdict",
        "correct",
        "smallest_failing_case",
        "minimal_failing_case",
        "rule",
        "traffic",
        "diagnosis",
        "cases",
        "device",
        "seed",
    ]
    assert plain["traffic"] == {
        "tile": 16,
        "n": 512,
        "reads_per_thread": 64,
        "budget": 72,
        "within": True,
    }
    assert plain["diagnosis"] == [
        {"pitfall": "uncoalesced", "path": "a.cu", "line": 3, "message": "x"}
    ]
    assert plain["cases"][0]["case"] == [1, 1, 1]


def test_the_report_in_words() -> None:
    """To the letter."""
    told = Diagnosis("no-shared-memory", "a.cu", 3, "a thread reads 1,024 times", "use the tile")
    report = replace(RIGHT, traffic=Traffic(1024), diagnosis=(told,), answer="zero")
    assert list(lines(report)) == [
        "  cases    all 1 right, at every element",
        "  traffic  1,024 reads a thread at tile 16, N = 512: over the budget of 72",
        "  a.cu:3: a thread reads 1,024 times [no-shared-memory]",
        "    fix: use the tile",
        "    see: /day16-tiled-matmul/#no-shared-memory",
        "  answer   zero (not judged)",
        "  device   cpu; run this again with --seed 7",
    ]
    wrong = (result(Case(33, 32, 17), False), result(Case(64, 64, 64), None))
    report = replace(
        RIGHT,
        cases=wrong,
        minimal_failing_case=Case(1, 1, 17),
        rule="fails whenever K is larger than 16",
        traffic=Traffic(),
    )
    assert list(lines(report)) == [
        "  cases    1 of 1 wrong; 1 were not run, because an earlier one did not end",
        "  smallest 33x32x17 fails (m x n x k); made smaller on each axis: 1x1x17",
        "  rule     fails whenever K is larger than 16",
        "  traffic  not measured",
        "  answer   (none: the line // ANSWER: is empty) (not judged)",
        "  device   cpu; run this again with --seed 7",
    ]


def test_every_pitfall_stands_on_the_lesson() -> None:
    """A link of a report leads somewhere."""
    from bench import REPOSITORY

    page = (REPOSITORY / "docs/day16-tiled-matmul.md").read_text()
    for name in PITFALLS:
        assert f"{{#{name}}}" in page or f'id="{name}"' in page
