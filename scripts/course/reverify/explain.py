"""My card: compare a log with the published one of its card, or say how the cards differ."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pydantic

from course.errors import CourseError
from course.evidence import read_log
from course.files import parse_yaml, read_text
from course.program import Program
from course.project import Capture, Project
from course.reverify.changes import changes
from course.reverify.compare import Comparison, compare, compared_rows
from course.reverify.history import published_capture

HARDWARE = Path("docs/reference/hardware.yml")


class Hardware(pydantic.BaseModel):
    """What the table of cards says of one, from its data sheet."""

    name: str
    fp32_tflops: float
    bandwidth_gbs: float

    @property
    def ridge(self) -> float:
        """The FLOP a byte from which arithmetic, and no longer bandwidth, is the limit."""
        return 1000 * self.fp32_tflops / self.bandwidth_gbs


class _Table(pydantic.BaseModel):
    cards: tuple[Hardware, ...]


def read_hardware(root: Path) -> tuple[Hardware, ...]:
    """The table of cards; empty while the site has none."""
    path = root / HARDWARE
    return parse_yaml(read_text(path), _Table, path).cards if path.is_file() else ()


def find_hardware(cards: Iterable[Hardware], gpu: str) -> Hardware | None:
    """The row of a card as its driver names it (`NVIDIA H200`); None unless one row alone fits."""
    model = gpu.removeprefix("NVIDIA ")
    fitting = [card for card in cards if f"{card.name} ".startswith(f"{model} ")]
    exact = [card for card in fitting if card.name == model]
    found = exact or fitting
    return found[0] if len(found) == 1 else None


@dataclass(frozen=True)
class Compared:
    """A log beside what is published: of the same card, or else of each other one."""

    log: Capture
    same: Comparison | None
    others: tuple[Comparison, ...]


def compare_log(root: Path, path: Path) -> Compared:
    """Compare the log at `path`, from wherever it comes. Raises CourseError."""
    log = read_log(path)
    project = Project.load(root)
    program = Program.load(root, log.stamp.program)
    new = Capture(log, program, log.parse(program.spec.output))
    card = log.stamp.gpu.name
    others = []
    for gpu in project.gpus(program.name):
        published = published_capture(project, program.name, gpu)
        published = published or project.latest(program.name, gpu)
        if published is None or published.log.stamp.seal == log.stamp.seal:
            continue
        if gpu == card and not published.log.imported:
            return Compared(new, compare(published, new), ())
        others.append(compare(published, new))
    if not others:
        message = f"nothing else is published of {program.name}: there is nothing to compare with"
        raise CourseError("no-evidence", message, path=path)
    return Compared(new, None, tuple(others))


def explain(comparison: Comparison, hardware: tuple[Hardware, ...]) -> Iterator[str]:
    """How the log's card differs from the published one: facts, then figures beside each other."""
    old, new = comparison.old.log.stamp, comparison.new.log.stamp
    yield f"{new.gpu.name} beside the published {old.gpu.name} ({comparison.old.log.name})"
    for what, here, there in changes(old, new):
        yield f"  {what}: {here} → {there}"
    cards = [find_hardware(hardware, stamp.gpu.name) for stamp in (old, new)]
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
