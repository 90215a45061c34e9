"""Import: an output from elsewhere becomes a labelled record with only what is known of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from bench import OUTPUT, PROGRAM, REPOSITORY
from course.errors import CourseError
from course.evidence import log_paths, read_log
from course.imported import import_log

TOLD = "the course, which published it"


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """A file with the course's published output."""
    path = tmp_path / "output.txt"
    path.write_text(OUTPUT)
    return path


def test_an_import_knows_only_what_it_was_told(project: Path, output: Path) -> None:
    """Card, driver and toolkit as handed in; no host, no source, no exit status."""
    path = import_log(
        project,
        PROGRAM,
        output,
        gpu="Tesla T4",
        told_by="  the course,\n  which published it ",
        compute_capability="7.5",
        driver="595.84",
        cuda="12.6",
        time=datetime(2026, 9, 2, 1, 30, tzinfo=timezone(timedelta(hours=2))),
    )
    assert path == project / "evidence" / PROGRAM / "20260901T233000Z_tesla-t4_cuda12.6.log"
    log = read_log(path)
    assert log.imported
    assert log.outputs == (OUTPUT.encode(),)
    assert log.stamp.model_dump(exclude_none=True, exclude={"runs", "seal"}) == {
        "schema_": 1,
        "kind": "imported",
        "program": PROGRAM,
        "time": "2026-09-01T23:30:00Z",
        "told_by": TOLD,
        "gpu": {"name": "Tesla T4", "compute_capability": "7.5", "driver": "595.84"},
        "cuda": {"toolkit": "12.6"},
        "sources": (),
        "verdict": "all 3 cases match the CPU reference at every element",
        "published_run": 1,
    }
    assert log.stamp.runs[0].model_dump(exclude_none=True).keys() == {"bytes", "sha256"}


def test_less_may_be_known(project: Path, output: Path) -> None:
    """Card and teller are enough; the time is that of the import."""
    before = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    path = import_log(project, PROGRAM, output, gpu="Tesla T4", told_by=TOLD)
    stamp = read_log(path).stamp
    assert path.name.endswith("_tesla-t4_cuda-unknown.log")
    assert stamp.cuda is None
    assert stamp.gpu.driver is None
    assert before <= stamp.time <= datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_the_same_output_is_imported_once(project: Path, output: Path) -> None:
    """A second import names the first; another output of the same card is welcome."""
    first = import_log(project, PROGRAM, output, gpu="Tesla T4", told_by=TOLD)
    with pytest.raises(CourseError) as caught:
        import_log(project, PROGRAM, output, gpu="Tesla T4", told_by="someone else")
    assert caught.value.code == "imported-already"
    assert caught.value.message == "this very output is there already, as imported evidence"
    assert caught.value.path == first
    output.write_text(OUTPUT.replace("0.165", "0.166"))
    import_log(project, PROGRAM, output, gpu="Tesla T4", told_by=TOLD)
    assert len(log_paths(project, PROGRAM)) == 2


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        (
            "reads 15.8x",
            "reads 15.9x",
            "bad-arithmetic",
            "the output: line 14 of the output: load_ratio is 15.9, by `load_ratio(k)` it is 15.8",
        ),
        (
            "\n",
            "\r\n",
            "bad-output",
            "the output: line 1 of the output: a character that does not print: "
            "'GPU: Tesla T4 (compute capability 7.5)\\r'",
        ),
        (
            "512x512x512      tiled         0.620       432.9            64\n",
            "",
            "missing-cases",
            "the output has no row for 512x512x512 tiled",
        ),
        (
            "Tesla T4",
            "Tesla V100",
            "wrong-gpu",
            "the output says 'Tesla V100', the import 'Tesla T4' (gpu)",
        ),
    ],
)
def test_an_output_that_cannot_be_trusted_is_not_imported(
    old: str, new: str, code: str, message: str, project: Path, output: Path
) -> None:
    """The same strictness as for captures; nothing is written."""
    output.write_bytes(OUTPUT.replace(old, new).encode())
    with pytest.raises(CourseError) as caught:
        import_log(project, PROGRAM, output, gpu="Tesla T4", told_by=TOLD)
    assert (caught.value.code, caught.value.message) == (code, message)
    assert log_paths(project, PROGRAM) == []


def test_somebody_must_have_told_it(project: Path, output: Path) -> None:
    """An output without a source is a rumour."""
    with pytest.raises(CourseError, match="nobody told this output"):
        import_log(project, PROGRAM, output, gpu="Tesla T4", told_by=" ")


def test_the_repository_holds_the_courses_t4_output(tmp_path: Path) -> None:
    """Control: the imported record is there, sealed, with the very bytes of the publication."""
    logs = [read_log(path) for path in log_paths(REPOSITORY, PROGRAM)]
    told = [log for log in logs if log.imported]
    assert [log.published for log in told] == [OUTPUT]
    assert told[0].stamp.gpu.driver == "595.84"
    assert told[0].stamp.host is None


@pytest.mark.parametrize(
    ("gpu", "cuda", "message"),
    [
        (
            "Tesla T4",
            "12/../../../ESCAPED",
            "cuda.toolkit: String should match pattern '^[0-9]+(\\.[0-9]+)*$' "
            "(found '12/../../../ESCAPED')",
        ),
    ],
)
def test_what_is_no_version_is_refused(
    gpu: str, cuda: str, message: str, project: Path, output: Path
) -> None:
    """A log's name is made of it: nothing is written, here or elsewhere."""
    before = sorted(project.rglob("*"))
    with pytest.raises(CourseError) as caught:
        import_log(project, PROGRAM, output, gpu=gpu, told_by=TOLD, cuda=cuda)
    assert (caught.value.code, caught.value.message) == ("bad-option", message)
    assert sorted(project.rglob("*")) == before
