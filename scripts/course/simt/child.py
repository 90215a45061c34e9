"""Running the runner: a child with limits, whose results come on a channel of their own."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course import process
from course.errors import CourseError

MAX_PRINTED = 64 * 1024
MAX_RESULTS = 64 * 1024 * 1024
Result = dict[str, Any]


@dataclass(frozen=True)
class Walls:
    """What kept a source in while it ran: the filter of system calls, and Landlock's version."""

    seccomp: bool = False
    landlock: int = 0

    @property
    def names(self) -> list[str]:
        filter_ = ["seccomp"] if self.seccomp else []
        return [*filter_, *([f"Landlock {self.landlock}"] if self.landlock else [])]


@dataclass
class Ended:
    """How a child ended: its results, what it printed, and whether it came to its end."""

    results: list[Result] = field(default_factory=list)
    printed: str = ""
    complete: bool = False
    out_of_time: bool = False
    status: int = 0
    seconds: float = 0

    @property
    def walls(self) -> Walls:
        """Those that stood before any code of the source ran, as the runner's first result says."""
        first = next((result for result in self.results if "seccomp" in result), {})
        return Walls(bool(first.get("seccomp")), int(first.get("landlock", 0)))

    @property
    def why(self) -> str:
        """Why there is no complete result, in words."""
        if self.out_of_time:
            return f"it ran out of its limit of time ({self.seconds:.0f} s)"
        if self.status == -signal.SIGALRM:
            return "it waits for what never comes"
        if self.status == -signal.SIGXCPU or self.status == -signal.SIGKILL:
            return "it ran out of its limit of processor time or memory"
        if self.status < 0:
            return f"it was ended by {process.signal_name(self.status)}"
        return f"it ended itself with exit status {self.status}"


def run(
    runner: Path,
    mode: str,
    library: Path,
    lines: Sequence[str],
    *,
    workers: int,
    seconds: float,
    setting: str = "",
    arguments: Sequence[str] = (),
    on_result: Callable[[Result], None] | None = None,
) -> Ended:
    """Run `lines` of requests. Never raises for what the child does; `Ended` says how it went."""
    token = secrets.token_hex(16)
    head = f"{token} {workers} {int(seconds * workers) + 1} {setting}"
    read_end, write_end = os.pipe()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as requests:
        requests.write("\n".join([head, *lines, ""]).encode())
        requests.seek(0)
        ended = Ended()
        with (
            os.fdopen(read_end, "rb") as results,
            os.fdopen(write_end, "wb") as theirs,
            process.group(
                [str(runner), mode, str(write_end), str(library), *arguments],
                stdin=requests,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env={"LC_ALL": "C", "PATH": "/usr/bin:/bin", **_trust()},
                pass_fds=(write_end,),
            ) as child,
        ):
            theirs.close()
            _listen(child, results.fileno(), token, started + seconds, ended, on_result)
        ended.status = child.returncode
    ended.seconds = time.monotonic() - started
    if any(result.get("seccomp") == 0 for result in ended.results):
        _refuse_open()
    return ended


def _trust() -> dict[str, str]:
    trusted = os.environ.get("COURSE_TRUST_SOURCE") == "1"
    return {"COURSE_TRUST_SOURCE": "1"} if trusted else {}


def _refuse_open() -> None:
    """Without the system's filter a source could write files; then only a trusted one may run."""
    if not _trust():
        raise CourseError(
            "not-closed-in",
            "this system cannot keep a source from writing files or starting programs (seccomp)",
            fix="set COURSE_TRUST_SOURCE=1 if you trust the source, or use Linux on x86-64",
        )


def _listen(
    child: subprocess.Popen[bytes],
    results: int,
    token: str,
    deadline: float,
    ended: Ended,
    on_result: Callable[[Result], None] | None,
) -> None:
    assert child.stdout is not None
    printed, pending, received = bytearray(), b"", 0
    with selectors.DefaultSelector() as selector:
        selector.register(results, selectors.EVENT_READ)
        selector.register(child.stdout, selectors.EVENT_READ)
        while selector.get_map() and not ended.complete:
            left = deadline - time.monotonic()
            if left <= 0:
                ended.out_of_time = True
                break
            for key, _ in selector.select(left):
                data = os.read(key.fd, 1 << 16)
                if not data:
                    selector.unregister(key.fileobj)
                elif key.fd != results:
                    printed += data[: MAX_PRINTED - len(printed)]
                else:
                    received += len(data)
                    *lines, pending = (pending + data).split(b"\n")
                    for line in lines:
                        _take(line, token, ended, on_result)
            if received > MAX_RESULTS:
                break
        with contextlib.suppress(OSError):  # what it printed last
            os.set_blocking(child.stdout.fileno(), False)
            printed += os.read(child.stdout.fileno(), MAX_PRINTED)[: MAX_PRINTED - len(printed)]
    if ended.complete:
        process.wait(child, 1)
    ended.printed = printed.decode(errors="replace")


def _take(
    line: bytes, token: str, ended: Ended, on_result: Callable[[Result], None] | None
) -> None:
    prefix, _, text = line.partition(b" ")
    if prefix.decode(errors="replace") != token:
        return
    with contextlib.suppress(ValueError):
        result = json.loads(text)
        if "end" in result:
            ended.complete = True
            return
        ended.results.append(result)
        if on_result:
            on_result(result)
