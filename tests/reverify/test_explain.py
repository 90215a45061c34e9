"""`course compare LOG`: the same card is judged, another card is explained."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench import PROGRAM, REPOSITORY
from course.evidence import Log
from course.hardware import PLACE
from reverify.made import STEADY, make_log, tables

H200 = "GPU: NVIDIA H200 (compute capability 9.0)"


def course(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "course", "compare", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def published(project: Path) -> Path:
    make_log(project, tables(STEADY))
    return project


def brought(project: Path, tmp_path: Path, log: Log) -> Path:
    """The log, somewhere outside the project."""
    target = tmp_path / log.path.name
    shutil.move(log.path, target)
    return target


def test_the_same_card(published: Path, tmp_path: Path) -> None:
    """Judged row by row; what changed in the stamp is told; SLOWER is exit 3."""
    log = make_log(published, tables(STEADY), "2026-12-07T00:00:00Z", cuda={"toolkit": "13.1"})
    done = course(published, str(brought(published, tmp_path, log)))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split("\n")
    assert lines[0] == f"{PROGRAM} on Tesla T4, beside 20261130T000000Z_tesla-t4_cuda13.0"
    same = "611x613x617 tiled 338.9 GFLOP/s → 338.9 GFLOP/s none SAME"
    assert " ".join(lines[6].split()) == same
    assert lines[-3:] == ["  CUDA toolkit: 13.0 → 13.1", "  nvcc: 13.0.88 → not known", ""]
    slow = make_log(published, tables(STEADY, by=2), "2026-12-08T00:00:00Z")
    done = course(published, str(brought(published, tmp_path, slow)), "--json")
    assert done.returncode == 3
    report = json.loads(done.stdout)
    assert (report["state"], report["log"]) == ("slower", slow.path.name)


def test_another_card(published: Path, tmp_path: Path) -> None:
    """Its facts and figures stand beside the published card's, and nothing is called slower."""
    outputs = [o.replace(o.split("\n")[0], H200) for o in tables(STEADY, by=0.1)]
    gpu = {"name": "NVIDIA H200", "compute_capability": "9.0", "driver": "580.1"}
    log = make_log(published, outputs, "2026-12-07T00:00:00Z", gpu=gpu)
    place = str(brought(published, tmp_path, log))
    done = course(published, place)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split("\n")
    assert lines[:3] == [
        f"nothing is published of {PROGRAM} on NVIDIA H200 yet; other cards:",
        "NVIDIA H200 beside the published Tesla T4 (20261130T000000Z_tesla-t4_cuda13.0)",
        "  card: Tesla T4 → NVIDIA H200",
    ]
    assert "  bandwidth and ridge point: not known of Tesla T4 and NVIDIA H200" in lines
    assert "  611x613x617 naive, time (ms): 1.759 → 0.176 ms (0.10 of it)" in lines
    (published / PLACE).parent.mkdir(parents=True)
    shutil.copy(REPOSITORY / PLACE, published / PLACE)
    lines = course(published, place).stdout.split("\n")
    assert "  bandwidth (GB/s): 300 → 4800" in lines
    assert "  ridge point (FLOP/byte): 27.0 → 14.0" in lines


def test_other_arithmetic_is_exit_1(published: Path, tmp_path: Path) -> None:
    """A card may be slower; it may not read another number of floats."""
    outputs = [o.replace("            78\n", "            77\n") for o in tables(STEADY)]
    log = make_log(published, outputs, "2026-12-07T00:00:00Z", gpu={"name": "NVIDIA L4"})
    done = course(published, str(brought(published, tmp_path, log)))
    assert done.returncode == 1
    difference = "loads of 611x613x617 tiled is 77, published is 78"
    assert f"  must be equal and is not: {difference}\n" in done.stdout


def test_the_published_log_itself(published: Path) -> None:
    """It is told for what it is; alone it has nothing to be compared with."""
    outputs = [o.replace(o.split("\n")[0], H200) for o in tables(STEADY, by=0.1)]
    gpu = {"name": "NVIDIA H200", "compute_capability": "9.0", "driver": "580.1"}
    log = make_log(published, outputs, "2026-12-07T00:00:00Z", gpu=gpu)
    done = course(published, str(log.path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == [
        f"this log is what is published of {PROGRAM} on NVIDIA H200; other cards:",
        "NVIDIA H200 beside the published Tesla T4 (20261130T000000Z_tesla-t4_cuda13.0)",
    ]


def test_nothing_to_compare_with(project: Path, tmp_path: Path) -> None:
    """Exit 2: the log is the only one."""
    log = make_log(project, tables(STEADY))
    done = course(project, str(log.path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"course: {log.path}:1: nothing else is published of {PROGRAM}: "
        "there is nothing to compare with [no-evidence]\n"
    )


def test_a_log_that_was_edited(published: Path, tmp_path: Path) -> None:
    """A log from elsewhere must have its seal."""
    log = make_log(published, tables(STEADY), "2026-12-07T00:00:00Z")
    path = brought(published, tmp_path, log)
    path.write_bytes(path.read_bytes().replace(b"580.1", b"580.2"))
    done = course(published, str(path))
    assert done.returncode == 2
    assert "[log-edited]" in done.stderr
