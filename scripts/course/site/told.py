"""What a figure in a table or a chart tells when it is asked; docs/assets/told.js says it."""

from __future__ import annotations

from dataclasses import dataclass

from course.charts import Plotted
from course.output import Row
from course.project import Capture
from course.site.links import Links
from course.site.receipts import Receipts


@dataclass(frozen=True)
class Teller:
    """Writes the attributes of the links behind figures. Each leads to its line of the log."""

    links: Links
    receipts: Receipts

    def note(self, capture: Capture) -> str:
        """The anchor of the receipt of a whole capture."""
        return self.receipts.of_capture(capture).anchor

    def number(self, capture: Capture) -> int:
        return self.receipts.of_capture(capture).number

    def line(self, capture: Capture, row: Row) -> str:
        """The page of the log at the row's line."""
        log = capture.log
        return self.links.shown(log.path, log.published_line + row.line - 1)

    def said(self, capture: Capture, row: Row) -> str:
        """The row as the log has it, without the spaces that only align it."""
        return " ".join(capture.published.text.split("\n")[row.line - 1].split())

    def attributes(self, capture: Capture, row: Row, figure: Plotted) -> dict[str, str]:
        """`data-what` is what the figure is; formulas say their name, inputs and meaning."""
        told = {"href": self.line(capture, row), "data-what": figure.label}
        for origin in figure.origins:
            if not origin.place:
                told["data-formula"] = origin.text
                continue
            step = self.receipts.formula(origin)
            told |= {"data-by": step.where, "data-by-href": step.href}
            told |= {"data-formula": step.text, "data-means": step.means}
        return told
