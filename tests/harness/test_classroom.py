"""What a class gets beside the command: the workflow's step, the notebook, the page's tables."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench import REPOSITORY
from course.harness import contract, ladder, notebook
from course.site.harness import TABLES
from gallery import HERE


@pytest.fixture(scope="module")
def built() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(notebook.build(REPOSITORY))
    return found


def test_the_notebook_is_built_from_todays_sources() -> None:
    """To mend this: make notebook."""
    assert (REPOSITORY / notebook.TARGET).read_text() == notebook.build(REPOSITORY)


def test_the_notebooks_cpu_cells_run(
    built: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """The starter is judged over the budget, the solution passes; no cell fails."""
    monkeypatch.chdir(tmp_path)
    setup = next(c for c in built["cells"] if c["metadata"].get("tags") == ["setup"])
    names: dict[str, Any] = {}
    exec("".join(setup["source"]).partition('run("git"')[0], names)
    for cell in built["cells"]:
        text = "".join(cell["source"])
        if cell["metadata"].get("tags") != ["cpu"]:
            continue
        if text.startswith("%%writefile "):
            head, _, body = text.partition("\n")
            Path(head.split()[1]).write_text(body + "\n")
        else:
            exec(text, names)
    printed = capsys.readouterr().out
    assert "tiled_matmul.cu: not passed" in printed
    assert "shared memory was never used" in printed
    assert "solution.cu: passed" in printed


def test_the_notebook_is_one(built: dict[str, Any]) -> None:
    assert (built["nbformat"], built["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in built["cells"]]
    assert len(set(ids)) == len(ids)


def test_the_step_of_the_workflow(tmp_path: Path) -> None:
    """`make grade`, as the workflow runs it; a file that does not pass fails the job."""
    ready = tmp_path / "ready"
    ready.touch()
    command = ["make", "-s", "-o", "setup", f"BIN={Path(sys.executable).parent}", "grade"]
    file = HERE / "extern-shared.cu"
    done = subprocess.run(
        command,
        cwd=REPOSITORY,
        env={**os.environ, "FILE": str(file)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f"{file}: not judged" in done.stdout


@pytest.mark.parametrize("name", ["kernel", "ladder", "budget", "pitfalls"])
def test_the_pages_tables_are_the_constants(name: str) -> None:
    html = TABLES[name]()
    wanted = {
        "kernel": ["size_t m, size_t n, size_t k", "16 x 16 threads"],
        "ladder": [
            s for g in (ladder.SMALL, ladder.LARGE, ladder.GPU_ONLY) for v in g.values() for s in v
        ],
        "budget": [str(contract.BUDGET), str(contract.TRAFFIC_N)],
        "pitfalls": list(contract.PITFALLS),
    }[name]
    assert all(text in html for text in wanted)
    page = (REPOSITORY / "docs/reference/harness.md").read_text()
    assert f'```harness table="{name}"\n```' in page
