"""Values, claims and quotations: their marks on the page become words with a receipt."""

from __future__ import annotations

from html import escape

from course.errors import CourseError
from course.formula import ExpressionError
from course.page import Claim, Page, Quote, Value
from course.project import Project
from course.site.edits import Edits
from course.site.receipts import Receipt, Receipts
from course.values import Namespace


class Marks:
    """The marks of one page, evaluated. One that cannot be is shown as the author wrote it."""

    def __init__(self, project: Project, page: Page, receipts: Receipts) -> None:
        self.page, self.receipts = page, receipts
        try:
            self._namespace: Namespace | None = Namespace(project, page)
        except CourseError:
            self._namespace = None  # the page's evidence blocks cannot be read: a finding says so

    def value(self, value: Value) -> Receipt | None:
        if self._namespace is None:
            return None
        try:
            result = self._namespace.value(value.expression)
        except ExpressionError:
            return None
        return self.receipts.of_expression("value", result.text, value.expression, result.origins)

    def claim(self, claim: Claim) -> Receipt | None:
        if self._namespace is None:
            return None
        try:
            result = self._namespace.holds(claim.condition)
        except ExpressionError:
            return None
        if not result.value:
            return None
        sentence = self._sentence(claim)
        return self.receipts.of_expression("claim", sentence, claim.condition, result.origins)

    def _sentence(self, claim: Claim) -> str:
        """The sentence as readers see it, with its values in place."""
        start, end = claim.end, claim.close[0]
        edits = Edits(self.page.text[start:end])
        for value in self.page.values:
            if start <= value.start < end and self._namespace is not None:
                text = self._namespace.value(value.expression).text
                edits.replace(value.start - start, value.end - start, text)
        return " ".join(edits.applied().split())

    def edit(self, edits: Edits, within_math: list[tuple[int, int]]) -> None:
        """Put every mark outside of formulas into `edits`; formulas take their own values."""
        every: list[Value | Claim | Quote] = []
        every += [*self.page.values, *self.page.claims, *self.page.quotes]
        for mark in sorted(every, key=lambda mark: mark.start):
            if any(start <= mark.start < end for start, end in within_math):
                continue
            if isinstance(mark, Claim):
                self._edit_claim(edits, mark)
            elif isinstance(mark, Value):
                edits.replace(mark.start, mark.end, self._value_html(mark))
            else:
                edits.replace(mark.start, mark.end, self._quote_html(mark))

    def _value_html(self, mark: Value) -> str:
        receipt = self.value(mark)
        if receipt is None:
            written = escape(self.page.text[mark.start : mark.end])
            return f'<span class="value value--unknown">{written}</span>'
        return link(receipt, receipt.shown)

    def _quote_html(self, quote: Quote) -> str:
        return link(self.receipts.of_quote(quote.text, quote.source), quote.text)

    def _edit_claim(self, edits: Edits, claim: Claim) -> None:
        receipt = self.claim(claim)
        if receipt is None:
            edits.replace(claim.start, claim.end, '<span class="claim claim--unproven">')
            edits.replace(*claim.close, "</span>")
            return
        edits.replace(claim.start, claim.end, '<span class="claim">')
        mark = (
            f'<a class="claim__mark" href="#{receipt.anchor}" data-receipt="{receipt.number}" '
            'aria-label="Checked: this holds. What it rests on"></a>'
        )
        edits.replace(*claim.close, f"{mark}</span>")


def link(receipt: Receipt, words: str) -> str:
    kind = " value--quoted" if receipt.kind == "quote" else ""
    return (
        f'<a class="value{kind}" data-receipt="{receipt.number}" href="#{receipt.anchor}">'
        f"{escape(words, quote=False)}</a>"
    )


def note(receipt: Receipt) -> str:
    """A number that leads to the receipt of a value inside a formula, which can hold no link."""
    return (
        f'<a class="value value--note" href="#{receipt.anchor}" data-receipt="{receipt.number}" '
        f'aria-label="Where {escape(receipt.shown)} comes from"></a>'
    )
