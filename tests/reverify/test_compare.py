"""Comparing two captures: what hinders, what must be equal, and which figure speaks for a row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from course.project import Capture
from course.reverify.changes import Change, changes
from course.reverify.compare import arch_of, compare
from reverify.made import BUILD, STEADY, make, tables

LATER = "2026-12-07T00:00:00Z"
Make = Callable[..., Capture]


@pytest.fixture
def old(project: Path) -> Capture:
    return make(project, tables(STEADY))


@pytest.fixture
def new(project: Path) -> Make:
    """A later capture; its outputs, or changes to its stamp, can be given."""

    def made(outputs: list[str] | None = None, **stamp: Any) -> Capture:
        return make(project, outputs or tables(STEADY), LATER, **stamp)

    return made


def test_the_same_build_passes(old: Capture, new: Make) -> None:
    """The control: every row is SAME, times and ratios apart, and the comparison passes."""
    compared = compare(old, new())
    assert compared.passes
    assert [row.name for row in compared.rows if row.ratio] == [
        "256x256x256 compared",
        "512x512x512 compared",
        "611x613x617 compared",
    ]
    assert {row.verdict for row in compared.rows} == {"SAME"}
    assert len(compared.rows) == 9


def test_a_slower_kernel_is_slower_in_its_rows_alone(old: Capture, new: Make) -> None:
    """Tiled twice as slow: its three rows and the ratios are SLOWER, naive is the SAME."""
    outputs = tables(STEADY, by=2, kernel="tiled", speedup=0.5)
    compared = compare(old, new(outputs))
    assert not compared.passes
    verdicts = {row.name: row.verdict for row in compared.rows}
    assert {name for name, verdict in verdicts.items() if verdict == "SLOWER"} == {
        f"{case} {what}"
        for case in ("256x256x256", "512x512x512", "611x613x617")
        for what in ("tiled", "compared")
    }
    assert {verdict for name, verdict in verdicts.items() if "naive" in name} == {"SAME"}


def test_times_may_move_while_the_ratio_holds(old: Capture, new: Make) -> None:
    """Both kernels at half the speed: the times are SLOWER, the ratios the SAME."""
    compared = compare(old, new(tables(STEADY, by=2)))
    assert {row.verdict for row in compared.rows if row.ratio} == {"SAME"}
    assert {row.verdict for row in compared.rows if not row.ratio} == {"SLOWER"}


def test_half_the_clock_explains_half_the_speed(old: Capture, new: Make) -> None:
    """The same shift is AMBIGUOUS when the stamps show that the clock was halved."""
    after = {"sm_clock_mhz": 795, "memory_clock_mhz": 5001, "throttle_reasons": []}
    compared = compare(old, new(tables(STEADY, by=2), after=after))
    assert compared.passes
    [reason] = {row.speaker.judgement.reason for row in compared.rows if not row.ratio}
    assert reason == "the clocks may explain it"


@pytest.mark.parametrize(
    ("stamp", "hindrance"),
    [
        (
            {"gpu": {"name": "NVIDIA L4"}},
            "another card: NVIDIA L4, published is Tesla T4",
        ),
        (
            {"build": BUILD.replace("sm_75", "native")},
            f"other compile flags: `{BUILD.replace('sm_75', 'native')}`, published is `{BUILD}`",
        ),
        (
            {"sources": [{"path": "other.cu", "sha256": "1" * 64, "tokens_sha256": "2" * 64}]},
            "another source: other.cu, tiled_matmul.cu",
        ),
        (
            {"after": {"throttle_reasons": ["software thermal slowdown", "software power cap"]}},
            "the new capture was throttled: software power cap, software thermal slowdown",
        ),
        (
            {"before": {"throttle_reasons": []}},
            "the card was not idle before the new capture began",
        ),
    ],
)
def test_what_hinders_a_comparison(
    old: Capture, new: Make, stamp: dict[str, Any], hindrance: str
) -> None:
    """Each hindrance is told as a phrase; no row is judged, and none of this is a regression."""
    compared = compare(old, new(tables(STEADY, by=3), **stamp))
    assert compared.hindrances == (hindrance,)
    assert {row.verdict for row in compared.rows} == {"NOT COMPARABLE"}
    assert not compared.of("SLOWER")
    assert not compared.passes


def test_an_imported_record_is_not_comparable(project: Path, new: Make) -> None:
    """It is not of this source, whatever it says."""
    record = make(project, tables([1.0]), kind="imported", told_by="a friend", sources=[])
    assert compare(record, new()).hindrances == (
        "the published record is imported: it is not of this source",
    )


@pytest.mark.parametrize(
    "stamp",
    [
        {"after": {"throttle_reasons": ["gpu idle", "applications clocks setting"]}},
        {"before": None, "after": None},
        {"before": {"sm_clock_mhz": 300}, "after": {}},
    ],
)
def test_what_does_not_hinder(old: Capture, new: Make, stamp: dict[str, Any]) -> None:
    """Clocks that the owner set, and sensors that a card lacks."""
    assert compare(old, new(**stamp)).passes


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        (
            "            78\n",
            "            77\n",
            "loads of 611x613x617 tiled is 77, published is 78",
        ),
        ("reads 15.8x", "reads 15.7x", "load_ratio of 611x613x617 is 15.7, published is 15.8"),
        (
            "all 3 cases",
            "all 4 cases",
            "the verdict is 'all 4 cases match the CPU reference at "
            "every element', published is 'all 3 cases match the CPU reference at every element'",
        ),
    ],
)
def test_what_must_be_equal(
    old: Capture, new: Make, before: str, after: str, difference: str
) -> None:
    """Arithmetic figures and the verdict: a difference is a failure whatever the noise."""
    outputs = [output.replace(before, after) for output in tables(STEADY)]
    compared = compare(old, new(outputs))
    assert compared.differences == (difference,)
    assert not compared.passes


def test_rows_that_only_one_has(old: Capture, new: Make) -> None:
    """A lost row is a difference, and so is a new one."""
    without = [
        output.replace(line(output, "256x256x256      naive"), "") for output in tables(STEADY)
    ]
    assert compare(old, new(without)).differences == (
        "the row 256x256x256 naive is only in the published",
    )
    assert compare(new(without), old).differences == (
        "the row 256x256x256 naive is only in the new",
    )


def line(output: str, start: str) -> str:
    return next(one for one in output.splitlines(keepends=True) if one.startswith(start))


def test_the_finest_figure_speaks(old: Capture, new: Make) -> None:
    """Of time and rate, which are one measurement, the one with more digits decides the row."""
    row = compare(old, new()).rows[0]
    assert {figure.column.name for figure in row.figures} == {"time_ms", "gflops"}
    assert row.speaker.column.name == "gflops"


def test_figures_that_contradict_each_other(old: Capture, new: Make) -> None:
    """More time and a higher rate cannot both be true: AMBIGUOUS."""
    outputs = [output.replace(" 262.8 ", " 562.8 ") for output in tables([1.0] * 5)]
    slower = [output.replace(" 1.759 ", " 4.759 ") for output in outputs]
    row = next(r for r in compare(old, new(slower)).rows if r.name == "611x613x617 naive")
    assert [figure.judgement.verdict for figure in row.figures] == ["SLOWER", "FASTER"]
    assert row.verdict == "AMBIGUOUS"


def test_what_changed_in_the_stamp(old: Capture, new: Make) -> None:
    """Driver, toolkit and clocks, with what one side does not know."""
    gpu = {"name": "Tesla T4", "compute_capability": "7.5", "driver": "590.2"}
    later = new(gpu=gpu, cuda={"toolkit": "13.1"}, after={"sm_clock_mhz": 1500})
    assert list(changes(old.log.stamp, later.log.stamp)) == [
        Change("driver", "580.1", "590.2"),
        Change("CUDA toolkit", "13.0", "13.1"),
        Change("nvcc", "13.0.88", "not known"),
        Change("SM clock after (MHz)", "1590", "1500"),
        Change("memory clock after (MHz)", "5001", "not known"),
    ]
    assert list(changes(old.log.stamp, old.log.stamp)) == []


def test_another_card_of_the_same_model(project: Path) -> None:
    """The hashes of the UUIDs tell, without saying which card it is."""
    gpu = {"name": "Tesla T4", "compute_capability": "7.5"}
    one = make(project, tables(STEADY), gpu={**gpu, "uuid_sha256": "1" * 64})
    two = make(project, tables(STEADY), LATER, gpu={**gpu, "uuid_sha256": "2" * 64})
    assert list(changes(one.log.stamp, two.log.stamp)) == [
        Change("the card itself", "one", "another of the same model")
    ]
    assert compare(one, two).passes


@pytest.mark.parametrize(
    ("build", "arch"),
    [(BUILD, "sm_75"), (BUILD.replace("sm_75", "native"), "native"), ("make", None), (None, None)],
)
def test_the_architecture_of_a_build(old: Capture, build: str | None, arch: str | None) -> None:
    """It is read out of the stamped command, so that the same flags can be used again."""
    assert arch_of(old.program, build) == arch
