"""Charts of rows: bars from zero, dots, or a pair of dots that a line joins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from course.charts import Entry, Plot, Plotted
from course.site.charts.look import classes, text_width, words
from course.site.charts.scale import Linear, Log, Scale, Tick

_Across = Callable[[float], float]

ROW, HEAD, GAP, AXIS = 20, 20, 8, 38  # px
NARROW = 180  # px: the least width of a plot, at which no words may meet
WIDEST_BARS = 30  # the largest over the smallest figure; above, a bar would be a hairline


@dataclass(frozen=True)
class Mark:
    """A figure in its row: `x` and the ends of its spread in percent of the chart's width."""

    entry: Entry
    figure: Plotted
    shape: str
    x: float
    low: float | None
    high: float | None
    before: bool = False

    @property
    def text(self) -> str:
        return self.figure.text + (self.figure.unit if self.figure.unit in ("×", "%") else "")


@dataclass(frozen=True)
class Line:
    """A row; `y` is its middle."""

    y: int
    label: str
    css: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Head:
    """The words over a group of rows."""

    y: int
    entry: Entry


@dataclass(frozen=True)
class Rows:
    """The whole drawing, with room for words beside it. At `one`, nothing is faster or slower."""

    template = "chart_rows.html"
    height: int
    left: int
    right: int
    heads: tuple[Head, ...]
    lines: tuple[Line, ...]
    ticks: tuple[Tick, ...]
    axis: str
    one: float | None = None

    @property
    def bottom(self) -> int:
        return self.height - AXIS


def draw_rows(plot: Plot) -> Rows:
    pairs = plot.chart.kind == "speedup"
    scale, shape = _scale(plot)

    def across(value: float) -> float:
        return round(100 * scale.at(value), 2)

    heads, lines, y = [], [], HEAD if pairs else 0
    for group, entries in plot.groups.items():
        if group:
            heads.append(Head(y + HEAD // 2 + 3, entries[0]))
            y += HEAD
        for entry in entries:
            marks = tuple(_marks(entry, across, shape))
            css = classes(plot, entry)
            lines.append(Line(y + ROW // 2, entry.series, css, marks))
            y += ROW + (4 if pairs else 0)
        y += GAP
    return Rows(
        y + AXIS,
        _room(entry.series for entry in plot.entries),
        _room(f"{f.text}{f.unit[:1]}" for entry in plot.entries for f in entry.figures),
        tuple(heads),
        tuple(lines),
        tuple(Tick(round(100 * tick.at, 2), tick.text) for tick in scale.ticks()),
        words(plot),
        across(1) if pairs else None,
    )


def _scale(plot: Plot) -> tuple[Scale, str]:
    """The axis, and the shape of a mark on it: a bar needs a zero to start from."""
    shown = [figure for entry in plot.entries for figure in entry.figures]
    values = [float(end) for f in shown for end in (f.text, f.low or f.text, f.high or f.text)]
    if plot.chart.kind == "speedup":
        return Log.around([1.0, *values], 2), "dot"
    if plot.chart.kind == "cards" or max(values) > WIDEST_BARS * max(min(values), 1e-9):
        return Log.around(values, 10), "dot"
    return Linear(max(*values, 1e-9)), "bar"


def _room(texts: Iterable[str]) -> int:
    """Pixels for the longest text and a gap."""
    return round(max(map(text_width, texts)) + 10)


def _marks(entry: Entry, across: _Across, shape: str) -> Iterator[Mark]:
    at = [across(figure.value) for figure in entry.figures]
    crowded = len(at) > 1 and (at[1] - at[0]) * NARROW / 100 < 50
    for index, figure in enumerate(entry.figures):
        low, high = (
            (across(float(figure.low)), across(float(figure.high))) if figure.low else (None, None)
        )
        first = index == 0
        yield Mark(entry, figure, shape if first else "ring", at[index], low, high, first & crowded)
