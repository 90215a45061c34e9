"""Proves in built HTML that every evidence block, its stamp, chart, snippet and value arrived, and
that links inside the site lead somewhere.

A site generator that ignores hooks builds without a word; its pages then lack all of this.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bs4 import BeautifulSoup

from course.check.charts import check_drawn
from course.check.links import check_links
from course.check.snippets import resolve
from course.check.visible import unmarked_figures, visible_words
from course.errors import CourseError, Finding
from course.files import read_text
from course.net import netted
from course.page import EvidenceBlock, Page, Snippet
from course.project import Capture, Project

_REBUILD = "make build"


def check_site(project: Project, site: Path) -> list[Finding]:
    """The findings about the built pages under `site`. Raises CourseError when there is no site."""
    if not (site / "index.html").is_file():
        raise CourseError("no-site", "there is no built site here", path=site, fix=_REBUILD)
    root = project.root
    findings = list(netted(partial(check_links, root.resolve(), site.resolve()), root))
    for name, page in project.pages.items():
        findings += netted(partial(_check_page, project, page, _html_path(site, name)), root)
    return sorted(set(findings))


def _html_path(site: Path, name: str) -> Path:
    path = Path(name)
    folder = path.parent if path.stem in ("index", "README") else path.with_suffix("")
    return site / folder / "index.html"


def _check_page(project: Project, page: Page, html: Path) -> Iterator[Finding]:
    path = project.relative(page.path)
    try:
        soup = BeautifulSoup(read_text(html), "html.parser")
    except CourseError as error:
        yield Finding(path, 1, "site-missing", f"the built page is not there: {error}", _REBUILD)
        return
    for block in page.evidence_blocks:
        capture = project.shown_by(block)
        if capture is not None:
            yield from _check_block(soup, block, capture, path)
    yield from check_drawn(soup, project, page)
    for directive in page.directives():
        if isinstance(directive, Snippet):
            yield from _check_snippet(soup, project, page, directive, path)
    words = visible_words(soup, page)
    for mark in (*page.values, *page.claims):
        if mark.line and page.text[mark.start : mark.end] in words:
            message = f"the mark was printed as it is: {page.text[mark.start : mark.end]}"
            yield Finding(path, mark.line, "site-mark", message, _REBUILD)
    if page.program is not None:
        yield from _check_figures(words, page, path)


def _check_figures(words: str, page: Page, path: str) -> Iterator[Finding]:
    for figure, around in unmarked_figures(words):
        line = next((n for n, text in enumerate(page.text.split("\n"), 1) if figure in text), 1)
        message = f"`{figure}` is shown to readers, and nothing checks it: “… {around} …”"
        fix = 'write it as a value [[= … =]], or as a quotation [["…" from SOURCE]]'
        yield Finding(path, line, "site-figure", message, fix)


def _check_block(
    soup: BeautifulSoup, block: EvidenceBlock, capture: Capture, path: str
) -> Iterator[Finding]:
    card = soup.select_one(f'[data-capture="{capture.log.name}"]')
    if card is None:
        message = (
            f"the evidence block `{block.name}` ({capture.log.name}) did not arrive in the HTML"
        )
        yield Finding(path, block.line, "site-block", message, _REBUILD)
        return
    digest = hashlib.sha256(capture.log.published.encode()).hexdigest()
    if card.get("data-output-sha256") != digest:
        message = f"the evidence block `{block.name}` has another output's stamp in the HTML"
        yield Finding(path, block.line, "site-block", message, _REBUILD)
    keys = {column.name for column in capture.program.spec.output.keys}
    cells = {(tag["data-key"], tag["data-column"]): tag for tag in card.select("[data-column]")}
    for row in capture.published.all_rows():
        for name, text in row.cells.items():
            cell = cells.get((" ".join(row.key), name))
            shown = cell.get_text(strip=True) if cell is not None else "nothing"
            if shown != text and name not in keys:
                message = (
                    f"the built table has {name} of {' '.join(row.key)} as {shown}, "
                    f"the evidence as {text}"
                )
                yield Finding(path, block.line, "site-block", message, _REBUILD)


def _check_snippet(
    soup: BeautifulSoup, project: Project, page: Page, snippet: Snippet, path: str
) -> Iterator[Finding]:
    source, first, last = resolve(project, page, snippet)
    lines = [line for line in source.lines[first - 1 : last] if "-8<-" not in line]
    wanted = _squeezed("\n".join(lines))
    if not any(wanted in _squeezed(code.get_text()) for code in soup.find_all("code")):
        message = (
            f"the snippet {snippet.path}:{snippet.section or first} did not arrive in the HTML"
        )
        yield Finding(path, snippet.line, "site-snippet", message, _REBUILD)


def _squeezed(text: str) -> str:
    return "".join(text.split())
