"""Charts: where each figure of the evidence lies in the drawing, and the same in words."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from course.charts import Plot
from course.check.charts import check_plot
from course.project import Project
from course.site.charts import chart_html
from course.site.charts.draw import draw
from course.site.charts.look import description
from course.site.charts.roofline import PLOT, TOP, Roofline, draw_roofline
from course.site.charts.rows import Rows, draw_rows
from course.site.charts.scale import Linear, Log
from course.site.links import Links
from course.site.receipts import Receipts
from course.site.told import Teller
from site_charts import lesson, sweep

LESSON_PLOTS = [
    lesson("throughput"),
    lesson("throughput", "t4", column="time_ms"),
    lesson("speedup"),
    lesson("speedup", "t4"),
    lesson("roofline"),
    lesson("roofline", "t4"),
    lesson("cards", case="ragged"),
    lesson("cards", case="small", column="time_ms"),
]
every_plot = pytest.mark.parametrize("plot", LESSON_PLOTS, ids=lambda plot: plot.chart.name)


def html(plot: Plot) -> BeautifulSoup:
    root = plot.program.folder.parents[1]
    project, links = Project.load(root), Links(root, "", "page/")
    return BeautifulSoup(chart_html(plot, Teller(links, Receipts(project, links))), "html.parser")


def rows(plot: Plot) -> Rows:
    drawing = draw(plot)
    assert isinstance(drawing, Rows)
    return drawing


def test_the_ticks_of_a_linear_axis_are_round_and_few() -> None:
    assert [tick.text for tick in Linear(6432.1).ticks()] == ["0", "2,000", "4,000", "6,000"]
    assert [tick.text for tick in Linear(0.117).ticks()] == ["0", "0.05", "0.1"]
    for last in (0.003, 1, 7, 99.9, 12345, 9e9):
        assert 2 <= len(Linear(last).ticks()) <= 5


def test_a_logarithmic_axis_holds_all_its_values() -> None:
    scale = Log.around([262.8, 6345.9], 10)
    assert (scale.first, scale.last) == (100, 10_000)
    assert scale.at(1000) == pytest.approx(0.5)
    assert Log.around([8, 8], 10) == Log(1, 10, 10)
    assert Log.around([1, 16], 2).last == 16
    assert len(Log.around([1, 1e9], 10).ticks()) <= 5


def test_the_length_of_a_bar_is_its_figure() -> None:
    marks = [mark for line in rows(LESSON_PLOTS[0]).lines for mark in line.marks]
    assert {mark.shape for mark in marks} == {"bar"}
    scale = marks[0].x / marks[0].figure.value
    for mark in marks:
        assert mark.x == pytest.approx(mark.figure.value * scale, abs=0.02)
        assert mark.low is not None
        assert mark.high is not None
        assert mark.low == pytest.approx(float(mark.figure.low) * scale, abs=0.02)
        assert 0 < mark.low <= mark.x <= mark.high <= 100


def test_one_run_has_no_whiskers_and_says_nothing_of_them() -> None:
    chart = html(lesson("throughput", "t4"))
    assert not chart.select(".chart__whisker")
    assert "Whiskers" not in chart.get_text()
    assert "Whiskers" in html(LESSON_PLOTS[0]).get_text()


def test_the_rows_stand_apart_and_within_the_drawing() -> None:
    for plot in LESSON_PLOTS:
        if plot.chart.kind != "roofline":
            drawing = rows(plot)
            middles = [line.y for line in drawing.lines]
            assert all(below - above >= 20 for above, below in pairwise(middles))
            assert middles[-1] < drawing.bottom < drawing.height


def test_speedup_and_load_reduction_share_an_axis_of_factors() -> None:
    drawing = rows(LESSON_PLOTS[2])
    assert drawing.one == 0
    for line in drawing.lines:
        faster, fewer = line.marks
        assert faster.x == pytest.approx(25 * math.log2(faster.figure.value), abs=0.01)
        assert fewer.x == pytest.approx(25 * math.log2(fewer.figure.value), abs=0.01)
        assert (faster.shape, fewer.shape) == ("dot", "ring")


def test_without_comparison_lines_each_row_is_held_against_the_first(tmp_path: Path) -> None:
    plot = sweep(tmp_path, "speedup")
    assert plot.base == "tile 1"
    assert [(entry.group, entry.series) for entry in plot.entries] == [
        ("64x64x64", "tile 8"),
        ("256x256x256", "tile 8"),
    ]
    faster, fewer = plot.entries[0].figures
    assert (faster.text, faster.low, faster.high, fewer.text) == ("2.00", "2.00", "3.00", "8.0")
    assert faster.origins[0].text == "time (ms) of 1 over that of 8: 1.000 / 0.500"
    assert html(plot).select_one("strong").get_text() == (  # type: ignore[union-attr]
        "Speedup over tile 1 beside load reduction, Tesla T4"
    )


def test_what_no_bar_could_show_is_drawn_as_dots(tmp_path: Path) -> None:
    drawing = rows(sweep(tmp_path, "throughput", column="traffic"))
    assert {mark.shape for line in drawing.lines for mark in line.marks} == {"dot"}
    assert [tick.text for tick in drawing.ticks] == ["1", "10", "100", "1,000"]


def test_series_without_a_colour_of_their_own_take_an_ordered_one(tmp_path: Path) -> None:
    drawing = draw_rows(sweep(tmp_path, "throughput"))
    assert [line.css for line in drawing.lines[:2]] == [
        "palette-1 series-1 is-imported",
        "palette-2 series-8 is-imported",
    ]
    assert [line.css for line in rows(LESSON_PLOTS[0]).lines[:2]] == [
        "palette-1 series-naive",
        "palette-2 series-tiled",
    ]


@pytest.mark.parametrize("block", ["h200", "t4"])
def test_a_roof_is_the_lesser_of_bandwidth_and_rate(block: str) -> None:
    plot = lesson("roofline", block)
    drawing, card = draw_roofline(plot), plot.card
    assert card is not None
    x, y = _axes(drawing)
    for at in (drawing.slope[:2], drawing.slope[2:], drawing.named):
        assert y(at[1]) == pytest.approx(card.bandwidth_gbs * x(at[0]), rel=0.01)
    assert x(drawing.slope[2]) == pytest.approx(card.ridge, rel=0.01)
    assert drawing.flat[1] == drawing.flat[3]
    assert y(drawing.flat[3]) == pytest.approx(1000 * card.fp32_tflops, rel=0.01)
    for spot in drawing.spots:
        rate, intensity = spot.mark.entry.figures
        assert x(spot.mark.x) == pytest.approx(intensity.value, rel=0.01)
        assert y(spot.y) == pytest.approx(rate.value, rel=0.01)
        assert TOP <= spot.y <= TOP + PLOT


def _axes(drawing: Roofline):  # type: ignore[no-untyped-def]
    """From a place in the drawing back to the figure there."""
    first, last = (float(drawing.across[n].text.replace(",", "")) for n in (0, -1))
    low, high = (float(drawing.up[n].text.replace(",", "")) for n in (0, -1))
    return (
        lambda percent: first * (last / first) ** (percent / 100),
        lambda pixels: low * (high / low) ** (1 - (pixels - TOP) / PLOT),
    )


def test_a_pointer_finds_each_point_of_a_cluster() -> None:
    for plot in LESSON_PLOTS:
        drawing = draw(plot)
        if isinstance(drawing, Roofline):
            for column in ("naive", "tiled"):
                spots = [s for s in drawing.spots if s.mark.entry.series == column]
                spots.sort(key=lambda spot: spot.y)
                strips = [spot.reach for spot in spots]
                assert all(height >= 3 for _, height in strips)
                assert all(a[0] + a[1] <= b[0] + 0.2 for a, b in pairwise(strips))
                for spot, (top, height) in zip(spots, strips, strict=True):
                    nearest = min(abs(other.y - spot.y) for other in spots if other is not spot)
                    assert top <= spot.y <= top + height or nearest < 2


def test_the_caption_counts_what_stands_above_the_slope() -> None:
    assert "Caches fed what stands above the slope: 2 of 6 points." in html(
        LESSON_PLOTS[4]
    ).get_text(" ")


@every_plot
def test_the_text_alternative_is_complete(plot: Plot) -> None:
    figure = html(plot)
    svg = figure.select_one("svg.drawing")
    assert svg is not None
    named = [svg[name] for name in ("aria-labelledby", "aria-describedby")]
    title, said = (figure.select_one(f"#{name}").get_text() for name in named)  # type: ignore[union-attr]
    assert title == figure.select_one("figcaption strong").get_text()  # type: ignore[union-attr]
    assert said == description(plot)
    assert int(str(svg["width"])) > 0
    assert int(str(svg["height"])) > 0
    table = {cell["data-value"] for cell in figure.select("td[data-value]")}
    for entry in plot.entries:
        for shown in entry.figures:
            assert shown.text in said
            assert shown.text in table
            assert not shown.range or shown.range in figure.select_one("table").get_text()  # type: ignore[union-attr]


@every_plot
def test_every_mark_tells_where_it_comes_from(plot: Plot) -> None:
    points = html(plot).select("a.chart__point")
    assert len(points) == sum(
        1 if plot.chart.kind == "roofline" else len(entry.figures) for entry in plot.entries
    )
    for point in points:
        assert re.search(r"evidence/.*\.log\.html#L\d+$", str(point["href"]))
        assert str(point["data-value"]) in str(point["aria-label"])
        assert re.fullmatch(r"receipt-\d+", str(point["data-note"]))
        if plot.chart.kind == "roofline":
            assert str(point["data-by"]).startswith("intensity_")


@every_plot
def test_a_chart_is_the_same_every_time_and_passes_the_gate(plot: Plot) -> None:
    figure = html(plot)
    assert str(figure) == str(html(plot))
    assert list(check_plot(figure.select_one("figure"), plot, "page.md")) == []


def test_the_gate_misses_a_chart_and_a_point() -> None:
    plot = lesson("speedup")
    [missing] = check_plot(None, plot, "page.md")
    assert (missing.code, missing.message) == (
        "site-chart",
        "the chart speedup of `h200` did not arrive in the HTML",
    )
    figure = html(plot)
    for mark in figure.select('[data-point="611x613x617"][data-plots="speedup"]'):
        mark["data-value"] = "9.99"
    [changed] = check_plot(figure.select_one("figure"), plot, "page.md")
    value = plot.entries[-1].figures[0].text
    assert changed.message == (
        f"the chart speedup of `h200` has speedup of 611x613x617 as 9.99, the evidence as {value}"
    )
