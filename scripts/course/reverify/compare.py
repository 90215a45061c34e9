"""Compare two captures row by row: the times and the ratios apart, by the rule."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from course.output import Key, Output, Row
from course.program import Column, Program
from course.project import Capture
from course.reverify.rule import FEWEST, Judgement, Verdict, judge
from course.stamp import Stamp

# The reasons for low clocks that are not of the owner's choosing.
THROTTLES = {
    "software power cap",
    "hardware slowdown",
    "software thermal slowdown",
    "hardware thermal slowdown",
    "hardware power brake",
}
IDLE = "gpu idle"


@dataclass(frozen=True)
class Figure:
    """One measured figure of a row in both published runs, and what the rule says of it."""

    column: Column
    old: str
    new: str
    judgement: Judgement


@dataclass(frozen=True)
class ComparedRow:
    """A row, or the ratios of a case. It speaks with its most decided figure."""

    key: Key
    ratio: bool
    figures: tuple[Figure, ...]

    @property
    def name(self) -> str:
        return " ".join(self.key) + (" compared" if self.ratio else "")

    @property
    def verdict(self) -> Verdict:
        said: set[Verdict] = {figure.judgement.verdict for figure in self.figures}
        if {"FASTER", "SLOWER"} <= said:
            return "AMBIGUOUS"
        order: tuple[Verdict, ...] = ("NOT COMPARABLE", "SLOWER", "FASTER", "SAME", "AMBIGUOUS")
        return next(verdict for verdict in order if verdict in said)

    @property
    def speaker(self) -> Figure:
        """The figure that shows the verdict; of several, the one that sees the smallest change."""
        agreeing = [f for f in self.figures if f.judgement.verdict == self.verdict] or self.figures
        return min(agreeing, key=lambda figure: figure.judgement.sees or math.inf)


@dataclass(frozen=True)
class Comparison:
    """`hindrances` are why the two cannot be compared; `differences` what must be equal, is not."""

    old: Capture
    new: Capture
    hindrances: tuple[str, ...]
    differences: tuple[str, ...]
    rows: tuple[ComparedRow, ...]

    def of(self, verdict: Verdict) -> list[ComparedRow]:
        return [row for row in self.rows if row.verdict == verdict]

    @property
    def passes(self) -> bool:
        """Whether the new capture confirms the old one: at least a row does, and none is worse."""
        confirmed = self.of("SAME") or self.of("FASTER")
        worse = self.hindrances or self.differences or self.of("SLOWER")
        return bool(confirmed) and not worse


def compare(old: Capture, new: Capture) -> Comparison:
    """Compare a capture with an older one of the same program."""
    hindrances = tuple(hindrances_between(old, new))
    same_source = not any(_other_source(old.log.stamp, new.log.stamp))
    differences = tuple(_differences(old, new)) if same_source else ()
    rows = tuple(compared_rows(old, new, hindered=bool(hindrances)))
    return Comparison(old, new, hindrances, differences, rows)


def hindrances_between(old: Capture, new: Capture) -> Iterator[str]:
    """Why times of the two cannot be compared, each as a phrase; nothing when they can."""
    one, other = old.log.stamp, new.log.stamp
    if one.gpu.name != other.gpu.name:
        yield f"another card: {other.gpu.name}, published is {one.gpu.name}"
    yield from _other_source(one, other)
    if one.build and other.build and one.build != other.build:
        yield f"other compile flags: `{other.build}`, published is `{one.build}`"
    if one.run and other.run and one.run != other.run:
        yield f"another run command: `{other.run}`, published is `{one.run}`"
    for whose, stamp in (("published", one), ("new", other)):
        runs = len(stamp.runs)
        if stamp.kind != "imported" and runs < FEWEST:
            yield f"runs of the {whose} capture: {runs}; at least {FEWEST} show their noise"
        after = (stamp.after.throttle_reasons if stamp.after else None) or ()
        throttled = sorted(THROTTLES & set(after))
        if throttled:
            yield f"the {whose} capture was throttled: {', '.join(throttled)}"
        before = stamp.before.throttle_reasons if stamp.before else None
        if before is not None and IDLE not in before:
            yield f"the card was not idle before the {whose} capture began"


def _other_source(one: Stamp, other: Stamp) -> Iterator[str]:
    for whose, stamp in (("published", one), ("new", other)):
        if stamp.kind == "imported":
            yield f"the {whose} record is imported: it is not of this source"
    if "imported" not in (one.kind, other.kind):
        here = {source.path: (source.sha256, source.tokens_sha256) for source in one.sources}
        there = {source.path: (source.sha256, source.tokens_sha256) for source in other.sources}
        differing = [
            path
            for path in sorted({*here, *there})
            if not set(here.get(path, ())) & set(there.get(path, ()))
        ]
        if differing:
            yield f"another source: {', '.join(differing)}"


def _differences(old: Capture, new: Capture) -> Iterator[str]:
    """What is equal for ever and differs all the same: rows, arithmetic figures, the verdict."""
    names = {c.name for c in _columns(old.program) if c.role == "arithmetic"}
    one, other = old.published, new.published
    for key in dict.fromkeys([row.key for row in (*one.all_rows(), *other.all_rows())]):
        here, there = one.find(key), other.find(key)
        if here is None or there is None:
            yield f"the row {' '.join(key)} is only in the {'new' if here is None else 'published'}"
            continue
        for name in sorted(names & here.cells.keys()):
            if here.cells[name] != there.cells.get(name):
                now = there.cells.get(name)
                yield f"{name} of {' '.join(key)} is {now}, published is {here.cells[name]}"
    if one.verdict != other.verdict:
        yield f"the verdict is {other.verdict!r}, published is {one.verdict!r}"


def _columns(program: Program) -> tuple[Column, ...]:
    spec = program.spec.output
    return (*spec.columns, *(spec.comparison.columns if spec.comparison else ()))


def compared_rows(old: Capture, new: Capture, *, hindered: bool) -> Iterator[ComparedRow]:
    """Every row that both have, judged by the rule unless something hinders."""
    columns = {column.name: column for column in _columns(old.program)}
    clocks = clock_slowdown(old.log.stamp, new.log.stamp)
    count = len(old.published.all_rows())
    for row in old.published.all_rows():
        twin = new.published.find(row.key)
        if twin is None:
            continue
        ratio = row in old.published.comparisons
        figures = []
        for name in row.cells:
            column = columns[name]
            if column.role != "measured" or not column.better:
                continue
            explained = (0.0, 0.0) if ratio else clocks  # a ratio runs at one clock
            judgement = Judgement("NOT COMPARABLE")
            if not hindered:
                before, after = (_repeats(side.outputs, row.key, name) for side in (old, new))
                judgement = judge(before, after, column.better, explained, rows=count)
            figures.append(Figure(column, row.cells[name], twin.cells[name], judgement))
        if figures:
            yield ComparedRow(row.key, ratio, tuple(figures))


def _repeats(outputs: tuple[Output, ...], key: Key, name: str) -> list[str]:
    rows: list[Row] = [row for output in outputs if (row := output.find(key))]
    return [row.cells[name] for row in rows]


def clock_slowdown(old: Stamp, new: Stamp) -> tuple[float, float]:
    """The range of slowdowns, as logarithms, that the clocks after the runs would explain."""
    shifts = [0.0]
    for name in ("sm_clock_mhz", "memory_clock_mhz"):
        before, after = getattr(old.after, name, None), getattr(new.after, name, None)
        if before and after:
            shifts.append(math.log(before / after))
    return min(shifts), max(shifts)


def arch_of(program: Program, build: str | None) -> str | None:
    """The architecture in a stamped build command; None when there is none to be found."""
    pattern = re.escape(program.spec.build).replace(re.escape("{arch}"), r"(?P<arch>[\w,=-]+)", 1)
    match = re.fullmatch(pattern, build or "")
    return match["arch"] if match and "arch" in match.groupdict() else None
