"""A sample of the campaign `submissions`: a few deeds, each with its control."""

from __future__ import annotations

from campaigns import submissions
from campaigns.campaign import tally


def test_no_deed_is_done() -> None:
    counted = tally(submissions.NAME, submissions.attempts(sample=10, seed=0))
    assert counted.total("tried") == counted.total("refused") == 10
    assert counted.unexplained == []


def test_files_are_safe_from_a_kernel() -> None:
    """What was found: these were done by kernels on the pool's threads."""
    for place in ("the first thread", "every thread of the pool"):
        for group, name in (("remove", "remove"), ("create", "ofstream"), ("rename", "rename")):
            (attempt,) = submissions.chosen([(place, group, name)])
            assert attempt.outcome == "refused", attempt
