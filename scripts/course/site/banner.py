"""Findings on the page, for the author who is serving it: each at the place of its fault."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from markupsafe import Markup, escape

from course.errors import Finding
from course.page import Page
from course.project import Project
from course.site.edits import Edits
from course.site.templates import render

_TEXT_OF = re.compile(r"^ {2}(?P<label>[\w ]+): +(?P<text>.*)$")


@dataclass(frozen=True)
class Compared:
    """One of two texts, with the characters marked in which they differ."""

    label: str
    text: Markup


def findings_for(uri: str, findings: Iterable[Finding], project: Project) -> list[Finding]:
    """The findings of a page; those of no page go to the index and to the program's lessons."""
    page = project.pages.get(uri)
    mine = []
    for finding in findings:
        folder, _, rest = finding.path.partition("/")
        if folder == "docs":
            belongs = finding.path == f"docs/{uri}"
        else:
            about = rest.partition("/")[0]
            belongs = uri == "index.md" or (page is not None and page.program == about)
        if belongs:
            mine.append(finding)
    return mine


def insert(page: Page, uri: str, findings: Iterable[Finding], edits: Edits) -> None:
    """Put a `finding` fence before the paragraph or fence that each finding points at."""
    lines = page.text.split("\n")
    head = _front_matter_lines(lines)
    for number, finding in enumerate(findings):
        on_page = finding.path == f"docs/{uri}"
        line = _block_start(page, lines, finding.line) if on_page else head + 1
        line = max(line, head + 1)
        text = "".join(lines[line - 1 : line])
        indent = text[: len(text) - len(text.lstrip(" \t>"))]
        edits.insert(
            edits.line_start(line), f"\n{indent}```finding number={number}\n{indent}```\n\n"
        )


def _front_matter_lines(lines: list[str]) -> int:
    if lines[:1] != ["---"] or "---" not in lines[1:]:
        return 0
    return lines.index("---", 1) + 1


def _block_start(page: Page, lines: list[str], line: int) -> int:
    """The first line of the fence or of the paragraph that holds `line`."""
    for fence in page.fences:
        if fence.line <= line <= fence.last:
            return fence.line
    line = min(line, len(lines))
    while line > 1 and lines[line - 2].strip():
        line -= 1
    return line


def banner_html(finding: Finding) -> str:
    message, compared = _compared(finding.message)
    command = finding.fix if finding.fix.startswith(("course ", "make ", "git ")) else ""
    return render(
        "finding.html", finding=finding, message=message, compared=compared, command=command
    )


def _compared(message: str) -> tuple[str, list[Compared]]:
    """The message without the two texts that it sets side by side, and these, marked."""
    lines = message.split("\n")
    texts = [match for line in lines if (match := _TEXT_OF.match(line))]
    if len(texts) != 2 or texts[0]["label"] == texts[1]["label"]:
        return message, []
    rest = "\n".join(line for line in lines if not _TEXT_OF.match(line))
    one, other = texts[0]["text"], texts[1]["text"]
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    return rest, [
        Compared(texts[0]["label"], _marked(one, [(block.a, block.size) for block in blocks])),
        Compared(texts[1]["label"], _marked(other, [(block.b, block.size) for block in blocks])),
    ]


def _marked(text: str, equal: list[tuple[int, int]]) -> Markup:
    marked, at = Markup(""), 0
    for start, size in equal:
        if start > at:
            marked += Markup("<mark>{}</mark>").format(text[at:start])
        marked += escape(text[start : start + size])
        at = start + size
    return marked
