"""The launches that a file's own `main` makes, seen by running it on the CPU."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from course.errors import CourseError
from course.simt import child, toolchain
from course.simt.engine import processors
from course.simt.source import Source


@dataclass(frozen=True)
class Launch:
    """One launch as main made it. `arguments` are as printed, pointers as `*`."""

    called: str  # as written before the `<<<`
    kernel: str  # the kernel's name; only known for a launch through a pointer if carried out
    line: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class MainReport:
    """What running main came to. `status` is None if it did not come to its end."""

    launches: tuple[Launch, ...]
    status: int | None
    printed: str
    why: str  # why it did not come to its end


def launches(
    source: Path,
    argv: Sequence[str] = (),
    *,
    execute: bool = True,
    seconds: float = 20,
    threads: int | None = None,
) -> MainReport:
    """Run the file's main, unwatched and closed in. `execute=False` only notes its launches.

    Raises CourseError if the file cannot be compiled or has no main.
    """
    read = Source.read(source)
    with tempfile.TemporaryDirectory(prefix="course-simt-") as folder:
        built = toolchain.build(read, None, "", Path(folder), watched=False)
        ended = child.run(
            toolchain.runner(toolchain.Compiler.find()),
            "main",
            built.library,
            [],
            workers=threads or processors(),
            seconds=seconds,
            setting=str(int(execute)),
            arguments=argv,
        )
    for result in ended.results:
        if "failed" in result:
            raise CourseError(
                "no-main", result["message"], path=source, fix="add a main that launches the kernel"
            )
    entered = {r["at"]: r["entered"] for r in ended.results if "entered" in r}
    return MainReport(
        tuple(
            Launch(
                r["kernel"],
                entered.get(r["launch"], r["kernel"].partition("<")[0]),
                r["line"],
                tuple(r["grid"]),
                tuple(r["block"]),
                r["shared_bytes"],
                tuple(r["arguments"].rstrip(",").split(",")) if r["arguments"] else (),
            )
            for r in ended.results
            if "launch" in r
        ),
        next((r["status"] for r in ended.results if "status" in r), None),
        ended.printed,
        "" if ended.complete else ended.why,
    )
