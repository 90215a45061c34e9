"""Rooflines: what a kernel reached, under what its card could do at that many operations a byte."""

from __future__ import annotations

from dataclasses import dataclass, replace

from course.charts import Entry, Plot
from course.site.charts.look import classes, text_width
from course.site.charts.rows import NARROW, Mark
from course.site.charts.scale import Log, Tick, number

TOP, PLOT, AXIS = 26, 236, 40  # px
LEFT, RIGHT = 56, 12  # px
LABEL = 14  # px, the height of a label
REACH = 11  # px from a point within which a pointer finds it
LEAST = 3  # px between two points that all but coincide


@dataclass(frozen=True)
class Spot:
    """A row of the table as a point; `low` and `high` are the ends of its spread in pixels, `reach`
    are those of the strip in which a pointer finds it."""

    mark: Mark
    y: float
    low: float | None
    high: float | None
    css: str
    reach: tuple[float, float] = (0, 0)


@dataclass(frozen=True)
class Label:
    """The name of a series over its points."""

    x: float
    y: float
    text: str
    css: str


@dataclass(frozen=True)
class Roofline:
    """`slope` runs from the left edge to the ridge, `flat` from there to the right edge; the
    bandwidth is written at `named`, a point of the slope."""

    template = "chart_roofline.html"
    top = TOP
    height: int
    left: int
    right: int
    slope: tuple[float, float, float, float]
    flat: tuple[float, float, float, float]
    named: tuple[float, float]
    bandwidth: str
    peak: str
    ridge: str
    spots: tuple[Spot, ...]
    labels: tuple[Label, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]

    @property
    def bottom(self) -> int:
        return self.height - AXIS


def draw_roofline(plot: Plot) -> Roofline:
    card = plot.card
    assert card is not None
    peak = 1000 * card.fp32_tflops
    intensities = [entry.figures[1].value for entry in plot.entries]
    xs = Log.around([*intensities, min(intensities) / 2, 3 * card.ridge], 10)
    rates = [entry.figures[0].value for entry in plot.entries]
    ys = Log.around([*rates, card.bandwidth_gbs * xs.first, peak], 10)

    def x(value: float) -> float:
        return round(100 * xs.at(value), 2)

    def y(value: float) -> float:
        return round(TOP + (1 - ys.at(value)) * PLOT, 1)

    def spot(entry: Entry) -> Spot:
        rate, intensity = entry.figures
        mark = Mark(entry, rate, "dot", x(intensity.value), None, None)
        low, high = (y(float(rate.low)), y(float(rate.high))) if rate.low else (None, None)
        return Spot(mark, y(rate.value), low, high, classes(plot, entry))

    spots = tuple(_apart([spot(entry) for entry in plot.entries]))
    ridge, foot = (x(card.ridge), y(peak)), y(card.bandwidth_gbs * xs.first)
    return Roofline(
        TOP + PLOT + AXIS,
        LEFT,
        RIGHT,
        (0, foot, *ridge),
        (*ridge, 100, y(peak)),
        (round(0.62 * ridge[0], 2), round(foot + 0.62 * (ridge[1] - foot), 1)),
        f"{number(card.bandwidth_gbs)} GB/s",
        f"{number(card.fp32_tflops)} TFLOP/s, FP32",
        f"ridge point {card.ridge:.1f}",
        spots,
        tuple(_labels(spots)),
        tuple(Tick(round(100 * tick.at, 2), tick.text) for tick in xs.ticks()),
        tuple(Tick(round(TOP + (1 - tick.at) * PLOT, 1), tick.text) for tick in ys.ticks()),
    )


def _apart(spots: list[Spot]) -> list[Spot]:
    """The spots with strips that meet halfway, so that a pointer finds the nearest of a cluster."""
    columns: dict[int, list[Spot]] = {}
    for spot in sorted(spots, key=lambda spot: spot.y):
        columns.setdefault(round(spot.mark.x / 5), []).append(spot)
    reaches: dict[int, tuple[float, float]] = {}
    for column in columns.values():
        centers = [column[0].y]
        for spot in column[1:]:
            centers.append(max(spot.y, centers[-1] + LEAST))
        for spot, above, y, below in zip(
            column, [-99.0, *centers], centers, [*centers[1:], 9999.0], strict=False
        ):
            top, end = max((above + y) / 2, y - REACH), min((y + below) / 2, y + REACH)
            reaches[id(spot)] = (round(top, 1), round(end - top, 1))
    return [replace(spot, reach=reaches[id(spot)]) for spot in spots]


def _labels(spots: tuple[Spot, ...]) -> list[Label]:
    """Each series is named over its highest point; a name that would meet another moves up."""
    highest: dict[str, Spot] = {}
    for spot in spots:
        series = spot.mark.entry.series
        if series not in highest or spot.y < highest[series].y:
            highest[series] = spot
    placed: list[Label] = []
    for series, spot in sorted(highest.items(), key=lambda item: item[1].mark.x):
        y = spot.y - 11
        while any(_meet(series, spot.mark.x, y, label) for label in placed):
            y -= LABEL
        placed.append(Label(spot.mark.x, round(y, 1), series, spot.css))
    return placed


def _meet(text: str, x: float, y: float, label: Label) -> bool:
    width = (text_width(text) + text_width(label.text)) / 2 + 4
    return abs(x - label.x) * NARROW / 100 < width and abs(y - label.y) < LABEL
