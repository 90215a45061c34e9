"""Cheats: none passes, none hangs, none harms, and none makes the report say what it should not."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from course.harness import grade
from course.harness.show import lines
from course.harness.submission import Submission
from course.simt import Case, toolchain
from harness.conftest import SEED, Judge

T = TypeVar("T")
CHEATS = {path.stem: path for path in (Path(__file__).parent / "cheats").glob("*.cu")}
REFUSED = {  # what the report says
    "calls-a-library": "the file calls `dlopen`, which no kernel needs",
    "forks": "the file calls `fork`, which no kernel needs",
    "forks-unseen": "the file calls `std::thread`, which no kernel needs",
    "opens-the-channel": "the file calls `write`, which no kernel needs",
    "sleeps-at-start": "the file calls `sleep`, which no kernel needs",
    "includes-cublas": "the CPU check does not support #include <cublas_v2.h>",
    "includes-passwd": '#include "/etc/passwd" leaves the source\'s folder',
    "includes-upwards": "#include <../../../../../../../../etc/passwd> leaves the source's folder",
    "includes-by-macro": "the CPU check does not support an #include through a macro",
    "includes-a-neighbour": "there is no kernel `matmulTiled`; the file's kernels: none",
    "line-directive": "the compiler refuses what the source includes or uses of passwd",
    "exits-at-start": "it ended itself with exit status 0",
    "allocates-without-end": "it was ended by SIGABRT",
    "stays-in-a-library": "it waits for what never comes",
}
WAITING = {
    "waits-for-ever": "it ran out of its limit of time",
    "prints-without-end": "it ran out of its limit of time",
}
LARGE = ("never-ends-when-large", "reads-for-ever")
CAUGHT = {  # the pitfall, where the lesson has one
    "ladder-sizes-only": None,
    "prints-a-report": None,
    "reads-the-reference": None,
    "leaves-earlier-output": None,
    "writes-nothing": None,
    "writes-outside-c": "out-of-bounds-store",
    "writes-an-input": "out-of-bounds-store",
    "right-once": None,
    "thrifty-when-measured": "no-shared-memory",
    "writes-nan": None,
    "half-precision": None,
    "never-ends": None,
    "fills-the-disk": None,
}


def status(process: Path) -> list[str]:
    """State, parent and more, as /proc tells them; empty when it is gone."""
    with contextlib.suppress(OSError):
        return (process / "stat").read_text().rpartition(") ")[2].split()
    return []


def running(parent: int, program: str) -> Path | None:
    """What a process has started whose command names `program`."""
    for process in Path("/proc").glob("[0-9]*"):
        if (
            status(process)[1:2] == [str(parent)]
            and program.encode() in (process / "cmdline").read_bytes()
        ):
            return process
    return None


def alive(process: Path) -> bool:
    return status(process)[:1] not in ([], ["Z"])


def eventually(ask: Callable[[], T]) -> T:
    """The first answer that is not nothing; a test that waits in vain fails."""
    for _ in range(600):
        if answer := ask():
            return answer
        time.sleep(0.1)
    raise AssertionError("nothing happened within a minute")


def test_every_cheat_is_tested() -> None:
    others = {"sleeps-in-main", "compiles-without-end", "waits-when-large", *LARGE}
    assert {*REFUSED, *WAITING, *CAUGHT, *others} == set(CHEATS)


@pytest.mark.parametrize("name", REFUSED)
def test_is_not_judged(name: str, judge: Judge) -> None:
    report = judge(CHEATS[name])
    assert report.verdict == "error"
    assert report.exit_status == 2
    assert report.error is not None
    assert REFUSED[name] in report.error.message
    assert report.error.path == str(CHEATS[name])
    assert "root:" not in json.dumps(report.to_json()) + "".join(lines(report))


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("name", WAITING)
def test_is_ended(name: str, judge: Judge) -> None:
    report = judge(CHEATS[name])
    assert report.error is not None
    assert WAITING[name] in report.error.message


def test_what_uses_no_processor_time_is_ended_before_its_limit() -> None:
    """The limit of a large case is of processor time: waiting for it would take a quarter hour."""
    large = [Case(1, 1, 1), Case(1000, 999, 1001)]
    report = grade(CHEATS["waits-when-large"], device="cpu", seed=SEED, fixed=large)
    assert report.error is not None
    assert report.error.message.endswith("was known: it waits for what never comes")


def test_one_launch_out_of_time_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one whose accesses are not watched, so that nothing but the clock sees it."""
    monkeypatch.setattr("course.harness.cpu.LONG_PATIENCE", 0.5)
    large = [Case(1000, 999, 1001), Case(1000, 1000, 1001)]
    report = grade(CHEATS[LARGE[0]], device="cpu", seed=SEED, fixed=large)
    assert report.verdict == "fail"
    assert [result.right for result in report.cases if result.case in large] == [False, None]


def test_calls_of_a_library_without_end_get_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the launch could be left, or its child had to be ended, is up to chance."""
    monkeypatch.setattr("course.harness.cpu.LONG_PATIENCE", 0.5)
    large = [Case(1000, 999, 1001), Case(1000, 1000, 1001)]
    report = grade(CHEATS[LARGE[1]], device="cpu", seed=SEED, fixed=large)
    assert report.verdict in ("fail", "error")


@pytest.mark.parametrize(
    ("cheat", "program"), [("waits-for-ever", "runner"), ("compiles-without-end", "sanitize")]
)
def test_nothing_is_left_running_when_the_harness_is_killed(cheat: str, program: str) -> None:
    command = [sys.executable, "-m", "course", "grade", str(CHEATS[cheat])]
    harness = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    child = eventually(lambda: running(harness.pid, program))
    assert child
    harness.kill()
    harness.wait()
    assert eventually(lambda: not alive(child))


def test_the_compiler_is_ended(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "COMPILE_SECONDS", 3)
    report = judge(CHEATS["compiles-without-end"])
    assert report.error is not None
    assert report.error.message == "the compiler took longer than 3 s and was ended"


@pytest.mark.parametrize("name", CAUGHT)
def test_does_not_pass(name: str, judge: Judge) -> None:
    report = judge(CHEATS[name])
    assert report.verdict == "fail"
    assert report.exit_status == 1
    assert CAUGHT[name] in {entry.pitfall for entry in report.diagnosis} or CAUGHT[name] is None
    assert report.correct == (name == "thrifty-when-measured")


def test_half_precision_is_right_on_whole_numbers_only(judge: Judge) -> None:
    """The bound on random floats is what sees it."""
    failing = judge(CHEATS["half-precision"]).failing
    assert {result.inputs for result in failing} == {"floats"}


def test_nothing_was_written(judge: Judge) -> None:
    """A file that writes all over the disk has written nowhere."""
    judge(CHEATS["fills-the-disk"])
    assert not Path("/tmp/course-cheat-was-here").exists()
    assert not Path("flood").exists()


@pytest.mark.usefixtures("impatient")
def test_a_main_that_never_ends_is_no_part_of_the_kernel(judge: Judge) -> None:
    """The control: the kernel is right, so it passes; the report says that main was not read."""
    report = judge(CHEATS["sleeps-in-main"])
    assert report.verdict == "pass"
    assert report.notes == ("its main launches no matmulTiled that could be read",)


def test_a_huge_source_is_refused_unread(tmp_path: Path) -> None:
    huge = tmp_path / "huge.cu"
    with huge.open("wb") as file:
        file.truncate(100_000_000)
    report = grade(huge, device="cpu", seed=SEED)
    assert report.error is not None
    assert report.error.message.startswith("the file has more than 16,777,216 bytes")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("// ANSWER: zero, the identity of the sum", "zero, the identity of the sum"),
        ("  // ANSWER:   two   gaps ", "two gaps"),
        ("// ANSWER: …", None),
        ("// ANSWER:", None),
        ("// answer: no", None),
        ("// ANSWER: \x1b[2Jred", "[2Jred"),
        ("// ANSWER: " + "x" * 999, "x" * 400),
    ],
)
def test_the_answer_is_shown_as_it_stands(text: str, answer: str | None, tmp_path: Path) -> None:
    """And nothing of it can act on a terminal."""
    file = tmp_path / "answer.cu"
    file.write_text(f"{text}\n{CHEATS['writes-nothing'].read_text()}")
    assert Submission.read(file).answer == answer
