"""A bench whose card is idle and unthrottled, and captures with known figures."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from bench import Bench

IDLE = "0x001"


@pytest.fixture
def idle(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that says why the card's clocks are as they are: at first, that it is idle."""
    path = bench.folder / "reasons"
    path.write_text(IDLE)
    monkeypatch.setenv("FAKE_REASONS", str(path))
    return path


@pytest.fixture
def quiet() -> Console:
    return Console(file=io.StringIO(), width=200)
