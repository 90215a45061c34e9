"""A program's output: read strictly, checked against its formulas, compared across repeats."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from course.formula import ExpressionError, Figure, evaluate
from course.program import Case, Column, OutputSpec, Program

Key = tuple[str, ...]


class OutputError(Exception):
    """Output that is not what program.yml declares; `line` counts from 1 within the output."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line} of the output: {message}")
        self.line, self.message = line, message


@dataclass(frozen=True)
class Row:
    """One row of the table, or the comparison of a case (its key is then the case alone)."""

    key: Key
    line: int
    cells: Mapping[str, str]


@dataclass(frozen=True)
class Output:
    """One run's output, read. `facts` are the named groups of the header lines."""

    text: str
    facts: Mapping[str, tuple[str, int]]
    rows: tuple[Row, ...]
    comparisons: tuple[Row, ...]
    verdict: str

    def all_rows(self) -> tuple[Row, ...]:
        return self.rows + self.comparisons

    def find(self, key: Key) -> Row | None:
        return next((row for row in self.all_rows() if row.key == key), None)

    def cases(self) -> list[str]:
        return list(dict.fromkeys(row.key[0] for row in self.rows))


@dataclass(frozen=True)
class Mismatch:
    """A figure that differs from its formula: on `line`, `text` stands where `expected` should."""

    line: int
    name: str
    text: str
    expected: str
    formula: str


@dataclass
class _Reader:
    spec: OutputSpec
    headers: set[str] = field(default_factory=set)
    facts: dict[str, tuple[str, int]] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    comparisons: list[Row] = field(default_factory=list)
    verdict: str = ""

    def header(self, number: int, line: str) -> bool:
        for spec in self.spec.header:
            if match := re.fullmatch(spec.pattern, line):
                if spec.pattern in self.headers:
                    raise OutputError(number, f"a second line that matches `{spec.pattern}`")
                self.headers.add(spec.pattern)
                self.facts.update({k: (v, number) for k, v in match.groupdict().items()})
                return True
        return False

    def frame(self, line: str) -> bool:
        labels = " ".join(column.label for column in self.spec.columns)
        return " ".join(line.split()) == labels or (set(line) <= {"-", " "} and "---" in line)

    def row(self, number: int, line: str) -> bool:
        fields = line.split()
        if len(fields) != len(self.spec.columns) or line[0].isspace():
            return False
        cells = dict(zip((column.name for column in self.spec.columns), fields, strict=True))
        try:
            Case.parse(cells["case"])
            for column in self.spec.columns:
                if column.role != "key":
                    _number(cells[column.name])
        except ValueError as error:
            raise OutputError(number, str(error)) from error
        key = tuple(cells[column.name] for column in self.spec.keys)
        if any(row.key == key for row in self.rows):
            raise OutputError(number, f"a second row for {' '.join(key)}")
        self.rows.append(Row(key, number, cells))
        return True

    def comparison(self, number: int, line: str) -> bool:
        spec = self.spec.comparison
        match = spec and re.fullmatch(spec.pattern, line)
        if not match or not self.rows:
            return False
        key = self.rows[-1].key[:1]
        if any(row.key == key for row in self.comparisons):
            raise OutputError(number, f"a second comparison for {key[0]}")
        cells = {name: text or "" for name, text in match.groupdict().items()}
        try:
            for text in cells.values():
                _number(text)
        except ValueError as error:
            raise OutputError(number, str(error)) from error
        self.comparisons.append(Row(key, number, cells))
        return True


def _number(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,9})?", text):
        raise ValueError(f"not a plain number: {text!r}")
    return float(text)


def parse_output(text: str, spec: OutputSpec) -> Output:
    """Read one run's output. Raises OutputError for any line that `spec` does not account for."""
    reader = _Reader(spec)
    lines = text.split("\n")
    if lines[-1] != "":
        raise OutputError(len(lines), "the output is cut off: it does not end with a line end")
    for number, line in enumerate(lines[:-1], start=1):
        if not line.isprintable():
            raise OutputError(number, f"a character that does not print: {line[:120]!r}")
        if reader.verdict and line:
            raise OutputError(number, f"output after the verdict: {line!r}")
        if not line or reader.header(number, line) or reader.frame(line):
            continue
        if verdict := re.fullmatch(spec.verdict, line):
            reader.verdict = line
            reader.facts.update({k: (v, number) for k, v in verdict.groupdict().items()})
        elif not reader.row(number, line) and not reader.comparison(number, line):
            raise OutputError(number, f"program.yml does not say how to read {line[:120]!r}")
    if not reader.rows:
        raise OutputError(len(lines), "no row of results")
    if not reader.verdict:
        raise OutputError(len(lines), "no verdict: the last line does not match `verdict`")
    for header in spec.header:
        if header.pattern not in reader.headers:
            raise OutputError(len(lines), f"no line matches the header `{header.pattern}`")
    return Output(text, reader.facts, tuple(reader.rows), tuple(reader.comparisons), reader.verdict)


def missing_rows(output: Output, program: Program) -> list[str]:
    """The declared cases that have no row, and the rows that another case has and they lack."""
    kinds = list(dict.fromkeys(row.key[1:] for row in output.rows))
    have = {row.key for row in output.rows}
    return [
        " ".join((case, *kind))
        for case in program.spec.cases.values()
        for kind in (kinds or [()])
        if (case, *kind) not in have
    ]


def mismatches(output: Output, program: Program) -> Iterator[Mismatch]:
    """The arithmetic figures that differ from their formula, rounded as they are printed."""
    names = program.formula_names()
    spec = program.spec.output
    if "cases" in output.facts:
        text, line = output.facts["cases"]
        yield from _mismatch("cases", text, line, str(len(output.cases())), {})
    for header in spec.header:
        for name, formula in header.formulas.items():
            if name in output.facts:
                text, line = output.facts[name]
                yield from _mismatch(name, text, line, formula, names)
    for rows, columns in ((output.rows, spec.columns), (output.comparisons, _compared(spec))):
        for row in rows:
            given = {**names, **row_names(row.key, spec)}
            for column in columns:
                if column.role == "arithmetic":
                    formula = column.formula_for(row.key)
                    text = row.cells[column.name]
                    yield from _mismatch(column.name, text, row.line, formula, given)


def row_names(key: Key, spec: OutputSpec) -> dict[str, int | str]:
    """What a formula may read of its row: m, n and k of the case, and its other key columns."""
    keys = {
        column.name: int(text) if text.isdecimal() else text
        for column, text in zip(spec.keys[1:], key[1:], strict=False)
    }
    return {**Case.parse(key[0])._asdict(), **keys}


def _compared(spec: OutputSpec) -> tuple[Column, ...]:
    return spec.comparison.columns if spec.comparison else ()


def _mismatch(
    name: str, text: str, line: int, formula: str, names: Mapping[str, object]
) -> Iterator[Mismatch]:
    digits = len(text.partition(".")[2])
    try:
        expected = f"{float(evaluate(formula, names)):.{digits}f}"
    except (ExpressionError, TypeError, ValueError, ArithmeticError) as error:
        expected = f"nothing ({error})"
    if expected != text:
        yield Mismatch(line, name, text, expected, formula)


@dataclass(frozen=True)
class Spread:
    """The range of one measured figure over the repeats of a capture."""

    low: Figure
    high: Figure

    def overlaps(self, other: Spread) -> bool:
        return self.low <= other.high and other.low <= self.high


def spread(outputs: Sequence[Output], key: Key, name: str) -> Spread:
    """The smallest and the largest of a figure over the repeats."""
    figures = [Figure(row.cells[name]) for output in outputs if (row := output.find(key))]
    return Spread(min(figures), max(figures))


def choose_published(outputs: Sequence[Output], spec: OutputSpec) -> int:
    """The index of the median run.

    A run's score is the geometric mean, over the rows, of its `published_by` figure divided by the
    median of that figure over the runs. The published run has the median score; with an even number
    of runs the lower of the two, with equal scores the earlier.
    """
    name = spec.published_by
    keys = [row.key for row in outputs[0].rows]
    columns = {key: [_figure(output, key, name) for output in outputs] for key in keys}
    medians = {key: statistics.median(figures) for key, figures in columns.items()}

    def score(run: int) -> float:
        return sum(math.log(columns[key][run] / medians[key]) for key in keys)

    order = sorted(range(len(outputs)), key=lambda run: (score(run), run))
    return order[(len(order) - 1) // 2]


def _figure(output: Output, key: Key, name: str) -> float:
    row = output.find(key)
    if row is None or float(row.cells[name]) <= 0:
        raise OutputError(1, f"no {name} above zero for {' '.join(key)} in every run")
    return float(row.cells[name])
