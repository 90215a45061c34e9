"""Import: bring in an output from elsewhere, labelled imported, with only what is known of it."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from pathlib import Path

import pydantic

from course.accept import accept
from course.errors import CourseError
from course.evidence import SCHEMA, log_paths, read_log, write_log
from course.files import first_fault, read_bytes
from course.program import Program
from course.stamp import Stamp
from course.writing import alone_in, sweep


def import_log(
    root: Path,
    program_name: str,
    output_file: Path,
    *,
    gpu: str,
    told_by: str,
    compute_capability: str | None = None,
    driver: str | None = None,
    cuda: str | None = None,
    time: datetime | None = None,
) -> Path:
    """Write the bytes of `output_file` as an imported record and return the new log's path.

    The output must read and agree with its formulas, as a capture's must, and name the same card.
    `time` is that of the import (now); when the output was made is not known. Raises CourseError.
    """
    program = Program.load(root, program_name)
    if not told_by.strip():
        raise CourseError("bad-option", "nobody told this output", fix="say who, with --told-by")
    data = read_bytes(output_file)
    output = accept(data, program, "the output")
    for name, told in (("gpu", gpu), ("compute_capability", compute_capability)):
        printed = output.facts[name][0] if name in output.facts else told
        if told is not None and printed != told:
            message = f"the output says {printed!r}, the import {told!r} ({name})"
            raise CourseError("wrong-gpu", message, fix="import it as the card it names")
    digest = hashlib.sha256(data).hexdigest()
    known = {
        "schema": SCHEMA,
        "kind": "imported",
        "program": program_name,
        "time": (time or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "told_by": re.sub(r"\s+", " ", told_by).strip(),
        "gpu": {"name": gpu, "compute_capability": compute_capability, "driver": driver},
        "cuda": {"toolkit": cuda} if cuda else None,
        "verdict": output.verdict,
        "published_run": 1,
        "runs": [{"bytes": len(data), "sha256": digest}],
    }
    try:
        stamp = Stamp.model_validate(known)
    except pydantic.ValidationError as error:
        fix = "mend the option that gave it"
        raise CourseError("bad-option", first_fault(error), fix=fix) from error
    folder = root / "evidence" / program_name
    with alone_in(root):  # or two at once would both see that it is not there yet
        sweep(folder)
        _refuse_second(root, program_name, digest)
        return write_log(folder, stamp, [data])


def _refuse_second(root: Path, program_name: str, digest: str) -> None:
    for path in log_paths(root, program_name):
        log = read_log(path)
        if any(run.sha256 == digest for run in log.stamp.runs):
            raise CourseError(
                "imported-already",
                f"this very output is there already, as {log.stamp.kind} evidence",
                path=path,
                fix="nothing to do; evidence is never imported twice",
            )
