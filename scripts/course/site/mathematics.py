"""Formulas in prose, $…$ and $$…$$: TeX that KaTeX turns into MathML while the site is built.

The reader's browser typesets MathML with the reader's fonts: nothing is loaded for it, so nothing
moves when it arrives.
"""

from __future__ import annotations

import atexit
import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from py_mini_racer import MiniRacer

from course.errors import CourseError
from course.page import Page

_KATEX = Path(__file__).parent / "vendor/katex/katex.min.js"
_FORMULA = re.compile(
    r"(?<![\\$])\$\$(?P<display>(?:(?!\n[ \t>]*\n)[^$])+?)\$\$"
    r"|(?<![\\$\w])\$(?P<inline>(?!\s)(?:\\\$|(?!\n[ \t>]*\n)[^$\\]|\\[^$])+?(?<!\s))\$(?![$\w])"
)
# KaTeX repeats the TeX beside every formula. No reader sees it, and browsers style its elements.
_WITH_TEX = re.compile(
    r"<semantics><mrow>(.*)</mrow><annotation .*</annotation></semantics>", re.DOTALL
)
_RENDER = """
function render(tex, displayMode) {
  const options = {displayMode, strict: "error", output: "mathml"};
  try {
    return JSON.stringify({html: katex.renderToString(tex, options)});
  } catch (error) {
    return JSON.stringify({error: error.rawMessage || error.message, at: error.position || 0});
  }
}
"""


@dataclass(frozen=True)
class Formula:
    """A formula of a page: the span with its dollars, and where its TeX starts."""

    line: int
    start: int
    end: int
    tex_start: int
    tex: str
    display: bool


class BadFormulaError(Exception):
    """TeX that KaTeX refuses; `at` is an offset in it."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


def formulas(page: Page) -> list[Formula]:
    found = []
    for match in _FORMULA.finditer(page.masked):
        kind = "display" if match["display"] else "inline"
        start = match.start(kind)
        tex = page.text[start : match.end(kind)]
        span = (page.line_at(match.start()), match.start(), match.end(), start)
        found.append(Formula(*span, tex, kind == "display"))
    return found


@cache
def _katex() -> MiniRacer:
    """One V8 context a process: loading KaTeX takes longer than hundreds of formulas.

    It must be closed before Python takes its threads down, or the process never ends.
    """
    context = MiniRacer()
    atexit.register(context.close)
    context.eval(_KATEX.read_text(encoding="utf-8"))
    context.eval(_RENDER)
    return context


@cache
def typeset(tex: str, *, display: bool) -> str:
    """The formula as MathML. Raises BadFormulaError."""
    answer = json.loads(str(_katex().call("render", tex.strip(), display)))
    if "error" in answer:
        raise BadFormulaError(answer["error"], answer["at"])
    return _WITH_TEX.sub(r"\1", answer["html"])


def fault(page: Page, formula: Formula, error: BadFormulaError) -> CourseError:
    shown = " ".join(formula.tex.split())
    line = page.line_at(min(formula.tex_start + error.at, formula.end))
    fix = "mend the TeX, or write \\$ for a dollar sign"
    return page.fault("bad-formula", line, f"${shown}$ cannot be typeset: {error}", fix)
