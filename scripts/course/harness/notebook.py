"""The notebook for Colab, built from the starter and the lesson's own sections of code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from course.files import project_root
from course.harness.contract import BUDGET, KERNEL, TRAFFIC_N
from course.program import Program
from course.writing import write_atomically

PROGRAM = "day16-tiled-matmul"
TARGET = Path("notebooks") / f"{PROGRAM}.ipynb"
FILE = "tiled_matmul.cu"
Cell = dict[str, Any]

OPENING = """\
# Day 16: a tiled matrix multiplication, graded

From nothing to a graded kernel. Choose a GPU runtime (a T4 will do) for the last part; everything
before it runs without one. *This notebook is built by `make notebook`; do not edit it by hand.*
"""
SETUP = """\
REPOSITORY = "https://github.com/OWNER/REPOSITORY"  # the course's address

import subprocess, sys

def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    print(done.stdout + done.stderr)
    return done.returncode

run("git", "clone", "--depth", "1", REPOSITORY, "course")
run(sys.executable, "-m", "pip", "install", "--quiet", "--editable", "course")
"""
NAIVE = """\
## The kernel you start from

Every thread reads everything itself:

```cuda
{naive}
```
"""
TASK = f"""\
## Your kernel

Change `{KERNEL}` in the next cell and run it; it only writes the file. Then let the harness judge.
It may read at most {BUDGET} floats a thread at N = {TRAFFIC_N}.
"""
GRADE = f"""\
run(sys.executable, "-m", "course", "grade", "{FILE}", "--device", "cpu")
"""
SOLUTION = """\
## The solution

Look at it when you have yours. The lesson's kernel replaces the body of the starter's:
"""
SOLVE = f"""\
solution = '''{{tiled}}'''

starter = open("{FILE}").read()
first = starter.index("__global__ void {KERNEL}")
last = starter.index("\\n}}}}\\n", first) + len("\\n}}}}\\n")
with open("solution.cu", "w") as file:
    file.write(starter[:first] + solution + starter[last:])
run(sys.executable, "-m", "course", "grade", "solution.cu", "--device", "cpu")
"""
GPU = f"""\
run("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
run(sys.executable, "-m", "course", "grade", "{FILE}", "--device", "gpu")
"""
OWN = f"""\
run("nvcc", "-std=c++17", "-O3", "-arch=native", "-o", "yours", "{FILE}")
run("./yours")
"""


def build(root: Path) -> str:
    """The notebook as JSON, the same for the same sources."""
    program = Program.load(root, PROGRAM)
    (source,), (starter,) = program.sources, program.extras
    sections = source.sections()
    cells = [
        _markdown(OPENING),
        _code(SETUP, "setup"),
        _markdown(NAIVE.format(naive=sections["naive"].text)),
        _markdown(TASK),
        _code(f"%%writefile {FILE}\n{starter.text}", "cpu"),
        _code(GRADE, "cpu"),
        _markdown(SOLUTION),
        _code(SOLVE.format(tiled=sections["tiled"].text), "cpu"),
        _markdown("## On the GPU\n\nA longer ladder, and times against the lesson's kernels.\n"),
        _code(GPU, "gpu"),
        _code(OWN, "gpu"),
    ]
    for number, cell in enumerate(cells, 1):
        cell["id"] = f"cell-{number}"
    notebook = {
        "cells": cells,
        "metadata": {
            "accelerator": "GPU",
            "colab": {"gpuType": "T4", "provenance": []},
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _markdown(text: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(text)}


def _code(text: str, tag: str) -> Cell:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {"tags": [tag]},
        "outputs": [],
        "source": _lines(text),
    }


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").splitlines(keepends=True)


def main() -> None:
    root = project_root(Path(__file__).parent)
    write_atomically(root / TARGET, build(root).encode())
    print(f"{TARGET} written")


if __name__ == "__main__":
    main()
