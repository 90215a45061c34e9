"""One page on its way from the author's Markdown to HTML.

MkDocs asks twice: `markdown` edits the author's text, `content` fills in what Markdown must not
touch. Fences are asked for by name in between.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

from markupsafe import escape

from course.charts import Plot
from course.check import Report
from course.check.charts import plots
from course.errors import CourseError, Finding
from course.hardware import read_hardware
from course.page import Page
from course.reverify import proven
from course.site import banner, mathematics
from course.site.card import card_html
from course.site.charts import chart_html
from course.site.edits import Edits
from course.site.figures import Figures, figure_fences, identity
from course.site.hardware import hardware_html
from course.site.links import Links
from course.site.marks import Marks, note
from course.site.proof import proof_html
from course.site.receipts import Receipt, Receipts
from course.site.snippets import Shown, Snippets, with_marks, with_numbers
from course.site.told import Teller

_BAR = re.compile(r'<span class="filename">@bar-(\d+)@</span>')
_FILL = re.compile(r'<span data-fill="(\d+)"></span>')
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_HIGHLIGHT = re.compile(r'<div class="[^"]*\bhighlight">.*?</div>', re.DOTALL)


class SitePage:
    """A page of docs/. `findings` are shown on it; the gate passes none but notices to a build."""

    def __init__(self, report: Report, uri: str, links: Links, findings: list[Finding]) -> None:
        self.report, self.project, self.uri = report, report.project, uri
        self.links, self.findings = links, findings
        self.page: Page = report.project.pages[uri]
        self.receipts = Receipts(self.project, links)
        self.bars: list[Shown] = []
        self.fills: list[str] = []

    def markdown(self, markdown: str) -> str:
        """The author's text with every mark, formula and snippet replaced or prepared."""
        text = self.page.text
        if not text.endswith(markdown):  # saved again since the gate read it
            self.page = Page.read(self.page.path)
            text = self.page.text
        front = len(text) - len(markdown) if text.endswith(markdown) else 0
        edits = Edits(text)
        banner.insert(self.page, self.uri, self.findings, edits, front)
        marks = Marks(self.project, self.page, self.receipts)
        formulas = mathematics.formulas(self.page)
        marks.edit(edits, [(formula.start, formula.end) for formula in formulas])
        for formula in formulas:
            edits.replace(formula.start, formula.end, self._formula(formula, marks))
        self.bars = Snippets(self.project, self.page).edit(edits)
        return edits.applied()[front:]

    def _formula(self, formula: mathematics.Formula, marks: Marks) -> str:
        """A placeholder for the formula; the receipts of its values stand behind it."""
        tex, receipts = with_values(self.page, formula, marks)
        try:
            html = mathematics.typeset(tex, display=formula.display)
        except mathematics.BadFormulaError:
            html = f'<code class="bad-formula">{escape(tex)}</code>'
        kind = "display" if formula.display else "inline"
        self.fills.append(f'<span class="math math--{kind}">{html}</span>')
        notes = "".join(note(receipt) for receipt in receipts)
        return f'<span data-fill="{len(self.fills) - 1}"></span>{notes}'

    def evidence(self, name: str) -> str:
        """The card of the evidence block `name`; the block as it is when it has no capture."""
        try:
            blocks = [block for block in self.page.evidence_blocks if block.name == name]
        except CourseError:
            blocks = []
        capture = self.project.shown_by(blocks[0]) if blocks else None
        if capture is None:
            return ""
        program = capture.program.name
        proof = proven(self.project, program, capture.log.stamp.gpu.name)
        teller = Teller(self.links, self.receipts)
        return card_html(capture, blocks[0], teller, self.report.cpu.get(program), proof)

    def chart(self, options: Mapping[str, str]) -> str:
        """The chart of a fence; nothing when the gate has a finding about it."""
        for drawn in plots(self.project, self.page):
            if isinstance(drawn, Plot) and options.items() == drawn.chart.options.items():
                return chart_html(drawn, Teller(self.links, self.receipts))
        return ""

    def proof(self) -> str:
        return proof_html(self.report, self.links)

    @property
    def has_figures(self) -> bool:
        return any(True for _ in figure_fences(self.page))

    def figure(self, options: Mapping[str, str]) -> str:
        """The plate of a figure; nothing when the gate has a finding about it."""
        wanted = f"figure-{options.get('id', options.get('name', ''))}"
        for fence in figure_fences(self.page):
            if identity(fence) == wanted:
                with suppress(CourseError):
                    return Figures(self.project.root).plate(self.page, fence)
        return ""

    def hardware(self) -> str:
        with suppress(CourseError):
            return hardware_html(read_hardware(self.project.root), self.receipts)
        return ""

    def finding(self, number: int) -> str:
        return banner.banner_html(self.findings[number], number)

    def content(self, html: str) -> str:
        html = _TABLE.sub(lambda match: _in_a_box(match[0]), html)
        html = _HIGHLIGHT.sub(lambda match: self._with_bar(match[0]), html)
        html = _FILL.sub(lambda match: self.fills[int(match[1])], html)
        overview = banner.overview_html(self.findings) if self.findings else ""
        return overview + html + self.receipts.html()

    def _with_bar(self, block: str) -> str:
        match = _BAR.search(block)
        if match is None:
            return block
        shown = self.bars[int(match[1])]
        bar = shown.bar(self.links).strip()
        return with_marks(with_numbers(block.replace(match[0], bar, 1), shown), shown)


def _in_a_box(table: str) -> str:
    """An author's table in a box that it can scroll in, with a class that keeps the theme off."""
    box = '<div class="scroll" tabindex="0" role="group" aria-label="Table">'
    return box + table.replace("<table>", '<table class="plain">', 1) + "</div>"


def with_values(
    page: Page, formula: mathematics.Formula, marks: Marks
) -> tuple[str, list[Receipt]]:
    """The formula's TeX with its values in place, and their receipts."""
    edits, receipts = Edits(formula.tex), []
    for value in page.values:
        if formula.start <= value.start < formula.end:
            receipt = marks.value(value)
            words = "?" if receipt is None else receipt.shown.replace(",", "{,}")
            start = value.start - formula.tex_start
            edits.replace(start, start + value.end - value.start, "{" + words + "}")
            receipts += [receipt] if receipt else []
    return edits.applied(), receipts
