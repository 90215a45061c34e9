"""Figures: a fence becomes a plate, drawn by the very modules that run in the browser.

```figure name="phase-stepper" preset="ragged"
```

So the still picture is the figure's first state, whose numbers are computed and never typed, and
nothing moves on the page when the figure wakes up.
"""

from __future__ import annotations

import atexit
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from py_mini_racer import MiniRacer

from course.errors import CourseError
from course.files import read_text
from course.hardware import Hardware, read_hardware
from course.markup import Fence
from course.page import Page

MODULES = Path("docs/assets/figures")
FIRST_CARD = "H200 SXM"
_IMPORT = re.compile(r'^import (?P<names>\w+|\{[^}]*\}) from "\./(?P<module>[\w.-]+)";$', re.M)
_EXPORT = re.compile(r"^export (?=(?:const|function) (?P<name>\w+))", re.M)
_LOADER = """
const loaded = {}, sources = {};
const use = (name) => loaded[name] ??= sources[name]({});
"""
_PLATE = re.compile(r'^\s*<figure class="plate"|^[ \t>]*```+\s*figure\b', re.M)


@dataclass(frozen=True)
class Figures:
    """The figures of the project at `root`."""

    root: Path

    def known(self) -> dict[str, list[str]]:
        """Every figure's name, with its presets; the first one is the default."""
        return dict(json.loads(str(self._run("JSON.stringify(use('still.js').known())"))))

    def plate(self, page: Page, fence: Fence) -> str:
        """The figure as HTML. Raises CourseError for a name or a preset that there is not."""
        name, preset = self._named(page, fence)
        place = {"id": identity(fence), "number": number(page, fence), "preset": preset}
        place["data"] = cards(read_hardware(self.root)) if name == "calculator" else None
        first = fence == next(figure_fences(page))
        arguments = ", ".join(json.dumps(each) for each in (name, place, first))
        return str(self._run(f"use('still.js').still({arguments})"))

    def faults(self, page: Page) -> Iterator[CourseError]:
        """What is wrong with the page's figures, and with the hardware table where it is shown."""
        if any(fence.language in ("figure", "hardware") for fence in page.fences):
            try:
                read_hardware(self.root)
            except CourseError as error:
                yield error
        seen: set[str] = set()
        for fence in figure_fences(page):
            try:
                self._named(page, fence)
            except CourseError as error:
                yield error
            if identity(fence) in seen:
                message = f"two figures of this page are called {identity(fence)}"
                yield page.fault("figure", fence.line, message, 'give one of them an id="…"')
            seen.add(identity(fence))

    def _named(self, page: Page, fence: Fence) -> tuple[str, str]:
        known, name = self.known(), fence.options.get("name", "")
        if name not in known:
            fix = f"the figures are {', '.join(known)}"
            raise page.fault("figure", fence.line, f"there is no figure `{name}`", fix)
        preset = fence.options.get("preset", known[name][0])
        if preset not in known[name]:
            fix = f"its presets are {', '.join(known[name])}"
            message = f"the figure `{name}` has no preset `{preset}`"
            raise page.fault("figure", fence.line, message, fix)
        return name, preset

    def _run(self, code: str) -> Any:
        paths = sorted((self.root / MODULES).glob("*.js"))
        modules = tuple((p.name, read_text(p)) for p in paths if p.name != "live.js")
        return _context(modules).eval(code)


@cache
def _context(modules: tuple[tuple[str, str], ...]) -> MiniRacer:
    """A V8 context with these modules in it; it must be closed before Python's threads go."""
    context = MiniRacer()
    atexit.register(context.close)
    context.eval(_LOADER)
    for name, text in modules:
        context.eval(as_function(name, text))
    return context


def as_function(name: str, module: str) -> str:
    """A module of plain imports and exports as a function, for a context that knows no modules."""

    def imported(match: re.Match[str]) -> str:
        names = match["names"]
        wanted = names.replace(" as ", ": ") if names.startswith("{") else f"{{ default: {names} }}"
        return f"const {wanted} = use({json.dumps(match['module'])});"

    exported = [match["name"] for match in _EXPORT.finditer(module)]
    body = _EXPORT.sub("", _IMPORT.sub(imported, module))
    body = re.sub(r"^export default ", "exports.default = ", body, flags=re.M)
    given = f"return Object.assign(exports, {{ {', '.join(exported)} }});"
    return f"sources[{json.dumps(name)}] = (exports) => {{\n{body}\n{given}\n}};"


def figure_fences(page: Page) -> Iterator[Fence]:
    return (fence for fence in page.fences if fence.language == "figure")


def identity(fence: Fence) -> str:
    return f"figure-{fence.options.get('id', fence.options.get('name', ''))}"


def number(page: Page, fence: Fence) -> int:
    """Plates are counted down the page, those that authors wrote by hand included."""
    lines = page.text.split("\n")[: fence.line]
    return len(_PLATE.findall("\n".join(lines)))


def cards(hardware: Hardware) -> dict[str, Any]:
    """What the figures need of the hardware table."""
    wanted = {"name", "fp32_tflops", "bandwidth_gbs"}
    all_cards = [card.model_dump(include=wanted) for card in hardware.cards]
    names = [card.name for card in hardware.cards]
    return {"cards": all_cards, "card": FIRST_CARD if FIRST_CARD in names else names[0]}
