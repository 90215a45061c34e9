"""Everything that the gate and the site read, read once: programs, logs and pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from course.errors import CourseError, Finding
from course.evidence import Log, is_newer, log_paths, read_log, stale_reasons
from course.net import collecting
from course.output import Output
from course.page import EvidenceBlock, Page
from course.peers import Peers
from course.program import Program, program_names


@dataclass(frozen=True)
class Capture:
    """A log that was read and is what its program declares; `outputs` are its runs in order."""

    log: Log
    program: Program
    outputs: tuple[Output, ...]

    @property
    def published(self) -> Output:
        return self.outputs[(self.log.stamp.published_run or 1) - 1]

    @cached_property
    def stale(self) -> list[str]:
        """What changed since; an imported record was never of this source."""
        return [] if self.log.imported else stale_reasons(self.log, self.program)

    @property
    def state(self) -> str:
        """fresh, stale or imported."""
        if self.log.imported:
            return "imported"
        return "stale" if self.stale else "fresh"


@dataclass(frozen=True)
class Project:
    """`faults` are the findings about what could not be read; the rest is sound.

    What rests on an `unreadable` program can only be judged once that is mended.
    """

    root: Path
    programs: dict[str, Program]
    captures: dict[str, list[Capture]]
    pages: dict[str, Page]
    faults: tuple[Finding, ...]
    unreadable: frozenset[str] = frozenset()

    @classmethod
    def load(cls, root: Path) -> Project:
        faults: list[Finding] = []
        programs: dict[str, Program] = {}
        captures: dict[str, list[Capture]] = {}
        for name in program_names(root):
            with collecting(faults, root, root / "code" / name / "program.yml"):
                program = Program.load(root, name)
                _ = program.sources, program.extras, program.constants
                programs[name] = program
        for name, program in programs.items():
            captures[name] = []
            for path in log_paths(root, name):
                with collecting(faults, root, path):
                    log = read_log(path)
                    _refuse_rejected(log)
                    captures[name].append(Capture(log, program, log.parse(program.spec.output)))
        pages = {}
        for path in sorted((root / "docs").rglob("*.md")):
            with collecting(faults, root, path):
                page = Page.read(path)
                _ = page.meta
                pages[path.relative_to(root / "docs").as_posix()] = page
        unreadable = frozenset(program_names(root)) - set(programs)
        return cls(root, programs, captures, pages, tuple(faults), unreadable)

    def require_sound(self) -> None:
        """Raises CourseError for the first file that could not be read."""
        for fault in self.faults:
            path = self.root / fault.path
            raise CourseError(fault.code, fault.message, path=path, line=fault.line, fix=fault.fix)

    @cached_property
    def peers(self) -> Peers | None:
        """The kept results of the proof, if the project has some. Raises CourseError."""
        return Peers.load(self.root)

    def relative(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def gpus(self, program: str) -> list[str]:
        """The cards a program has evidence of, captures before imported records."""
        captures = self.captures.get(program, [])
        names = dict.fromkeys(capture.log.stamp.gpu.name for capture in captures)
        return sorted(names, key=lambda gpu: self.latest(program, gpu).log.imported)  # type: ignore[union-attr]

    def latest(self, program: str, gpu: str) -> Capture | None:
        """The capture to publish for a card: captures before imported records, then the newest."""
        best: Capture | None = None
        for capture in self.captures.get(program, []):
            if capture.log.stamp.gpu.name != gpu:
                continue
            if best is None or is_newer(capture.log, best.log):
                best = capture
        return best

    def shown_by(self, block: EvidenceBlock) -> Capture | None:
        """The capture that a block shows: the pinned one, otherwise the latest of its card."""
        if not block.capture:
            return self.latest(block.program, block.gpu)
        return next(
            (c for c in self.captures.get(block.program, []) if c.log.name == block.capture), None
        )

    def lessons(self, program: str) -> list[str]:
        """The pages that are about a program, and those that show its evidence."""
        return [
            path
            for path, page in self.pages.items()
            if page.program == program or program in _shown(page)
        ]


def _refuse_rejected(log: Log) -> None:
    if log.stamp.rejected is not None:
        raise CourseError(
            "log-rejected",
            f"a rejected run stands in evidence/: {log.stamp.rejected}",
            path=log.path,
            fix=f"move the log away and run: course capture {log.stamp.program}",
        )


def _shown(page: Page) -> set[str]:
    """The programs whose evidence a page shows, or means to."""
    return {f.options.get("program", "") for f in page.fences if f.language == "evidence"}
