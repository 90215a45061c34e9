"""Expressions over evidence, source constants and named formulas, in Jinja2's language."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.environment import TemplateExpression
from jinja2.parser import Parser
from jinja2.sandbox import SandboxedEnvironment

from course.files import Data


class Formula(Data):
    """A named formula of program.yml: `of` are its arguments, `expr` its Jinja2 expression."""

    of: tuple[str, ...]
    expr: str
    means: str


@dataclass(frozen=True)
class Origin:
    """Where a number came from: a log line, a source constant, or a formula with its inputs.

    `place` is `path:line` relative to the project's root, or a formula's name; `key` names the
    capture, if any. Formulas and captures are their `program`'s: another may have one of that name.
    """

    kind: str
    text: str
    place: str
    key: str = ""
    program: str = ""


Record = Callable[[Origin], None]


class Figure(float):
    """A number as it was printed: computes as a float, shows the digits of the log."""

    text: str

    def __new__(cls, text: str) -> Figure:
        figure = super().__new__(cls, text)
        figure.text = text
        return figure

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Fixed:
    """A number that an expression has already given its digits; nothing computes with it."""

    text: str

    def __str__(self) -> str:
        return self.text


def fixed(value: float, digits: int) -> Fixed:
    """`value` with that many decimals, at most 15, and a comma between thousands."""
    if not 0 <= digits <= 15:
        raise ExpressionError(f"asks for {digits} decimals; from 0 to 15 can be shown")
    _refuse_large(value)
    return Fixed(f"{float(value):,.{digits}f}")


_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]


def words(value: float) -> Fixed:
    """A whole number from 0 to 12 as a word."""
    return Fixed(_WORDS[int(value)] if value == int(value) and 0 <= value <= 12 else show(value))


def ceil_div(a: int, b: int) -> int:
    """a / b, rounded up, for whole numbers."""
    return -(-a // b)


class ExpressionError(Exception):
    """An expression that is not one, or that reads something that does not exist."""


_LARGEST = 1e30  # the gate would print, or compute, a larger one for ever


def _refuse_large(value: float) -> None:
    if not abs(value) < _LARGEST:
        raise ExpressionError("gives no number below 10^30")


_FUNCTIONS = {"ceil_div": ceil_div, "min": min, "max": max, "abs": abs, "sqrt": math.sqrt}


class _Environment(SandboxedEnvironment):
    """Jinja2's expressions with our functions and filters only, the same answer every time."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(undefined=jinja2.StrictUndefined)
        self.globals = dict(_FUNCTIONS)
        self.filters = {"fixed": fixed, "words": words}

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Refuse what takes for ever: a text a thousand million times, a power of powers."""
        if not (isinstance(left, int | float) and isinstance(right, int | float)):
            raise ExpressionError(f"takes `{operator}` of something that is no number")
        if operator == "**" and abs(right) > 1000:
            raise ExpressionError(f"takes a power above 1000: {show(right)}")
        value = super().call_binop(context, operator, left, right)
        _refuse_large(value)
        return value


_ENVIRONMENT = _Environment()
# Python's own limits, met by an expression that is nested too deep.
_TOO_DEEP = (RecursionError, MemoryError, SyntaxError)


@lru_cache(maxsize=4096)
def _compiled(expression: str) -> TemplateExpression:
    """An expression rests on its text alone, and most are asked again: by each row, by each look
    at a page."""
    return _ENVIRONMENT.compile_expression(expression, undefined_to_none=False)


def evaluate(expression: str, names: Mapping[str, Any]) -> Any:
    """The value of one Jinja2 expression. Raises ExpressionError with a sentence."""
    try:
        value = _compiled(expression)(**names)
        if isinstance(value, jinja2.Undefined):
            value._fail_with_undefined_error()
        return value
    except jinja2.TemplateSyntaxError as error:
        raise ExpressionError(f"not an expression: {error.message}") from error
    except _TOO_DEEP as error:
        raise ExpressionError("is nested too deep") from error
    except (jinja2.TemplateError, ArithmeticError, TypeError, ValueError, LookupError) as error:
        raise ExpressionError(str(error)) from error


def show(value: Any) -> str:
    """A value as a reader sees it. Raises ExpressionError for a float without its digits."""
    if isinstance(value, Fixed | Figure):
        return str(value)
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ExpressionError(f"gives {type(value).__name__}, not a number or a word")
    _refuse_large(value)
    if isinstance(value, float) and value != int(value):
        raise ExpressionError(f"gives {value!r} without its digits; end it with `| fixed(1)`")
    return f"{int(value):,}"


@lru_cache(maxsize=4096)
def _given(value: Any) -> str:
    """An input as a receipt shows it. Nobody chose digits for a computed float, so all stand."""
    if isinstance(value, float) and not isinstance(value, Figure) and value != int(value):
        return repr(value)
    return show(value)


def names_in(expression: str) -> frozenset[str]:
    """The names that an expression reads, functions apart; empty when it is not an expression."""
    try:
        read = nodes.Output([Parser(_ENVIRONMENT, expression, state="variable").parse_expression()])
    except (jinja2.TemplateSyntaxError, *_TOO_DEEP):
        return frozenset()
    return frozenset(name.name for name in read.find_all(nodes.Name)) - set(_FUNCTIONS)


def bind(
    formulas: Mapping[str, Formula],
    names: Mapping[str, Any],
    record: Record | None = None,
    *,
    program: str = "",
) -> dict[str, Any]:
    """The formulas of `program` as functions over `names`; an outermost call tells `record` its
    inputs."""
    plain: dict[str, Any] = {}

    def function(name: str, formula: Formula, record: Record | None) -> Callable[..., Any]:
        def call(*inputs: Any) -> Any:
            if len(inputs) != len(formula.of):
                wanted = ", ".join(formula.of)
                raise TypeError(f"{name} takes ({wanted}), got {len(inputs)} inputs")
            arguments = dict(zip(formula.of, inputs, strict=True))
            value = evaluate(formula.expr, {**names, **plain, **arguments})
            if record is not None:
                given = ", ".join(f"{key} = {_given(value)}" for key, value in arguments.items())
                text = f"{formula.expr}" + (f", with {given}" if given else "")
                told = f"{formula.means}: {text}"
                record(Origin("formula", told, name, program=program))
            return value

        return call

    plain.update({name: function(name, formula, None) for name, formula in formulas.items()})
    return {name: function(name, formula, record) for name, formula in formulas.items()}
