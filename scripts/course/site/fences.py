"""The fences that Markdown hands to the site: evidence, charts, figures, history and others."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from html import escape
from typing import Any

from course.errors import CourseError
from course.site.harness import table_html
from course.site.history import history_html, rule_html
from course.site.pages import SitePage
from course.site.proof_tables import proof_table_html

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

    def history(page: SitePage, text: str, options: dict[str, str]) -> str:
        return history_html(page.project, options.get("program", ""), page.links) or plain(text)

    def rule(page: SitePage, text: str, options: dict[str, str]) -> str:
        return rule_html(page.project.root)

    def proof_table(page: SitePage, text: str, options: dict[str, str]) -> str:
        with suppress(CourseError):  # a finding says so
            return proof_table_html(page.project.peers, options.get("kind", ""), page.links)
        return plain(text)

    def harness(page: SitePage, text: str, options: dict[str, str]) -> str:
        return table_html(options.get("table", "")) or plain(text)

    def finding(page: SitePage, text: str, options: dict[str, str]) -> str:
        return page.finding(int(options["number"]))

    renders = (
        evidence,
        chart,
        proof,
        figure,
        hardware,
        history,
        rule,
        proof_table,
        harness,
        finding,
    )
    return [_fence(render, current) for render in renders]


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

    name = render.__name__.replace("_", "-")
    return {"name": name, "class": name, "format": format_, "validator": accept}
