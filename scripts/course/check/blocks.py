"""Does every evidence block repeat the capture that it should, and say what it is?"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import pairwise

from course.errors import Finding
from course.output import spread
from course.page import EvidenceBlock, Page
from course.project import Capture, Project


def check_blocks(project: Project, page: Page) -> Iterator[Finding]:
    blocks = page.evidence_blocks
    names = [block.name for block in blocks]
    for block in blocks:
        checker = _BlockChecker(project, page, block)
        if names.index(block.name) != blocks.index(block):
            message = f"a second evidence block is named `{block.name}` on this page"
            yield checker.finding("block-twice", message, "give it another name")
        yield from checker.run()
    yield from _order(project, page)


def _order(project: Project, page: Page) -> Iterator[Finding]:
    for first, second in pairwise(page.evidence_blocks):
        if first.program == second.program and first.imported and not second.imported:
            yield _BlockChecker(project, page, second).finding(
                "block-order",
                f"the capture `{second.name}` stands after the imported record `{first.name}`",
                "put captures before imported records",
            )


class _BlockChecker:
    def __init__(self, project: Project, page: Page, block: EvidenceBlock) -> None:
        self.project, self.block = project, block
        self.path = project.relative(page.path)
        self.publish = f"course publish {self.path}"

    def finding(self, code: str, message: str, fix: str, line: int | None = None) -> Finding:
        return Finding(self.path, line or self.block.line, code, message, fix)

    def run(self) -> Iterator[Finding]:
        block = self.block
        if block.program in self.project.unreadable:
            return
        if block.program not in self.project.programs:
            known = ", ".join(self.project.programs) or "none"
            message = f"the block names the program `{block.program}`; known: {known}"
            yield self.finding("block-no-evidence", message, "name a folder under code/")
            return
        capture = self.project.shown_by(block)
        if capture is None or capture.log.stamp.gpu.name != block.gpu:
            yield self._no_evidence(capture)
            return
        yield from self._label(capture)
        yield from self._text(capture)
        if capture.stale:
            yield self._stale(capture)
        latest = self.project.latest(block.program, block.gpu)
        if block.capture and latest is not None and latest is not capture:
            yield from self._drift(capture, latest)

    def _no_evidence(self, capture: Capture | None) -> Finding:
        block = self.block
        if capture is not None:
            gpu = capture.log.stamp.gpu.name
            message = (
                f"the pinned capture {block.capture} is of `{gpu}`, the block of `{block.gpu}`"
            )
            return self.finding("block-no-evidence", message, "name the capture's own GPU")
        if block.capture:
            message = f"there is no capture {block.capture} in evidence/{block.program}/"
            return self.finding("block-no-evidence", message, "name an existing log, or none")
        known = ", ".join(self.project.gpus(block.program)) or "none"
        message = f"{block.program} has no evidence of `{block.gpu}`; there is evidence of: {known}"
        fix = f"course capture {block.program}  (on {block.gpu})"
        return self.finding("block-no-evidence", message, fix)

    def _label(self, capture: Capture) -> Iterator[Finding]:
        name = capture.log.name
        if capture.log.imported and not self.block.imported:
            yield self.finding(
                "block-unlabelled",
                f"{name} is imported, and the block shows it as if it were captured here",
                'add kind="imported" to the line that opens the block',
            )
        if self.block.imported and not capture.log.imported:
            yield self.finding(
                "block-unlabelled",
                f"{name} was captured here, and the block calls it imported",
                'take kind="imported" out of the line that opens the block',
            )

    def _text(self, capture: Capture) -> Iterator[Finding]:
        published, shown = capture.log.published, self.block.fence.text
        if shown == published:
            return
        older = self._same_as_other(capture, shown)
        if older is not None:
            yield self.finding(
                "block-old",
                f"the block repeats {older.log.name}; the latest capture is {capture.log.name}",
                self.publish,
            )
            return
        at, here, there = first_difference(shown, published)
        yield self.finding(
            "block-differs",
            f"line {at} of the block differs from {capture.log.name}\n"
            f"  page:     {here}\n  evidence: {there}",
            self.publish,
            min(self.block.line + at, self.block.fence.last),
        )

    def _same_as_other(self, capture: Capture, shown: str) -> Capture | None:
        if self.block.capture:
            return None
        others = self.project.captures[self.block.program]
        return next((c for c in others if c is not capture and c.log.published == shown), None)

    def _stale(self, capture: Capture) -> Finding:
        stamp = capture.log.stamp
        return self.finding(
            "block-stale",
            f"stale evidence: {'; '.join(capture.stale)} since the capture {capture.log.name} "
            f"of {stamp.time}",
            f"course capture {self.block.program}  (on {self.block.gpu}), then {self.publish}",
        )

    def _drift(self, pinned: Capture, latest: Capture) -> Iterator[Finding]:
        fix = f'take capture="{self.block.capture}" out of the block, then {self.publish}'
        between = f"the pinned {pinned.log.name} and the later {latest.log.name}"
        if pinned.published.verdict != latest.published.verdict:
            message = (
                f"{between} differ in their verdict\n  pinned: {pinned.published.verdict}\n"
                f"  later:  {latest.published.verdict}"
            )
            yield self.finding("block-drifted", message, fix)
        for what, here, there in drifted_figures(pinned, latest):
            message = f"{between} differ in {what}\n  pinned: {here}\n  later:  {there}"
            yield self.finding("block-drifted", message, fix)


def first_difference(shown: str, published: str) -> tuple[int, str, str]:
    """The number (from 1) and both texts of the first line that differs."""
    here, there = shown.split("\n"), published.split("\n")
    for number in range(max(len(here), len(there))):
        one = here[number] if number < len(here) else "(no line)"
        other = there[number] if number < len(there) else "(no line)"
        if one != other:
            return number + 1, one, other
    raise ValueError("the texts are equal")


def drifted_figures(one: Capture, other: Capture) -> Iterator[tuple[str, str, str]]:
    """The figures of two captures that differ beyond their spreads, arithmetic ones at all."""
    spec = one.program.spec.output
    compared = spec.comparison.columns if spec.comparison else ()
    roles = {column.name: column.role for column in (*spec.columns, *compared)}
    for row in one.published.all_rows():
        twin = other.published.find(row.key)
        for name, text in row.cells.items():
            what = f"{name} of {' '.join(row.key)}"
            if roles[name] == "key":
                continue
            if twin is None:
                yield what, text, "(no row)"
            elif roles[name] == "arithmetic" and twin.cells[name] != text:
                yield what, text, twin.cells[name]
            elif roles[name] == "measured":
                here, there = (spread(c.outputs, row.key, name) for c in (one, other))
                if not here.overlaps(there):
                    yield what, f"{here.low} to {here.high}", f"{there.low} to {there.high}"


def block_diff(page: Page, text: str) -> str:
    """A unified diff from the page as it is to `text`."""
    name = page.path.name
    lines = difflib.unified_diff(
        page.text.splitlines(keepends=True),
        text.splitlines(keepends=True),
        name,
        f"{name} (published)",
    )
    return "".join(lines)
