"""The evidence card: what an evidence block becomes for readers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from course.check.cpu import CpuCheck
from course.output import Key, Row, spread
from course.page import EvidenceBlock
from course.program import Column
from course.project import Capture
from course.reverify import Proven
from course.site.links import Links
from course.site.templates import render


@dataclass(frozen=True)
class Cell:
    """One figure as the log prints it, and its range over the repeats, if there is one."""

    column: Column
    text: str
    low: str = ""
    high: str = ""
    span: int = 1


@dataclass(frozen=True)
class Line:
    """A row of the table; a comparison's keys are those of its case alone."""

    key: Key
    keys: tuple[Cell, ...]
    figures: tuple[Cell, ...]
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

    def __init__(self, capture: Capture, name: str, cpu: CpuCheck | None) -> None:
        self.capture, self.name, self.cpu = capture, name, cpu
        self.stamp = capture.log.stamp
        self.spec = capture.program.spec.output

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
        return Line(row.key, keys, figures, compares=False)

    def _comparison(self, row: Row, columns: tuple[Column, ...]) -> Line:
        """The comparison's figures share the width of the table; the first takes what is left."""
        rest = len(self.figures) - len(columns) + 1
        figures = tuple(
            self._cell(row, column, max(rest, 1) if at == 0 else 1)
            for at, column in enumerate(columns)
        )
        return Line(row.key, (), figures, compares=True)

    def _cell(self, row: Row, column: Column, span: int = 1) -> Cell:
        text = row.cells[column.name]
        if column.role != "measured" or self.repeats < 2:
            return Cell(column, text, span=span)
        seen = spread(self.capture.outputs, row.key, column.name)
        return Cell(column, text, str(seen.low), str(seen.high), span)

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
    links: Links,
    cpu: CpuCheck | None,
    proof: Proven | None,
) -> str:
    commit = capture.log.stamp.git.commit if capture.log.stamp.git else None
    sources = [links.relative(source.path) for source in capture.program.sources]
    return render(
        "evidence.html",
        card=Card(capture, block.name, cpu),
        cpu=cpu,
        proof=proof,
        capture=capture,
        stamp=capture.log.stamp,
        links=links,
        commit=commit,
        sources=sources,
        chart="",
    )
