"""Signals: the first one cuts, the next ones do not cut the tidying-up."""

from __future__ import annotations

import os
import signal
import threading

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
