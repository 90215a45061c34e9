"""Rewrites the evidence blocks of pages from the latest evidence, and touches nothing else."""

from __future__ import annotations

from pathlib import Path

from course.errors import CourseError
from course.page import Page
from course.project import Project
from course.writing import write_atomically


def published_text(project: Project, page: Page) -> str:
    """The page's text with every evidence block as its capture has it.

    Raises CourseError `block-no-evidence` for a block whose capture does not exist, and
    `fence-open` where the page does not say how far a block goes.
    """
    for fault in page.open_fences:
        raise fault
    lines = page.text.split("\n")
    for block in reversed(page.evidence_blocks):
        capture = project.shown_by(block)
        if capture is None:
            what = block.capture or f"evidence of `{block.gpu}`"
            message = f"there is no {what} in evidence/{block.program}/"
            raise page.fault("block-no-evidence", block.line, message, "course check says more")
        indent = block.fence.indent
        body = [
            indent + line if line else indent.rstrip()
            for line in capture.log.published.removesuffix("\n").split("\n")
        ]
        lines[block.fence.line : block.fence.last - 1] = body
    return "\n".join(lines)


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


def publish(page: Page, text: str) -> None:
    """Write the page, with the line ends it had."""
    crlf = b"\r\n" in page.path.read_bytes()
    write_atomically(page.path, (text.replace("\n", "\r\n") if crlf else text).encode())
