"""Why C is wrong: the smallest rule that says at which sizes it fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from course.program import Case
from course.simt.engine import Program
from course.simt.run import Run

Axis = Literal["K", "M", "N"]
AXES: tuple[Axis, ...] = ("K", "M", "N")
SCANNED = range(1, 67)  # past two tiles of 32
PERIODS = (2, 4, 8, 16, 32)
EVERYWHERE = "at every size tried"


@dataclass(frozen=True)
class Rule:
    """When a kernel fails. `axis` is None if it fails at every size tried."""

    text: str
    axis: Axis | None


def explain(program: Program, run: Run, threads: int | None) -> Rule | None:
    """Scan small sizes of one axis at a time, the others held at whole tiles."""
    columns, rows = run.tile or run.block
    base = Case(3 * rows, 2 * columns, 64)
    runs: list[Run] = []
    places: list[tuple[Axis, int]] = []
    for axis in AXES:
        for size in SCANNED:
            case = base._replace(**{axis.lower(): size})
            runs.append(replace(run, case=case, grid=None, watch=True, order="mixed", seconds=2.0))
            places.append((axis, size))
    reports = program.run(runs, threads=threads)
    failing: dict[Axis, set[int]] = {"K": set(), "M": set(), "N": set()}
    for (axis, size), report in zip(places, reports, strict=False):
        if not report.correct:
            failing[axis].add(size)
    everywhere = set(SCANNED)
    if all(sizes == everywhere for sizes in failing.values()):
        return Rule(EVERYWHERE, None)
    for axis in AXES:
        if failing[axis] and failing[axis] != everywhere:
            for text, sizes in _candidates(axis, base):
                if sizes == failing[axis]:
                    return Rule(f"whenever {text}", axis)
    return None


def _candidates(axis: Axis, base: Case) -> Iterator[tuple[str, set[int]]]:
    """Rules from the simplest on, each with the sizes at which it says that the kernel fails."""
    for period in PERIODS:
        yield f"{axis} is not a multiple of {period}", {s for s in SCANNED if s % period}
    names = {base.m: "M", base.n: "N", base.k: "K"}
    names = {size: name for size, name in names.items() if name != axis}
    for bound in sorted(SCANNED, key=lambda size: (size not in names, size)):
        name = names.get(bound, str(bound))
        yield f"{axis} is larger than {name}", {s for s in SCANNED if s > bound}
        yield f"{axis} is smaller than {name}", {s for s in SCANNED if s < bound}
        yield f"{axis} differs from {name}", {s for s in SCANNED if s != bound}
    for period in PERIODS:
        yield (
            f"{axis} is larger than {period} and not a multiple of it",
            {s for s in SCANNED if s > period and s % period},
        )
