"""The kept results hold today: our counts are the hardware's, our verdicts are as told."""

import json
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

import gallery
from course.simt import Case, Program, Run
from proof import ours
from proof.build import LESSON, ROOT, digest
from proof.compare import GLOBAL
from proof.harness_gpu import SUBJECTS

RESULTS = Path(__file__).with_name("results")
SHIPPED = ("naive", "tiled")
ENTRIES = gallery.load()
SAMPLE = ENTRIES[::7]
Row = Mapping[str, Any]


def read(name: str) -> Any:
    return json.loads((RESULTS / name).read_text())


COUNTED: list[Row] = read("h200/counters.json")["rows"]
KERNELS = {name: list(rows) for name, rows in groupby(COUNTED, lambda row: row["name"])}


@pytest.mark.parametrize("name", KERNELS)
def test_counts_are_the_hardwares_to_the_last_digit(name: str) -> None:
    """Every kernel at the sizes that take no time, the shipped ones at the lesson's as well."""
    rows = [row for row in KERNELS[name] if tuple(row["case"]) != LESSON or name in SHIPPED]
    assert len(rows) >= 2
    runs = [
        Run(
            Case(*row["case"]),
            block=tuple(row["block"]),
            grid=tuple(row["grid"]),
            shared_bytes=row["shared"],
        )
        for row in rows
    ]
    with Program(ROOT / rows[0]["file"], rows[0]["kernel"]) as program:
        reports = program.run(runs)
    for row, report in zip(rows, reports, strict=True):
        assert report.correct
        counted = {name: getattr(report.counters, name) for name in GLOBAL}
        assert counted == {name: row["metrics"][metric] for name, metric in GLOBAL.items()}


def test_the_comparison_is_of_these_counters() -> None:
    compared = read("h200/comparison.json")
    assert [(row["name"], row["case"]) for row in compared] == [
        (row["name"], row["case"]) for row in COUNTED
    ]
    for row, told in zip(COUNTED, compared, strict=True):
        assert [told[name][0] for name in GLOBAL] == [row["metrics"][m] for m in GLOBAL.values()]
        assert told["equal"] == all(theirs == own for theirs, own in map(told.get, GLOBAL))


def test_counters_are_of_todays_sources() -> None:
    """A shipped source may change in its comments: its counts are held above, at every size."""
    own = [row for row in COUNTED if row["name"] not in SHIPPED]
    assert [row["name"] for row in own if row["sha256"] != digest(ROOT / row["file"])] == []


@pytest.mark.parametrize("name", ["h200/sanitizers.json", "oclgrind.json", "ours.json"])
def test_every_kernel_has_a_row_of_todays_source(name: str) -> None:
    """A kernel that was changed since must go through the tools again."""
    matrix = read(name)["matrix"]
    assert {key: row["sha256"] for key, row in matrix.items()} == {
        entry.name: digest(entry.path) for entry in ENTRIES
    }


def test_submissions_were_judged_as_they_should_be() -> None:
    """Stale? Run tests/proof/harness_gpu.py on a machine with a GPU."""
    told = read("h200/harness.json")["subjects"]
    assert [row["name"] for row in told if not row["as_it_should_be"]] == []
    assert [row["name"] for row in told if row["sha256"] != digest(ROOT / row["file"])] == []
    assert {row["file"] for row in told if "report" in row} == {
        subject.path.as_posix() for subject in SUBJECTS
    }


@pytest.mark.parametrize("entry", SAMPLE, ids=lambda entry: entry.name)
def test_our_column_is_what_the_cpu_check_says(entry: gallery.Entry) -> None:
    """Stale? `python -m proof.ours proof/results/ours.json`, from tests/."""
    assert ours.row(entry) == read("ours.json")["matrix"][entry.name]
