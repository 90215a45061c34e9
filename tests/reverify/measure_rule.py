"""How often does the rule err? Captures are made up with a known shift, and the rule is asked.

    PYTHONPATH=scripts:tests python3 -m reverify.measure_rule docs/assets/rule.json

The page about the rule draws its curve from that file. Every point has its own seed, so a test
can make any of them again.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from course.reverify.rule import judge

REPEATS = 5
TRIALS = 4000
SERIES = 500  # of ten captures each
ROWS = 9  # as many as the Day 16 program has, ratios included
SCATTERS = (0.005, 0.01, 0.02, 0.04)
SHIFTS = tuple(round(1 + 0.02 * step, 2) for step in range(26))


@dataclass(frozen=True)
class World:
    """How captures differ although nothing changed: the scatter of a run, the offset of a whole
    capture (in scatters), how often a run is an outlier, and what is printed."""

    scatter: float
    offset: float = 1.0
    outliers: float = 0.0
    typical: float = 72.0
    digits: int = 3

    def repeats(self, chance: random.Random, shift: float) -> list[str]:
        base = math.log(self.typical * shift) + chance.gauss(0, self.offset * self.scatter)
        return [self._run(chance, base) for _ in range(REPEATS)]

    def _run(self, chance: random.Random, base: float) -> str:
        late = 10 * self.scatter if chance.random() < self.outliers else 0.0
        figure = math.exp(base + chance.gauss(0, self.scatter) + late)
        return f"{figure:.{self.digits}f}"


def rates(world: World, shift: float, trials: int = TRIALS) -> dict[str, float]:
    """The share of each verdict over many pairs of captures."""
    chance = random.Random(f"{world} {shift}")
    seen = Counter(
        judge(world.repeats(chance, 1.0), world.repeats(chance, shift), "lower", rows=ROWS).verdict
        for _ in range(trials)
    )
    return {
        verdict: seen[verdict] / trials for verdict in ("SAME", "FASTER", "SLOWER", "AMBIGUOUS")
    }


def series(world: World) -> float:
    """The share of series of ten captures in which any row of any capture gets a false verdict."""
    chance = random.Random(f"{world} series")
    return sum(_false_in_series(world, chance) for _ in range(SERIES)) / SERIES


def _false_in_series(world: World, chance: random.Random) -> bool:
    for _ in range(ROWS):
        published = world.repeats(chance, 1.0)
        for _ in range(10):
            verdict = judge(published, world.repeats(chance, 1.0), "lower", rows=ROWS).verdict
            if verdict in ("FASTER", "SLOWER"):
                return True
    return False


NOTHING_CHANGED = {
    "captures differ no more than their runs": World(0.01, offset=0.0),
    "each capture is off by as much as one run": World(0.01),
    "each capture is off by twice as much": World(0.01, offset=2.0),
    "each capture is off by four times as much": World(0.01, offset=4.0),
    "one run in ten is far too slow": World(0.01, outliers=0.1),
    "printed as 0.014: two digits": World(0.01, typical=0.014),
    "printed as 0.072: two digits": World(0.01, typical=0.072),
    "runs that scatter by 4 %": World(0.04),
}


def measure() -> dict[str, Any]:
    return {
        "repeats": REPEATS,
        "trials": TRIALS,
        "shifts": list(SHIFTS),
        "curves": [
            {"scatter": s, "slower": [rates(World(s), shift)["SLOWER"] for shift in SHIFTS]}
            for s in SCATTERS
        ],
        "false_alarms": [
            {"world": name, **asdict(world), **rates(world, 1.0), "series": series(world)}
            for name, world in NOTHING_CHANGED.items()
        ],
    }


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(measure(), indent=1) + "\n")
