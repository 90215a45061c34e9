"""The pages that nobody writes: one for every declared source, every log, every file of the proof.

Beside each stands the file itself, byte for byte, at its path in the repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pygments
from markupsafe import Markup
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

from course.errors import CourseError
from course.files import as_dict, read_text
from course.project import Capture, Project
from course.site.links import Links, shown_at
from course.site.templates import render


@dataclass(frozen=True)
class PublishedFile:
    """A file of the repository that the site shows; `capture` when it is a log."""

    path: str
    file: Path
    title: str
    capture: Capture | None = None

    @property
    def url(self) -> str:
        return shown_at(self.path)

    @property
    def source_uri(self) -> str:
        return f"{self.path}.md"


def published_files(project: Project) -> Iterator[PublishedFile]:
    for name, program in project.programs.items():
        declared = [source.path for source in (*program.sources, *program.extras)]
        for file in (*declared, program.folder / "program.yml"):
            yield PublishedFile(project.relative(file), file, file.name)
        for capture in project.captures[name]:
            file = capture.log.path
            title = f"{capture.log.stamp.gpu.name}, {capture.log.stamp.time[:10]}"
            yield PublishedFile(project.relative(file), file, title, capture)
    with suppress(CourseError):  # results that cannot be read are a finding
        for file in project.peers.files() if project.peers else ():
            yield PublishedFile(project.relative(file), file, file.name)


def page_markdown(published: PublishedFile) -> str:
    """The head of the page; the rest is put in as HTML, as no Markdown may touch a source."""
    title = published.title
    return f"---\ntitle: '{title}'\nsearch: {{exclude: true}}\nhide: [toc]\n---\n# {title}\n"


def page_html(published: PublishedFile, project: Project, links: Links) -> str:
    if published.capture is None:
        text = read_text(published.file)
        listing = numbered(text, _lexer(published.file), first=1)
        return render("source.html", file=published, listing=listing, links=links)
    capture = published.capture
    return render(
        "capture.html",
        file=published,
        capture=capture,
        stamp=list(_flat(as_dict(capture.log.stamp))),
        runs=list(_runs(capture)),
        links=links,
        lessons=[page.removesuffix(".md") for page in project.lessons(capture.program.name)],
    )


def _runs(capture: Capture) -> Iterator[tuple[int, bool, Markup]]:
    """Every run with its number, whether it is the published one, and its lines as in the log."""
    log = capture.log
    published = log.stamp.published_run or 1
    line = log.published_line
    line -= sum(output.count(b"\n") + 1 for output in log.outputs[: published - 1])
    for number, output in enumerate(log.outputs, start=1):
        yield number, number == published, numbered(output.decode(), TextLexer(), first=line)
        line += output.count(b"\n") + 1


def _flat(data: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """The stamp as rows; what it nests is joined by dots."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _flat(value, f"{prefix}.{key.rstrip('_')}" if prefix else key.rstrip("_"))
    elif isinstance(data, list) and any(isinstance(item, dict) for item in data):
        for number, item in enumerate(data, start=1):
            yield from _flat(item, f"{prefix} {number}")
    else:
        yield prefix, ", ".join(map(str, data)) if isinstance(data, list) else str(data)


def _lexer(file: Path) -> Lexer:
    try:
        return get_lexer_for_filename(file.name, stripnl=False)
    except ClassNotFound:
        return TextLexer(stripnl=False)


def numbered(text: str, lexer: Lexer, *, first: int) -> Markup:
    """The text as highlighted lines, each with its number as anchor."""
    lexer.stripnl = False
    html = pygments.highlight(text, lexer, HtmlFormatter(nowrap=True)).removesuffix("\n")
    lines = []
    for number, line in enumerate(html.split("\n"), start=first):
        anchor = f'<a class="line__number" href="#L{number}" data-line="{number}" tabindex="-1" '
        anchor += 'aria-hidden="true"></a>'
        lines.append(f'<span class="line" id="L{number}">{anchor}{line}\n</span>')
    return Markup("".join(lines))
