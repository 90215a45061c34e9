"""Is a block's card the one that the words over it name?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from course.errors import Finding
from course.page import EvidenceBlock, Page
from course.project import Project

# A model of a card as people write it, whether or not the hardware table has it. L1 and L2 are no
# cards but caches.
_MODEL = re.compile(
    r"(?<![\w.])(?:(?:GH|GB|[ABHV])\d{2,3}[A-Z]{0,2}|(?:L|P|T)4|L20|L40S?|P40|P100|T1000|K\d0"
    r"|(?:RTX|GTX)[ -]?(?:PRO[ -]?)?A?\d{4}(?:[ -]?(?:Ti|Super))*)(?!\w)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"[ >]*#{1,6}\s")
_LABEL = re.compile(r"[ \t>]*(?:===|!!!|\?\?\?)")


def check_cards(project: Project, page: Page) -> Iterator[Finding]:
    """A finding for each label, heading or caption over a block that names other cards alone."""
    for block in page.evidence_blocks:
        for number, text in words_over(page, block):
            named = models(text)
            if named and not named & models(block.gpu):
                message = (
                    f"`{', '.join(sorted(named))}` stands over the evidence block "
                    f"`{block.name}`, which is of `{block.gpu}`"
                )
                fix = f"name {block.gpu} there, or no card"
                yield Finding(project.relative(page.path), number, "block-card", message, fix)


def models(text: str) -> set[str]:
    """The models of cards that a text names, in capitals and without spaces."""
    return {re.sub("[ -]", "", match[0]).upper() for match in _MODEL.finditer(text)}


def words_over(page: Page, block: EvidenceBlock) -> Iterator[tuple[int, str]]:
    """What a reader takes for a block's title, each with its line: the paragraph directly over it,
    the label of the tab or the note that it stands in, and its heading."""
    lines = page.prose.split("\n")
    fenced = {number for fence in page.fences for number in range(fence.line, fence.last + 1)}
    above = range(block.line - 1, 0, -1)
    caption = _paragraph(lines, fenced, block.line - 1)
    inside = len(block.fence.indent)
    labels = (n for n in above if _LABEL.match(lines[n - 1]) and _depth(lines[n - 1]) < inside)
    headings = (n for n in above if _HEADING.match(lines[n - 1]))
    found = {*caption, *([next(labels, 0)] if inside else []), next(headings, 0)} - {0}
    if caption:
        yield caption[0], " ".join(lines[number - 1] for number in caption)
    yield from ((number, lines[number - 1]) for number in sorted(found - set(caption)))


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" \t>"))


def _paragraph(lines: list[str], fenced: set[int], last: int) -> list[int]:
    """The numbers of the lines of the paragraph that ends nearest above, none behind a fence."""
    while last > 0 and last not in fenced and not lines[last - 1].strip(" \t>\0"):
        last -= 1
    first = last
    while first > 0 and first not in fenced and lines[first - 1].strip(" \t>\0"):
        first -= 1
    return list(range(first + 1, last + 1))
