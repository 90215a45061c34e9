"""From a failing case to the smallest: on each axis in turn, as long as something gives way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from course.harness.ladder import size_of
from course.simt import Case

EVERY_SIZE = 64  # below this every size is tried; above, those that keep a remainder or halve
# Of the given cases, in order, the first that fails.
FirstFailing = Callable[[Sequence[Case]], Case | None]


def shrink(case: Case, first_failing: FirstFailing) -> Case:
    """The smallest failing case that shrinking single axes leads to."""
    before = None
    while case != before:
        before = case
        for axis in ("k", "n", "m"):
            smaller = [case._replace(**{axis: size}) for size in sizes_below(getattr(case, axis))]
            case = first_failing(sorted(smaller, key=size_of)) or case
    return case


def sizes_below(size: int) -> Iterator[int]:
    """Sizes to try, smallest first."""
    keeping = {size % period + period * times for period in (16, 32) for times in range(8)}
    halves = {size >> shift for shift in range(1, 12)} | {size - 1}
    wanted = set(range(1, EVERY_SIZE + 1)) | keeping | halves
    return iter(sorted(s for s in wanted if 0 < s < size))
