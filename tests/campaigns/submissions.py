"""Hostile submissions: every deed from every place where a submission's code runs."""

from __future__ import annotations

import random
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from campaigns.campaign import Attempt, ControlError
from campaigns.deeds import DEEDS, HEADERS, MARK, NO_CONTROL, Scene, plain_program
from course.errors import CourseError
from course.simt import Case, Compiler, Program, Run, Walls, launches

NAME = "submissions"
ABOUT = (
    "Every deed (files, sockets, processes, signals, executable memory, descriptors), from "
    "every place where a submission's code runs on the CPU, and without the screen that refuses "
    "most of them earlier. A deed that was done survives."
)
CASE = Case(40, 40, 8)
BODY = """
  size_t row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && col < n) {
    float sum = 0;
    for (size_t i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
  }
"""
SIZES = "size_t m, size_t n, size_t k"
KERNEL = f"__global__ void product(const float* a, const float* b, float* c, {SIZES})"
FIRST = "if (!blockIdx.x && !blockIdx.y && !threadIdx.x && !threadIdx.y) "
DONE = f'{{ if (deed()) {{ printf("{MARK}\\n"); fflush(stdout); }} }}'
AFTER = "after the kernel"
PLACES: dict[str, str] = {
    "a static initialiser": f"struct X {{ X() {DONE} }} x;\n{KERNEL} {{ {BODY} }}\n",
    "the first thread": f"{KERNEL} {{ {FIRST}{DONE} {BODY} }}\n",
    "every thread of the pool": f"{KERNEL} {{ static thread_local bool once;"
    f" if (!once) {{ once = true; {DONE} }} {BODY} }}\n",
    "main": f"{KERNEL} {{ {BODY} }}\nint main() {DONE}\n",
    AFTER: f"struct Y {{ ~Y() {DONE} }} y;\nstruct T {{ ~T() {DONE} }};\n"
    f"{KERNEL} {{ static thread_local T t; (void)&t; {BODY}"
    f" {FIRST} atexit([] {DONE}); }}\n",
}
KINDS = [(group, name) for group, ways in DEEDS.items() for name in ways]


def attempts(sample: int | None, seed: int) -> Iterator[Attempt]:
    """Every deed from every place, or a sample of them after the controls of those deeds."""
    all_of_them = [(place, group, name) for group, name in KINDS for place in PLACES]
    if sample is not None:
        all_of_them = random.Random(seed).sample(all_of_them, min(sample, len(all_of_them)))
    yield from chosen(all_of_them)


def chosen(them: Sequence[tuple[str, str, str]]) -> Iterator[Attempt]:
    """These of (place, group, deed), each deed after its control."""
    with tempfile.TemporaryDirectory(prefix="campaign-") as folder:
        for number, (group, name) in enumerate(dict.fromkeys(a[1:] for a in them)):
            if name not in NO_CONTROL:
                _control(Path(folder, f"control-{number}"), group, name)
        for number, place in enumerate(dict.fromkeys(a[0] for a in them)):
            if place != AFTER:  # the runner ends before anything runs there
                _place_control(Path(folder, f"place-{number}"), place)
        for number, (place, group, name) in enumerate(them):
            yield _attempt(Path(folder, str(number)), place, group, name)


def _control(folder: Path, group: str, name: str) -> None:
    """Outside of the judge the deed is done and seen, or its failing inside would prove nothing."""
    folder.mkdir()
    source, program = folder / "control.cpp", folder / "control"
    with Scene(folder / "scene") as scene:
        source.write_text(plain_program(scene.filled(DEEDS[group][name])))
        build = [Compiler.find().command, "-w", "-o", str(program), str(source), "-ldl", "-pthread"]
        subprocess.run(build, check=True)
        with (folder / "kept-open").open("w+") as kept:
            done = subprocess.run(
                [program], capture_output=True, text=True, pass_fds=[kept.fileno()], timeout=60
            )
        if MARK not in done.stdout and not scene.changed():
            raise ControlError(f"{group}, {name}: not done outside of the judge either")


def _place_control(folder: Path, place: str) -> None:
    """Code at the place does run and can say so, or no deed was tried there."""
    folder.mkdir()
    source = folder / "submission.cu"
    source.write_text(f"{HEADERS}static bool deed() {{ return true; }}\n{PLACES[place]}")
    if MARK not in _run(source, place)[0]:
        raise ControlError(f"nothing runs in {place}")


def _attempt(folder: Path, place: str, group: str, name: str) -> Attempt:
    folder.mkdir()
    source = folder / "submission.cu"
    with Scene(folder / "scene") as scene:
        deed = scene.filled(DEEDS[group][name])
        source.write_text(f"{HEADERS}static bool deed() {{ {deed} }}\n{PLACES[place]}")
        try:
            printed, walls = _run(source, place)
        except CourseError as error:
            if error.code != "ended-early":
                why = f"{name} from {place} was not tried: {error.message}"
                raise ControlError(why) from error
            printed, walls = "", None
        if walls is not None and not walls.seccomp:
            raise ControlError("this machine has no walls to try")
        done = scene.changed() or ("it says that it was done" if MARK in printed else "")
        if done:
            return Attempt(group, f"{name} from {place}", "survived", done)
        return Attempt(group, f"{name} from {place}", "refused")


def _run(source: Path, place: str) -> tuple[str, Walls | None]:
    if place == "main":
        return launches(source, execute=True, seconds=20).printed, None
    with Program(source, "product") as program:
        reports = program.run([Run(CASE, watch=False, seconds=2.0)])
        return "".join(report.printed for report in reports), program.walls
