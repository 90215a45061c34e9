"""A class: one row each, a crash of one touching no other, resumed, on a cluster as well."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from course.errors import CourseError
from course.harness import batch
from course.harness.batch import COLUMNS, Row, Work, grade_folder, judge
from gallery import HERE

CHEATS = Path(__file__).parent / "cheats"


def fake(work: Work) -> Row:
    """A judge that takes no time; it fails as one may."""
    report = {
        "verdict": "pass" if b"good" in work.source else "fail",
        "correct": True,
        "smallest_failing_case": [1, 2, 3],
        "answer": "=HYPERLINK(1)",
        "diagnosis": [{"pitfall": None}, {"pitfall": "uncoalesced"}],
        "traffic": {"reads_per_thread": 64},
    }
    return batch._row(work, report, 1.0)


def rows(out: Path) -> list[dict[str, str]]:
    with out.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(batch, "judge", fake)
    folder = tmp_path / "class"
    (folder / "b").mkdir(parents=True)
    (folder / "a.cu").write_text("good")
    (folder / "b" / "c.cu").write_text("bad")
    return folder


def test_one_row_each(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "results.csv"
    assert grade_folder(folder, out, jobs=2, seed=7) == {"fail": 1, "pass": 1}
    first, second = rows(out)
    assert tuple(first) == COLUMNS
    assert (first["file"], second["file"]) == ("a.cu", "b/c.cu")
    assert first["answer"] == "'=HYPERLINK(1)"  # no formula for a spreadsheet
    assert first["pitfalls"] == "other uncoalesced"
    assert first["smallest_failing_case"] == "1x2x3"


def test_resumed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has a row is not judged again; a changed file is; a row of a lost file goes."""
    out, judged = tmp_path / "results.csv", []

    def counted(work: Work) -> Row:
        judged.append(work.name)
        return fake(work)

    monkeypatch.setattr(batch, "judge", counted)
    grade_folder(folder, out, seed=7)
    grade_folder(folder, out, seed=7)
    assert judged == ["a.cu", "b/c.cu"]
    (folder / "a.cu").write_text("good, and changed")
    (folder / "b" / "c.cu").unlink()
    assert grade_folder(folder, out, seed=7) == {"pass": 1}
    assert judged == ["a.cu", "b/c.cu", "a.cu"]


def test_another_file_is_never_overwritten(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "thesis.csv"
    out.write_text("years,of,work\n")
    with pytest.raises(CourseError, match="is no table of submissions"):
        grade_folder(folder, out)
    assert out.read_text() == "years,of,work\n"


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="there is no such folder"):
        grade_folder(tmp_path / "gone", tmp_path / "results.csv")


def test_a_crash_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge of one dies or takes too long; its row says so."""
    monkeypatch.setattr("sys.executable", "/bin/false")
    row = judge(Work("a.cu", b"", "cpu", 7))
    assert (row["verdict"], row["error"]) == ("error", "its judge ended with 1")
    monkeypatch.setattr(batch, "LONGEST", 0.2)
    monkeypatch.setattr(subprocess, "Popen", _sleeper(subprocess.Popen))
    assert judge(Work("a.cu", b"", "cpu", 7))["error"] == "its judge took too long"
    assert judge(Work("a.cu", b"x" * 2**21, "cpu", 7))["error"].startswith("the file has more")


def _sleeper(popen: Callable[..., object]) -> Callable[..., object]:
    return lambda command, **options: popen(["/bin/sleep", "60"], **options)


def test_real_ones_through_a_cluster(tmp_path: Path) -> None:
    """The unit of work on a Dask cluster: a refusal, a cheat, and no path of this machine."""
    import distributed

    folder, out = tmp_path / "class", tmp_path / "results.csv"
    folder.mkdir()
    shutil.copy(CHEATS / "exits-at-start.cu", folder / "exits.cu")
    shutil.copy(HERE / "extern-shared.cu", folder / "ints.cu")
    with distributed.LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        address = cluster.scheduler_address
        assert grade_folder(folder, out, seed=7, device="cpu", scheduler=address) == {"error": 2}
    first, second = rows(out)
    assert "ended itself with exit status 0" in first["error"]
    assert "takes (const float*" in second["error"]
    assert str(tmp_path) not in out.read_text()
