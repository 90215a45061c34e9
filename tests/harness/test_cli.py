"""`course grade` as a learner runs it: exit status, words, JSON, what is kept."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from bench import REPOSITORY
from course.harness import grade
from course.harness.ladder import SMALL, cases
from gallery import HERE

SOLUTION = REPOSITORY / "code/day16-tiled-matmul/tiled_matmul.cu"
STARTER = REPOSITORY / "code/day16-tiled-matmul/starter.cu"


def course(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "course", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_solution_passes_the_whole_ladder(tmp_path: Path) -> None:
    """Every case up to 1000 cubed, in one go; quiet, as this is no terminal."""
    done = course(
        "grade", str(SOLUTION), "--device", "cpu", "--seed", "7", "--json", folder=tmp_path
    )
    report = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert report["verdict"] == "pass"
    assert report["correct"] is True
    assert report["diagnosis"] == []
    assert report["traffic"]["reads_per_thread"] == 64
    assert any(c["case"] == [1000, 1000, 1000] and c["right"] for c in report["cases"])
    assert (report["device"], report["seed"]) == ("cpu", 7)


def test_the_starter_is_right_and_over_the_budget(tmp_path: Path) -> None:
    """And its empty answer is told as none; what was judged is kept."""
    report = grade(STARTER, device="cpu", seed=7, keep=tmp_path, fixed=cases(SMALL))
    assert (report.correct, report.verdict, report.answer) == (True, "fail", None)
    assert [entry.pitfall for entry in report.diagnosis] == ["no-shared-memory"]
    assert (tmp_path / "submission.cu").read_bytes() == STARTER.read_bytes()
    assert json.loads((tmp_path / "report.json").read_text()) == report.to_json()


def test_words_and_status_2(tmp_path: Path) -> None:
    file = HERE / "extern-shared.cu"
    done = course("grade", str(file), "--device", "cpu", "--seed", "7", folder=tmp_path)
    assert done.returncode == 2
    assert done.stdout.splitlines()[0] == f"{file}: not judged"
    assert done.stdout.splitlines()[-1] == "  device   cpu; run this again with --seed 7"


def test_the_same_seed_gives_the_same_report() -> None:
    def plain() -> dict[str, object]:
        report = grade(HERE / "barrier-in-branch.cu", device="cpu", seed=99, fixed=cases(SMALL))
        told = report.to_json()
        for case in told["cases"]:
            del case["seconds"]
        return told

    assert plain() == plain()
