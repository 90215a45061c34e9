from __future__ import annotations

from pathlib import Path

import pytest

from gate.copied import Copy


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """An unbroken copy of the repository."""
    return Copy.make(tmp_path)
