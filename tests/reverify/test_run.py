"""`course reverify`: each state, its exit status, its words, and where the log stands then."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from bench import L4, OUTPUT, PROGRAM, Bench, slower
from course.errors import CourseError
from course.evidence import log_paths, read_log
from course.project import Project
from course.reverify.history import proven
from course.reverify.run import reverify
from course.reverify.summary import markdown, terminal
from reverify.made import STEADY, make_log, table, tables

COURSE = (sys.executable, "-m", "course")


def course(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COURSE, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture
def published(project: Path, bench: Bench, idle: Path) -> Path:
    """A project with one steady capture of a Tesla T4, whose card now prints the same."""
    (project / "docs").mkdir()
    bench.prints(*tables(STEADY))
    make_log(project, tables(STEADY))
    return project


def logs(project: Path, folder: str = "") -> list[str]:
    return sorted(path.name for path in (project / "evidence" / PROGRAM / folder).glob("*.log"))


def test_a_pass_adds_a_log(published: Path, quiet: Console) -> None:
    """Exit 0; the new log joins the evidence, and the date and the count move with it."""
    answer = reverify(published, PROGRAM, console=quiet)
    assert (answer.state, answer.exit_status, answer.failure) == ("passed", 0, "")
    assert answer.log is not None
    assert logs(published) == ["20261130T000000Z_tesla-t4_cuda13.0.log", answer.log.name]
    known = proven(Project.load(published), PROGRAM, "Tesla T4")
    assert known is not None
    assert known.times == 2
    assert known.date == read_log(answer.log).stamp.time[:10]


def test_the_first_capture_of_a_card(
    project: Path, bench: Bench, idle: Path, quiet: Console
) -> None:
    """Nothing is published of this card: nothing can have got slower, and the log is kept."""
    answer = reverify(project, PROGRAM, console=quiet)
    assert (answer.state, answer.exit_status) == ("first", 0)
    assert answer.comparison is None
    assert len(logs(project)) == 1


def test_another_card_is_no_regression(
    published: Path, bench: Bench, quiet: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An L4 three times as slow as the published T4 is the first of its kind."""
    monkeypatch.setenv("FAKE_CARDS", L4)
    other = "GPU: NVIDIA L4 (compute capability 8.9)"
    outputs = [
        o.replace("GPU: Tesla T4 (compute capability 7.5)", other) for o in tables(STEADY, by=3)
    ]
    bench.prints(*outputs)
    answer = reverify(published, PROGRAM, console=quiet)
    assert (answer.state, answer.exit_status, answer.gpu) == ("first", 0, "NVIDIA L4")


def test_slower_is_exit_3_and_moves_nothing(published: Path, bench: Bench, quiet: Console) -> None:
    """The log is kept aside; what is published stays published, and its date stays."""
    bench.prints(*tables(STEADY, by=1.5))
    before = proven(Project.load(published), PROGRAM, "Tesla T4")
    answer = reverify(published, PROGRAM, console=quiet)
    assert (answer.state, answer.exit_status) == ("slower", 3)
    assert answer.log is not None
    assert logs(published) == ["20261130T000000Z_tesla-t4_cuda13.0.log"]
    assert logs(published, "aside") == [answer.log.name]
    after = proven(Project.load(published), PROGRAM, "Tesla T4")
    assert (after and after.date) == (before and before.date)


def test_noise_confirms_nothing(published: Path, bench: Bench, quiet: Console) -> None:
    """Every row AMBIGUOUS: no failure, but no pass either, so the log is aside."""
    wild = [table(factor, speedup=factor**2) for factor in (1, 3, 0.5, 2, 0.7)]
    bench.prints(*wild)
    answer = reverify(published, PROGRAM, console=quiet)
    assert answer.comparison is not None
    assert {row.verdict for row in answer.comparison.rows} == {"AMBIGUOUS"}
    assert (answer.state, answer.exit_status) == ("unclear", 0)
    assert answer.log is not None
    assert logs(published, "aside") == [answer.log.name]
    assert "too noisy: no row confirms what is published" in markdown(answer, None)


@pytest.mark.parametrize("repeat", [0, 1, 2])
def test_fewer_than_three_runs_are_refused(published: Path, quiet: Console, repeat: int) -> None:
    """Before anything is measured; three are the control, in `test_a_repeat_of_its_own`."""
    with pytest.raises(CourseError) as caught:
        reverify(published, PROGRAM, console=quiet, repeat=repeat)
    assert caught.value.code == "bad-option"
    assert str(caught.value) == (
        f"repeat is {repeat}; fewer than 3 runs show no noise and confirm nothing\n"
        "  fix: repeat 3 times or more"
    )
    assert len(logs(published)) == 1


def test_a_published_capture_of_one_run_confirms_nothing(published: Path, quiet: Console) -> None:
    """Its noise is not known, whatever the new one has; the answer says so."""
    shutil.rmtree(published / "evidence" / PROGRAM)
    make_log(published, tables([1.0]))
    answer = reverify(published, PROGRAM, console=quiet)
    assert answer.state == "not comparable"
    assert answer.comparison is not None
    assert answer.comparison.hindrances == (
        "runs of the published capture: 1; at least 3 show their noise",
    )


def test_faster_is_no_regression(published: Path, bench: Bench, quiet: Console) -> None:
    """It passes, and the rows say FASTER."""
    bench.prints(*tables(STEADY, by=0.5))
    answer = reverify(published, PROGRAM, console=quiet)
    assert (answer.state, answer.exit_status) == ("passed", 0)
    assert answer.comparison is not None
    assert {r.verdict for r in answer.comparison.rows if not r.ratio} == {"FASTER"}


@pytest.mark.parametrize(
    ("reasons", "hindrance"),
    [
        ("0x005", "the new capture was throttled: software power cap"),
        ("0x000", "the card was not idle before the new capture began"),
    ],
)
def test_throttled_or_busy_is_not_comparable(
    published: Path, bench: Bench, idle: Path, quiet: Console, reasons: str, hindrance: str
) -> None:
    """Exit 0, for nothing is wrong; but no pass either, so the log is aside."""
    bench.prints(*tables(STEADY, by=2))
    idle.write_text(reasons)
    answer = reverify(published, PROGRAM, console=quiet)
    assert (answer.state, answer.exit_status) == ("not comparable", 0)
    assert answer.comparison is not None
    assert answer.comparison.hindrances == (hindrance,)
    assert len(logs(published)) == 1
    assert len(logs(published, "aside")) == 1


def test_a_new_source_makes_a_first_capture(published: Path, quiet: Console) -> None:
    """What is published is stale, so the capture of the present source is needed, and kept."""
    source = published / "code" / PROGRAM / "tiled_matmul.cu"
    source.write_text(source.read_text().replace("kWarmupLaunches = 10", "kWarmupLaunches = 11"))
    answer = reverify(published, PROGRAM, console=quiet)
    assert (answer.state, answer.exit_status) == ("first", 0)
    assert answer.comparison is not None
    assert answer.comparison.hindrances == ("another source: tiled_matmul.cu",)
    assert len(logs(published)) == 2


def test_the_published_architecture_is_used_again(
    published: Path, bench: Bench, quiet: Console
) -> None:
    """A capture with -arch=native is not compared with program.yml's sm_75, unless one asks."""
    shutil.rmtree(published / "evidence" / PROGRAM)
    build = "nvcc -std=c++17 -O3 -arch=native -o tiled_matmul tiled_matmul.cu"
    make_log(published, tables(STEADY), build=build)
    answer = reverify(published, PROGRAM, console=quiet)
    assert answer.log is not None
    assert read_log(answer.log).stamp.build == build
    assert answer.state == "passed"
    other = reverify(published, PROGRAM, console=quiet, arch="sm_75")
    assert other.state == "not comparable"


@pytest.mark.parametrize(
    ("damage", "failure"),
    [
        ("exit 1", "run 1 of 5 exited with 1"),
        ("kill -SEGV $$", "run 1 of 5 was killed by SIGSEGV"),
    ],
)
def test_a_wrong_result_is_exit_1(
    published: Path, bench: Bench, quiet: Console, damage: str, failure: str
) -> None:
    """The program says so itself, or crashes: no log joins the evidence."""
    bench.then(1, damage)
    answer = reverify(published, PROGRAM, console=quiet)
    assert (answer.state, answer.exit_status) == ("failed", 1)
    assert answer.failure.startswith(failure)
    assert len(logs(published)) == 1


def test_a_source_that_builds_no_longer_is_exit_1(
    published: Path, bench: Bench, quiet: Console
) -> None:
    """A toolkit that refuses the source disproves that the results can be made today."""
    bench.compiler_says("error: no sm_75 any more")
    answer = reverify(published, PROGRAM, console=quiet)
    assert (answer.state, answer.exit_status) == ("failed", 1)
    assert "no sm_75 any more" in answer.failure


def test_arithmetic_that_changed_is_exit_1(published: Path, bench: Bench, quiet: Console) -> None:
    """A figure that must be equal for ever is compared whatever the noise."""
    bench.prints(
        *[output.replace("            78\n", "            77\n") for output in tables(STEADY)]
    )
    answer = reverify(published, PROGRAM, console=quiet)
    assert (answer.state, answer.exit_status) == ("failed", 1)
    assert "loads is 77, by `loads_tiled(k)` it is 78" in answer.failure


def test_evidence_that_does_not_read(published: Path, quiet: Console) -> None:
    """An edited log is told before anything is measured."""
    [path] = log_paths(published, PROGRAM)
    path.write_bytes(path.read_bytes().replace(b"driver: '580.1'", b"driver: '999.9'"))
    with pytest.raises(CourseError) as caught:
        reverify(published, PROGRAM, console=quiet)
    assert caught.value.code == "log-edited"


def test_no_gpu(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 2, and where to go from there."""
    monkeypatch.setenv("FAKE_CARDS", "")
    done = course(published, "reverify")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "course: no GPU: NVML does not start (Driver Not Loaded), and CuPy finds none\n"
        "  fix: run it on a machine with an NVIDIA GPU, or give a log from one: "
        "course compare LOG [no-gpu]\n"
    )


def test_the_command_line(published: Path, bench: Bench, tmp_path: Path) -> None:
    """Every program by default; a line a row; the summary is appended, the exit status is 3."""
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    bench.prints(*tables(STEADY, by=1.5))
    done = course(published, "reverify", "--summary", str(summary))
    assert done.returncode == 3
    assert f"{PROGRAM} on Tesla T4: Slower than published.\n" in done.stdout
    assert re.search(
        r"\n  611x613x617 tiled +338\.9 GFLOP/s → 22\d\.\d GFLOP/s +5\d\.\d % slower +SLOWER\n",
        done.stdout,
    )
    text = summary.read_text()
    assert text.startswith(f"before\n## {PROGRAM} on Tesla T4\n\n**Slower than published.**\n")


def test_json(published: Path) -> None:
    """Nothing but JSON on stdout; it names the log, the state and every row with its verdict."""
    done = course(published, "reverify", PROGRAM, "--json")
    assert done.returncode == 0
    [answer] = json.loads(done.stdout)
    assert set(answer) == {
        "program",
        "gpu",
        "state",
        "log",
        "published",
        "failure",
        "hindrances",
        "rows",
    }
    assert (answer["state"], answer["published"]) == (
        "passed",
        "20261130T000000Z_tesla-t4_cuda13.0.log",
    )
    assert {row["verdict"] for row in answer["rows"]} == {"SAME"}
    assert "run 1 of 5 on Tesla T4" in done.stderr


def test_the_summary(published: Path, bench: Bench, quiet: Console) -> None:
    """Markdown: what holds, the rows, what changed in the stamp, the sentence for the page."""
    answer = reverify(published, PROGRAM, console=quiet)
    known = proven(Project.load(published), PROGRAM, "Tesla T4")
    lines = markdown(answer, known).split("\n")
    assert lines[:4] == [f"## {PROGRAM} on Tesla T4", "", "**The published results hold.**", ""]
    assert lines[4] == "Compared with the published capture `20261130T000000Z_tesla-t4_cuda13.0`."
    assert "| row | published | now | change | would show from | verdict |" in lines
    row = next(line for line in lines if line.startswith("| 611x613x617 compared"))
    assert re.fullmatch(
        r"\| 611x613x617 compared \| 1\.29× \| 1\.29× \| none \| \d+\.\d % \| SAME \|", row
    )
    assert "| operating system | Linux |" in "\n".join(lines)
    assert lines[-2] == f"> {known.sentence}" if known else False
    assert [line.strip() for line in terminal(answer, known)][-1] == (
        known.sentence if known else ""
    )


def test_the_summary_of_a_failure(published: Path, bench: Bench, quiet: Console) -> None:
    """What the program said stands in a block of its own, and cannot end it."""
    bench.then(1, "echo '``` MISMATCH' >&2; exit 1")
    answer = reverify(published, PROGRAM, console=quiet)
    text = markdown(answer, None)
    assert "**The published results do not hold.**" in text
    assert "```text\nrun 1 of 5 exited with 1:\n    ''' MISMATCH\n" in text


def test_a_log_aside_is_never_overwritten(published: Path, bench: Bench, quiet: Console) -> None:
    """Two logs of one name both stay."""
    bench.prints(*tables(STEADY, by=1.5))
    first = reverify(published, PROGRAM, console=quiet)
    assert first.log is not None
    twin = published / "evidence" / PROGRAM / first.log.name
    shutil.copy(first.log, twin)
    from course.reverify.run import _set_aside

    assert _set_aside(twin).name == f"{first.log.stem}-2.log"
    assert len(logs(published, "aside")) == 2


def test_a_repeat_of_its_own(published: Path, quiet: Console) -> None:
    """As many processes as published unless one asks for another number."""
    answer = reverify(published, PROGRAM, console=quiet, repeat=3)
    assert answer.log is not None
    assert len(read_log(answer.log).stamp.runs) == 3


def test_outputs_of_the_bench_are_steady() -> None:
    """The control of these tests: the made tables are the course's own, apart from their times."""
    assert tables([1.0]) == [OUTPUT]
    assert slower(OUTPUT, 1.0) == OUTPUT
