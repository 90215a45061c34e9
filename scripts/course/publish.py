"""Rewrites the evidence blocks of pages from the latest evidence, and touches nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path

from course.errors import CourseError
from course.files import decode, read_bytes
from course.page import Page
from course.project import Project
from course.writing import write_atomically

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|$)")


def published_text(project: Project, page: Page) -> str:
    """The page's text with every evidence block as its capture has it.

    Raises CourseError `block-no-evidence` for a block whose capture does not exist, and
    `fence-open` where the page does not say how far a block goes.
    """
    lines = page.text.split("\n")
    for first, after, body in _bodies(project, page):
        lines[first:after] = body
    return "\n".join(lines)


def _bodies(project: Project, page: Page) -> Iterator[tuple[int, int, list[str]]]:
    """From the last block to the first: its first line (from 0), the one after, its new lines."""
    for fault in page.open_fences:
        raise fault
    for block in reversed(page.evidence_blocks):
        capture = project.shown_by(block)
        if capture is None:
            what = block.capture or f"evidence of `{block.gpu}`"
            message = f"there is no {what} in evidence/{block.program}/"
            raise page.fault("block-no-evidence", block.line, message, "course check says more")
        indent = block.fence.indent
        published = capture.log.published.removesuffix("\n").split("\n")
        body = [indent + line if line else indent.rstrip() for line in published]
        yield block.fence.line, block.fence.last - 1, body


def pages_to_publish(project: Project, paths: list[Path]) -> list[Page]:
    """The pages named, or all.

    Raises CourseError for a path that is no page of the site, and for anything that could not be
    read: what it would have said is not known, and older evidence must not stand in for it.
    """
    project.require_sound()
    if not paths:
        return list(project.pages.values())
    pages = []
    for path in paths:
        found = [page for page in project.pages.values() if page.path == path.resolve()]
        if not found:
            raise CourseError("no-page", "not a page under docs/", path=path)
        pages += found
    return pages


def publish(project: Project, page: Page) -> None:
    """Write the page with its blocks published; every line keeps the line end that it had.

    A line that a block gains ends as the line before it. Raises CourseError `page-changed` when the
    page was saved since it was read, and `unwritable`.
    """
    data = read_bytes(page.path)
    if Page.read(page.path).text != page.text:
        fix = f"run again: course publish {project.relative(page.path)}"
        raise page.fault("page-changed", 1, "the page was saved while it was published", fix)
    lines = [match.groups() for match in _LINE.finditer(decode(data, page.path))]
    for first, after, body in _bodies(project, page):
        lines[first:after] = _with_ends(body, lines[first:after], lines[first - 1][1])
    write_atomically(page.path, "".join(text + end for text, end in lines).encode())


def _with_ends(body: list[str], old: list[tuple[str, ...]], last: str) -> list[tuple[str, ...]]:
    """Each line of `body` with the end of the old line that it is, or stands for; else the `last`
    end before it."""
    filled: list[tuple[str, ...]] = []
    matcher = SequenceMatcher(None, [text for text, _ in old], body, autojunk=False)
    for _, first, after, start, stop in matcher.get_opcodes():
        for text, there in zip_longest(body[start:stop], old[first:after][: stop - start]):
            last = there[1] if there else last
            filled.append((text, last))
    return filled
