"""A site with every figure on one page, built as the real one is, and a browser to use it with."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser.conftest import address, open_page
from sites import copy_repository, mkdocs

__all__ = ["address", "open_page"]

PAGE = """\
---
title: Every figure
program: day16-tiled-matmul
---

# Every figure

```figure name="phase-stepper"
```

```figure name="phase-stepper" id="edge" preset="ragged"
```

```figure name="guard-explorer"
```

```figure name="barrier-timeline"
```

```figure name="calculator"
```

```figure name="bank-view"
```
"""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = copy_repository(tmp_path_factory.mktemp("figures"))
    (root / "docs/figures.md").write_text(PAGE)
    done = mkdocs(root, "build")
    assert done.returncode == 0, done.stdout + done.stderr
    return root / "site"
