"""Many submissions: each judged in a process of its own, one row of a table each."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.errors import CourseError
from course.files import write_atomically

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
LONGEST = 300.0  # seconds for one submission
LARGEST = 2**20  # bytes of a source that are sent to a worker; more is refused unread


@dataclass(frozen=True)
class Work:
    """One submission as a worker gets it, on this machine or another: its bytes, not its path."""

    name: str
    source: bytes
    device: str
    seed: int

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.source).hexdigest()


def grade_folder(
    folder: Path,
    out: Path,
    *,
    jobs: int = 1,
    device: str = "auto",
    seed: int | None = None,
    scheduler: str | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, int]:
    """Judge every `.cu` file under `folder` that `out` has no row for; returns verdicts counted."""
    if not folder.is_dir():
        raise CourseError("no-folder", "there is no such folder", path=folder)
    chosen = secrets.randbelow(1_000_000) * 1000 if seed is None else seed
    work = [
        Work(path.relative_to(folder).as_posix(), _bytes(path), device, chosen)
        for path in sorted(folder.rglob("*.cu"))
        if path.is_file() and not path.is_symlink()
    ]
    rows = _known(out, work)
    todo = [item for item in work if (item.name, item.sha256) not in rows]
    progress(f"{len(work)} submissions, {len(work) - len(todo)} of them judged before")
    for number, row in enumerate(_judged(todo, jobs, scheduler), 1):
        rows[row["file"], row["sha256"]] = row
        write_atomically(out, _table(rows.values()))
        progress(f"{number} of {len(todo)}: {row['file']}: {row['verdict']}")
    if not todo:
        write_atomically(out, _table(rows.values()))
    return dict(sorted(Counter(row["verdict"] for row in rows.values()).items()))


def _judged(todo: list[Work], jobs: int, scheduler: str | None) -> Iterator[Row]:
    if scheduler is not None:
        yield from _on_cluster(todo, scheduler)
        return
    with ThreadPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(judge, item) for item in todo]):
            yield done.result()


def _on_cluster(todo: list[Work], address: str) -> Iterator[Row]:
    try:
        import distributed
    except ImportError:
        raise CourseError(
            "no-dask", "Dask is not installed", fix="pip install 'course[dask]'"
        ) from None
    dask: Any = distributed  # it carries types, and not for all of its own
    with dask.Client(address) as client:
        futures = {client.submit(judge, item, pure=False): item for item in todo}
        for future in dask.as_completed(futures):
            if future.status == "finished":
                yield future.result()
            else:
                yield _row(futures[future], {}, 0.0, error=f"its worker was lost: {future.status}")


def judge(work: Work) -> Row:
    """The unit of work: one submission in a process of its own. Never raises for what it does."""
    if len(work.source) > LARGEST:
        return _row(work, {}, 0.0, error=f"the file has more than {LARGEST:,} bytes")
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="course-grade-") as folder:
        file = Path(folder) / "submission.cu"
        file.write_bytes(work.source)
        command = [sys.executable, "-m", "course", "grade", str(file), "--json"]
        command += ["--device", work.device, "--seed", str(work.seed)]
        with (Path(folder) / "report.json").open("w+b") as answer:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=answer,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                process.wait(LONGEST)
            except subprocess.TimeoutExpired:
                pass
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            answer.seek(0)
            text = answer.read().decode(errors="replace").replace(str(file), work.name)
    seconds = time.monotonic() - started
    try:
        report = json.loads(text)
    except ValueError:
        why = "took too long" if seconds >= LONGEST else f"ended with {process.returncode}"
        return _row(work, {}, seconds, error=f"its judge {why}")
    return _row(work, report, seconds)


def _row(work: Work, report: dict[str, Any], seconds: float, error: str = "") -> Row:
    def size(key: str) -> str:
        return "x".join(map(str, report.get(key) or []))

    pitfalls = [entry["pitfall"] or "other" for entry in report.get("diagnosis", ())]
    values = {
        "file": work.name,
        "sha256": work.sha256,
        "verdict": report.get("verdict", "error"),
        "correct": str(report.get("correct", False)).lower(),
        "smallest_failing_case": size("smallest_failing_case"),
        "minimal_failing_case": size("minimal_failing_case"),
        "rule": report.get("rule") or "",
        "reads_per_thread": _text(report.get("traffic", {}).get("reads_per_thread")),
        "pitfalls": " ".join(dict.fromkeys(pitfalls)),
        "answer": report.get("answer") or "",
        "error": error or report.get("error") or "",
        "device": report.get("device", ""),
        "seed": str(work.seed),
        "seconds": f"{seconds:.1f}",
    }
    return {key: _harmless(value) for key, value in values.items()}


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _harmless(value: str) -> str:
    """No spreadsheet takes a learner's words for a formula."""
    flat = " ".join(value.split())
    return f"'{flat}" if flat.startswith(("=", "+", "-", "@")) else flat


def _bytes(path: Path) -> bytes:
    """The file, or as much of it as shows that it is too large."""
    try:
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise CourseError("unreadable", f"cannot read: {error.strerror}", path=path) from error


def _known(out: Path, work: Iterable[Work]) -> dict[tuple[str, str], Row]:
    """The rows of an earlier run that still speak of today's files."""
    if not out.exists():
        return {}
    with out.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise CourseError(
                "not-a-table",
                "the file is there, and is no table of submissions",
                path=out,
                fix="give --out another name",
            )
        rows = {(row["file"], row["sha256"]): row for row in reader if None not in row.values()}
    wanted = {(item.name, item.sha256) for item in work}
    return {key: row for key, row in rows.items() if key in wanted}


def _table(rows: Iterable[Row]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted(rows, key=lambda row: row["file"]))
    return text.getvalue().encode()
