"""What nobody foresaw is one message about the file at work, never a traceback and never a pass."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from mkdocs.exceptions import PluginError

from course.check import gate
from course.errors import Finding
from course.page import Page
from course.project import Project
from course.site import hook
from gate.copied import LESSON, Copy

BROKEN = """
import importlib
module = importlib.import_module("course.{module}")
def broken(*given, **named):
    path = __import__("pathlib").Path("here.txt")
    raise AssertionError("a line\\nand another")
module.{name} = broken
from course.cli import main
import sys
sys.argv = ["course", *{arguments!r}]
main()
"""
VERBS = [
    ("check.gate", "check_history", ["check", "--no-cpu-check"], 1),
    ("project", "read_log", ["check", "--no-cpu-check"], 1),
    ("publish", "published_text", ["publish"], 2),
    ("capture", "capture", ["capture", "p"], 2),
    ("imported", "import_log", ["import", "p", "f", "--gpu", "G", "--told-by", "me"], 2),
    ("reverify.history", "history", ["history"], 2),
    ("harness", "grade", ["grade", "f.cu"], 2),
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "code" / "p").mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").touch()
    (tmp_path / "here.txt").touch()
    return tmp_path


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy.make(tmp_path)


def _ask(folder: Path, program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("module", "name", "arguments", "status"), VERBS)
def test_any_verb(copy: Copy, module: str, name: str, arguments: list[str], status: int) -> None:
    """A fault anywhere under a verb ends it with one message and no success."""
    copy.path("here.txt").touch()
    program = BROKEN.format(module=module, name=name, arguments=arguments)
    if module == "check.gate":  # the list holds the function itself
        program = program.replace("module.check_history = broken", "module.CHECKS = (broken,)")
    done = _ask(copy.root, program)
    said = done.stdout + done.stderr
    assert done.returncode == status, said
    assert "here.txt:1: a fault of the toolchain's own, not of yours" in said
    assert "(AssertionError: a line and another at <string>:6)" in said
    assert "[own-fault]" in said
    assert "Traceback" not in said


def test_the_traceback_for_who_asks_for_it(project: Path) -> None:
    program = BROKEN.format(module="publish", name="pages_to_publish", arguments=["publish"])
    done = _ask(project, program, COURSE_TRACEBACK="1")
    assert done.returncode == 2
    assert "Traceback" in done.stderr


def test_a_check_that_breaks_off_hides_no_other(
    copy: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its finding names the page in hand, and what others find stands beside it."""

    def breaks(project: Project) -> Iterator[Finding]:
        page: Page = project.pages["day16-tiled-matmul.md"]
        raise KeyError(page.path.name)
        yield

    copy.replace(LESSON, "is 1.29x faster", "is 1.39x faster")
    assert [f.code for f in gate.check(copy.root, cpu_check=False).findings] == ["block-differs"]
    monkeypatch.setattr(gate, "CHECKS", (breaks, *gate.CHECKS))
    found = gate.check(copy.root, cpu_check=False)
    assert not found.ok
    assert sorted((f.path, f.code) for f in found.findings) == [
        (LESSON, "block-differs"),
        (LESSON, "own-fault"),
    ]


def test_the_hook_of_mkdocs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A build ends with MkDocs' own way of refusing."""
    monkeypatch.setattr(hook, "_build", object())
    with pytest.raises(PluginError, match="a fault of the toolchain's own"):
        hook.on_page_content("", *[None] * 3)  # type: ignore[arg-type]
