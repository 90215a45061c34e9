"""Snippets: a bar over each that says whose lines it shows, their numbers, and marks on lines.

The author may name what to mark: ```cuda guard="if (row" barrier="__syncthreads" marks every line
that holds the text, wherever it moves to; ` | ` stands between several texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from course.check.snippets import resolve
from course.errors import CourseError
from course.markup import Fence
from course.page import Page, Snippet
from course.project import Project
from course.site.edits import Edits
from course.site.links import Links
from course.site.templates import render

MARKS = ("guard", "barrier")
_OURS = re.compile(r'\s*\b(?:title|linenums|guard|barrier)="[^"]*"')
_MARKER = re.compile(r"-+8<-+")
_NUMBERED = re.compile(
    r'(?P<id><span id="__span-\d+-)(?P<number>\d+)'
    r'(?P<between>">(?:<span class="hll">)?<span class="linenos" data-linenos=")(?P<drawn> *\d+)'
)


@dataclass(frozen=True)
class Shown:
    """Lines of a source that a fence shows: `numbers` are theirs, markers of sections within left
    out; `marks` maps them to their marks."""

    path: str
    first: int
    last: int
    numbers: tuple[int, ...]
    title: str
    marks: Mapping[int, str]

    def bar(self, links: Links) -> str:
        return render("snippet.html", shown=self, links=links)


class Snippets:
    """The snippets of one page."""

    def __init__(self, project: Project, page: Page) -> None:
        self.project, self.page = project, page
        self._by_fence: dict[Fence, list[Snippet]] = {}
        for directive in page.directives():
            if isinstance(directive, Snippet):
                self._by_fence.setdefault(directive.fence, []).append(directive)

    def faults(self) -> Iterator[CourseError]:
        """The marks that no line of their snippet holds."""
        for fence, snippets in self._by_fence.items():
            text = "".join(self._text(snippet) for snippet in snippets)
            for name in MARKS:
                for wanted in _wanted(fence, name):
                    if text and wanted not in text:
                        message = f'{name}="{wanted}" marks no line of the snippet'
                        fix = "name text that stands in the lines to mark"
                        yield self.page.fault("snippet-mark", fence.line, message, fix)

    def edit(self, edits: Edits) -> list[Shown]:
        """Number the lines of every snippet, and leave in its title the index of its bar.

        A directive that does not resolve is escaped, so that it is shown and not followed.
        """
        bars: list[Shown] = []
        for number, line in enumerate(self.page.text.split("\n"), start=1):
            if re.match(r"^\s*-+8<-+", line) and not self._resolves(number):
                edits.insert(edits.line_start(number) + len(line) - len(line.lstrip()), ";")
        for fence, snippets in self._by_fence.items():
            shown = self._shown(fence, snippets[0])
            if shown is None:
                continue
            opening = self.page.text.split("\n")[fence.line - 1]
            options = f' title="@bar-{len(bars)}@"'
            if len(snippets) == 1 and len([line for line in fence.lines if line.strip()]) == 1:
                options += f' linenums="{shown.first}"'
            start = edits.line_start(fence.line)
            edits.replace(start, start + len(opening), _with_options(opening, options))
            bars.append(shown)
        return bars

    def _resolves(self, line: int) -> bool:
        every = (s for snippets in self._by_fence.values() for s in snippets)
        return any(snippet.line == line and self._text(snippet) for snippet in every)

    def _text(self, snippet: Snippet) -> str:
        try:
            source, first, last = resolve(self.project, self.page, snippet)
        except CourseError:
            return ""
        return "\n".join(source.lines[first - 1 : last])

    def _shown(self, fence: Fence, snippet: Snippet) -> Shown | None:
        try:
            _, first, last = resolve(self.project, self.page, snippet)
        except CourseError:
            return None
        lines = self._text(snippet).split("\n")
        marks = {
            number: name
            for name in MARKS
            for number, line in enumerate(lines, start=first)
            if any(wanted in line for wanted in _wanted(fence, name))
        }
        shown = tuple(n for n, line in enumerate(lines, start=first) if not _MARKER.search(line))
        return Shown(snippet.path, first, last, shown, fence.options.get("title", ""), marks)


def _wanted(fence: Fence, name: str) -> list[str]:
    return fence.options[name].split(" | ") if name in fence.options else []


def with_numbers(html: str, shown: Shown) -> str:
    """The highlighted block with the source's own numbers, which leap where a marker stood."""

    def numbered(match: re.Match[str]) -> str:
        number = shown.numbers[int(match["number"]) - shown.first]
        return f"{match['id']}{number}{match['between']}{number:>{len(match['drawn'])}}"

    return _NUMBERED.sub(numbered, html)


def with_marks(html: str, shown: Shown) -> str:
    """The highlighted block with a word beside each marked line."""
    for line, mark in shown.marks.items():
        attributes = f'class="marked marked--{mark}" data-mark="{mark}"'
        html = re.sub(rf'(<span id="__span-\d+-{line}")>', rf"\1 {attributes}>", html)
    return html


def _with_options(opening: str, options: str) -> str:
    """The opening line of a fence with our options in place of the author's of the same names."""
    kept = _OURS.sub("", opening).rstrip()
    if kept.endswith("}"):
        return kept[:-1].rstrip() + options + " }"
    return kept + options
