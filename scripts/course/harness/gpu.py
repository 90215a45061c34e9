"""The judge on a GPU: compiles the file, and has a child of its own run it over the whole ladder.

Only the file's device code ever runs: the child is ours, loads the compiled kernel and nothing else
of the file. Results come on a pipe of their own, so what a kernel prints is not among them.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import selectors
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from course import process
from course.errors import CourseError
from course.files import project_root
from course.harness.contract import KERNEL
from course.harness.ladder import Rung
from course.harness.report import CaseResult, Time
from course.harness.submission import Submission
from course.simt import Case
from course.simt.source import has_keyword

COMPILE_SECONDS = 120
COMPILE_OUTPUT = 4 * 2**20  # bytes
START_SECONDS = 90.0  # CUDA's start, and what NVRTC takes
PATIENCE = 20.0  # for one case; the largest takes well under a second
SECONDS_A_PRODUCT = 2e-10
TIMED = ("512x512x512", "611x613x617", "4096x4096x4096")
Say = Callable[[str], None]
Message = dict[str, Any]


@dataclass(frozen=True)
class Card:
    name: str
    arch: str  # such as sm_90


@dataclass
class GpuJudgement:
    cases: list[CaseResult] = field(default_factory=list)
    times: list[Time] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@cache
def card() -> Card | None:
    """The card that CuPy finds, asked in a child so that this process stays without CUDA."""
    if importlib.util.find_spec("cupy") is None:
        return None
    for message in talk({"do": "probe"}, [START_SECONDS]):
        if "name" in message:
            return Card(message["name"], message["arch"])
    return None


def no_gpu() -> CourseError:
    return CourseError(
        "no-gpu",
        "there is no GPU that CuPy can use",
        fix="pip install 'course[gpu]' on a machine with an NVIDIA GPU, or use --device cpu",
    )


def judge(
    submission: Submission, file: Path, folder: Path, rungs: Sequence[Rung], say: Say
) -> GpuJudgement:
    """Run the file's kernel over `rungs`, and time it if it is right. Raises CourseError."""
    found = card()
    if found is None:
        raise no_gpu()
    judgement = GpuJudgement()
    say(f"compiling for {found.name}")
    kernel = load_request(submission, file, folder, found.arch)
    request: Message = {
        "do": "judge",
        "kernel": kernel,
        "cases": [
            [rung.case.m, rung.case.n, rung.case.k, rung.seed, rung.inputs] for rung in rungs
        ],
    }
    patience = [START_SECONDS] + [PATIENCE + r.case.work * SECONDS_A_PRODUCT for r in rungs]
    ready = False
    for message in talk(request, patience):
        ready = ready or "ready" in message
        if "right" in message:
            rung = rungs[len(judgement.cases)]
            judgement.cases.append(_result(rung, message))
            say(f"case {len(judgement.cases)} of {len(rungs)}: {rung.case}, on {found.name}")
        if why := message.get("why"):
            judgement.notes.append(f"on {found.name}: {why}")
    if not ready:
        why = "; ".join(judgement.notes) or "it said nothing"
        raise CourseError("gpu-start", f"the kernel could not be loaded onto the GPU: {why}")
    if len(judgement.cases) < len(rungs) and all(result.right for result in judgement.cases):
        judgement.cases.append(_result(rungs[len(judgement.cases)], {"right": False}))
    judgement.cases += [_result(rung, {"right": None}) for rung in rungs[len(judgement.cases) :]]
    if judgement.cases and all(result.right for result in judgement.cases):
        say("timing")
        judgement.times = list(_times(kernel, folder, found.arch))
    return judgement


def _result(rung: Rung, message: Message) -> CaseResult:
    return CaseResult(
        rung.case,
        rung.inputs,
        rung.seed,
        "gpu",
        message["right"],
        False,
        int(message.get("mismatches", 0)),
        float(message.get("seconds", 0.0)),
    )


def _times(kernel: Message, folder: Path, arch: str) -> Iterator[Time]:
    """The kernel, the lesson's two and cuBLAS, in the same run."""
    kernels = [["yours", kernel]]
    for name, lesson in _lesson_kernels(folder, arch):
        kernels.append([name, lesson])
    request = {"do": "time", "kernels": kernels, "cases": [_sizes(c) for c in TIMED]}
    for message in talk(request, [START_SECONDS] + [60.0] * (len(TIMED) * 5)):
        if "times" in message:
            case, name = Case(*message["case"]), message["contestant"]
            low, middle, high = message["times"]
            yield Time(name, case, middle, low, high)


def _lesson_kernels(folder: Path, arch: str) -> Iterator[tuple[str, Message]]:
    with contextlib.suppress(CourseError):
        root = project_root(Path(__file__).parent)
        source = root / "code" / "day16-tiled-matmul" / "tiled_matmul.cu"
        if shutil.which("nvcc") and source.is_file():
            cubin = _nvcc(source, folder / "lesson.cubin", arch)
            for name, kernel in (("naive", "matmulNaive"), ("tiled", KERNEL)):
                yield name, {"cubin": str(cubin), "symbol": symbol(cubin.read_bytes(), kernel)}


def _sizes(text: str) -> list[int]:
    case = Case.parse(text)
    return [case.m, case.n, case.k]


# ---- compiling ---------------------------------------------------------------------------------


def load_request(submission: Submission, file: Path, folder: Path, arch: str) -> Message:
    """What the child needs to load the kernel: a cubin from nvcc, or source for NVRTC."""
    if shutil.which("nvcc"):
        cubin = _nvcc(file, folder / "submission.cubin", arch)
        return {"cubin": str(cubin), "symbol": symbol(cubin.read_bytes(), KERNEL)}
    return {"code": device_code(submission), "symbol": KERNEL}


def _nvcc(source: Path, target: Path, arch: str) -> Path:
    command = ["nvcc", "-std=c++17", "-O3", "-lineinfo", f"-arch={arch}", "-cubin"]
    stdout, stderr = target.with_suffix(".stdout"), target.with_suffix(".stderr")
    done = process.run(
        [*command, "-o", str(target), source.name],
        folder=source.parent,
        environment=os.environ,
        stdout=stdout,
        stderr=stderr,
        longest=COMPILE_SECONDS,
        largest=COMPILE_OUTPUT,
    )
    if done.ended_for:
        raise CourseError("compile-limit", f"nvcc {done.ended_for} and was ended", path=source)
    if done.status:
        told = stderr.read_text(errors="replace")
        own = re.search(rf"^{re.escape(source.name)}\((\d+)\): error: (.*)$", told, re.M)
        raise CourseError(
            "compile",
            f"nvcc refuses the source: {own[2]}" if own else "nvcc refuses the source",
            path=source,
            line=int(own[1]) if own else None,
            fix="make it compile with nvcc -std=c++17",
        )
    return target


def symbol(cubin: bytes, kernel: str) -> str:
    """The kernel's name as the compiler wrote it into the cubin."""
    mangled = f"{len(kernel)}{kernel}"
    for found in re.findall(rb"\.text\.([\w$]+)", cubin):
        name = str(found.decode())
        if name == kernel or re.search(rf"\D{mangled}(E|P|$)", name):
            return name
    raise CourseError("kernel-missing", f"the compiled file holds no kernel `{kernel}`")


def device_code(submission: Submission) -> str:
    """The file without what only a host compiler reads: NVRTC knows no headers of C++."""
    source, kept = submission.source, []
    for node in source.root.children:
        text = source.text_of(node)
        host_function = node.type == "function_definition" and not (
            has_keyword(node, "__global__", "__device__") or "constexpr" in text.partition("(")[0]
        )
        if node.type == "preproc_include" or host_function or "std::" in text:
            continue
        kept.append(f"#line {source.line_of(node)}\n{text}")
    return "\n".join(kept) + "\n"


# ---- the child ---------------------------------------------------------------------------------


def talk(request: Message, patience: Sequence[float]) -> Iterator[Message]:
    """Start the child with a request; yield what it says, until it ends or runs out of patience.

    `patience` has the seconds for each message; the last counts for all that follow.
    """
    read_end, write_end = os.pipe()
    with (
        os.fdopen(read_end, "rb") as answers,
        os.fdopen(write_end, "wb") as theirs,
        process.group(
            [sys.executable, "-P", "-m", "course.harness.gpu_child", str(write_end)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(write_end,),
        ) as child,
    ):
        theirs.close()
        assert child.stdin is not None
        with contextlib.suppress(BrokenPipeError), child.stdin as stdin:
            stdin.write(json.dumps(request).encode())
        for number, line in enumerate(_lines(answers.fileno(), patience)):
            if line is None:
                yield {"why": f"no answer within {patience[min(number, len(patience) - 1)]:.0f} s"}
                return
            yield json.loads(line)
        process.wait(child, 10)
    if child.returncode:
        yield {"why": f"the child ended with status {child.returncode}"}


def _lines(descriptor: int, patience: Sequence[float]) -> Iterator[bytes | None]:
    """The lines that arrive in time; None for the first that does not."""
    pending, number = b"", 0
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        deadline = time.monotonic() + patience[0]
        while True:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                yield None
                return
            data = os.read(descriptor, 1 << 16)
            if not data:
                return
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                number += 1
                yield line
                deadline = time.monotonic() + patience[min(number, len(patience) - 1)]


def on_gpu(rungs: Sequence[Rung]) -> list[Rung]:
    """The rungs that a GPU runs: it knows no infinities' probe."""
    return [replace(r, watched=False) for r in rungs if not r.inputs.startswith("infinite")]
