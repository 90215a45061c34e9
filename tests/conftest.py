"""Fixtures: a small project with the real program in it, and a bench to capture on."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from playwright.sync_api import Browser, sync_playwright

from bench import FAKES, GIT, NVCC, OUTPUT, PROGRAM, REPOSITORY, STAND_IN, T4, Bench
from course.program import Program
from sites import chromium

# A busy machine is slow; that is no fault of what is tested.
hypothesis.settings.register_profile("course", deadline=None)
hypothesis.settings.load_profile("course")

# The gate judges the age of evidence; for these tests it is always this day, 2026-12-01.
os.environ["SOURCE_DATE_EPOCH"] = "1796083200"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project without history that holds the real program and no evidence."""
    root = tmp_path / "project"
    (root / "evidence").mkdir(parents=True)
    shutil.copytree(REPOSITORY / "code" / PROGRAM, root / "code" / PROGRAM)
    (root / "mkdocs.yml").write_text("site_name: test\n")
    return root


@pytest.fixture(scope="session")
def program() -> Program:
    """The real program."""
    return Program.load(REPOSITORY, PROGRAM)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A Tesla T4 and an nvcc for this process and its children, and a temp folder of their own."""
    folder, temp = tmp_path / "bench", tmp_path / "temp"
    folder.mkdir()
    temp.mkdir()
    for name, text in (("nvcc", NVCC), ("program", STAND_IN)):
        script = folder / name
        script.write_text(text.format(bench=folder))
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("FAKE_CARDS", T4)
    monkeypatch.setenv("TMPDIR", str(temp))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(FAKES))
    monkeypatch.syspath_prepend(FAKES)
    monkeypatch.delitem(sys.modules, "pynvml", raising=False)
    for key, value in GIT.items():
        monkeypatch.setenv(key, value)
    made = Bench(folder)
    made.prints(OUTPUT)
    yield made
    sys.modules.pop("pynvml", None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium: one for all tests, as a process can drive no second one beside it."""
    program = chromium()
    if program is None:
        pytest.fail("no chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()
