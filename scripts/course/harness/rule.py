"""The rule behind the failures: the simplest sentence that fits every case that was run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations

from course.simt import Case

AXES = "mnk"
PERIODS = (16, 32, 8, 4, 2)
BOUNDS = (1, 8, 16, 32)
LEAST_SUPPORT = 6  # failing cases that a rule must explain, unless there are fewer


@dataclass(frozen=True)
class Candidate:
    """`holds` says at which cases a kernel of this rule fails."""

    text: str
    holds: Callable[[Case], bool]


def rule_of(failed: Mapping[Case, bool]) -> str | None:
    """The rule, or None. It never contradicts a case: where it holds, the kernel failed.

    The simplest rule that explains every failure; else the simple one that explains the most, if
    that is more than a third of them.
    """
    failures = {case for case, wrong in failed.items() if wrong}
    if not failures:
        return None
    for candidate in (*simple(), *pairs()):
        if all(candidate.holds(case) == wrong for case, wrong in failed.items()):
            return f"fails {candidate.text}"
    best, most = None, max(len(failures) // 3, LEAST_SUPPORT - 1)
    for candidate in simple():
        holding = {case for case in failed if candidate.holds(case)}
        if holding < failures and len(holding) > most:
            best, most = candidate, len(holding)
    return None if best is None else f"fails {best.text}, and at some other sizes"


def simple() -> Iterator[Candidate]:
    """From the simplest on."""
    yield Candidate("at every size", lambda case: True)
    for period in PERIODS:
        for count in (1, 2, 3):
            for axes in combinations(AXES, count):
                yield _not_multiples(axes, period)
    for axis in AXES:
        yield from (_beyond(axis, bound) for bound in BOUNDS)
        yield from (_below(axis, bound) for bound in BOUNDS[1:])
    for first, second in combinations(AXES, 2):
        yield _compared(first, second, "is not", lambda x, y: x != y)
    for first, second in permutations(AXES, 2):
        yield _compared(first, second, "is larger than", lambda x, y: x > y)


def pairs() -> Iterator[Candidate]:
    """Two simple rules of which both, or either, must hold."""
    kept = [c for c in simple() if " or " not in c.text and c.text != "at every size"]
    for first, second in combinations(kept, 2):
        yield _joined(first, "and", second, lambda x, y: x and y)
        yield _joined(first, "or", second, lambda x, y: x or y)


def _joined(
    first: Candidate, word: str, second: Candidate, join: Callable[[bool, bool], bool]
) -> Candidate:
    return Candidate(
        f"{first.text} {word} {second.text.removeprefix('whenever ')}",
        lambda case: join(first.holds(case), second.holds(case)),
    )


def _not_multiples(axes: tuple[str, ...], period: int) -> Candidate:
    names = " or ".join(axis.upper() for axis in axes)
    return Candidate(
        f"whenever {names} is not a multiple of {period}",
        lambda case: any(getattr(case, axis) % period for axis in axes),
    )


def _beyond(axis: str, bound: int) -> Candidate:
    return Candidate(
        f"whenever {axis.upper()} is larger than {bound}", lambda case: getattr(case, axis) > bound
    )


def _below(axis: str, bound: int) -> Candidate:
    return Candidate(
        f"whenever {axis.upper()} is smaller than {bound}", lambda case: getattr(case, axis) < bound
    )


def _compared(
    first: str, second: str, words: str, compare: Callable[[int, int], bool]
) -> Candidate:
    return Candidate(
        f"whenever {first.upper()} {words} {second.upper()}",
        lambda case: compare(getattr(case, first), getattr(case, second)),
    )


def scan() -> list[Case]:
    """Cases that tell rules apart: one axis at a time, the others at whole tiles."""
    sizes = (1, 2, 3, 5, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 47, 48, 49, 63, 64, 65, 80)
    bases = {"m": (48, 32, 64), "n": (32, 48, 64), "k": (32, 48, 64)}
    found = []
    for axis, (m, n, k) in bases.items():
        for size in sizes:
            whole = {"m": m, "n": n, "k": k} | {axis: size}
            found.append(Case(**whole))
    return found
