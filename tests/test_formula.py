"""Expressions: what they give, what readers see, and what is refused with a sentence."""

from __future__ import annotations

import re
from typing import Any

import pytest

from course.formula import (
    ExpressionError,
    Figure,
    Formula,
    Origin,
    bind,
    evaluate,
    names_in,
    show,
)


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("2 * k", "1,234"),
        ("ceil_div(k, 16)", "39"),
        ("(k / 16) | fixed(2)", "38.56"),
        ("printed", "16.0"),
        ("printed * 2", "32"),
        ("7 | words", "seven"),
        ("min(3, 1)", "1"),
    ],
)
def test_a_value_shows_the_digits_it_was_given(expression: str, shown: str) -> None:
    """Whole numbers get thousands separators, a printed figure keeps the digits of the log."""
    names: dict[str, Any] = {"k": 617, "printed": Figure("16.0")}
    assert show(evaluate(expression, names)) == shown


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("nope + 1", "'nope' is undefined"),
        ("2 +", "not an expression: unexpected 'end of template'"),
        ("1 / 0", "division by zero"),
        ("2 * 'a' * 'b'", "takes `*` of something that is no number"),
        ("''.__class__.__mro__", "access to attribute '__class__' of 'str' object is unsafe."),
    ],
)
def test_a_bad_expression_is_refused_with_a_sentence(expression: str, message: str) -> None:
    """No traceback, no silent empty text, and no way out of the sandbox."""
    with pytest.raises(ExpressionError, match=re.escape(message)):
        evaluate(expression, {})


def test_a_float_needs_its_digits() -> None:
    """A computed fraction is refused until the author says how many digits it deserves."""
    with pytest.raises(ExpressionError, match=r"gives 38.5625 without its digits; end it with"):
        show(evaluate("k / 16", {"k": 617}))
    assert show(evaluate("k / 16", {"k": 640})) == "40"


def test_a_formula_records_its_inputs_once() -> None:
    """Only the outermost call is recorded; formulas may use each other."""
    origins: list[Origin] = []
    formulas = {
        "tiled": Formula(of=("k",), expr="2 * ceil_div(k, kTileDim)", means="loads"),
        "ratio": Formula(of=("k",), expr="2 * k / tiled(k)", means="a ratio"),
    }
    names = bind(formulas, {"kTileDim": 16}, origins.append)
    assert evaluate("ratio(512)", names) == 16.0
    text = "a ratio: 2 * k / tiled(k), with k = 512"
    assert [(origin.kind, origin.text, origin.place) for origin in origins] == [
        ("formula", text, "ratio")
    ]
    with pytest.raises(ExpressionError, match=r"ratio takes \(k\), got 2 inputs"):
        evaluate("ratio(1, 2)", names)


def test_names_of_an_expression() -> None:
    """The names that an expression reads, so that constants behind it can be shown."""
    assert names_in("a + f(b.c)") == {"a", "f", "b"}
    assert names_in("a +") == set()


@pytest.mark.parametrize(
    ("call", "value", "given"),
    [
        ("half(5 / 2)", 1.25, "2.5"),
        ("half(10 / 3)", 10 / 6, "3.3333333333333335"),
        ("half(8 / 2)", 2.0, "4"),
        ("half(k)", 8.0, "16"),
        ("half(printed)", 0.645, "1.29"),
    ],
)
def test_a_formula_of_a_computed_number(call: str, value: float, given: str) -> None:
    """Its receipt shows the input with all its digits; one that was printed as it was printed."""
    origins: list[Origin] = []
    formulas = {"half": Formula(of=("n",), expr="n / 2", means="a half")}
    names = {"k": 16, "printed": Figure("1.29")}
    assert evaluate(call, {**names, **bind(formulas, names, origins.append)}) == value
    assert [origin.text for origin in origins] == [f"a half: n / 2, with n = {given}"]
