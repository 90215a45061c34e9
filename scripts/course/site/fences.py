"""The fences that Markdown hands to the site: evidence, charts, figures and the rest."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import Any

from course.site.pages import SitePage

Current = Callable[[], SitePage | None]


def custom_fences(current: Current) -> list[dict[str, Any]]:
    """What pymdownx.superfences is told; `current` gives the page that is being rendered."""

    def evidence(page: SitePage, text: str, options: dict[str, str]) -> str:
        return page.evidence(options.get("name", "")) or plain(text)

    def chart(page: SitePage, text: str, options: dict[str, str]) -> str:
        return page.chart(options) or plain(text)

    def proof(page: SitePage, text: str, options: dict[str, str]) -> str:
        return page.proof()

    def figure(page: SitePage, text: str, options: dict[str, str]) -> str:
        return page.figure(options) or plain(text)

    def hardware(page: SitePage, text: str, options: dict[str, str]) -> str:
        return page.hardware() or plain(text)

    def finding(page: SitePage, text: str, options: dict[str, str]) -> str:
        return page.finding(int(options["number"]))

    every = (evidence, chart, proof, figure, hardware, finding)
    return [_fence(render, current) for render in every]


def plain(text: str) -> str:
    return f"<pre><code>{escape(text)}</code></pre>"


def _fence(
    render: Callable[[SitePage, str, dict[str, str]], str], current: Current
) -> dict[str, Any]:
    def format_(source: str, language: str, class_: str, options: Any, md: Any, **_: Any) -> str:
        page = current()
        html = plain(source) if page is None else render(page, source, options)
        return re.sub(r"\n\s*\n", "\n", html) if "<pre" not in html else html

    def accept(language: str, inputs: dict[str, str], options: Any, attrs: Any, md: Any) -> bool:
        options.update(inputs)
        return True

    name = render.__name__
    return {"name": name, "class": name, "format": format_, "validator": accept}
