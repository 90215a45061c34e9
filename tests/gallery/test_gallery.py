"""The gallery keeps its own promises; what tools say about it is tested elsewhere."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gallery import HERE, Entry, load

KINDS = {
    "out-of-bounds",
    "uninitialized-shared",
    "stale-shared",
    "race",
    "barrier-divergence",
    "hang",
    "unwritten-output",
    "misaligned",
    "wrong-result",
    "bank-conflict",
    "uncoalesced",
}
PITFALLS = {
    "guarded-load-without-else",
    "barrier-in-branch",
    "missing-barrier-after-load",
    "missing-barrier-after-compute",
    "out-of-bounds-load",
    "out-of-bounds-store",
    "wrong-axis-guard",
    "tile-count-rounded-down",
    "grid-rounded-down",
    "no-shared-memory",
    "bank-conflicts",
    "uncoalesced",
    "uninitialized-accumulator",
}
ENTRIES = load()
BROKEN = [entry for entry in ENTRIES if not entry.is_right]
RIGHT = [entry for entry in ENTRIES if entry.is_right]


def test_every_kind_of_finding_and_every_pitfall_has_its_kernels() -> None:
    assert {entry.fault for entry in ENTRIES if entry.fault} == KINDS
    assert {entry.pitfall for entry in ENTRIES if entry.pitfall} == PITFALLS
    assert len(BROKEN) >= 22
    assert len(RIGHT) >= 10


def test_no_source_is_left_out() -> None:
    assert {entry.path for entry in ENTRIES} == set(HERE.glob("*.cu"))


@pytest.mark.parametrize("entry", BROKEN, ids=lambda entry: entry.name)
def test_broken_kernel_marks_its_fault(entry: Entry) -> None:
    assert entry.fault_lines
    assert entry.also <= KINDS


@pytest.mark.parametrize("entry", RIGHT, ids=lambda entry: entry.name)
def test_right_kernel_marks_none(entry: Entry) -> None:
    assert not entry.fault_lines
    assert set(entry.right_at) == set(entry.cases)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_a_grid_of_its_own_is_given_for_the_listed_cases_only(entry: Entry) -> None:
    assert not entry.fixed_grid or set(entry.right_at) <= set(entry.cases)


def test_every_source_compiles(tmp_path: Path) -> None:
    """The one warning is nvcc's own word on the fault: a comparison that is always true."""

    def compile_(path: Path) -> tuple[str, int, str]:
        command = [
            "nvcc",
            "-std=c++17",
            "-arch=sm_75",
            "-c",
            f"{path}",
            "-o",
            f"{tmp_path / path.stem}.o",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        return path.name, done.returncode, done.stdout + done.stderr

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(compile_, sorted(HERE.glob("*.cu"))))
    assert [name for name, status, _ in results if status] == []
    assert [name for name, _, output in results if output] == ["countdown-never-ends.cu"]
