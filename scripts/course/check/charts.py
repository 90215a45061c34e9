"""Is there something to draw for every chart, and did every figure of it arrive in the site?"""

from __future__ import annotations

from collections.abc import Iterator

from bs4 import BeautifulSoup, Tag

from course.charts import Chart, Plot, chart_fences, read_chart
from course.errors import CourseError, Finding
from course.hardware import Hardware, read_hardware
from course.page import Page
from course.plot import card_plot, plot
from course.project import Project


def check_charts(project: Project, page: Page) -> Iterator[Finding]:
    for found in plots(project, page):
        if isinstance(found, CourseError):
            yield Finding.of(found, project.root, page.path)


def plots(project: Project, page: Page) -> Iterator[Plot | CourseError]:
    """What each chart of the page draws, or why it cannot; one without a capture is left out,
    because its evidence block has a finding of its own."""
    hardware: Hardware | None = None
    names: set[str] = set()
    for fence in chart_fences(page):
        try:
            chart = read_chart(page, fence)
            if chart.kind == "roofline" and hardware is None:
                hardware = read_hardware(project.root)
            drawn = plot(project, page, chart, hardware)
        except CourseError as error:
            if error.code != "block-syntax":
                yield error
            continue
        if chart.name in names:
            message = f"the chart {chart.name} stands on the page already"
            yield page.fault("chart-syntax", chart.line, message, "take one of them out")
        names.add(chart.name)
        if drawn is not None:
            yield drawn


def block_plots(project: Project, page: Page) -> Iterator[Plot]:
    """The charts that stand beside the tables of the page's evidence blocks."""
    for block in page.evidence_blocks:
        capture = project.shown_by(block)
        if capture is not None:
            yield card_plot(Chart(block.line, "throughput", block), capture)


def check_drawn(soup: BeautifulSoup, project: Project, page: Page) -> Iterator[Finding]:
    """Findings about figures that are not in the built page as the evidence has them."""
    path = project.relative(page.path)
    for found in plots(project, page):
        if isinstance(found, Plot):
            yield from check_plot(soup.select_one(f"#chart-{found.chart.name}"), found, path)
    for found in block_plots(project, page):
        card = soup.select_one(f"#evidence-{found.chart.block.name} .chart")
        yield from check_plot(card, found, path)


def check_plot(tag: Tag | None, plot: Plot, path: str) -> Iterator[Finding]:
    name = f"{plot.chart.kind} of `{plot.chart.block.name}`"
    if tag is None:
        message = f"the chart {name} did not arrive in the HTML"
        yield Finding(path, plot.chart.line, "site-chart", message, "make build")
        return
    drawn = {
        tuple(str(mark[name]) for name in ("data-of", "data-point", "data-plots")): mark
        for mark in tag.select("[data-plots]")
    }
    for entry in plot.entries:
        for figure in entry.figures:
            mark = drawn.get((entry.capture.log.name, entry.key, figure.column))
            shown = mark["data-value"] if mark is not None else "nothing"
            if shown != figure.text:
                message = (
                    f"the chart {name} has {figure.column} of {entry.key} as {shown}, "
                    f"the evidence as {figure.text}"
                )
                yield Finding(path, plot.chart.line, "site-chart", message, "make build")
