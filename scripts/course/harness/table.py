"""The table of a class: what stands in it of a submission, read and written as CSV."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from pathlib import Path

from course.errors import CourseError
from course.files import decode, read_bytes

Row = dict[str, str]
COLUMNS = (
    "file",
    "sha256",
    "verdict",
    "correct",
    "smallest_failing_case",
    "minimal_failing_case",
    "rule",
    "reads_per_thread",
    "pitfalls",
    "answer",
    "error",
    "device",
    "seed",
    "seconds",
)
LONGEST_CELL = 10_000  # characters
_FORMULA = ("=", "+", "-", "@")


def name_of(path: Path) -> str:
    """The name of a file as it stands in a table: no two files get the same one.

    What cannot be printed is escaped; what a spreadsheet takes for a formula gets an apostrophe.
    """
    text = os.fsencode(path.as_posix()).replace(b"\\", b"\\\\").decode(errors="backslashreplace")
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return f"'{shown}" if shown.startswith((*_FORMULA, "'")) else shown


def cell(value: str) -> str:
    """On one line, not endless, and no spreadsheet takes a learner's words for a formula."""
    flat = " ".join(value.split())
    if len(flat) > LONGEST_CELL:
        flat = f"{flat[:LONGEST_CELL]}…"
    return f"'{flat}" if flat.startswith(_FORMULA) else flat


def read_table(path: Path) -> list[Row]:
    """The rows of a table that an earlier run wrote; none where there is no file yet."""
    if not path.exists():
        return []
    try:
        if not path.is_file():
            raise ValueError("is no file")
        text = decode(read_bytes(path), path)
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError("is there, and is no table of submissions")
        return [row for row in reader if None not in row and None not in row.values()]
    except (ValueError, csv.Error) as error:
        why = f"is no table of submissions: {error}" if isinstance(error, csv.Error) else error
        raise _no_table(path, f"it {why}") from None
    except CourseError as error:
        raise _no_table(path, error.message) from None


def _no_table(path: Path, message: str) -> CourseError:
    return CourseError("not-a-table", message, path=path, fix="give --out another name")


def table(rows: Iterable[Row]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted(rows, key=lambda row: row["file"]))
    return text.getvalue().encode()
