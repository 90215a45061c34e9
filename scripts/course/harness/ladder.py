"""The cases that every submission is judged at, and how each of them is run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from course.harness.contract import TRAFFIC_N
from course.simt import Case

Inputs = Literal["integers", "floats", "infinite-a", "infinite-b"]

# Each group is one reason to look at a size; the reference page prints this table.
SMALL = {
    "the smallest of all": ["1x1x1", "1x1x16", "1x1x17"],
    "edges of the tile": ["15x15x15", "16x16x16", "17x17x17", "31x31x31", "32x32x32", "33x33x33"],
    "one axis off the edge": [
        "15x16x16",
        "17x16x16",
        "16x15x16",
        "16x17x16",
        "16x16x15",
        "16x16x17",
        "32x32x31",
        "32x32x33",
    ],
    "K smaller than a tile": ["16x16x1", "16x16x5", "32x48x9"],
    "one row, one column": ["1x17x5", "17x1x5", "1x64x33", "64x1x33", "1x100x100", "100x1x100"],
    "rectangles of whole tiles": [
        "16x16x32",
        "32x48x16",
        "48x80x32",
        "80x48x32",
        "32x32x64",
        "32x64x48",
        "64x32x48",
    ],
    "three remainders": ["19x37x41", "37x67x41", "67x37x41", "65x63x31", "5x7x100", "127x129x130"],
    "many steps": ["16x16x512", "128x128x128"],
}
LARGE = {
    "the size of the traffic budget": [f"{TRAFFIC_N}x{TRAFFIC_N}x{TRAFFIC_N}"],
    "the lesson's ragged case": ["611x613x617"],
    "round, and no multiple of 16": ["1000x1000x1000"],
}
GPU_ONLY = {
    "on a GPU, whole tiles": ["1024x1024x1024", "2048x2048x2048", "4096x4096x4096"],
    "on a GPU, long and thin": ["1x4096x4096", "4096x1x4096", "4096x4096x1"],
    "on a GPU, ragged": ["4001x4003x4007"],
}
FLOATS = ["17x19x33", "67x37x41", "33x31x617"]  # run with random floats as well
PROBE = "35x37x73"  # run with infinities, and in other orders of threads as well
RANDOM_SMALL, RANDOM_LARGE, RANDOM_TRAFFIC = 8, 2, 2
SMALL_RANGE, LARGE_RANGE = (2, 90), (130, 330)
FEW_ELEMENTS = 32
WATCHED_WORK = 5_000_000  # m·n·k up to which every access is watched, beside the traffic's case


@dataclass(frozen=True)
class Rung:
    """One case with its inputs; `watched` means that every access is watched."""

    case: Case
    seed: int
    inputs: Inputs = "integers"
    watched: bool = True


def cases(*groups: dict[str, list[str]]) -> list[Case]:
    """The cases of the groups, smallest m·n·k first."""
    found = {Case.parse(text) for group in groups for texts in group.values() for text in texts}
    return sorted(found, key=size_of)


def size_of(case: Case) -> tuple[int, Case]:
    """What smallest means: by m·n·k, then by m, n and k."""
    return case.work, case


def random_cases(seed: int) -> Iterator[Case]:
    """Fresh sizes, the same for the same seed. None is one of the fixed ones."""
    chance = random.Random(seed)
    known = set(cases(SMALL, LARGE, GPU_ONLY))
    for count, bounds in ((RANDOM_SMALL, SMALL_RANGE), (RANDOM_LARGE, LARGE_RANGE)):
        made = 0
        while made < count:
            case = Case(*(chance.randint(*bounds) for _ in range(3)))
            if case not in known:
                known.add(case)
                made += 1
                yield case


def rungs(seed: int, fixed: list[Case]) -> list[Rung]:
    """The ladder: smallest first, fresh numbers for each case, integers before anything else."""
    all_cases = sorted({*fixed, *random_cases(seed), *traffic_cases(seed)}, key=size_of)
    ladder = [
        Rung(case, seed + number, watched=case.work <= WATCHED_WORK or case == traffic_case())
        for number, case in enumerate(c for c in all_cases for _ in range(repeats(c)))
    ]
    more = [Rung(Case.parse(text), 0, "floats") for text in FLOATS]
    more += [Rung(Case.parse(PROBE), 0, inputs) for inputs in ("infinite-a", "infinite-b")]
    return ladder + [
        Rung(rung.case, seed + 500 + number, rung.inputs) for number, rung in enumerate(more)
    ]


def repeats(case: Case) -> int:
    """How often a case is run, each time with other numbers: a wrong sum may be right by luck, and
    a small C gives luck a chance."""
    return 3 if case.m * case.n < FEW_ELEMENTS else 1


def traffic_case() -> Case:
    return Case(TRAFFIC_N, TRAFFIC_N, TRAFFIC_N)


def traffic_cases(seed: int) -> Iterator[Case]:
    """Small cases with the K of the budget: what a thread reads depends on nothing else, unless
    a kernel tells sizes apart to look thrifty at one."""
    chance = random.Random(seed + 1)
    for _ in range(RANDOM_TRAFFIC):
        yield Case(chance.randint(17, 64), chance.randint(17, 64), TRAFFIC_N)
