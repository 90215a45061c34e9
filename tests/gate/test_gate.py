"""The gate bites: the real repository, broken in one way, gets exactly one message for it."""

from __future__ import annotations

import pytest

from gate import (
    breaks_blocks,
    breaks_cards,
    breaks_charts,
    breaks_evidence,
    breaks_proof,
    breaks_prose,
    breaks_snippets,
    breaks_vouched,
)
from gate.copied import LESSON, REPOSITORY, SOURCE, SPEC, Copy
from gate.expected import Break

BREAKS = [
    *breaks_blocks.BREAKS,
    *breaks_cards.BREAKS,
    *breaks_charts.BREAKS,
    *breaks_evidence.BREAKS,
    *breaks_snippets.BREAKS,
    *breaks_prose.BREAKS,
    *breaks_vouched.BREAKS,
    *breaks_proof.BREAKS,
]


def _name(function: Break) -> str:
    return function.__name__.replace("_", " ")


@pytest.mark.parametrize("break_it", BREAKS, ids=_name)
def test_the_gate_bites(copy: Copy, break_it: Break) -> None:
    """Each break is found, at its place, with its exact message and mend; the gate exits 1."""
    expected = break_it(copy)
    findings = copy.findings()
    found = [f for f in findings if f["code"] == expected.code and f["path"] == expected.path]
    assert found, findings
    texts = [_cut(finding["message"], expected.message) for finding in found]
    assert expected.message in texts
    finding = found[texts.index(expected.message)]
    assert (finding["line"], finding["severity"]) == (expected.line, expected.severity)
    assert finding["fix"].startswith(expected.fix or finding["fix"][:1] or "a fix")
    assert f"`{expected.code}`" in copy.path("docs/reference/evidence.md").read_text()


def _cut(message: str, expected: str) -> str:
    """The message, cut where `expected` ends in an ellipsis (what follows is a hash or a dump)."""
    if not expected.endswith("…"):
        return message
    return message[: len(expected) - 1] + "…"


def test_one_fault_gives_one_finding(copy: Copy) -> None:
    """What rests on a program that cannot be read is not reported on top of it."""
    copy.replace(SPEC, "arch: sm_75", "arhc: sm_75")
    assert [finding["path"] for finding in copy.findings()] == [SPEC]


def test_the_unbroken_copy_is_clean(copy: Copy) -> None:
    """The control: nothing is found, and the exit status is 0."""
    assert copy.findings() == []


def test_what_is_no_measurement_is_clean(copy: Copy) -> None:
    """The control: shapes, names, quotations, code, comments and a filter that the pages use."""
    copy.insert(
        LESSON,
        'A 16×16 or 16 x 16 tile, day-16 style, `12 ms`, <!-- 12 ms --> [["12 ms" from a log]], '
        '[a link](12%20ms){ .c7 } <b title="12 ms">here</b>: [[= kTileDim | fixed(1) =]].\n\n'
        "> ```text\n> 12 ms\n> ```\n\n````text\n```c\n12 ms [[= nope =]]\n````",
    )
    assert copy.findings() == []


def test_words_that_name_the_card_of_their_block_are_clean(copy: Copy) -> None:
    """The control: its card beside another, the caches L1 and L2, a card that is a value, and a
    paragraph with another block between."""
    copy.replace(
        LESSON, breaks_cards.TAB, '#### A T4 and an H200\n\n=== "[[= h200.gpu =]]: L1 and L2"'
    )
    assert copy.findings() == []


def test_a_constant_in_a_comment_says_nothing(copy: Copy) -> None:
    """The value on the pages, in charts and in receipts is that of the code that is compiled."""
    copy.replace(
        SOURCE,
        "constexpr int kWarmup",
        "/*\nconstexpr int kTileDim = 32;\n*/ constexpr int kWarmup",
    )
    assert copy.findings() == []


def test_the_readme_shows_a_refusal_as_it_is(copy: Copy) -> None:
    """The digit that README.md says was changed is changed; what is printed is what it shows."""
    shown = (REPOSITORY / "README.md").read_text().partition("$ .venv/bin/course check\n")[2]
    copy.replace(LESSON, "is 1.29x faster", "is 1.39x faster")
    done = copy.course("check", "--no-cpu-check")
    assert done.returncode == 1
    assert shown.partition("```")[0] in done.stdout + done.stderr
