"""Running another program: bytes out, bounded in time and size, and gone when we go."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO, Any

from course.errors import CourseError

_LOOK_EVERY, _FIRST_LOOK = 0.05, 0.0005  # seconds


class Cut(KeyboardInterrupt):
    """Ctrl-C, SIGTERM or SIGHUP, raised where it arrived so that everything unwinds."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    def __str__(self) -> str:
        return "Ctrl-C" if self.number == signal.SIGINT else signal.Signals(self.number).name


class Interrupted(CourseError):  # noqa: N818 - a cut is no error of the user
    """A command was cut short; a shell expects `exit_status` (130 after Ctrl-C)."""

    def __init__(self, cut: Cut, message: str, *, fix: str = "") -> None:
        super().__init__("interrupted", message, fix=fix)
        self.exit_status = 128 + cut.number


@contextlib.contextmanager
def cuts() -> Iterator[Callable[[], None]]:
    """Let a signal raise Cut, once: a second one must not cut the tidying-up.

    Yields a function after whose call signals are ignored until the block ends. A signal that
    the process was started to ignore (nohup) stays ignored.
    """
    armed = True

    def ignore() -> None:
        nonlocal armed
        armed = False

    def handle(number: int, frame: FrameType | None) -> None:
        if armed:
            ignore()
            raise Cut(number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, handle)
    try:
        yield ignore
    finally:
        ignore()
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass(frozen=True)
class Finished:
    """How a process ended: its exit status (negative: the signal that ended it), after seconds."""

    status: int
    seconds: float | None
    ended_for: str = ""  # why we ended it, as the rest of a sentence


@contextlib.contextmanager
def group(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command, with Popen's options, in a process group that ends with this block.

    All its children end with it, whether it came to its end or not; and all of them end when this
    process does, also when it is killed: a shell then reads the end of a pipe that we hold. Raises
    CourseError `no-start`.
    """
    with _ended_with_us() as numbers:
        try:
            process = subprocess.Popen(command, process_group=0, **options)
        except OSError as error:
            message = f"`{shlex.join(command)}` does not start: {error.strerror}"
            raise CourseError("no-start", message) from error
        with process:
            try:
                numbers.write(b"%d\n" % process.pid)
                yield process
            finally:  # not reaped yet, so that the number of the group is still its own
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


@contextlib.contextmanager
def _ended_with_us() -> Iterator[IO[bytes]]:
    """Yields what takes the number of the group that is to end when we do."""
    with subprocess.Popen(
        ["/bin/sh", "-c", 'read -r group; read -r _; kill -s KILL -- "-$group"'],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        process_group=0,
    ) as watcher:
        assert watcher.stdin is not None
        try:
            yield watcher.stdin
        finally:
            watcher.kill()


def wait(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether a process ends within `seconds`. It is not reaped: its group keeps its number."""
    until, pause = time.monotonic() + seconds, _FIRST_LOOK
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        left = until - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(pause, left))
        pause *= 2
    return True


def run(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    stdout: Path,
    stderr: Path,
    longest: float,
    largest: int,
    ended: threading.Event | None = None,
) -> Finished:
    """Run a command in `folder` without a shell; its output goes to the two files.

    It is ended, with all its children, after `longest` seconds, once it printed more than `largest`
    bytes, once `ended` is set, and when this process is cut or killed; children that it left are
    ended too. Raises CourseError `no-start`.
    """
    started = time.monotonic()
    ended_for = ""
    with stdout.open("wb") as out, stderr.open("wb") as err:
        options: dict[str, Any] = {"cwd": folder, "env": environment, "stdin": subprocess.DEVNULL}
        with group(command, stdout=out, stderr=err, **options) as process:
            over = False
            while not over and not ended_for:
                over = wait(process, _LOOK_EVERY)
                ended_for = _excess(time.monotonic() - started, (stdout, stderr), longest, largest)
                if ended is not None and ended.is_set():
                    ended_for = "was no longer wanted"
    return Finished(process.returncode, round(time.monotonic() - started, 3), ended_for)


def _excess(seconds: float, printed: Sequence[Path], longest: float, largest: int) -> str:
    if any(path.stat().st_size > largest for path in printed):
        return f"printed more than {largest} bytes"
    return f"took longer than {longest:g} s" if seconds > longest else ""


def signal_name(status: int) -> str:
    """The name of the signal that a negative exit status tells of."""
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
