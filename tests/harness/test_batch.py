"""A class: one row each, a crash of one touching no other, resumed, on a cluster as well."""

from __future__ import annotations

import csv
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench import REPOSITORY
from course.errors import CourseError
from course.harness import batch
from course.harness.batch import Work, grade_folder, judge
from course.harness.table import COLUMNS, Row, table
from gallery import HERE

CHEATS = Path(__file__).parent / "cheats"
SOLUTION = REPOSITORY / "code/day16-tiled-matmul/tiled_matmul.cu"


def fake(work: Work, _: object = None) -> Row:
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

    def counted(work: Work, _: object) -> Row:
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


@pytest.mark.parametrize("data", [b"years,of,work\n", b"\xff\xfe", b"a" * 2**18, b""])
def test_another_file_is_never_overwritten(folder: Path, tmp_path: Path, data: bytes) -> None:
    """What is no table of ours stays as it is, and nothing is judged."""
    out = tmp_path / "thesis.csv"
    out.write_bytes(data)
    with pytest.raises(CourseError) as caught:
        grade_folder(folder, out)
    assert (caught.value.code, caught.value.fix) == ("not-a-table", "give --out another name")
    assert out.read_bytes() == data


def test_what_cannot_be_judged_or_written(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told before the first submission is judged."""
    monkeypatch.setattr(batch, "judge", lambda *_: pytest.fail("judged"))
    out = tmp_path / "results.csv"
    for given, where, code in (
        (tmp_path / "gone", out, "no-folder"),
        (folder, tmp_path, "not-a-table"),
        (folder, Path("/proc/results.csv"), "unwritable"),
    ):
        with pytest.raises(CourseError) as caught:
            grade_folder(given, where)
        assert caught.value.code == code
    with pytest.raises(CourseError, match="no Dask scheduler answers at 'garbage'"):
        grade_folder(folder, out, scheduler="garbage")


def test_a_folder_that_may_not_be_read(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error, not a class without submissions."""

    def forbidden(path: str) -> object:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("os.scandir", forbidden)
    with pytest.raises(CourseError, match="cannot read: Permission denied"):
        grade_folder(folder, tmp_path / "results.csv")


def test_names_that_a_table_cannot_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file has a row of its own, is known again, and no name is a formula."""
    shown = {
        b"plain.cu": "plain.cu",
        b"a b.cu": "a b.cu",
        b"a  b.cu": "a  b.cu",
        b"=x.cu": "'=x.cu",
        b"'=x.cu": "''=x.cu",
        b"n\nl.cu": "n\\nl.cu",
        b"n\\nl.cu": "n\\\\nl.cu",
        b"\xff.cu": "\\xff.cu",
        'q"é.cu'.encode(): 'q"é.cu',
    }
    folder, out = tmp_path / "class", tmp_path / "results.csv"
    folder.mkdir()
    for name in shown:
        (folder / os.fsdecode(name)).write_text("good")
    monkeypatch.setattr(batch, "judge", fake)
    assert grade_folder(folder, out) == {"pass": len(shown)}
    assert sorted(row["file"] for row in rows(out)) == sorted(shown.values())
    monkeypatch.setattr(batch, "judge", lambda *_: pytest.fail("judged again"))
    assert grade_folder(folder, out) == {"pass": len(shown)}


def test_cut_short(tmp_path: Path) -> None:
    """Ctrl-C ends what runs, judges no more, keeps the rows so far; the next run has the rest."""
    folder, out = tmp_path / "class", tmp_path / "results.csv"
    folder.mkdir()
    for number in range(6):
        shutil.copy(SOLUTION, folder / f"{number}.cu")
    (folder / "-.cu").touch()  # judged first, and at once
    command = [sys.executable, "-m", "course", "grade-all", str(folder), "--out", str(out)]
    with subprocess.Popen(
        [*command, "--device", "cpu", "--seed", "7"], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        said = [process.stderr.readline(), process.stderr.readline()]
        process.send_signal(signal.SIGINT)
        said += process.stderr.readlines()
    assert process.returncode == 130
    assert [line.strip() for line in said] == [
        "7 submissions, 0 of them judged before",
        "1 of 7: '-.cu: error",
        f"course: cut short by Ctrl-C; {out} has 1 of 7 submissions",
        "fix: run the same command again: it judges the rest [interrupted]",
    ]
    assert [row["file"] for row in rows(out)] == ["'-.cu"]


def test_a_crash_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge of one dies or takes too long; its row says so."""
    monkeypatch.setattr("sys.executable", "/bin/false")
    row = judge(Work("a.cu", b"", "cpu", 7))
    assert (row["verdict"], row["error"]) == ("error", "its judge ended with 1")
    monkeypatch.setattr(batch, "LONGEST", 0.2)
    monkeypatch.setattr(subprocess, "Popen", _sleeper(subprocess.Popen))
    assert judge(Work("a.cu", b"", "cpu", 7))["error"] == "its judge took longer than 0.2 s"
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


@pytest.mark.parametrize("error", ["its worker was lost: lost", "its judge took longer than 300 s"])
def test_a_lost_row_is_judged_again(folder: Path, tmp_path: Path, error: str) -> None:
    """The control is the other row: its judge has judged, so it stays as it was."""
    out = tmp_path / "results.csv"
    grade_folder(folder, out, seed=7)
    lost, judged = rows(out)
    lost |= {"verdict": "error", "error": error, "seed": "1"}
    judged |= {"verdict": "error", "error": "the compiler refuses the source", "seed": "1"}
    out.write_bytes(table([lost, judged]))
    assert grade_folder(folder, out, seed=7) == {"error": 1, "pass": 1}
    assert [row["seed"] for row in rows(out)] == ["7", "1"]


def test_a_neighbour_is_not_taken_for_the_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file `course.py` where the teacher stands is not imported."""
    (tmp_path / "course.py").write_text("open('was-here', 'w'); print('{\"verdict\": \"pass\"}')")
    monkeypatch.chdir(tmp_path)
    row = judge(Work("empty.cu", b"int x;", "cpu", 1))
    assert row["verdict"] == "error"
    assert "there is no kernel" in row["error"]
    assert not (tmp_path / "was-here").exists()
