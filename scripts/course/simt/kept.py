"""The folder where built files and results are kept for the next time."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from course.errors import CourseError
from course.writing import write_atomically


def cache_folder() -> Path:
    """Where built files are kept: `COURSE_CACHE`, or `course` in the user's cache folder."""
    base = os.environ.get("COURSE_CACHE")
    if base:
        return Path(base)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "course"


@contextlib.contextmanager
def workshop(folder: Path) -> Iterator[Path]:
    """A fresh folder inside `folder`, for what is moved there when it is made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        made = tempfile.TemporaryDirectory(dir=folder)
    except OSError as error:
        raise _unwritable(folder, f"cannot write: {error.strerror}") from error
    with made as place:
        yield Path(place)


def keep(path: Path, data: bytes) -> None:
    """Keep `data` at `path`, whole or not at all."""
    try:
        write_atomically(path, data)
    except CourseError as error:
        raise _unwritable(error.path or path, error.message) from error


def _unwritable(path: Path, message: str) -> CourseError:
    fix = "set COURSE_CACHE to a folder that can be written"
    return CourseError("unwritable", message, path=path, fix=fix)
