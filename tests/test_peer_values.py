"""`proof` in values and claims: counted from the kept results, each with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench import REPOSITORY
from course.formula import ExpressionError, Origin, evaluate
from course.peer_values import proof_view
from course.peers import PLACE, TOOLS, Peers


def read(name: str) -> Any:
    return json.loads((REPOSITORY / PLACE / name).read_text())


def value(expression: str) -> tuple[Any, list[Origin]]:
    peers, origins = Peers.load(REPOSITORY), list[Origin]()
    assert peers is not None
    return evaluate(expression, {"proof": proof_view(peers, origins.append)}), origins


def test_what_is_silent_is_counted_from_the_tools_own_reports() -> None:
    """Counted here once more, from the file: a fault that costs time alone is none."""
    silent = [
        name
        for name, row in read("h200/sanitizers.json")["matrix"].items()
        if row["fault"] not in (None, "bank-conflict", "uncoalesced")
        and not any(run["reports"] or "timeout" in run for tool in TOOLS for run in row[tool])
    ]
    counted, origins = value("proof.faults.silent")
    assert counted == len(silent)
    assert origins[0].text == f"{len(silent)}: {', '.join(silent)}"


def test_a_kernel_is_read_at_its_line() -> None:
    word, (origin,) = value('proof.kernels["early-return"].synccheck')
    assert word == "silent"
    path, _, line = origin.place.rpartition(":")
    assert path == "tests/proof/results/h200/sanitizers.json"
    lines = (REPOSITORY / path).read_text().split("\n")
    assert lines[int(line) - 1].strip() == '"early-return": {'


@pytest.mark.parametrize(
    ("name", "shown"),
    [("gpu", "NVIDIA H200"), ("cuda", "13.0"), ("sanitizer", "2025.3.1"), ("oclgrind", "21.10")],
)
def test_what_it_ran_on(name: str, shown: str) -> None:
    assert value(f"proof.{name}")[0] == shown


def test_times_are_those_of_both_kernels() -> None:
    row = next(row for row in read("speed.json")["rows"] if row["what"] == "unwatched")
    assert value("proof.speed.unwatched.clock")[0] == row["naive"][0] + row["tiled"][0]
    assert value("proof.speed.unwatched.processor")[0] == row["naive"][1] + row["tiled"][1]


def test_what_is_not_there_says_what_is() -> None:
    with pytest.raises(ExpressionError, match=r"`proof\.counters` has no `row`; it has rows"):
        value("proof.counters.row")


def test_a_project_without_results_has_no_such_name(project: Path) -> None:
    assert Peers.load(project) is None
