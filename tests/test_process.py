"""Signals: the first cuts, the next do not cut the tidying-up. Programs end with us."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from course.process import Cut, cuts, signal_name


def send(number: int) -> None:
    os.kill(os.getpid(), number)


def test_the_first_signal_cuts_and_the_second_does_not() -> None:
    """What tidies up after a cut runs to its end; afterwards the old handlers are back."""
    before = signal.getsignal(signal.SIGTERM)
    tidied = []

    def work() -> None:
        with cuts():
            try:
                send(signal.SIGTERM)
            finally:
                send(signal.SIGINT)
                tidied.append(True)

    with pytest.raises(Cut) as caught:
        work()
    assert (caught.value.number, str(caught.value)) == (signal.SIGTERM, "SIGTERM")
    assert tidied == [True]
    assert signal.getsignal(signal.SIGTERM) is before


def test_nothing_cuts_what_must_be_whole() -> None:
    """After the yielded function was called signals are ignored until the block ends."""
    with cuts() as ignore:
        ignore()
        send(signal.SIGINT)
        send(signal.SIGHUP)


def test_nohup_is_respected() -> None:
    """A signal that the process was started to ignore stays ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with cuts():
            send(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_another_thread_takes_no_signals() -> None:
    """Control: outside the main thread, where handlers cannot be set, the block just runs."""
    ran: list[str] = []

    def work() -> None:
        with cuts() as ignore:
            ignore()
            ran.append("ran")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ran == ["ran"]
    assert (signal_name(-11), signal_name(-99)) == ("SIGSEGV", "signal 99")


@pytest.fixture
def life(tmp_path: Path) -> Iterator[tuple[Path, Callable[[], bool]]]:
    """A pipe for a child to hold open, and whether all who hold it are gone within a minute."""
    pipe = tmp_path / "life"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    def gone() -> bool:
        poll = select.poll()
        poll.register(reader, select.POLLHUP)
        return bool(poll.poll(60_000))

    yield pipe, gone
    os.close(reader)


Life = tuple[Path, Callable[[], bool]]
RUN = """
import sys
from pathlib import Path
from course import process
folder, script = Path(sys.argv[1]), sys.argv[2]
done = process.run(["/bin/sh", "-c", script], folder=folder, environment={"PATH": "/usr/bin:/bin"},
                   stdout=folder / "out", stderr=folder / "err", longest=300, largest=1000)
print(done.status)
"""


def start(folder: Path, script: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", RUN, str(folder), script]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_children_that_a_program_leaves_are_ended(tmp_path: Path, life: Life) -> None:
    """The program ends well, and what it left running ends with it."""
    pipe, gone = life
    with start(tmp_path, f"exec 3> {pipe}; sleep 600 & exit 7") as running:
        told, _ = running.communicate(timeout=60)
    assert told == "7\n"
    assert gone()


def test_a_program_and_its_children_end_with_us_when_we_are_killed(
    tmp_path: Path, life: Life
) -> None:
    """As a compiler does with a judge that is killed, which can tidy up nothing."""
    pipe, gone = life
    with start(tmp_path, f"exec > {pipe}; echo here; sleep 600") as running:
        with pipe.open() as reader:
            assert reader.readline() == "here\n"
        running.kill()
    assert gone()
