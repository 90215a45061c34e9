"""The evidence card: what an evidence block becomes for readers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from course.charts import Chart
from course.check.cpu import CpuCheck
from course.output import Key, Row
from course.page import EvidenceBlock
from course.plot import card_plot, figure_of
from course.program import Column
from course.project import Capture
from course.reverify import Proven
from course.site.charts import drawing_html
from course.site.charts.look import classes, title
from course.site.templates import render
from course.site.told import Teller


@dataclass(frozen=True)
class Cell:
    """One figure as the log prints it, and its range over the repeats, if there is one."""

    column: Column
    text: str
    low: str = ""
    high: str = ""
    span: int = 1
    told: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """A row of the table, and what the log says; a comparison's key is that of its case alone."""

    key: Key
    keys: tuple[Cell, ...]
    figures: tuple[Cell, ...]
    said: str
    compares: bool

    @property
    def name(self) -> str:
        return " ".join(self.key)


@dataclass(frozen=True)
class Case:
    """The rows of one case, its comparison last."""

    name: str
    lines: tuple[Line, ...]


class Card:
    """A capture as a table, for the template."""

    def __init__(
        self, capture: Capture, block: EvidenceBlock, cpu: CpuCheck | None, teller: Teller
    ) -> None:
        self.capture, self.name, self.cpu, self.teller = capture, block.name, cpu, teller
        self.stamp = capture.log.stamp
        self.spec = capture.program.spec.output
        self.plot = card_plot(Chart(block.line, "throughput", block), capture)
        self.look = {entry.row.key: classes(self.plot, entry) for entry in self.plot.entries}

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.capture.log.published.encode()).hexdigest()

    @property
    def figures(self) -> list[Column]:
        return [column for column in self.spec.columns if column.role != "key"]

    def role(self, column: Column) -> str:
        """How a column's figures came about, in the words of the table's head."""
        if column.role != "arithmetic":
            return "measured"
        counted = (self.cpu and self.cpu.state == "passed" and self.cpu.counted) or {}
        rows = [row for row in self.capture.published.rows if row.cells.get(column.name)]
        every = bool(rows) and all((row.key, column.name) in counted for row in rows)
        return "arithmetic, counted on the CPU" if every else "arithmetic"

    @property
    def repeats(self) -> int:
        return len(self.stamp.runs)

    def cases(self) -> Iterator[Case]:
        output = self.capture.published
        for case in output.cases():
            rows = [row for row in output.rows if row.key[0] == case]
            lines = [self._row(row) for row in rows]
            compared = output.find((case,))
            if compared is not None and self.spec.comparison is not None:
                lines.append(self._comparison(compared, self.spec.comparison.columns))
            yield Case(case, tuple(lines))

    def _row(self, row: Row) -> Line:
        keys = tuple(Cell(column, row.cells[column.name]) for column in self.spec.keys)
        figures = tuple(self._cell(row, column) for column in self.figures)
        return Line(row.key, keys, figures, self.teller.said(self.capture, row), compares=False)

    def _comparison(self, row: Row, columns: tuple[Column, ...]) -> Line:
        """The comparison's figures share the width of the table; the first takes what is left."""
        rest = len(self.figures) - len(columns) + 1
        figures = tuple(
            self._cell(row, column, max(rest, 1) if at == 0 else 1)
            for at, column in enumerate(columns)
        )
        return Line(row.key, (), figures, self.teller.said(self.capture, row), compares=True)

    def _cell(self, row: Row, column: Column, span: int = 1) -> Cell:
        figure = figure_of(self.capture, row, column)
        told = self.teller.attributes(self.capture, row, figure)
        return Cell(column, figure.text, figure.low, figure.high, span, told)

    @property
    def facts(self) -> list[str]:
        """What ran, for the head line; what is not known is not there."""
        stamp = self.stamp
        known = []
        if stamp.gpu.driver:
            known.append(f"driver {stamp.gpu.driver}")
        if stamp.cuda:
            known.append(f"CUDA {'.'.join(stamp.cuda.toolkit.split('.')[:2])}")
        return known


def card_html(
    capture: Capture,
    block: EvidenceBlock,
    teller: Teller,
    cpu: CpuCheck | None,
    proof: Proven | None,
) -> str:
    commit = capture.log.stamp.git.commit if capture.log.stamp.git else None
    links = teller.links
    card = Card(capture, block, cpu, teller)
    return render(
        "evidence.html",
        card=card,
        cpu=cpu,
        proof=proof,
        capture=capture,
        stamp=capture.log.stamp,
        links=links,
        commit=commit,
        sources=[links.relative(source.path) for source in capture.program.sources],
        note=teller.note(capture),
        note_number=teller.number(capture),
        chart=drawing_html(card.plot, teller),
        chart_title=title(card.plot),
    )
