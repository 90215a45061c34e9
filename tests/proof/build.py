"""Builds the driver round one kernel, and runs commands that may hang."""

import hashlib
import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from gallery import Case, Launch

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("driver.cu")
LESSON: Case = (611, 613, 617)
NOT_RUN = 127  # the shell's status for a command that is not there


@dataclass(frozen=True)
class Run:
    """What a command printed, and its exit status; none if it was stopped at its time limit."""

    output: str
    status: int | None


def run(command: list[str], limit: float, cwd: Path = ROOT) -> Run:
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        return Run(str(error), NOT_RUN)
    try:
        return Run(process.communicate(timeout=limit)[0], process.returncode)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # a tool's child holds the GPU, not only the tool
    try:
        return Run(process.communicate(timeout=20)[0], None)
    except subprocess.TimeoutExpired:
        return Run("", None)


def launch_source(launch: Launch) -> dict[str, str]:
    """The file of a kernel and its hash: a result is good for that text and no other."""
    return {"file": launch.path.relative_to(ROOT).as_posix(), "sha256": digest(launch.path)}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def build(launch: Launch, folder: Path, arch: str = "native", flags: Iterable[str] = ()) -> Path:
    program = folder / launch.name
    defines = [f'-DSOURCE="{launch.path}"', f"-DKERNEL={launch.kernel}"]
    command = ["nvcc", "-std=c++17", "-O3", f"-arch={arch}", *flags, *defines]
    done = run([*command, "-o", str(program), str(DRIVER)], limit=120)
    if done.status != 0:
        raise RuntimeError(f"{launch.name} does not build:\n{done.output}")
    return program


def build_all(
    launches: Iterable[Launch], folder: Path, arch: str = "native", flags: Iterable[str] = ()
) -> dict[str, Path | RuntimeError]:
    """Programs by name; a kernel that does not build leaves its error, and the others go on."""

    def try_build(launch: Launch) -> Path | RuntimeError:
        try:
            return build(launch, folder, arch, flags)
        except RuntimeError as error:
            return error

    return in_parallel({launch.name: partial(try_build, launch) for launch in launches})


def in_parallel(tasks: dict[str, Callable[[], T]], workers: int | None = None) -> dict[str, T]:
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        futures = {name: pool.submit(task) for name, task in tasks.items()}
        return {name: future.result() for name, future in futures.items()}


def arguments(launch: Launch, cases: Iterable[Case], start: str = "poison") -> list[str]:
    """The driver's arguments, as driver.cu gives them."""
    sizes = [",".join(map(str, (*case, *launch.grid(case)))) for case in cases]
    return [start, f"{launch.block[0]},{launch.block[1]}", str(launch.shared), *sizes]


def machine() -> dict[str, str]:
    """The versions that a result depends on, as the tools themselves print them."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"]
    commands = {
        "gpu": query,
        "nvcc": ["nvcc", "--version"],
        "ncu": ["ncu", "--version"],
        "compute-sanitizer": ["compute-sanitizer", "--version"],
    }
    return {name: _last_line(command) for name, command in commands.items()}


def _last_line(command: list[str]) -> str:
    lines = run(command, limit=30).output.strip().splitlines()
    return lines[-1] if lines else ""


def write_json(path: Path, data: object) -> None:
    """Indented, but with the innermost lists on one line, so that a matrix can be read."""
    text = json.dumps(data, indent=1, ensure_ascii=False)
    text = re.sub(r"\[([^\[\]{}]*)\]", lambda found: f"[{' '.join(found[1].split())}]", text)
    path.write_text(text + "\n")
