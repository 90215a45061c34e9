"""Fixtures: quick judgements."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from course.harness import Report, grade
from course.harness.ladder import SMALL, cases
from course.simt import child

SEED = 1234
Judge = Callable[[Path], Report]


@pytest.fixture
def judge() -> Judge:
    """Judge on the CPU over the small part of the ladder, which takes a second or two."""
    return lambda file: grade(file, device="cpu", seed=SEED, fixed=cases(SMALL))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for a few seconds where the harness would wait for minutes."""
    run: Callable[..., child.Ended] = child.run

    def shorter(*arguments: object, **options: object) -> child.Ended:
        return run(*arguments, **{**options, "seconds": 6.0})

    monkeypatch.setattr(child, "run", shorter)
