"""The outer net: what nobody foresaw becomes one message about the file that was being read.

It holds only faults of the toolchain's own; what a user can break has a finding at its root.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType

from course.errors import CourseError, Finding

CODE = "own-fault"
TRACEBACK = "COURSE_TRACEBACK"  # set to 1, it has the traceback printed on stderr as well


def own_fault(error: Exception) -> CourseError:
    """`error` as a message that blames the toolchain, at the file that it was working on."""
    if os.environ.get(TRACEBACK) == "1":
        traceback.print_exception(error, file=sys.stderr)
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = f" at {Path(last[0].filename).name}:{last[0].lineno}" if last else ""
    said = " ".join(str(error).split())[:200]
    what = type(error).__name__ + (f": {said}" if said else "")
    return CourseError(
        CODE,
        f"a fault of the toolchain's own, not of yours ({what}{where}); nothing passes by it",
        path=_file_at_work(error.__traceback__),
        fix=f"report it to the authors of the toolchain, with this file and what "
        f"{TRACEBACK}=1 prints; to work on, undo the last change of the file",
    )


def _file_at_work(trace: TracebackType | None) -> Path | None:
    """The file of the page, log, source or program that the innermost function had in hand."""
    found = None
    for frame, _ in traceback.walk_tb(trace):
        for value in frame.f_locals.values():
            found = _file_of(value) or found
    return found


def _file_of(value: object) -> Path | None:
    with contextlib.suppress(Exception):  # whatever else a value does when it is looked at
        for path in (value, getattr(value, "path", None), getattr(value, "spec_path", None)):
            if isinstance(path, Path) and path.is_file():
                return path
    return None


def netted(findings: Callable[[], Iterable[Finding]], root: Path) -> Iterator[Finding]:
    """What `findings` gives; where it breaks off, a finding that says why it did."""
    try:
        yield from findings()
    except CourseError as error:
        yield Finding.of(error, root, root / "mkdocs.yml")
    except Exception as error:
        yield Finding.of(own_fault(error), root, root / "mkdocs.yml")


@contextlib.contextmanager
def collecting(faults: list[Finding], root: Path, default: Path) -> Iterator[None]:
    """What goes wrong in here becomes one of `faults`, at `default` where it names no file."""
    try:
        yield
    except CourseError as error:
        faults.append(Finding.of(error, root, default))
    except Exception as error:
        faults.append(Finding.of(own_fault(error), root, default))
