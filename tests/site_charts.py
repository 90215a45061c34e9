"""Plots to draw: of the real lesson, and of a program of another shape made up for tests."""

from __future__ import annotations

import hashlib
from pathlib import Path

from course.charts import Chart, Plot
from course.evidence import SCHEMA, write_log
from course.hardware import read_hardware
from course.page import Page
from course.plot import plot
from course.project import Project
from course.stamp import Stamp
from sites import REPOSITORY

# Keys of numbers, no comparison lines, and a column that spans more than two powers of ten.
SWEEP = """\
title: A sweep
sources: [sweep.cu]
build: nvcc -arch={arch} -o sweep sweep.cu
arch: sm_75
run: ./sweep
cases: {cube: 64x64x64, large: 256x256x256}
formulas:
  loads: {of: [k, tile], expr: "2 * ceil_div(k, tile)", means: floats one thread reads}
output:
  columns:
    - {name: case, role: key, label: case}
    - {name: tile, role: key, label: tile}
    - {name: time_ms, role: measured, label: time (ms), unit: ms, better: lower}
    - {name: gflops, role: measured, label: GFLOP/s, unit: GFLOP/s, better: higher}
    - {name: traffic, role: measured, label: DRAM (MB), unit: MB, better: lower}
    - {name: loads, role: arithmetic, label: loads/thread, formula: "loads(k, tile)"}
  verdict: all (?P<cases>\\d+) cases match
  published_by: time_ms
  intensity: tile / 4
"""
RUN = """\
case tile time (ms) GFLOP/s DRAM (MB) loads/thread
64x64x64 1 {first} 100.0 1.0 128
64x64x64 8 0.500 200.0 8.0 16
256x256x256 1 4.000 150.0 300.0 512
256x256x256 8 2.000 300.0 900.0 64

all 2 cases match
"""
PAGE = """\
---
program: sweep
---
```evidence name="t4" program="sweep" gpu="Tesla T4" kind="imported"
```
"""


def lesson(kind: str, block: str = "h200", **options: str) -> Plot:
    """A plot of the lesson as the repository has it."""
    project = Project.load(REPOSITORY)
    return _plot(project, project.pages["day16-tiled-matmul.md"], kind, block, **options)


def sweep(folder: Path, kind: str, **options: str) -> Plot:
    """A plot of the made-up program: two runs on a Tesla T4, told by nobody."""
    program = folder / "code/sweep"
    program.mkdir(parents=True)
    (folder / "docs").mkdir()
    (program / "sweep.cu").write_text("int main() {}\n")
    (program / "program.yml").write_text(SWEEP)
    (folder / "docs/sweep.md").write_text(PAGE)
    runs = [RUN.format(first=first).encode() for first in ("1.000", "1.500")]
    stamp = {
        "schema": SCHEMA,
        "kind": "imported",
        "program": "sweep",
        "time": "2026-11-30T00:00:00Z",
        "told_by": "a test",
        "gpu": {"name": "Tesla T4"},
        "published_run": 1,
        "runs": [{"bytes": len(r), "sha256": hashlib.sha256(r).hexdigest()} for r in runs],
    }
    write_log(folder / "evidence/sweep", Stamp.model_validate(stamp), runs)
    project = Project.load(folder)
    assert project.faults == ()
    return _plot(project, project.pages["sweep.md"], kind, "t4", **options)


def _plot(project: Project, page: Page, kind: str, block: str, **options: str) -> Plot:
    shown = next(b for b in page.evidence_blocks if b.name == block)
    made = plot(project, page, Chart(1, kind, shown, **options), read_hardware(REPOSITORY))
    assert made is not None
    return made
