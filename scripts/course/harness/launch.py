"""The file's own main: does its launch of the kernel cover C?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from course.errors import CourseError
from course.harness.contract import KERNEL, TILE
from course.harness.report import Diagnosis
from course.harness.submission import Submission
from course.simt import Launch, launches

SECONDS = 5
NUMBER = re.compile(r"[0-9]+")


def judge_main(submission: Submission, path: Path) -> tuple[list[Diagnosis], str]:
    """What is wrong with main's launches of the kernel, and a note if they could not be read."""
    try:
        seen = _launches(path)
    except CourseError as error:
        return [], "" if error.code == "no-main" else f"its main was not read: {error.message}"
    known = {kernel.name for kernel in submission.source.kernels()} - {KERNEL}
    own = [launch for launch in seen if launch.kernel not in known]
    note = "" if own else f"its main launches no {KERNEL} that could be read"
    return list(_short(submission, own)), note


def _launches(path: Path) -> tuple[Launch, ...]:
    """First without carrying launches out; only if that shows none, carrying them out.

    A launch through a pointer counts: its line launches the kernel sooner or later.
    """
    noted = launches(path, execute=False, seconds=SECONDS).launches
    return noted or launches(path, execute=True, seconds=SECONDS).launches


def _short(submission: Submission, own: list[Launch]) -> Iterator[Diagnosis]:
    for launch in own:
        sizes = [int(text) for text in launch.arguments[3:] if NUMBER.fullmatch(text)]
        if len(sizes) != 3:
            continue
        m, n, _ = sizes
        columns, rows = (launch.grid[axis] * launch.block[axis] for axis in (0, 1))
        if columns >= n and rows >= m:
            continue
        down = (columns, rows) == (n - n % TILE, m - m % TILE)
        yield Diagnosis(
            "grid-rounded-down" if down else None,
            str(submission.source.path),
            _grid_line(submission, launch.line),
            f"this launch covers {columns} columns and {rows} rows of C, which has {n} and {m}: "
            f"its grid is {launch.grid[0]} by {launch.grid[1]} blocks",
            "round up on both axes: (size + kTileDim - 1) / kTileDim",
        )
        return


def _grid_line(submission: Submission, line: int) -> int:
    """The line that declares the grid, where the launch names one."""
    lines = submission.source.text.decode().split("\n")
    name = re.search(r"<<<\s*([A-Za-z_]\w*)\s*,", " ".join(lines[line - 1 : line + 1]))
    if name is not None:
        declared = re.compile(rf"\bdim3\s+(?:\w+\([^;]*\),\s*)?{name[1]}\b")
        for number in range(line, 0, -1):
            if declared.search(lines[number - 1]):
                return number
    return line
