"""The rule: from the repeats of two captures, has one figure changed?

docs/reference/reverification.md explains it to readers and shows how often it errs. Everything is
computed on logarithms, so a change is a quotient and the unit does not matter.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Verdict = Literal["SAME", "FASTER", "SLOWER", "AMBIGUOUS", "NOT COMPARABLE"]

WITHIN = 0.95  # a shift that noise explains at this level is the SAME
FALSE_ALARMS = 0.001  # of whole captures, however many rows they have, by noise alone
COARSE = math.log(1.5)  # where even this would not stand out, nothing can be called the SAME
FEWEST = 3  # repeats on either side; fewer do not show their noise


@dataclass(frozen=True)
class Judgement:
    """One figure in two captures. `slowdown` is the quotient of the two, above 1 where the new one
    is worse; `sees` is the smallest quotient that would have stood out. None: not known."""

    verdict: Verdict
    slowdown: float | None = None
    sees: float | None = None
    reason: str = ""


def judge(
    old: Sequence[str],
    new: Sequence[str],
    better: Literal["lower", "higher"],
    explained: tuple[float, float] = (0.0, 0.0),
    *,
    rows: int = 1,
) -> Judgement:
    """Compare the repeats of one figure, as they are printed.

    `explained` is the range of slowdowns, as logarithms, that the clocks alone would explain.
    The more `rows` are judged together, the more each must stand out.
    """
    if min(map(float, (*old, *new))) <= 0:
        return Judgement("AMBIGUOUS", reason="a figure of zero has no quotient")
    sign = 1 if better == "lower" else -1
    before, after = [_log(text) for text in old], [_log(text) for text in new]
    pairs = [sign * (there - here) for here, there in zip(before, after, strict=False)]
    shift = sign * (statistics.median(after) - statistics.median(before))
    if len(pairs) < FEWEST:
        reason = f"fewer than {FEWEST} repeats on one side"
        return Judgement("AMBIGUOUS", math.exp(shift), None, reason)
    noise = _Noise.of((before, after), max(map(grain, old)), max(map(grain, new)))
    low, high = explained
    outside = max(shift - high, low - shift, 0.0)  # how far beyond what the clocks explain
    one_sided = all(pair * shift > 0 for pair in pairs)
    sees = noise.margin(1 - FALSE_ALARMS / rows)
    if outside > sees and one_sided:
        verdict: Verdict = "SLOWER" if shift > 0 else "FASTER"
        return Judgement(verdict, math.exp(shift), math.exp(sees))
    if sees > COARSE:
        reason = "too noisy to see a change by half"
        return Judgement("AMBIGUOUS", math.exp(shift), math.exp(sees), reason)
    if abs(shift) <= noise.margin(WITHIN):
        return Judgement("SAME", math.exp(shift), math.exp(sees))
    clocks = outside <= noise.margin(WITHIN)
    reason = "the clocks may explain it" if clocks else "noise may explain it"
    return Judgement("AMBIGUOUS", math.exp(shift), math.exp(sees), reason)


def grain(text: str) -> float:
    """Half a unit of the last printed digit, as a part of the figure: 0.014 is 0.014 ± 3.6 %."""
    digits = len(text.partition(".")[2])
    return float(0.5 * 10**-digits / float(text))


def _log(text: str) -> float:
    return math.log(float(text))


@dataclass(frozen=True)
class _Noise:
    """`scatter` of one run, with its degrees of freedom, and what rounding may have moved."""

    scatter: float
    freedom: int
    counts: tuple[int, int]
    rounding: float

    @classmethod
    def of(cls, sides: Sequence[Sequence[float]], *grains: float) -> _Noise:
        freedom = sum(len(side) - 1 for side in sides)
        squares = sum(statistics.variance(side) * (len(side) - 1) for side in sides)
        hidden = max(grains) ** 2 / 3  # the variance of a figure anywhere between two digits
        scatter = math.sqrt(squares / freedom + hidden)
        return cls(scatter, freedom, (len(sides[0]), len(sides[1])), sum(grains))

    def margin(self, level: float) -> float:
        """The shift that noise explains at this level.

        Repeats of one capture share one moment of one machine. Two captures do not, so each is
        granted an offset of its own, as large as the scatter of its runs.
        """
        within = sum(1 / count for count in self.counts)
        spread = self.scatter * math.sqrt(within + len(self.counts))
        return student(level, self.freedom) * spread + self.rounding


@lru_cache
def student(level: float, freedom: int) -> float:
    """The two-sided quantile of Student's t: |t| stays below it with probability `level`."""
    low, high = 0.0, 1e6
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _inside(middle, freedom) < level else (low, middle)
    return high


def _inside(t: float, freedom: int) -> float:
    """P(|T| < t) for whole degrees of freedom: Abramowitz and Stegun 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine = math.cos(angle)
    odd = freedom % 2
    term = total = cosine if odd else 1.0
    for k in range(3 if odd else 2, freedom, 2):
        term *= (k - 1) / k * cosine**2
        total += term
    if not odd:
        return math.sin(angle) * total
    return 2 / math.pi * (angle + (math.sin(angle) * total if freedom > 1 else 0.0))
