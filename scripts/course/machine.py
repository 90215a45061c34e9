"""What a stamp tells of the machine beside the card: CUDA's versions, host, git. No names of it."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from course.errors import CourseError
from course.program import Program
from course.stamp import Cuda, Git, Host

_PATIENCE = 60  # seconds for a question that takes less than one
_PATH = "install the CUDA toolkit, or put its bin folder on PATH"
# Variables that would change the build or the run without a trace in the stamp are not handed on.
_KEPT = {"CUDA_HOME", "CUDA_PATH", "CUDA_CACHE_PATH"}


def clean_environment() -> dict[str, str]:
    """This process's environment without what steers CUDA or nvcc behind the command line."""
    steering = re.compile(r"(CUDA|NVCC)_")
    kept = {k: v for k, v in os.environ.items() if k in _KEPT or not steering.match(k)}
    return {**kept, "LC_ALL": "C"}  # messages in English, numbers with a point


def cuda(
    compiler: str, folder: Path, environment: Mapping[str, str], driver_supports: str | None
) -> Cuda:
    """The versions behind `compiler`. Raises CourseError `no-compiler`.

    toolkit is such as 13.0, nvcc such as 13.0.88; runtime is what the headers say.
    """
    if shutil.which(compiler, path=environment.get("PATH")) is None:
        raise CourseError("no-compiler", f"`{compiler}` is not on PATH", fix=_PATH)
    told = _ask([compiler, "--version"], folder, environment) or ""
    match = re.search(r"release (\d+\.\d+), V(\d+(?:\.\d+)+)", told)
    if match is None:
        message = f"`{compiler} --version` names no CUDA release"
        raise CourseError("no-compiler", message, fix=_PATH)
    runtime = _runtime(compiler, folder, environment)
    return Cuda(toolkit=match[1], nvcc=match[2], runtime=runtime, driver_supports=driver_supports)


def _runtime(compiler: str, folder: Path, environment: Mapping[str, str]) -> str | None:
    question = folder / "course_runtime.cu"
    question.write_text("#include <cuda_runtime_api.h>\ncourse_runtime CUDART_VERSION\n")
    told = _ask([compiler, "-E", question.name], folder, environment) or ""
    question.unlink()
    match = re.search(r"^course_runtime (\d+)$", told, re.MULTILINE)
    return f"{int(match[1]) // 1000}.{int(match[1]) % 1000 // 10}" if match else None


def host() -> Host:
    """Operating system and CPU model; neither the host's name nor a user's."""
    try:
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        system = platform.system()
    try:
        told = Path("/proc/cpuinfo").read_text(errors="replace")
    except OSError:
        told = ""
    match = re.search(r"^model name\s*: *(.+)$", told, re.MULTILINE)
    cpu = match[1].strip() if match else platform.processor() or platform.machine()
    return Host(os=f"{system}, {platform.system()} {platform.machine()}", cpu=cpu)


def git(root: Path, program: Program, commit: str | None) -> Git | None:
    """The commit and whether the program, or a source of it elsewhere, differs.

    `commit` is for a machine without the history: there nothing is known of the difference. Where
    git knows better, it is checked. Raises CourseError `bad-commit`.
    """
    if commit is not None and not re.fullmatch(r"[0-9a-f]{40}([0-9a-f]{24})?", commit):
        raise CourseError(
            "bad-commit",
            f"not a whole commit hash: {commit!r}",
            fix="hand in what `git rev-parse HEAD` prints",
        )
    head = _ask(["git", "rev-parse", "--verify", "--quiet", "HEAD"], root)
    if head is None:
        return Git(commit=commit) if commit else None
    rests_on = [str(program.folder), *(str(source.path) for source in program.sources)]
    known = commit or head.strip()
    if _ask(["git", "merge-base", "--is-ancestor", known, "HEAD"], root) is None:
        raise CourseError(
            "bad-commit",
            f"the commit {known} is not in this history",
            fix="leave --commit out where git is there; the commit is then HEAD",
        )
    changed = _ask(["git", "diff", "--name-only", known, "--", *rests_on], root)
    new = _ask(["git", "ls-files", "--others", "--exclude-standard", "--", *rests_on], root)
    ignored = _ask(["git", "ls-files", "--others", "--", *rests_on[1:]], root)
    return Git(commit=known, dirty=bool(changed or new or ignored))


def _ask(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> str | None:
    """What a command prints; None when it fails or is not there."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace")
