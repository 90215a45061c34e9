"""Many submissions: each judged in a process of its own, one row of a table each."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course import process
from course.errors import CourseError
from course.harness.table import Row, cell, name_of, read_table, table
from course.writing import write_atomically

LONGEST = 300.0  # seconds for one submission
LARGEST = 2**20  # bytes of a source that are sent to a worker; more is refused unread
LOST = ("its worker", "its judge")  # how the error begins where nothing was judged
LARGEST_REPORT = 16 * 2**20  # bytes of what a judge says


@dataclass(frozen=True)
class Work:
    """One submission as a worker gets it, on this machine or another: its bytes, not its path.

    `name` is harmless: what stands in the table, and tells files apart.
    """

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
    """Judge every `.cu` file under `folder` that `out` has no row for; returns verdicts counted.

    Raises CourseError, and Interrupted after Ctrl-C, SIGTERM or SIGHUP; the rows so far stand.
    """
    chosen = secrets.randbelow(1_000_000) * 1000 if seed is None else seed
    work = [
        Work(name_of(path.relative_to(folder)), _bytes(path), device, chosen)
        for path in _submissions(folder)
    ]
    wanted = {(item.name, item.sha256) for item in work}
    known = {(row["file"], row["sha256"]): row for row in read_table(out)}
    rows = {
        key: row
        for key, row in known.items()
        if key in wanted and not row["error"].startswith(LOST)
    }
    todo = [item for item in work if (item.name, item.sha256) not in rows]
    write_atomically(out, table(rows.values()))  # who cannot write it learns it now
    progress(f"{len(work)} submissions, {len(rows)} of them judged before")
    with process.cuts():
        try:
            with closing(_judged(todo, jobs, scheduler)) as judged:
                for number, row in enumerate(judged, 1):
                    rows[row["file"], row["sha256"]] = row
                    write_atomically(out, table(rows.values()))
                    progress(f"{number} of {len(todo)}: {row['file']}: {row['verdict']}")
        except process.Cut as cut:
            message = f"cut short by {cut}; {out} has {len(rows)} of {len(work)} submissions"
            again = "run the same command again: it judges the rest"
            raise process.Interrupted(cut, message, fix=again) from None
    return dict(sorted(Counter(row["verdict"] for row in rows.values()).items()))


def _submissions(folder: Path) -> list[Path]:
    """Every `.cu` file under the folder; one that may not be read is an error, not left out."""
    if not folder.is_dir():
        raise CourseError("no-folder", "there is no such folder", path=folder)

    def refuse(error: OSError) -> None:
        place = Path(os.fsdecode(error.filename))
        raise CourseError("unreadable", f"cannot read: {error.strerror}", path=place) from error

    walk = os.walk(folder, onerror=refuse)
    files = (Path(place, name) for place, _, names in walk for name in names)
    return sorted(
        path for path in files if path.suffix == ".cu" and path.is_file() and not path.is_symlink()
    )


def _judged(todo: list[Work], jobs: int, scheduler: str | None) -> Generator[Row, None, None]:
    """Rows as they arrive. Who closes this ends the judges that run, and no other starts."""
    if scheduler is not None:
        yield from _on_cluster(todo, scheduler)
        return
    ended = threading.Event()
    pool = ThreadPoolExecutor(jobs)
    try:
        for done in as_completed([pool.submit(judge, item, ended) for item in todo]):
            yield done.result()
    finally:
        ended.set()
        pool.shutdown(cancel_futures=True)


def _on_cluster(todo: list[Work], address: str) -> Iterator[Row]:
    try:
        import distributed
    except ImportError:
        raise CourseError(
            "no-dask", "Dask is not installed", fix="pip install 'course[dask]'"
        ) from None
    dask: Any = distributed  # it carries types, and not for all of its own
    try:
        client = dask.Client(address)
    except (ValueError, OSError) as error:
        raise CourseError(
            "no-scheduler",
            f"no Dask scheduler answers at {address!r}: {error}",
            fix="give the address that `dask scheduler` prints: --scheduler tcp://HOST:8786",
        ) from None
    with client:
        futures = {client.submit(judge, item, pure=False): item for item in todo}
        for future in dask.as_completed(futures):
            if future.status == "finished":
                yield future.result()
            else:
                yield _row(futures[future], {}, 0.0, error=f"its worker was lost: {future.status}")


def judge(work: Work, ended: threading.Event | None = None) -> Row:
    """The unit of work: one submission in a process of its own, until `ended` is set.

    Never raises for what the submission does.
    """
    if len(work.source) > LARGEST:
        return _row(work, {}, 0.0, error=f"the file has more than {LARGEST:,} bytes")
    with tempfile.TemporaryDirectory(prefix="course-grade-") as folder:
        file, said = Path(folder, "submission.cu"), Path(folder, "report.json")
        file.write_bytes(work.source)
        command = [sys.executable, "-P", "-m", "course", "grade", str(file), "--json"]
        finished = process.run(
            [*command, "--device", work.device, "--seed", str(work.seed)],
            folder=Path.cwd(),
            environment=os.environ,
            stdout=said,
            stderr=Path(folder, "stderr"),
            longest=LONGEST,
            largest=LARGEST_REPORT,
            ended=ended,
        )
        name = json.dumps(work.name)[1:-1]
        text = said.read_text(errors="replace").replace(str(file), name)
    seconds = finished.seconds or 0.0
    try:
        report = json.loads(text)
    except ValueError:
        why = finished.ended_for or f"ended with {finished.status}"
        return _row(work, {}, seconds, error=f"its judge {why}")
    return _row(work, report, seconds)


def _row(work: Work, report: dict[str, Any], seconds: float, error: str = "") -> Row:
    def size(key: str) -> str:
        return "x".join(map(str, report.get(key) or []))

    pitfalls = [entry["pitfall"] or "other" for entry in report.get("diagnosis", ())]
    values = {
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
    return {"file": work.name} | {key: cell(value) for key, value in values.items()}


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _bytes(path: Path) -> bytes:
    """The file, or as much of it as shows that it is too large."""
    try:
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise CourseError("unreadable", f"cannot read: {error.strerror}", path=path) from error
