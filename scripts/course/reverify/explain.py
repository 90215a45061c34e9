"""My card: compare a log with the published one of its card, or say how the cards differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from course.errors import CourseError
from course.evidence import read_log
from course.hardware import PLACE, read_hardware
from course.program import Program
from course.project import Capture, Project
from course.reverify.changes import changes
from course.reverify.compare import Comparison, compare, compared_rows
from course.reverify.history import published_capture


@dataclass(frozen=True)
class Compared:
    """A log beside what is published: of the same card, or else of each other one.

    `itself`: the log is what is published of its card.
    """

    log: Capture
    same: Comparison | None
    others: tuple[Comparison, ...]
    itself: bool = False


def compare_log(root: Path, path: Path) -> Compared:
    """Compare the log at `path`, from wherever it comes. Raises CourseError."""
    log = read_log(path)
    project = Project.load(root)
    program = Program.load(root, log.stamp.program)
    new = Capture(log, program, log.parse(program.spec.output))
    card = log.stamp.gpu.name
    others, itself = [], False
    for gpu in project.gpus(program.name):
        published = published_capture(project, program.name, gpu)
        published = published or project.latest(program.name, gpu)
        if published is None:
            continue
        if published.log.stamp.seal == log.stamp.seal:
            itself = True
            continue
        if gpu == card and not published.log.imported:
            return Compared(new, compare(published, new), ())
        others.append(compare(published, new))
    if not others:
        message = f"nothing else is published of {program.name}: there is nothing to compare with"
        raise CourseError("no-evidence", message, path=path)
    return Compared(new, None, tuple(others), itself)


def explain(comparison: Comparison, root: Path) -> Iterator[str]:
    """How the log's card differs from the published one: facts, then figures beside each other."""
    old, new = comparison.old.log.stamp, comparison.new.log.stamp
    yield f"{new.gpu.name} beside the published {old.gpu.name} ({comparison.old.log.name})"
    for what, here, there in changes(old, new):
        yield f"  {what}: {here} → {there}"
    table = read_hardware(root) if (root / PLACE).is_file() else None
    cards = [table and table.card(stamp.gpu.name) for stamp in (old, new)]
    if cards[0] and cards[1]:
        yield f"  bandwidth (GB/s): {cards[0].bandwidth_gbs:g} → {cards[1].bandwidth_gbs:g}"
        yield f"  ridge point (FLOP/byte): {cards[0].ridge:.1f} → {cards[1].ridge:.1f}"
    else:
        missing = [s.gpu.name for s, card in zip((old, new), cards, strict=True) if card is None]
        yield f"  bandwidth and ridge point: not known of {' and '.join(missing)}"
    yield from _figures(comparison)


def _figures(comparison: Comparison) -> Iterator[str]:
    for row in compared_rows(comparison.old, comparison.new, hindered=True):
        for figure in row.figures:
            quotient = float(figure.new) / float(figure.old) if float(figure.old) else math.nan
            unit = figure.column.unit
            figures = f"{figure.old} → {figure.new} {unit}".rstrip()
            yield f"  {row.name}, {figure.column.label}: {figures} ({quotient:.2f} of it)"
    for difference in comparison.differences:
        yield f"  must be equal and is not: {difference}"
