"""Scales: where a number lies between the ends of an axis, from 0 to 1, and its ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Tick:
    at: float
    text: str


class Scale(Protocol):
    def at(self, value: float) -> float: ...

    def ticks(self) -> list[Tick]: ...


@dataclass(frozen=True)
class Linear:
    """From zero, so that the length of a bar is its figure."""

    last: float

    def at(self, value: float) -> float:
        return value / self.last

    def ticks(self) -> list[Tick]:
        """Two to five round numbers."""
        rough = self.last / 3.6
        magnitude = 10.0 ** math.floor(math.log10(rough))
        step = next(magnitude * m for m in (1, 2, 2.5, 5, 10) if magnitude * m >= rough * 0.999)
        count = int(self.last / step + 1e-9)
        return [Tick(self.at(n * step), number(n * step)) for n in range(count + 1)]


@dataclass(frozen=True)
class Log:
    """Equal steps are equal factors; both ends are whole powers of `base`."""

    first: float
    last: float
    base: int

    @classmethod
    def around(cls, values: Iterable[float], base: int) -> Log:
        """The least whole powers around all `values`, and at least one step wide."""
        seen = [value for value in values if value > 0] or [1.0]
        low = math.floor(math.log(min(seen), base) + 1e-9)
        high = math.ceil(math.log(max(seen), base) - 1e-9)
        return cls(float(base) ** low, float(base) ** max(high, low + 1), base)

    def at(self, value: float) -> float:
        return math.log(value / self.first) / math.log(self.last / self.first)

    def ticks(self) -> list[Tick]:
        """At most seven powers of two or five of ten, so that a narrow axis can hold them."""
        steps = round(math.log(self.last / self.first, self.base))
        stride = -(-steps // (6 if self.base == 2 else 4))
        values = [self.first * self.base**step for step in range(0, steps + 1, stride)]
        return [Tick(self.at(value), number(value)) for value in values]


def number(value: float) -> str:
    """A round number for an axis."""
    return f"{value:,.0f}" if value >= 1 and value == round(value) else f"{value:.12g}"
