"""The fences that Markdown hands to the site: evidence, charts, figures, history and others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from html import escape
from typing import Any

from pymdownx.superfences import SuperFencesException

from course.errors import CourseError
from course.page import Page
from course.peers import PLACE
from course.project import Project
from course.site import harness as harness_tables
from course.site import proof_tables
from course.site.history import history_html, rule_html
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

    def history(page: SitePage, text: str, options: dict[str, str]) -> str:
        name = options.get("program", "")
        known = name in page.project.programs
        return history_html(page.project, name, page.links) if known else plain(text)

    def rule(page: SitePage, text: str, options: dict[str, str]) -> str:
        return rule_html(page.project.root)

    def proof_table(page: SitePage, text: str, options: dict[str, str]) -> str:
        table = proof_tables.TABLES.get(options.get("kind", ""))
        with suppress(CourseError):  # a finding says so
            if table and page.project.peers:
                return table(page.project.peers, page.links)
        return plain(text)

    def harness(page: SitePage, text: str, options: dict[str, str]) -> str:
        table = harness_tables.TABLES.get(options.get("table", ""))
        return table() if table else plain(text)

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


def fence_faults(project: Project, page: Page) -> Iterator[CourseError]:
    """Fences that ask for what there is not: they would leave an empty place on the page."""
    asked = {
        "history": ("program", list(project.programs)),
        "harness": ("table", list(harness_tables.TABLES)),
        "proof-table": ("kind", list(proof_tables.TABLES)),
    }
    for fence in page.fences:
        if fence.language not in asked:
            continue
        option, known = asked[fence.language]
        given = fence.options.get(option, "")
        if given not in known:
            message = f'there is nothing to show for `{fence.language}` with {option}="{given}"'
            yield page.fault("fence", fence.line, message, f"write one of {', '.join(known)}")
        elif fence.language == "proof-table" and not (project.root / PLACE).is_dir():
            message = f"there are no results of the proof in {PLACE}"
            yield page.fault("fence", fence.line, message, f"git checkout -- {PLACE}")


def plain(text: str) -> str:
    return f"<pre><code>{escape(text)}</code></pre>"


def _fence(
    render: Callable[[SitePage, str, dict[str, str]], str], current: Current
) -> dict[str, Any]:
    def format_(source: str, language: str, class_: str, options: Any, md: Any, **_: Any) -> str:
        page = current()
        try:
            html = plain(source) if page is None else render(page, source, options)
        except Exception as error:  # every other one is swallowed, and the fence with it
            raise SuperFencesException(f"the fence `{language}` cannot be drawn") from error
        return re.sub(r"\n\s*\n", "\n", html) if "<pre" not in html else html

    def accept(language: str, inputs: dict[str, str], options: Any, attrs: Any, md: Any) -> bool:
        options.update(inputs)
        return True

    name = render.__name__.replace("_", "-")
    return {"name": name, "class": name, "format": format_, "validator": accept}
