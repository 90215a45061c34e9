"""A chart as HTML: its title, its drawing, and its figures as a table."""

from __future__ import annotations

from course.charts import Entry, Plot, Plotted
from course.site.charts.look import caption, description, title
from course.site.charts.roofline import Roofline, draw_roofline
from course.site.charts.rows import Rows, draw_rows
from course.site.templates import render, state_words
from course.site.told import Teller


def draw(plot: Plot) -> Rows | Roofline:
    return draw_roofline(plot) if plot.chart.kind == "roofline" else draw_rows(plot)


def chart_html(plot: Plot, teller: Teller) -> str:
    """A chart that stands on its own."""
    return render(
        "chart.html",
        plot=plot,
        svg=_svg(plot, f"chart-{plot.chart.name}", teller),
        title=title(plot),
        caption=caption(plot),
        teller=teller,
    )


def drawing_html(plot: Plot, teller: Teller) -> str:
    """The chart beside a table that has its figures already."""
    return _svg(plot, f"card-chart-{plot.chart.block.name}", teller)


def _svg(plot: Plot, name: str, teller: Teller) -> str:
    drawing = draw(plot)
    return render(
        drawing.template,
        plot=plot,
        drawing=drawing,
        name=name,
        title=title(plot),
        description=description(plot),
        attributes=lambda entry, figure: _attributes(plot.chart.kind, entry, figure, teller),
    )


def _attributes(kind: str, entry: Entry, figure: Plotted, teller: Teller) -> dict[str, str]:
    """What a mark tells; `data-of`, `-point`, `-plots` and `-value` are what the gate looks for."""
    capture = entry.capture
    told = teller.attributes(capture, entry.row, figure)
    if kind == "roofline":  # the place across is told by the same mark
        across = entry.figures[1]
        told |= teller.attributes(capture, entry.row, across) | {"data-what": figure.label}
        told["data-also"] = f"{across.text} {across.label}"
    return told | {
        "data-of": capture.log.name,
        "data-point": entry.key,
        "data-plots": figure.column,
        "data-value": figure.text,
        "data-unit": figure.unit,
        "data-range": figure.range,
        "data-said": teller.said(capture, entry.row),
        "data-note": teller.note(capture),
        "aria-label": _name(entry, figure),
    }


def _name(entry: Entry, figure: Plotted) -> str:
    capture = entry.capture
    unit = figure.unit if figure.unit in ("×", "%") else ""
    within = f", {figure.low} to {figure.high} over all runs" if figure.low else ""
    card = f"{capture.log.stamp.gpu.name}, {state_words(capture)}"
    return f"{entry.key}, {figure.label}: {figure.text}{unit}{within}; {card}"
