"""Evidence: stamped logs, one a capture. A YAML stamp, then the output of each run byte for byte.

---
schema: 1
kind: capture
...
seal: <sha256 of the whole log without this line>
---
=== run 1 of 5 ===
GPU: ...
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

import yaml

from course.errors import CourseError
from course.files import as_dict, decode, parse_yaml, read_bytes
from course.output import Output, OutputError, parse_output
from course.program import OutputSpec, Program
from course.stamp import INSTANT, Stamp
from course.writing import write_atomically

SCHEMA = 1


@dataclass(frozen=True)
class Log:
    """One log as it stands on disk. `outputs` are the bytes that each run printed."""

    path: Path
    stamp: Stamp
    outputs: tuple[bytes, ...]

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def imported(self) -> bool:
        return self.stamp.kind == "imported"

    @cached_property
    def published(self) -> str:
        """The published run's output."""
        return decode(self.outputs[(self.stamp.published_run or 1) - 1], self.path)

    @cached_property
    def published_line(self) -> int:
        """The line of the log on which the published run's output starts."""
        head = read_bytes(self.path).split(b"\n---\n", 1)[0].count(b"\n") + 2
        before = self.outputs[: (self.stamp.published_run or 1) - 1]
        return head + sum(output.count(b"\n") + 1 for output in before) + 2

    def parse(self, spec: OutputSpec) -> tuple[Output, ...]:
        """Every run's output, read. Raises CourseError `bad-output`."""
        parsed = []
        for number, data in enumerate(self.outputs, start=1):
            try:
                parsed.append(parse_output(decode(data, self.path), spec))
            except OutputError as error:
                raise CourseError(
                    "bad-output", f"run {number}: {error}", path=self.path, fix=_RECAPTURE
                ) from error
        return tuple(parsed)


_RECAPTURE = (
    "git checkout -- the log if it was edited; otherwise course capture PROGRAM on the card"
)


def _separator(number: int, count: int) -> bytes:
    return f"=== run {number} of {count} ===\n".encode()


def write_log(folder: Path, stamp: Stamp, outputs: Sequence[bytes]) -> Path:
    """Seal and write a new log, whole or not at all; a name that is taken is never overwritten.

    The name is <UTC time>_<gpu>_cuda<version>.log. Raises CourseError when it cannot be written.
    """
    data = render_log(stamp, outputs)
    gpu = re.sub(r"[^a-z0-9]+", "-", stamp.gpu.name.lower()).strip("-")
    toolkit = ".".join(stamp.cuda.toolkit.split(".")[:2]) if stamp.cuda else "-unknown"
    time = datetime.strptime(stamp.time, INSTANT).strftime("%Y%m%dT%H%M%SZ")
    for attempt in range(1, 100):
        suffix = "" if attempt == 1 else f"-{attempt}"
        path = folder / f"{time}_{gpu}_cuda{toolkit}{suffix}.log"
        try:
            write_atomically(path, data, replace=False)
        except FileExistsError:
            continue
        return path
    raise CourseError("unwritable", "99 logs of this second exist already", path=folder)


def render_log(stamp: Stamp, outputs: Sequence[bytes]) -> bytes:
    """The bytes of a log: stamp, seal, and every output after a line that counts the runs."""
    plain = as_dict(stamp.model_copy(update={"seal": None}))
    plain = {"schema": plain.pop("schema_"), **plain}
    head = yaml.safe_dump(plain, sort_keys=False, width=4096).encode()
    body = b"".join(
        _separator(number, len(outputs)) + output for number, output in enumerate(outputs, start=1)
    )
    seal = hashlib.sha256(b"---\n" + head + b"---\n" + body).hexdigest()
    return b"---\n" + head + f"seal: {seal}\n---\n".encode() + body


def read_log(path: Path) -> Log:
    """Read a log and prove that no byte of it changed since it was sealed. Raises CourseError."""
    data = read_bytes(path)
    if data.startswith(b"---\r\n"):
        raise CourseError(
            "log-edited",
            "the line ends were changed to CRLF; the log is kept byte for byte",
            path=path,
            fix=f"git checkout -- {path.name} with .gitattributes in place",
        )
    if not data.startswith(b"---\n") or b"\n---\n" not in data:
        raise CourseError(
            "log-truncated", "no stamp between two `---` lines", path=path, fix=_RECAPTURE
        )
    head, body = data[4:].split(b"\n---\n", 1)
    text = decode(head + b"\n", path)
    _refuse_other_schema(text, path)
    stamp = parse_yaml(text, Stamp, path, first_line=2)
    outputs = _split(body, stamp, path)
    _prove_seal(head, body, stamp, outputs, path)
    return Log(path, stamp, outputs)


def _refuse_other_schema(text: str, path: Path) -> None:
    match = re.search(r"^schema: *(.*)$", text, re.MULTILINE)
    if match is not None and match[1].strip() != str(SCHEMA):
        raise CourseError(
            "log-schema",
            f"schema {match[1].strip()}; this toolchain reads schema {SCHEMA}",
            path=path,
            line=text.count("\n", 0, match.start()) + 2,
            fix="use the version of the toolchain that wrote the log, or capture again",
        )


def _split(body: bytes, stamp: Stamp, path: Path) -> tuple[bytes, ...]:
    outputs, at = [], 0
    for number, run in enumerate(stamp.runs, start=1):
        separator = _separator(number, len(stamp.runs))
        start = at + len(separator)
        output = body[start : start + run.bytes]
        if body[at:start] != separator or len(output) < run.bytes:
            found = len(body) - at
            raise CourseError(
                "log-truncated",
                f"run {number} should have {run.bytes} bytes after its separator; {found} are left",
                path=path,
                fix=_RECAPTURE,
            )
        outputs.append(output)
        at = start + run.bytes
    if at != len(body):
        raise CourseError(
            "log-edited", f"{len(body) - at} bytes after the last run", path=path, fix=_RECAPTURE
        )
    return tuple(outputs)


def _prove_seal(
    head: bytes, body: bytes, stamp: Stamp, outputs: tuple[bytes, ...], path: Path
) -> None:
    for number, (run, output) in enumerate(zip(stamp.runs, outputs, strict=True), start=1):
        found = hashlib.sha256(output).hexdigest()
        if found != run.sha256:
            message = (
                f"the output of run {number} was edited: "
                f"its sha256 is {found[:12]}…, stamped is {run.sha256[:12]}…"
            )
            raise CourseError("log-edited", message, path=path, fix=_RECAPTURE)
    unsealed = re.sub(rb"(^|\n)seal: [0-9a-f]{64}$", b"", head)
    found = hashlib.sha256(b"---\n" + unsealed + b"\n---\n" + body).hexdigest()
    if stamp.seal != found:
        sealed = f"{stamp.seal[:12]}…" if stamp.seal else "nothing"
        message = f"the stamp was edited: the log hashes to {found[:12]}…, sealed as {sealed}"
        raise CourseError("log-edited", message, path=path, fix=_RECAPTURE)


def evidence_folders(root: Path) -> list[str]:
    """The folders under evidence/, each named as its program; none where there is no evidence."""
    folder = root / "evidence"
    return (
        sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    )


def log_paths(root: Path, program: str) -> list[Path]:
    """The published logs of a program, oldest first (rejected ones are in a folder below)."""
    return sorted((root / "evidence" / program).glob("*.log"))


def is_newer(one: Log, other: Log) -> bool:
    """Whether `one` is to be published before `other`: captures before imported, then by time."""
    return (not one.imported, one.stamp.time, one.name) > (
        not other.imported,
        other.stamp.time,
        other.name,
    )


def stale_reasons(log: Log, program: Program) -> list[str]:
    """What changed in the program since the capture; empty when the evidence is fresh."""
    names = program.named_sources()
    stamped = {source.path: source for source in log.stamp.sources}
    reasons = [f"{name} was added" for name in names if name not in stamped]
    reasons += [f"{name} was removed" for name in stamped if name not in names]
    reasons += [
        f"{name} changed"
        for name, source in names.items()
        if name in stamped
        and source.sha256 != stamped[name].sha256
        and source.tokens_sha256 != stamped[name].tokens_sha256
    ]
    if log.stamp.build and not _same_build(log.stamp.build, program):
        reasons.append(f"the build command was `{log.stamp.build}`")
    if log.stamp.run and log.stamp.run != program.spec.run:
        reasons.append(f"the run command was `{log.stamp.run}`")
    return reasons


def _same_build(build: str, program: Program) -> bool:
    pattern = re.escape(program.spec.build).replace(re.escape("{arch}"), r"[\w,=-]+")
    return re.fullmatch(pattern, build) is not None
