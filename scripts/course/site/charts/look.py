"""What the charts say and how they tell series apart: words first, colour beside them."""

from __future__ import annotations

import re

from course.charts import Entry, Plot

PALETTE = 6  # the ordered colours of charts.css
CHARACTER = 7.6  # px, the mean width of a character of a label in a wide typeface


def text_width(text: str) -> float:
    return len(text) * CHARACTER


def classes(plot: Plot, entry: Entry) -> str:
    """`series-KEY` has a colour of its own if charts.css names it, otherwise the palette's next."""
    key = entry.row.key[-1] if len(entry.row.key) > 1 else "all"
    place = plot.series.index(entry.series) % PALETTE + 1
    names = [f"palette-{place}", f"series-{re.sub(r'[^a-z0-9]+', '-', key.lower())}"]
    return " ".join([*names, "is-imported"] if entry.capture.log.imported else names)


def words(plot: Plot) -> str:
    """The title of the axis, with its unit, and which end is better."""
    first = plot.entries[0].figures[0]
    if plot.chart.kind == "speedup":
        return "factor, each step doubles it"
    column = next(c for c in plot.program.spec.output.columns if c.name == first.column)
    unit = f", {column.unit}" if column.unit and column.unit not in column.label else ""
    better = f" ({column.better} is better)" if column.better else ""
    return f"{column.label}{unit}{better}"


def title(plot: Plot) -> str:
    """The heading of a chart."""
    gpu = plot.entries[0].capture.log.stamp.gpu.name
    what = plot.entries[0].figures[0].label
    if plot.chart.kind == "cards":
        return f"{what} of {plot.entries[0].row.key[0]}, card by card"
    if plot.chart.kind == "speedup":
        base = f" over {plot.base}" if plot.base else ""
        return f"Speedup{base} beside load reduction, {gpu}"
    if plot.chart.kind == "roofline":
        return f"Under the roof of the {gpu}"
    return f"{what[0].upper()}{what[1:]} by case, {gpu}"


def caption(plot: Plot) -> str:
    """How the chart is to be read, in a sentence or two."""
    varied = any(figure.low != figure.high for entry in plot.entries for figure in entry.figures)
    spread = "Whiskers span all runs of the capture. " if varied else ""
    if plot.chart.kind == "cards":
        return f"Equal distances are equal factors. {_states(plot)}".strip()
    if plot.chart.kind == "speedup":
        first = (
            "Diamond: how much faster, as the imported record has it"
            if plot.captures[0].log.imported
            else "Filled: how much faster, measured"
        )
        return (
            f"{first}. Open circle: how many times fewer floats a thread loads, by formula. "
            "Were time to follow loads, the two would meet."
        )
    if plot.chart.kind == "roofline":
        return f"{_roof(plot)} {_states(plot)}".strip()
    return f"{spread}{_states(plot)}".strip()


def _states(plot: Plot) -> str:
    """The shapes of captures and imported records, where there are any of the latter."""
    imported = [capture.log.imported for capture in plot.captures]
    if not any(imported):
        return ""
    captured = "" if all(imported) else "Dots: captured here. "
    return f"{captured}Diamonds: imported record."


def _roof(plot: Plot) -> str:
    """What the roof is, and how many points stand above the part of it that memory makes."""
    assert plot.card is not None
    above = [
        entry
        for entry in plot.entries
        if entry.figures[0].value > plot.card.bandwidth_gbs * entry.figures[1].value
    ]
    base = (
        "The slope is the vendor’s memory bandwidth, the flat part its FP32 rate. "
        "A point’s place across is arithmetic: operations over the bytes that threads ask for."
    )
    if not above:
        return base
    count = f"{len(above)} of {len(plot.entries)} points"
    return f"{base} Caches fed what stands above the slope: {count}."


def description(plot: Plot) -> str:
    """The chart in words, figure by figure."""
    parts = []
    for entry in plot.entries:
        figures = " and ".join(
            f"{figure.label} {figure.text}{figure.unit if figure.unit == '×' else ''}"
            for figure in entry.figures
        )
        parts.append(f"{' '.join(filter(None, (entry.group, entry.series)))}: {figures}")
    return f"{'; '.join(parts)}."
