"""Capture: build a program, run it several times on a card, and seal what it printed.

A log is written only when every run passed every check. A capture that fails or is cut short
leaves what had run under evidence/<program>/rejected/, never among the evidence.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import signal
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from course import gpu, machine, process
from course.accept import accept, accept_alike
from course.errors import CourseError
from course.evidence import SCHEMA, write_log
from course.output import Output, OutputError, choose_published, spread
from course.process import Cut, Interrupted
from course.program import Program, built_as
from course.progress import Progress
from course.stamp import Git, Gpu, Run, Stamp
from course.writing import sweep, workshop

LARGEST_OUTPUT = 2**20  # bytes of one run
LONGEST_RUN = 600.0  # seconds of one run, or of the build
LAST_LINES = 12  # of what a compiler or a failed program said, in an error message


def capture(
    root: Path,
    program_name: str,
    *,
    repeat: int = 5,
    arch: str | None = None,
    commit: str | None = None,
    console: Console,
    longest: float = LONGEST_RUN,
) -> Path:
    """Measure a program on this machine's card and return the path of the new log.

    `repeat` processes run one after the other, each at most `longest` seconds; `arch` replaces
    program.yml's; `commit` is for a machine without the history. Raises CourseError, and
    Interrupted (with its exit status) after Ctrl-C, SIGTERM or SIGHUP.
    """
    program = Program.load(root, program_name)
    if not 1 <= repeat <= 99:
        raise CourseError("bad-option", f"repeat is {repeat}", fix="repeat 1 to 99 times")
    if arch is not None and not re.fullmatch(r"[\w,=-]+", arch):
        raise CourseError("bad-option", f"not an architecture: {arch!r}", fix="such as sm_75")
    sweep(root / "evidence" / program.name)
    session = _Session(root, program, repeat, arch, longest, machine.git(root, program, commit))
    with process.cuts() as ignore_cuts:
        try:
            with Progress(console) as progress:
                session.measure(progress)
            ignore_cuts()  # the last run is in: from here on the log is written, whole
            path = session.publish()
        except Cut as cut:
            message = f"cut short by {cut} after {session.done} of {repeat} runs"
            again = f"course capture {program.name}"
            raise session.rejected(Interrupted(cut, message, fix=again)) from None
        except CourseError as error:
            ignore_cuts()
            raise session.rejected(error) from error.__cause__
        except OSError as error:
            ignore_cuts()
            message = f"cannot work in {tempfile.gettempdir()}: {error.strerror}"
            failure = CourseError("unwritable", message, fix="make room, or set TMPDIR")
            raise session.rejected(failure) from error
    for line in session.summary(path):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return path


class _Session:
    """One capture under way: `known` is the stamp as far as it is known."""

    def __init__(
        self,
        root: Path,
        program: Program,
        repeat: int,
        arch: str | None,
        longest: float,
        git: Git | None,
    ) -> None:
        self.root, self.program, self.repeat, self.longest = root, program, repeat, longest
        self.evidence = root / "evidence" / program.name
        self.build_command = program.build_command(arch)
        self.ran: list[tuple[Run, bytes]] = []  # each process and what it printed
        self.parsed: list[Output] = []
        self.known: dict[str, Any] = {
            "schema": SCHEMA,
            "kind": "capture",
            "program": program.name,
            "time": _now(),
            "build": self.build_command,
            "run": program.spec.run,
            "git": git,
        }

    @property
    def done(self) -> int:
        return len(self.parsed)

    def measure(self, progress: Progress) -> None:
        """Everything up to the last run. Raises CourseError and Cut; `known` says how far."""
        card = gpu.probe()
        self.known.update(gpu=card.facts, host=machine.host())
        self.environment = {**machine.clean_environment(), **card.environment}
        with workshop("capture") as self.work, gpu.alone_on(card, progress.note):
            progress.step(f"building with `{self.build_command}`")
            self.build(card)
            self.known.update(time=_now(), before=card.state())
            for number in range(1, self.repeat + 1):
                progress.step(f"run {number} of {self.repeat} on {card.facts.name}")
                self.run_once(number)
                self.known.update(after=card.state())
                self.check(number)

    def build(self, card: gpu.Card) -> None:
        """Copy the sources, hash what was copied, and build there."""
        for name, source in self.program.named_sources().items():
            target = self.work / built_as(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.data)
        command = shlex.split(self.build_command)
        cuda = machine.cuda(command[0], self.work, self.environment, card.driver_supports)
        self.known.update(cuda=cuda, sources=_hashes(self.program))
        finished, said = self.start(command, self.work / ".build")
        if finished.ended_for or finished.status != 0:
            how = finished.ended_for or f"exited with {finished.status}"
            message = f"`{self.build_command}` {how}{_last_lines(said)}"
            raise CourseError("build-failed", message, fix="mend the source or the build command")
        name = self.program.spec.binary or shlex.split(self.program.spec.run)[0]
        binary = self.work / name
        if not binary.is_file():
            message = f"the build left no `{name}` to run"
            raise CourseError("build-failed", message, path=self.program.folder / "program.yml")
        self.known.update(binary_sha256=_sha256(binary.read_bytes()))

    def start(self, command: list[str], stdout: Path) -> tuple[process.Finished, str]:
        """Run a command in the workshop: how it ended, and what it said on stderr."""
        stderr = self.work / ".stderr"
        finished = process.run(
            command,
            folder=self.work,
            environment=self.environment,
            stdout=stdout,
            stderr=stderr,
            longest=self.longest,
            largest=LARGEST_OUTPUT,
        )
        said = stderr.read_bytes()[-LARGEST_OUTPUT:].decode(errors="replace")
        return finished, said.replace(str(self.work), ".")

    def run_once(self, number: int) -> None:
        """One process of the program, recorded whatever becomes of it."""
        stdout = self.work / f".run{number}"
        try:
            finished, said = self.start(shlex.split(self.program.spec.run), stdout)
        except Cut:
            self.record(process.Finished(-signal.SIGKILL, None), stdout)
            raise
        self.record(finished, stdout)
        run = f"run {number} of {self.repeat}"
        if finished.ended_for:
            raise CourseError("run-ended", f"{run} {finished.ended_for} and was ended")
        if finished.status < 0:
            name = process.signal_name(finished.status)
            raise CourseError("run-killed", f"{run} was killed by {name}{_last_lines(said)}")
        if finished.status > 0:
            message = f"{run} exited with {finished.status}{_last_lines(said)}"
            raise CourseError("run-failed", message, fix="mend the program; nothing was published")

    def record(self, finished: process.Finished, stdout: Path) -> None:
        stdout.touch()  # a cut can come before the process
        with stdout.open("rb") as file:
            output = file.read(LARGEST_OUTPUT)
        facts = {"bytes": len(output), "sha256": _sha256(output), "seconds": finished.seconds}
        run = Run.model_validate({**facts, "exit_status": finished.status})
        self.ran.append((run, output))

    def check(self, number: int) -> None:
        """The run's output must read, agree with its formulas, the card and the first run."""
        run = f"run {number} of {self.repeat}"
        output = accept(self.ran[-1][1], self.program, run)
        facts: Gpu = self.known["gpu"]
        for name, told in (("gpu", facts.name), ("compute_capability", facts.compute_capability)):
            printed = output.facts[name][0] if name in output.facts else told
            if told is not None and printed != told:
                fix = "set CUDA_VISIBLE_DEVICES to the UUID of the card that the program runs on"
                message = f"{run} ran on {printed!r}, the chosen card is {told!r} ({name})"
                raise CourseError("wrong-gpu", message, fix=fix)
        for first in self.parsed[:1]:
            accept_alike(first, output, self.program, run)
        self.parsed.append(output)

    def publish(self) -> Path:
        """Choose the published run and write the log."""
        try:
            index = choose_published(self.parsed, self.program.spec.output)
        except OutputError as error:
            raise CourseError("bad-output", error.message) from error
        self.known.update(published_run=index + 1, verdict=self.parsed[index].verdict)
        return self.write(self.evidence)

    def rejected(self, error: CourseError) -> CourseError:
        """Keep what had run as a rejected log; returns `error` with a line that says where."""
        if not self.ran:
            return error
        reason = re.sub(r"\s*\n\s*", " | ", error.message)
        self.known.update(published_run=None, verdict=None, rejected=reason)
        try:
            path = self.write(self.evidence / "rejected")
            error.message += f"\n  kept as {path.relative_to(self.root)}, rejected"
        except CourseError as second:
            error.message += f"\n  what had run could not be kept either: {second.message}"
        return error

    def write(self, folder: Path) -> Path:
        stamp = Stamp.model_validate({**self.known, "runs": tuple(run for run, _ in self.ran)})
        return write_log(folder, stamp, [output for _, output in self.ran])

    def summary(self, path: Path) -> Iterator[str]:
        """What was measured: the log, the verdict, the median run, its figures with spread."""
        index = choose_published(self.parsed, self.program.spec.output)
        output, spec = self.parsed[index], self.program.spec.output
        name = spec.published_by
        unit = next(column.unit for column in spec.columns if column.name == name)
        yield f"{path.relative_to(self.root)}: {output.verdict}"
        yield f"  published: run {index + 1} of {self.repeat}, the median; spread over all runs"
        for row in output.rows:
            low_high = spread(self.parsed, row.key, name)
            figures = f"{row.cells[name]} {unit} ({low_high.low}–{low_high.high})"
            yield f"  {' '.join(row.key)}: {figures}"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _hashes(program: Program) -> list[dict[str, str]]:
    return [
        {"path": name, "sha256": source.sha256, "tokens_sha256": source.tokens_sha256}
        for name, source in program.named_sources().items()
    ]


def _last_lines(text: str) -> str:
    lines = text.rstrip().splitlines()[-LAST_LINES:]
    return ":\n" + "\n".join(f"    {line}" for line in lines) if lines else ""
