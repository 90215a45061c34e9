"""The check as the gate and the harness use it: reports, ladder, control, cache."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import NAIVE, SHIPPED, write

from course.errors import CourseError
from course.simt import (
    Case,
    Program,
    Run,
    TraceReport,
    check_kernel,
    check_kernel_cached,
    control,
    ensure_caught,
    ladder,
    trace,
)
from gallery import HERE

KEYS = [
    "kernel",
    "case",
    "block",
    "grid",
    "correct",
    "mismatches",
    "loads_per_thread",
    "global_load_requests",
    "global_load_sectors",
    "global_store_requests",
    "global_store_sectors",
    "shared_bank_conflicts",
    "findings",
]


def test_json_has_the_keys_of_the_contract() -> None:
    source = HERE / "tile-count-rounded-down.cu"
    document = trace(source, "matmulTiled", Case(20, 20, 20)).to_json()
    assert list(document) == KEYS
    assert document["case"] == [20, 20, 20]
    assert document["mismatches"] > 0
    (finding,) = document["findings"]
    assert list(finding) == ["kind", "path", "line", "message", "fix"]


@pytest.mark.parametrize(("columns", "rows"), [(16, 16), (8, 8), (32, 32), (32, 8), (5, 3)])
def test_ladder_covers_every_remainder_on_every_axis(columns: int, rows: int) -> None:
    cases = ladder((columns, rows))
    assert {c.m % rows for c in cases} == set(range(rows))
    assert {c.n % columns for c in cases} == set(range(columns))
    assert {c.k % 32 for c in cases} == set(range(32))


@pytest.mark.parametrize("kernel", ["matmulNaive", "matmulTiled"])
def test_shipped_kernel_is_clean_on_the_whole_ladder(kernel: str) -> None:
    report = check_kernel(SHIPPED, kernel, [Case(67, 37, 41)])
    assert report.clean
    assert report.exit_code == 0
    assert [r.case for r in report.reports] == [Case(67, 37, 41)]


def test_broken_kernel_fails_with_its_smallest_case() -> None:
    report = check_kernel(HERE / "tile-count-rounded-down.cu", "matmulTiled", [Case(64, 32, 48)])
    assert not report.clean
    assert report.failing[0] == Case(1, 1, 1)
    assert report.rule == "whenever K is not a multiple of 16"
    assert report.reports[0].correct  # at the declared case all is well


@settings(max_examples=20, deadline=None)
@given(m=st.integers(1, 70), n=st.integers(1, 70), k=st.integers(1, 70), seed=st.integers(0, 2**31))
def test_right_kernel_is_right_at_random_sizes(m: int, n: int, k: int, seed: int) -> None:
    runs = [Run(Case(m, n, k), seed=seed, watch=watch) for watch in (True, False)]
    with SHARED as program:
        assert all(report.clean for report in program.run(runs))


class _Shared:
    """One compiled kernel for all examples."""

    program: Program | None = None

    def __enter__(self) -> Program:
        if self.program is None:
            self.program = Program(SHIPPED, "matmulTiled")
        return self.program

    def __exit__(self, *_: object) -> None: ...


SHARED = _Shared()


def test_watched_and_unwatched_agree_on_what_is_wrong() -> None:
    with Program(HERE / "tile-count-rounded-down.cu", "matmulTiled") as program:
        case = Case(35, 34, 33)
        watched, plain = program.run([Run(case), Run(case, watch=False)])
    assert not plain.correct
    assert watched.mismatches == plain.mismatches


def test_reports_arrive_one_by_one() -> None:
    seen: list[TraceReport] = []
    with Program(SHIPPED, "matmulNaive") as program:
        reports = program.run([Run(Case(s, s, s)) for s in (3, 4)], on_report=seen.append)
    assert [r.case for r in seen] == [r.case for r in reports]


def test_control_catches_every_kind() -> None:
    ensure_caught.cache_clear()
    ensure_caught()
    assert len(control.PLANTED) == 11


def test_control_that_misses_a_fault_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the faults planted nowhere, each of them is missed, and no kernel is called clean."""
    monkeypatch.setattr(control, "SOURCE", write(tmp_path, NAIVE.replace("product", "control")))
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path))
    ensure_caught.cache_clear()
    try:
        with pytest.raises(CourseError, match="planted faults were not found") as caught:
            trace(write(tmp_path, NAIVE, "right.cu"), "product", Case(8, 8, 8))
        assert caught.value.code == "control-missed"
    finally:
        ensure_caught.cache_clear()


def test_cache_answers_for_the_same_source_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, cases = write(tmp_path, NAIVE), [Case(9, 8, 7)]
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "cache"))
    first = check_kernel_cached(source, "product", cases)
    assert check_kernel_cached(source, "product", cases).to_json() == first.to_json()
    assert len(list((tmp_path / "cache/checks").iterdir())) == 1
    write(tmp_path, NAIVE.replace("p < k", "p + 1 < k"))
    assert not check_kernel_cached(source, "product", cases).clean
    assert len(list((tmp_path / "cache/checks").iterdir())) == 2


@pytest.mark.parametrize(
    ("header", "kept"),
    [
        ('#include "two.h"', 2),
        ('#  /* */ include /* */ \\\n "two.h" // it', 2),
        ('#if __has_include("two.h")\n#include "../sub/two.h"\n#endif', 2),
        ('#define TWO "two.h"\n#include TWO', 0),
    ],
)
def test_cache_answers_for_the_same_headers_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, header: str, kept: int
) -> None:
    """Of a header of a header too; a file that nothing includes changes nothing. What a macro
    names is checked each time."""
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/one.h").write_text(f'#pragma once\n{header}\n#include "../sub/one.h"\n')
    two, three = tmp_path / "sub/two.h", tmp_path / "sub/three.h"
    two.write_text("constexpr int kLess = 0;\n")
    less = NAIVE.replace("p < k", "p + kLess < k")
    source = write(tmp_path, f'#include "sub/one.h"\n{less}')
    cases = [Case(9, 8, 7)]
    assert check_kernel_cached(source, "product", cases).clean
    three.write_text("constexpr int kLess = 1;\n")
    assert check_kernel_cached(source, "product", cases).clean
    assert len(list((tmp_path / "cache").glob("checks/*"))) == min(kept, 1)
    two.write_text("constexpr int kLess = 1;\n")
    assert not check_kernel_cached(source, "product", cases).clean
    assert len(list((tmp_path / "cache").glob("checks/*"))) == kept
