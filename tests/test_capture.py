"""Capture: what becomes evidence, what is kept aside, and what each refusal says."""

from __future__ import annotations

import hashlib
import io
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from bench import L4, OUTPUT, PROGRAM, REPOSITORY, T4, Bench, slower
from course import gpu
from course.capture import LARGEST_OUTPUT, capture
from course.errors import CourseError
from course.evidence import Log, log_paths, read_log, stale_reasons
from course.program import Program
from course.stamp import Cuda, Git, Gpu, GpuState

COMMIT = "0123456789abcdef0123456789abcdef01234567"
BUILD = "nvcc -std=c++17 -O3 -arch=sm_75 -o tiled_matmul tiled_matmul.cu"


def quiet() -> Console:
    return Console(file=io.StringIO(), width=200)


def refusal(project: Path, **options: object) -> CourseError:
    """The error of a capture that must fail; nothing may be left among the evidence."""
    with pytest.raises(CourseError) as caught:
        capture(project, PROGRAM, console=quiet(), **options)  # type: ignore[arg-type]
    assert log_paths(project, PROGRAM) == []
    return caught.value


def rejected(project: Path) -> Log | None:
    """The one rejected log, proven by its seal."""
    paths = list((project / "evidence" / PROGRAM / "rejected").glob("*"))
    assert len(paths) <= 1
    return read_log(paths[0]) if paths else None


def kept(project: Path) -> str:
    """The line of a message that names the rejected log."""
    log = rejected(project)
    assert log is not None
    return f"\n  kept as evidence/{PROGRAM}/rejected/{log.path.name}, rejected"


def test_five_runs_become_one_sealed_log_that_publishes_the_median(
    project: Path, bench: Bench
) -> None:
    """The log re-reads, proves its seal, holds every run byte for byte and publishes run 4."""
    outputs = [slower(OUTPUT, factor) for factor in (1.3, 0.9, 1.2, 1.1, 0.8)]
    bench.prints(*outputs)
    path = capture(project, PROGRAM, console=quiet())
    log = read_log(path)
    assert log.outputs == tuple(output.encode() for output in outputs)
    assert log.stamp.published_run == 4
    assert log.published == outputs[3]
    assert path.read_text().split("\n")[log.published_line - 1] == outputs[3].split("\n")[0]
    assert log.stamp.verdict == "all 3 cases match the CPU reference at every element"
    assert [run.exit_status for run in log.stamp.runs] == [0] * 5
    assert log_paths(project, PROGRAM) == [path]
    assert rejected(project) is None


def test_the_stamp_says_what_the_machine_says(project: Path, bench: Bench) -> None:
    """Card, driver, CUDA, sensors and hashes come from where they are known; none of its names."""
    path = capture(project, PROGRAM, repeat=1, commit=COMMIT, console=quiet())
    stamp = read_log(path).stamp
    assert re.fullmatch(r"\d{8}T\d{6}Z_tesla-t4_cuda13\.0\.log", path.name)
    assert stamp.gpu == Gpu(
        name="Tesla T4",
        compute_capability="7.5",
        memory_mib=15360,
        uuid_sha256=hashlib.sha256(T4.split("|")[0].encode()).hexdigest(),
        driver="580.1",
    )
    assert stamp.cuda == Cuda(
        toolkit="13.0", nvcc="13.0.88", runtime="13.0", driver_supports="13.1"
    )
    assert stamp.before == GpuState(
        sm_clock_mhz=1590,
        memory_clock_mhz=5001,
        temperature_c=41,
        power_w=30.1,
        throttle_reasons=("gpu idle", "software power cap", "0x200"),
    )
    assert stamp.before == stamp.after
    assert (stamp.build, stamp.run) == (BUILD, "./tiled_matmul")
    assert stamp.git == Git(commit=COMMIT)
    binary = (bench.folder / "program").read_bytes()
    assert stamp.binary_sha256 == hashlib.sha256(binary).hexdigest()
    text = path.read_text()
    for secret in (T4.split("|")[0], str(project), str(bench.folder.parent), os.uname().nodename):
        assert secret not in text


def test_the_hashed_bytes_are_the_compiled_bytes(project: Path, bench: Bench) -> None:
    """The source that the compiler saw has the stamped hash, and the evidence is fresh."""
    log = read_log(capture(project, PROGRAM, repeat=1, console=quiet()))
    compiled = (bench.folder / "compiled.cu").read_bytes()
    assert log.stamp.sources[0].sha256 == hashlib.sha256(compiled).hexdigest()
    assert stale_reasons(log, Program.load(project, PROGRAM)) == []


def test_the_child_sees_one_card_and_no_hidden_flags(
    project: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Variables that steer nvcc or CUDA behind the stamp's back are not handed on."""
    monkeypatch.setenv("NVCC_APPEND_FLAGS", "-G")
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1")
    monkeypatch.setenv("CUDA_HOME", "/usr/local/cuda")
    capture(project, PROGRAM, repeat=1, console=quiet())
    lines = (bench.folder / "environment").read_text().split("\n")
    steering = sorted(line for line in lines if line.startswith(("CUDA_", "NVCC_")))
    assert steering == [
        "CUDA_DEVICE_ORDER=PCI_BUS_ID",
        "CUDA_HOME=/usr/local/cuda",
        f"CUDA_VISIBLE_DEVICES={T4.split('|')[0]}",
    ]


@pytest.mark.parametrize("visible", ["1", "1,0", L4.split("|")[0], L4[:10]])
def test_cuda_visible_devices_chooses_the_card(
    visible: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By number in bus order, by UUID or by the head of one; without it the first card."""
    monkeypatch.setenv("FAKE_CARDS", f"{T4};{L4}")
    assert gpu.probe().facts.name == "Tesla T4"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert gpu.probe().facts.name == "NVIDIA L4"


def test_a_card_that_may_not_be_opened_does_not_count(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CUDA numbers only what the process may use."""
    monkeypatch.setenv("FAKE_CARDS", f"GPU-3|forbidden|9.0;{L4}")
    assert gpu.probe().facts.name == "NVIDIA L4"


@pytest.mark.parametrize("visible", ["", "-1", "7", "GPU-", "GPU-9", "MIG-1"])
def test_a_card_that_is_hidden_is_no_card(
    visible: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is measured on another card than the one that was asked for."""
    monkeypatch.setenv("FAKE_CARDS", f"{T4};{L4}")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    with pytest.raises(CourseError) as caught:
        gpu.probe()
    assert caught.value.code == "no-gpu"
    assert caught.value.message == (
        f"no GPU that CUDA_VISIBLE_DEVICES={visible} leaves visible: NVML lists 2"
    )


def test_a_missing_sensor_stays_missing(
    project: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the card does not tell is absent from the stamp; the capture is good."""
    monkeypatch.setenv("FAKE_SENSORS", "none")
    stamp = read_log(capture(project, PROGRAM, repeat=1, console=quiet())).stamp
    assert stamp.before == stamp.after == GpuState()


def test_an_old_driver_is_asked_by_the_old_name(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Throttle reasons are read through either name of the call."""
    monkeypatch.setenv("FAKE_SENSORS", "old")
    state = gpu.probe().state()
    assert state is not None
    assert state.throttle_reasons == ("software power cap", "software thermal slowdown")
    assert gpu.reason_names(0) == ()


def test_no_gpu(project: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a card nothing is built and nothing is written."""
    monkeypatch.setenv("FAKE_CARDS", "")
    monkeypatch.setitem(sys.modules, "cupy", None)
    error = refusal(project)
    assert error.code == "no-gpu"
    assert error.message == ("no GPU: NVML does not start (Driver Not Loaded), and CuPy finds none")
    assert (
        error.fix == "capture on a machine with an NVIDIA GPU and its driver; no GPU, no evidence"
    )
    assert not (project / "evidence" / PROGRAM).exists()


def test_cupy_answers_where_there_is_no_nvml(
    project: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Name, capability and memory are known then; driver and sensors are missing, not invented."""
    facts = {"name": b"Tesla T4", "major": 7, "minor": 5, "uuid": b"1" * 16}
    facts["totalGlobalMem"] = 2**34
    runtime = SimpleNamespace(
        getDeviceProperties=lambda device: facts, driverGetVersion=lambda: 12060
    )
    cupy = SimpleNamespace(cuda=SimpleNamespace(runtime=runtime))
    monkeypatch.setenv("FAKE_CARDS", "")
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    stamp = read_log(capture(project, PROGRAM, repeat=1, console=quiet())).stamp
    assert (stamp.gpu.name, stamp.gpu.compute_capability, stamp.gpu.memory_mib) == (
        "Tesla T4",
        "7.5",
        16384,
    )
    assert stamp.gpu.driver is None
    assert stamp.before is stamp.after is None
    assert stamp.cuda is not None
    assert stamp.cuda.driver_supports == "12.6"


def test_no_compiler(project: Path, bench: Bench) -> None:
    """A machine without nvcc is told what to put where."""
    (bench.folder / "nvcc").unlink()
    os.environ["PATH"] = str(bench.folder)
    error = refusal(project)
    assert (error.code, error.message) == ("no-compiler", "`nvcc` is not on PATH")
    assert error.fix == "install the CUDA toolkit, or put its bin folder on PATH"


def test_a_compiler_that_is_not_nvcc(project: Path, bench: Bench) -> None:
    """A release that is not known is not stamped."""
    (bench.folder / "nvcc").write_text("#!/bin/sh\necho clang version 19\n")
    error = refusal(project)
    assert (error.code, error.message) == (
        "no-compiler",
        "`nvcc --version` names no CUDA release",
    )


def test_a_build_that_fails_shows_the_compilers_last_lines(project: Path, bench: Bench) -> None:
    """The message holds the command, the status and at most twelve lines."""
    bench.compiler_says("".join(f"tiled_matmul.cu({n}): error\n" for n in range(1, 21)))
    error = refusal(project)
    lines = "\n".join(f"    tiled_matmul.cu({n}): error" for n in range(9, 21))
    assert error.code == "build-failed"
    assert error.message == f"`{BUILD}` exited with 2:\n{lines}"
    assert rejected(project) is None


def test_a_build_that_leaves_nothing(project: Path, bench: Bench) -> None:
    """A compiler that says all is well and wrote nothing is a failed build."""
    script = bench.folder / "nvcc"
    script.write_text(script.read_text().replace("tiled_matmul ;;", "something_else ;;"))
    error = refusal(project)
    assert (error.code, error.message) == (
        "build-failed",
        "the build left no `./tiled_matmul` to run",
    )


def broken(number: int, what: Callable[[str], str | bytes]) -> list[str | bytes]:
    """Five outputs of which one is broken."""
    return [what(OUTPUT) if at == number else OUTPUT for at in range(1, 6)]


def replaced(old: str, new: str) -> Callable[[str], str]:
    def replace(output: str) -> str:
        assert old in output
        return output.replace(old, new)

    return replace


RATIO = "                 tiled is 1.29x faster and reads 15.8x fewer floats per thread\n"
BAD_OUTPUTS = {
    "cut off": (
        lambda output: output[:300],
        "bad-output",
        "run 2 of 5: line 6 of the output: the output is cut off: it does not end with a line end",
    ),
    "no verdict": (
        replaced("all 3 cases match the CPU reference at every element\n", ""),
        "bad-output",
        "run 2 of 5: line 16 of the output: no verdict: the last line does not match `verdict`",
    ),
    "empty": (
        lambda _: "",
        "bad-output",
        "run 2 of 5: line 1 of the output: no row of results",
    ),
    "CRLF": (
        replaced("\n", "\r\n"),
        "bad-output",
        "run 2 of 5: line 1 of the output: a character that does not print: "
        "'GPU: Tesla T4 (compute capability 7.5)\\r'",
    ),
    "not UTF-8": (
        lambda output: output.encode().replace(b"naive", b"na\xefve", 1),
        "bad-output",
        "run 2 of 5: line 6 of the output: byte 0xef is not UTF-8",
    ),
    "NaN": (
        replaced("0.108", "  nan"),
        "bad-output",
        "run 2 of 5: line 7 of the output: not a plain number: 'nan'",
    ),
    "chatter": (
        replaced("\nall 3", "\nwarning: hot\nall 3"),
        "bad-output",
        "run 2 of 5: line 16 of the output: program.yml does not say how to read 'warning: hot'",
    ),
    "missing row": (
        replaced("611x613x617      tiled         1.364       338.9            78\n", ""),
        "missing-cases",
        "run 2 of 5 has no row for 611x613x617 tiled",
    ),
    "missing case": (
        lambda output: (
            output.split("611x613x617")[0]
            + "\nall 2 cases match the CPU reference at every element\n"
        ),
        "missing-cases",
        "run 2 of 5 has no row for 611x613x617 naive, 611x613x617 tiled",
    ),
    "wrong loads": (
        replaced("338.9            78", "338.9            77"),
        "bad-arithmetic",
        "run 2 of 5: line 13 of the output: loads is 77, by `loads_tiled(k)` it is 78",
    ),
    "wrong count": (
        replaced("all 3", "all 4"),
        "bad-arithmetic",
        "run 2 of 5: line 16 of the output: cases is 4, by `3` it is 3",
    ),
    "other digits": (
        replaced("reads 15.8x", "reads 15.82x"),
        "runs-disagree",
        "run 2 of 5: load_ratio of 611x613x617 is '15.82', in run 1 it is '15.8'",
    ),
    "comparison left out": (
        replaced(RATIO, ""),
        "runs-disagree",
        "run 2 of 5: load_ratio of 611x613x617 is 'missing', in run 1 it is '15.8'",
    ),
    "other card": (
        replaced("Tesla T4", "NVIDIA L4"),
        "wrong-gpu",
        "run 2 of 5 ran on 'NVIDIA L4', the chosen card is 'Tesla T4' (gpu)",
    ),
    "other capability": (
        replaced("capability 7.5", "capability 8.9"),
        "wrong-gpu",
        "run 2 of 5 ran on '8.9', the chosen card is '7.5' (compute_capability)",
    ),
}


@pytest.mark.parametrize("name", BAD_OUTPUTS)
def test_an_output_that_cannot_be_trusted_is_kept_aside(
    name: str, project: Path, bench: Bench
) -> None:
    """The message says run, line and both values; the runs so far are a rejected log."""
    change, code, message = BAD_OUTPUTS[name]
    bench.prints(*broken(2, change))
    error = refusal(project)
    assert error.code == code
    assert error.message.startswith(message)
    assert error.message.endswith(kept(project))
    log = rejected(project)
    assert log is not None
    assert log.stamp.rejected is not None
    assert log.stamp.rejected.startswith(message)
    assert log.stamp.verdict is None
    assert len(log.outputs) == 2 == bench.started


def test_outputs_that_cannot_be_trusted_start_from_one_that_can(
    project: Path, bench: Bench
) -> None:
    """Control: the same five outputs unbroken are evidence."""
    bench.prints(*broken(2, lambda output: output))
    assert read_log(capture(project, PROGRAM, console=quiet())).stamp.rejected is None


def test_a_program_that_fails(project: Path, bench: Bench) -> None:
    """Its status and what it said are in the message; its output is kept aside."""
    bench.prints(OUTPUT, OUTPUT, "")
    bench.then(3, "echo 'MISMATCH: case 611x613x617, kernel tiled' >&2; exit 1")
    error = refusal(project)
    said = "run 3 of 5 exited with 1:\n    MISMATCH: case 611x613x617, kernel tiled"
    assert (error.code, error.message) == ("run-failed", said + kept(project))
    log = rejected(project)
    assert log is not None
    assert [run.exit_status for run in log.stamp.runs] == [0, 0, 1]
    assert log.stamp.rejected == (
        "run 3 of 5 exited with 1: | MISMATCH: case 611x613x617, kernel tiled"
    )


def test_a_program_that_prints_a_verdict_and_fails(project: Path, bench: Bench) -> None:
    """The exit status outweighs what was printed."""
    bench.then(1, "exit 3")
    assert refusal(project).message == "run 1 of 5 exited with 3" + kept(project)


def test_a_program_that_is_killed(project: Path, bench: Bench) -> None:
    """The signal has a name."""
    bench.then(2, "kill -SEGV $$")
    bench.prints(OUTPUT, OUTPUT)
    error = refusal(project)
    assert error.code == "run-killed"
    assert error.message == "run 2 of 5 was killed by SIGSEGV" + kept(project)


def test_a_program_that_hangs(project: Path, bench: Bench) -> None:
    """It is ended with its children, and says after how long."""
    bench.then(1, f"sleep 300 & echo $! > {bench.folder}/child; wait")
    error = refusal(project, longest=0.5)
    assert error.code == "run-ended"
    assert error.message == "run 1 of 5 took longer than 0.5 s and was ended" + kept(project)
    assert gone(int((bench.folder / "child").read_text()))


def test_a_program_that_never_stops_printing(project: Path, bench: Bench) -> None:
    """It is ended; the rejected log holds no more than the limit."""
    bench.then(1, "yes")
    error = refusal(project)
    assert error.code == "run-ended"
    assert error.message == (
        "run 1 of 5 printed more than 1048576 bytes and was ended" + kept(project)
    )
    log = rejected(project)
    assert log is not None
    assert len(log.outputs[0]) == LARGEST_OUTPUT


def test_a_program_that_is_no_program(project: Path, bench: Bench) -> None:
    """A binary that the system cannot start is a refusal, not a traceback."""
    (bench.folder / "program").write_bytes(b"\x7fELF nothing")
    error = refusal(project)
    assert (error.code, error.message) == (
        "no-start",
        "`./tiled_matmul` does not start: Exec format error",
    )


def gone(process: int) -> bool:
    """Whether a process ends soon; a killed one may linger until it is reaped."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("repeat", [0, -1, 100])
def test_a_number_of_runs_that_is_none(repeat: int, project: Path, bench: Bench) -> None:
    """Between 1 and 99."""
    error = refusal(project, repeat=repeat)
    assert (error.code, error.message) == ("bad-option", f"repeat is {repeat}")


@pytest.mark.parametrize("arch", ["", "sm_90 -G", "sm_90;ls", "$(ls)"])
def test_an_architecture_that_is_none(arch: str, project: Path, bench: Bench) -> None:
    """An architecture cannot smuggle another flag into the build."""
    assert refusal(project, arch=arch).message == f"not an architecture: {arch!r}"


def test_another_architecture_is_stamped_and_stays_fresh(project: Path, bench: Bench) -> None:
    """The build command of the stamp is the one that ran."""
    log = read_log(capture(project, PROGRAM, repeat=1, arch="native", console=quiet()))
    assert log.stamp.build == BUILD.replace("sm_75", "native")
    assert stale_reasons(log, Program.load(project, PROGRAM)) == []


def git(project: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(project), *words], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_git_tells_the_commit_and_whether_the_program_differs(project: Path, bench: Bench) -> None:
    """Dirty is about what the result rests on: a page being written does not matter."""

    def captured(commit: str | None = None) -> Git | None:
        path = capture(project, PROGRAM, repeat=1, commit=commit, console=quiet())
        return read_log(path).stamp.git

    assert captured() is None
    git(project, "init", "--quiet")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "one")
    head = git(project, "rev-parse", "HEAD")
    (project / "page.md").write_text("a page\n")
    assert captured() == captured(head) == Git(commit=head, dirty=False)
    (project / "code" / PROGRAM / "new.cuh").write_text("int x;\n")
    assert captured() == Git(commit=head, dirty=True)
    with pytest.raises(CourseError, match=f"the commit {COMMIT} is not in this history"):
        captured(COMMIT)
    with pytest.raises(CourseError, match="not a whole commit hash: 'HEAD'"):
        captured("HEAD")


def test_a_source_of_another_program_makes_the_capture_dirty(project: Path, bench: Bench) -> None:
    """A capture rests on every source that it builds, wherever that lies, tracked or ignored."""
    shared = project / "code" / "shared"
    shared.mkdir()
    (shared / "other.cu").write_text("int x;\n")
    (shared / "no_source.cu").write_text("int y;\n")
    spec = project / "code" / PROGRAM / "program.yml"
    listed = "sources: [tiled_matmul.cu, ../shared/other.cu]"
    spec.write_text(spec.read_text().replace("sources: [tiled_matmul.cu]", listed))
    git(project, "init", "--quiet")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "one")

    def dirty() -> bool | None:
        stamp = read_log(capture(project, PROGRAM, repeat=1, console=quiet())).stamp
        return stamp.git.dirty if stamp.git else None

    (shared / "no_source.cu").write_text("int z;\n")
    assert dirty() is False
    (shared / "other.cu").write_text("int z;\n")
    assert dirty() is True
    git(project, "rm", "--quiet", "--cached", "code/shared/other.cu")
    (project / ".gitignore").write_text("other.cu\n")
    git(project, "add", ".gitignore")
    git(project, "commit", "--quiet", "--message", "two")
    assert dirty() is True


def test_a_folder_that_cannot_be_written_is_said_with_what_became_of_the_runs(
    project: Path, bench: Bench
) -> None:
    """A file stands where the program's evidence should: even the rejected log has no place."""
    (project / "evidence" / PROGRAM).write_text("a file\n")
    error = refusal(project)
    assert error.code == "unwritable"
    assert error.message == (
        "cannot write: File exists\n"
        "  what had run could not be kept either: cannot write: Not a directory"
    )


# A capture in a process of its own, at the mercy of signals and limits.
_CHILD = """
import resource, signal, sys
from pathlib import Path
from rich.console import Console
from course.capture import capture
from course.errors import CourseError
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
if "limit" in sys.argv:
    size = int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
try:
    capture(Path(sys.argv[1]), "day16-tiled-matmul", console=Console(soft_wrap=True))
except CourseError as error:
    print(error)
    sys.exit(error.exit_status)
"""


def start(project: Path, *words: str) -> subprocess.Popen[str]:
    path = f"{REPOSITORY / 'scripts'}:{os.environ['PYTHONPATH']}"
    return subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(project), *words],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_until(true: Callable[[], bool]) -> None:
    for _ in range(600):
        if true():
            return
        time.sleep(0.05)
    pytest.fail("what was waited for did not come")


@pytest.mark.parametrize(
    ("number", "name"),
    [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM"), (signal.SIGHUP, "SIGHUP")],
)
def test_a_capture_that_is_cut_short(
    number: signal.Signals, name: str, project: Path, bench: Bench
) -> None:
    """The child is gone, the runs so far are rejected, the status is the shell's."""
    bench.then(3, f"sleep 300 & echo $! > {bench.folder}/child; wait")
    bench.prints(OUTPUT, OUTPUT, "GPU: half a")
    process = start(project)
    wait_until(lambda: (bench.folder / "child").exists())
    process.send_signal(number)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert f"cut short by {name} after 2 of 5 runs{kept(project)}" in said
    assert "Traceback" not in said
    assert log_paths(project, PROGRAM) == []
    log = rejected(project)
    assert log is not None
    assert log.stamp.rejected == f"cut short by {name} after 2 of 5 runs"
    assert log.outputs == (OUTPUT.encode(), OUTPUT.encode(), b"GPU: half a")
    assert gone(int((bench.folder / "child").read_text()))
    assert list((bench.folder.parent / "temp").glob("course-*/")) == []


def test_a_capture_that_is_killed_leaves_nothing_to_publish(project: Path, bench: Bench) -> None:
    """After kill -9 there is no log, and the next capture is not held up."""
    bench.then(3, "exec sleep 300")
    bench.prints(OUTPUT, OUTPUT, OUTPUT)
    process = start(project)
    wait_until(lambda: bench.started == 3)
    process.kill()
    process.communicate(timeout=60)
    assert log_paths(project, PROGRAM) == []
    assert rejected(project) is None
    (bench.folder / "3.then").unlink()
    assert read_log(capture(project, PROGRAM, console=quiet())).stamp.rejected is None


def test_a_full_disk(project: Path, bench: Bench) -> None:
    """A log that does not fit is not written by half, and that it is lost is said."""
    bench.prints(OUTPUT.replace("\nall", "\n" * 8000 + "all"))
    process = start(project, "limit", "20000")
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "cannot write: File too large\n  what had run could not be kept either: " in said
    assert [path for path in (project / "evidence").rglob("*") if path.is_file()] == []


def test_a_full_temporary_folder(project: Path, bench: Bench) -> None:
    """Where the sources cannot be copied nothing is built."""
    process = start(project, "limit", "1000")
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 2
    temp = bench.folder.parent / "temp"
    assert f"cannot work in {temp}: File too large\n  fix: make room, or set TMPDIR\n" in said
    assert bench.started == 0
    assert list(temp.glob("course-*/")) == []


def test_two_captures_at_once_wait_for_each_other(project: Path, bench: Bench) -> None:
    """The second says that it waits, and both logs stand under their own names."""
    bench.then(1, f"while [ -f {bench.folder}/hold ]; do sleep 0.05; done")
    (bench.folder / "hold").touch()
    first = start(project)
    wait_until(lambda: bench.started == 1)
    second = start(project)
    assert second.stdout is not None
    line = second.stdout.readline()
    assert line == "another capture measures on this Tesla T4; waiting until it ends\n"
    assert bench.started == 1
    (bench.folder / "hold").unlink()
    for process in (first, second):
        said, _ = process.communicate(timeout=60)
        assert process.returncode == 0, said
    assert len(log_paths(project, PROGRAM)) == 2
    assert all(read_log(path).stamp.rejected is None for path in log_paths(project, PROGRAM))


def test_progress_is_plain_lines_away_from_a_terminal(project: Path, bench: Bench) -> None:
    """One line a step, then the log, the verdict, the median run and each figure's spread."""
    bench.prints(OUTPUT, slower(OUTPUT, 2), slower(OUTPUT, 3))
    shown = io.StringIO()
    path = capture(project, PROGRAM, repeat=3, console=Console(file=shown, width=40))
    assert shown.getvalue().split("\n") == [
        f"building with `{BUILD}`",
        "run 1 of 3 on Tesla T4",
        "run 2 of 3 on Tesla T4",
        "run 3 of 3 on Tesla T4",
        f"evidence/{PROGRAM}/{path.name}: all 3 cases match the CPU reference at every element",
        "  published: run 2 of 3, the median; spread over all runs",
        "  256x256x256 naive: 0.330 ms (0.165–0.495)",
        "  256x256x256 tiled: 0.216 ms (0.108–0.324)",
        "  512x512x512 naive: 1.964 ms (0.982–2.946)",
        "  512x512x512 tiled: 1.240 ms (0.620–1.860)",
        "  611x613x617 naive: 3.518 ms (1.759–5.277)",
        "  611x613x617 tiled: 2.728 ms (1.364–4.092)",
        "",
    ]


def test_progress_is_a_spinner_on_a_terminal(project: Path, bench: Bench) -> None:
    """Control: steps are shown there too, in place."""
    shown = io.StringIO()
    console = Console(file=shown, width=200, force_terminal=True)
    capture(project, PROGRAM, repeat=1, console=console)
    assert "\x1b[?25l" in shown.getvalue()
    assert "published: run 1 of 1, the median" in shown.getvalue()


def test_capture_imports_only_what_a_bare_machine_has() -> None:
    """No site generator, parser or browser part is loaded by the verb."""
    code = (
        "import sys, course.cli, course.capture; "
        "heavy = {'mkdocs', 'bs4', 'tree_sitter', 'py_mini_racer', 'elftools', 'numpy', 'pynvml'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
