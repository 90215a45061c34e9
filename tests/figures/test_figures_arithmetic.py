"""The figures' arithmetic: its own tests, the formulas of program.yml, the CPU check, hardware."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench import REPOSITORY
from course.formula import bind
from course.program import Program
from course.simt import Case, trace
from figures.node import HERE, ask, node

KERNELS = HERE / "kernels"
COUNTERS = REPOSITORY / "tests/proof/results/h200/counters.json"
TILES = (2, 4, 8, 16, 32)
SIZES = ((4, 4, 4), (256, 256, 256), (512, 512, 512), (611, 613, 617), (1, 1, 1), (17, 33, 5))
CASES = ((32, 32, 32), (35, 37, 41), (19, 66, 9))

# A figure's function, the formula that it must agree with, and what both are given.
FORMULAS = {
    "loadsNaive": ("loads_naive", "k"),
    "loadsTiled": ("loads_tiled", "k"),
    "loadRatio": ("load_ratio", "k"),
    "intensityNaive": ("intensity_naive", "k"),
    "intensityTiled": ("intensity_tiled", "k"),
    "tileSteps": ("tile_steps", "k"),
    "paddedCells": ("padded_cells", "k"),
    "lastStepFirst": ("last_step_first", "k"),
    "lastStepLast": ("last_step_last", "k"),
    "remainder": ("remainder", "k"),
    "paddingOverhead": ("padding_overhead", "mnk"),
    "elements": ("elements", "mn"),
    "edgeElements": ("edge_elements", "mn"),
    "threadsPerBlock": ("threads_per_block", ""),
    "sharedBytes": ("shared_bytes", ""),
}
NO_TILE = {"loadsNaive", "intensityNaive", "elements"}


def test_node_runs_the_unit_tests() -> None:
    """`node --test` over every *.test.mjs of this folder."""
    tests = [str(path) for path in sorted(HERE.glob("*.test.mjs"))]
    assert tests
    node("--test", *tests)


def test_figures_agree_with_the_formulas(program: Program) -> None:
    questions: list[list[Any]] = []
    expected: list[float] = []
    for tile in TILES:
        formulas = bind(program.spec.formulas, {"kTileDim": tile, "kMaxA": 2, "kMaxB": 3})
        for m, n, k in SIZES:
            for name, (formula, wanted) in FORMULAS.items():
                given = [{"m": m, "n": n, "k": k}[axis] for axis in wanted]
                questions.append([name, *given] + ([] if name in NO_TILE else [tile]))
                expected.append(formulas[formula](*given))
    for question, answer, value in zip(questions, ask(questions), expected, strict=True):
        assert answer == pytest.approx(value, rel=1e-12, abs=1e-15), question


def test_every_formula_of_tiles_is_compared(program: Program) -> None:
    """A new formula is either held against the figures here, or not about tiles."""
    elsewhere = {"bytes_per_float", "largest_sum", "exact_limit"}
    derived = {"block_loads_naive", "block_floats"}
    compared = {formula for formula, _ in FORMULAS.values()}
    assert compared | elsewhere | derived == set(program.spec.formulas)


@pytest.mark.parametrize("tile", [8, 16, 32])
@pytest.mark.parametrize("name", ["row", "column", "padded"])
def test_bank_conflicts_are_those_of_the_cpu_check(name: str, tile: int) -> None:
    """Over whole launches: the loads of the inner loop, and the stores that fill the tile."""
    for m, n, k in CASES:
        size = {"m": m, "n": n, "k": k}
        totals, stores = ask(
            [["launchTotals", name, size, tile], ["storeConflicts", name, size, tile]]
        )
        kernel = f"{name}<{tile}>"
        report = trace(KERNELS / "shared.cu", kernel, Case(m, n, k), block=(tile, tile))
        assert report.correct
        assert totals["conflicts"] + stores == report.counters.shared_bank_conflicts, (kernel, size)


@pytest.mark.parametrize("tile", [8, 16, 32])
@pytest.mark.parametrize(
    ("kernel", "accesses"), [("naive", ("a", "b")), ("swapped", ("swapped", "swapped-b"))]
)
def test_sectors_are_those_of_the_cpu_check(
    kernel: str, accesses: tuple[str, str], tile: int
) -> None:
    for m, n, k in CASES:
        size = {"m": m, "n": n, "k": k}
        one, other = ask([["launchTotals", name, size, tile] for name in accesses])
        report = trace(KERNELS / "global.cu", kernel, Case(m, n, k), block=(tile, tile))
        assert report.correct
        counters = report.counters
        assert one["requests"] + other["requests"] == counters.global_load_requests, (kernel, size)
        assert one["sectors"] + other["sectors"] == counters.global_load_sectors, (kernel, size)


@pytest.mark.parametrize(
    ("name", "accesses"), [("naive", ("a", "b")), ("naive-swapped", ("swapped", "swapped-b"))]
)
def test_sectors_are_those_of_the_hardware(name: str, accesses: tuple[str, str]) -> None:
    """What an H200 counted for the same two kernels, at a size that its block does not divide."""
    seen = measured(name, [130, 67, 93])
    size = dict(zip("mnk", (130, 67, 93), strict=True))
    one, other = ask([["launchTotals", access, size, 16] for access in accesses])
    for what in ("requests", "sectors"):
        counter = f"l1tex__t_{what}_pipe_lsu_mem_global_op_ld.sum"
        assert one[what] + other[what] == seen[counter]


@pytest.mark.parametrize(
    ("name", "pattern"), [("transposed-tile", "column"), ("transposed-padded-tile", "padded")]
)
def test_store_conflicts_are_those_of_the_hardware(name: str, pattern: str) -> None:
    """Stores alone: the compiler joins loads of neighbouring p, which the figure does not show."""
    seen = measured(name, [256, 256, 256])
    size = dict.fromkeys("mnk", 256)
    (conflicts,) = ask([["storeConflicts", pattern, size, 16]])
    counter = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"
    assert conflicts == seen[counter]


def measured(name: str, case: list[int]) -> dict[str, int]:
    rows = json.loads(Path(COUNTERS).read_text())["rows"]
    (row,) = [row for row in rows if row["name"] == name and row["case"] == case]
    metrics: dict[str, int] = row["metrics"]
    return metrics
