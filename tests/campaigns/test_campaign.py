"""Counting attempts: what survives needs a reason, and a reason fits only what it names."""

from __future__ import annotations

from campaigns.campaign import Attempt, Tally

REASONS = {"values: filter * of the date": "a date has no digits to round"}


def counted(*attempts: Attempt) -> Tally:
    tally = Tally(REASONS)
    for attempt in attempts:
        tally.add(attempt)
    return tally


def test_refused_attempts_need_no_reason() -> None:
    tally = counted(Attempt("values", "a", "refused"), Attempt("claims", "b", "refused"))
    assert (tally.total("tried"), tally.total("refused"), tally.unexplained) == (2, 2, [])
    assert [row["group"] for row in tally.to_json()["groups"]] == ["claims", "values"]


def test_a_survivor_is_explained_only_by_a_reason_of_its_own_group() -> None:
    """The control beside it: the same name in another group is not explained."""
    name = "filter 3 of the date"
    tally = counted(Attempt("values", name, "survived"), Attempt("claims", name, "survived"))
    assert [attempt.group for attempt, _ in tally.explained] == ["values"]
    assert [attempt.group for attempt in tally.unexplained] == ["claims"]
    assert tally.total("survived") == 2
