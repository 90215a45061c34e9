"""Node.js, for the tests of the figures' modules."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


def node(*arguments: str, given: str = "") -> str:
    """What a run of node prints; it must succeed."""
    program = shutil.which("node")
    if program is None:
        pytest.fail("no node here: install Node.js 20 or newer (https://nodejs.org)")
    done = subprocess.run(
        [program, *arguments], input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def ask(questions: list[list[Any]]) -> list[Any]:
    """The answers of the figures' arithmetic to [function, *arguments]."""
    answers: list[Any] = json.loads(node(str(HERE / "ask.mjs"), given=json.dumps(questions)))
    return answers
