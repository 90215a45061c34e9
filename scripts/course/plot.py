"""The figures of evidence that a chart draws, gathered by the kind of the chart."""

from __future__ import annotations

from collections.abc import Iterator

from course.charts import Chart, Entry, Plot, Plotted
from course.formula import ExpressionError, Origin, bind, evaluate
from course.hardware import Hardware
from course.output import Output, Row, row_names, spread
from course.page import Page
from course.program import Column, Program, formula_for
from course.project import Capture, Project

RATE = "GFLOP/s"  # the unit of a roofline's height


class NoDataError(Exception):
    """There is nothing to draw; the message says what is missing."""


def plot(project: Project, page: Page, chart: Chart, hardware: Hardware | None) -> Plot | None:
    """What `chart` draws; None when its block has no capture, which is a finding of the block's.

    Raises CourseError `chart-no-data`.
    """
    capture = project.shown_by(chart.block)
    if capture is None:
        return None
    try:
        if chart.kind == "speedup":
            return _speedup(chart, capture)
        if chart.kind == "roofline":
            return _roofline(chart, capture, hardware)
        if chart.kind == "cards":
            return _cards(project, chart, capture)
        return Plot(chart, capture.program, tuple(_throughput(chart, capture)))
    except (NoDataError, ExpressionError) as error:
        fix = "mend the fence or program.yml, or take the chart out"
        raise page.fault("chart-no-data", chart.line, f"nothing to draw: {error}", fix) from error


def card_plot(block_chart: Chart, capture: Capture) -> Plot:
    """The chart beside the table of an evidence block."""
    return Plot(block_chart, capture.program, tuple(_throughput(block_chart, capture)))


def _throughput(chart: Chart, capture: Capture) -> Iterator[Entry]:
    """Every row of the capture, by case."""
    column = _column(capture.program, chart.column)
    for row in capture.published.rows:
        yield _entry(capture, row, row.key[0], (_measured(capture, row, column),))


def _cards(project: Project, chart: Chart, shown: Capture) -> Plot:
    """The rows of one case, by card."""
    program = shown.program
    case = program.spec.cases.get(chart.case, chart.case)
    column = _column(program, chart.column)
    entries = []
    for gpu in project.gpus(program.name):
        same = gpu == shown.log.stamp.gpu.name
        capture = shown if same else project.latest(program.name, gpu)
        for row in capture.published.rows if capture else ():
            if capture is not None and row.key[0] == case:
                entries.append(_entry(capture, row, gpu, (_measured(capture, row, column),)))
    if not entries:
        known = ", ".join(program.spec.cases)
        raise NoDataError(f"`{program.name}` has no case `{chart.case}`; it has {known}")
    return Plot(chart, program, tuple(entries))


def _column(program: Program, wanted: str) -> Column:
    """The measured column that was asked for; otherwise a rate, or what decides the median run."""
    measured = [column for column in program.spec.output.columns if column.role == "measured"]
    names = {column.name: column for column in measured}
    if wanted:
        if wanted not in names:
            known = ", ".join(names)
            raise NoDataError(f"`{program.name}` measures no `{wanted}`; it measures {known}")
        return names[wanted]
    rates = [column for column in measured if column.better == "higher"]
    return rates[0] if rates else names[program.spec.output.published_by]


def _entry(capture: Capture, row: Row, group: str, figures: tuple[Plotted, ...]) -> Entry:
    """A row, called by its keys after the case; numbers among them are told by their column."""
    keys = capture.program.spec.output.keys[1:]
    words = (
        f"{column.label} {text}" if text.isdecimal() else text
        for column, text in zip(keys, row.key[1:], strict=False)
    )
    return Entry(capture, row, group, " ".join(words), figures)


def _measured(capture: Capture, row: Row, column: Column) -> Plotted:
    text = row.cells[column.name]
    figure = (column.name, column.label, column.unit, text)
    if len(capture.outputs) < 2:
        return Plotted(*figure)
    seen = spread(capture.outputs, row.key, column.name)
    return Plotted(*figure, str(seen.low), str(seen.high))


def figure_of(capture: Capture, row: Row, column: Column) -> Plotted:
    """A figure of the log, with its spread or its formula."""
    if column.role == "arithmetic":
        return _arithmetic(capture.program, column, row)
    return _measured(capture, row, column)


def _arithmetic(program: Program, column: Column, row: Row) -> Plotted:
    """A figure of the log that a formula gives, with the formula and its inputs."""
    formula = column.formula_for(row.key)
    _, origins = _computed(program, formula, row)
    text = row.cells[column.name]
    return Plotted(column.name, column.label, column.unit, text, origins=origins)


def _computed(program: Program, formula: str, row: Row) -> tuple[float, tuple[Origin, ...]]:
    """The value of a formula for a row, and each formula that it called with its inputs."""
    origins: list[Origin] = []
    constants = {name: constant.value for name, constant in program.constants.items()}
    names = {
        **constants,
        **bind(program.spec.formulas, constants, origins.append, program=program.name),
    }
    value = evaluate(formula, {**names, **row_names(row.key, program.spec.output)})
    return float(value), tuple(origins)


def _speedup(chart: Chart, capture: Capture) -> Plot:
    """Speedup and load reduction of each case: as its comparison has them, or against a base."""
    spec = capture.program.spec.output
    compared = spec.comparison.columns if spec.comparison else ()
    faster = next((column for column in compared if column.role == "measured"), None)
    fewer = next((column for column in compared if column.role == "arithmetic"), None)
    if faster is None or fewer is None:
        return _against_base(chart, capture)
    entries = (
        Entry(capture, row, "", row.key[0], (_measured(capture, row, faster), figure))
        for row in capture.published.comparisons
        for figure in (_arithmetic(capture.program, fewer, row),)
    )
    return Plot(chart, capture.program, tuple(entries))


def _against_base(chart: Chart, capture: Capture) -> Plot:
    """The first row of each case is the base that its other rows are compared with."""
    program, rows = capture.program, capture.published.rows
    columns = [column for column in program.spec.output.columns if column.role == "arithmetic"]
    columns.sort(key=lambda column: column.counted != "loads_per_thread")
    if not columns:
        raise NoDataError(f"`{program.name}` has no arithmetic column to hold a speedup against")
    bases = {row.key[0]: row for row in reversed(rows)}
    time = next(
        c for c in program.spec.output.columns if c.name == program.spec.output.published_by
    )
    entries = [
        _entry(capture, row, row.key[0], figures)
        for row in rows
        if row is not bases[row.key[0]]
        for figures in (_ratios(capture, bases[row.key[0]], row, time, columns[0]),)
    ]
    if not entries:
        raise NoDataError(f"`{program.name}` has one row a case, and nothing to compare it with")
    base = _entry(capture, bases[rows[0].key[0]], "", ()).series
    return Plot(chart, program, tuple(entries), base)


def _ratios(
    capture: Capture, base: Row, row: Row, time: Column, loads: Column
) -> tuple[Plotted, Plotted]:
    """How much faster a row is than its base, in each run, and by how much it loads less."""
    over, under = (row, base) if time.better == "higher" else (base, row)
    every = [_quotient(output, over, under, time.name) for output in capture.outputs]
    low, high = (f"{min(every):.2f}", f"{max(every):.2f}") if len(every) > 1 else ("", "")
    shown = f"{_quotient(capture.published, over, under, time.name):.2f}"
    told = (_division(over, under, time),)
    speedup = Plotted("speedup", "speedup", "×", shown, low, high, told)
    fewer = f"{_quotient(capture.published, base, row, loads.name):.1f}"
    name, label = f"{loads.name}_ratio", f"{loads.label} reduction"
    reduction = Plotted(name, label, "×", fewer, origins=(_division(base, row, loads),))
    return speedup, reduction


def _quotient(output: Output, over: Row, under: Row, name: str) -> float:
    cells = [row.cells for key in (over.key, under.key) if (row := output.find(key))]
    if len(cells) < 2 or float(cells[1][name]) == 0:
        raise NoDataError(f"{name} of {' '.join(under.key)} is zero or missing in a run")
    return float(cells[0][name]) / float(cells[1][name])


def _division(over: Row, under: Row, column: Column) -> Origin:
    names = [" ".join(row.key[1:]) for row in (over, under)]
    text = f"{over.cells[column.name]} / {under.cells[column.name]}"
    return Origin("formula", f"{column.label} of {names[0]} over that of {names[1]}: {text}", "")


def _roofline(chart: Chart, capture: Capture, hardware: Hardware | None) -> Plot:
    """Every row by its intensity and its rate, under the roof of its card."""
    program = capture.program
    spec = program.spec.output
    rate = next((column for column in spec.columns if column.unit == RATE), None)
    if rate is None or not spec.intensity:
        lack = f"has no column in {RATE}" if rate is None else "gives no intensity"
        raise NoDataError(f"`{program.name}` {lack}")
    gpu = capture.log.stamp.gpu.name
    card = hardware.card(gpu) if hardware else None
    if card is None:
        raise NoDataError(f"the hardware table does not know the card `{gpu}`")
    entries = []
    for row in capture.published.rows:
        value, origins = _computed(program, formula_for(spec.intensity, row.key), row)
        shown = f"{value:.3f}".rstrip("0").rstrip(".")
        intensity = Plotted("intensity", "FLOP a byte loaded", "", shown, origins=origins)
        entries.append(_entry(capture, row, row.key[0], (_measured(capture, row, rate), intensity)))
    return Plot(chart, program, tuple(entries), card=card)
