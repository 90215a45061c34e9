"""Findings on the page, for the author who is serving it: each at the place of its fault."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from markupsafe import Markup, escape

from course.errors import Finding
from course.page import Page
from course.project import Project
from course.site.edits import Edits
from course.site.templates import render

_COMMAND = re.compile(
    r"\bcourse (?:capture|check|import|publish) [\w./-]*[./\d-][\w./-]*(?: --[\w-]+(?: [\w./,]+)?)*"
    r"|^make [a-z]+$"
)
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


def insert(
    page: Page, uri: str, findings: Iterable[Finding], edits: Edits, first_offset: int
) -> None:
    """Put a `finding` fence before the paragraph or fence that each finding points at.

    Nothing goes above `first_offset`, where the front matter ends.
    """
    lines = page.text.split("\n")
    for number, finding in enumerate(findings):
        on_page = finding.path == f"docs/{uri}"
        line = _block_start(page, lines, finding.line) if on_page else 1
        at = max(edits.line_start(line), first_offset)
        text = page.text[at:].partition("\n")[0]
        indent = text[: len(text) - len(text.lstrip(" \t>"))]
        edits.insert(at, f'\n{indent}```finding number="{number}"\n{indent}```\n\n')


def _block_start(page: Page, lines: list[str], line: int) -> int:
    """The first line of the fence or of the paragraph that holds `line`."""
    for fence in page.fences:
        if fence.line <= line <= fence.last:
            return fence.line
    line = min(line, len(lines))
    while line > 1 and lines[line - 2].strip():
        line -= 1
    return line


def banner_html(finding: Finding, number: int) -> str:
    message, compared = _compared(finding.message)
    return render(
        "finding.html",
        finding=finding,
        number=number,
        message=_with_code(message),
        compared=compared,
        fix=_with_code(finding.fix),
        commands=list(dict.fromkeys(_COMMAND.findall(finding.fix))),
    )


def overview_html(findings: list[Finding]) -> str:
    """What the page's findings are, at its top: some stand in a tab that is not shown."""
    return render("overview.html", findings=findings)


def _with_code(text: str) -> Markup:
    """The text with what stands between backticks as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    code = Markup("<code>{}</code>")
    return Markup("").join(
        code.format(part) if at % 2 else escape(part) for at, part in enumerate(parts)
    )


def _compared(message: str) -> tuple[str, list[Compared]]:
    """The message without the two texts that it sets side by side, and these, marked."""
    lines = message.split("\n")
    texts = [match for line in lines if (match := _TEXT_OF.match(line))]
    if len(texts) != 2 or texts[0]["label"] == texts[1]["label"]:
        return message, []
    rest = "\n".join(line for line in lines if not _TEXT_OF.match(line))
    one, other = texts[0]["text"], texts[1]["text"]
    return rest, [
        Compared(texts[0]["label"], _marked(one, other)),
        Compared(texts[1]["label"], _marked(other, one)),
    ]


def _marked(text: str, other: str) -> Markup:
    """`text` with the characters marked that `other` has not; place by place in a table's line."""
    if len(text) == len(other):
        same = [one == two for one, two in zip(text, other, strict=True)]
    else:
        same = [False] * len(text)
        for block in SequenceMatcher(None, text, other, autojunk=False).get_matching_blocks():
            same[block.a : block.a + block.size] = [True] * block.size
    marked = Markup("")
    for equal, characters in groupby(zip(same, text, strict=True), key=lambda pair: pair[0]):
        part = "".join(character for _, character in characters)
        marked += escape(part) if equal else Markup("<mark>{}</mark>").format(part)
    return marked
