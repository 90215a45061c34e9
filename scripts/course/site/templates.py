"""The HTML templates, and the few words that several of them say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from course.project import Capture


def highlighted(line: str, figure: str) -> Markup:
    """`line` with its first whole `figure` marked; unmarked when it is not there."""
    match = re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d|\.\d)", line) if figure else None
    if match is None:
        return escape(line)
    head, tail = escape(line[: match.start()]), escape(line[match.end() :])
    return Markup("{}<mark>{}</mark>{}").format(head, match[0], tail)


def instant(time: str) -> str:
    """`2026-11-29T14:03:22Z` as readers see it."""
    return f"{time[:10]} {time[11:16]} UTC"


def digits(value: float) -> str:
    """A measured number to about three digits, never in powers of ten."""
    return f"{value:,.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


def again(capture: Capture) -> str:
    """The command that makes a capture again; empty for an imported record."""
    stamp = capture.log.stamp
    if capture.log.imported or stamp.build is None:
        return ""
    pattern = re.escape(capture.program.spec.build).replace(
        re.escape("{arch}"), r"(?P<arch>[\w,=-]+)"
    )
    match = re.fullmatch(pattern, stamp.build)
    arch = f" --arch {match['arch']}" if match and "arch" in match.groupdict() else ""
    return f"course capture {capture.program.name} --repeat {len(stamp.runs)}{arch}"


def state_words(capture: Capture) -> str:
    return {"fresh": "fresh capture", "stale": "stale capture", "imported": "imported record"}[
        capture.state
    ]


_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters.update(digits=digits, highlighted=highlighted, instant=instant)
_ENVIRONMENT.globals.update(again=again, state_words=state_words)


def render(template: str, **names: Any) -> str:
    return _ENVIRONMENT.get_template(template).render(**names).strip() + "\n"
