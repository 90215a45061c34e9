"""How a program's results fared over time: from evidence alone, with dates and no clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from course.errors import CourseError
from course.project import Capture, Project
from course.reverify.compare import Comparison, compare


def published_capture(project: Project, program: str, card: str) -> Capture | None:
    """The capture that a page shows of a card; where none does, the latest. None: only imported."""
    shown = []
    for name in project.lessons(program):
        with suppress(CourseError):  # a block that cannot be read is a finding of the page's
            for block in project.pages[name].evidence_blocks:
                if (block.program, block.gpu) == (program, card):
                    shown += [c for c in (project.shown_by(block),) if c is not None]
    found = shown[0] if shown else project.latest(program, card)
    return found if found and not found.log.imported else None


@dataclass(frozen=True)
class Proven:
    """What is known of a card's published results: when they were last confirmed, how often.

    `first` is the oldest capture that agrees with the published one, `last` the newest; `times`
    counts them all.
    """

    program: str
    gpu: str
    published: Capture
    first: Capture
    last: Capture
    times: int

    @property
    def date(self) -> str:
        return self.last.log.stamp.time[:10]

    @property
    def sentence(self) -> str:
        """Such as: Last proven on 2026-11-30 with driver 580.1, CUDA 13.0; twice since … ."""
        stamp = self.last.log.stamp
        known = [f"driver {stamp.gpu.driver}"] if stamp.gpu.driver else []
        known += [f"CUDA {stamp.cuda.toolkit}"] if stamp.cuda else []
        how = f" with {', '.join(known)}" if known else ""
        times = "once" if self.times == 1 else f"{self.times} times since {self.since}"
        return f"Last proven on {self.date}{how}; {times}."

    @property
    def since(self) -> str:
        return self.first.log.stamp.time[:10]


def proven(project: Project, program: str, gpu: str) -> Proven | None:
    """When a card's published results were last confirmed; None where none is a fresh capture.

    Every fresh capture counts that is comparable with the published one and not slower.
    """
    published = published_capture(project, program, gpu)
    if published is None or published.stale:
        return None
    confirming = [
        capture
        for capture in captures_of(project, program, gpu)
        if capture is published or (not capture.stale and compare(published, capture).passes)
    ]
    return Proven(program, gpu, published, confirming[0], confirming[-1], len(confirming))


def captures_of(project: Project, program: str, gpu: str) -> list[Capture]:
    """The captures of one card, oldest first; imported records are none."""
    found = [
        capture
        for capture in project.captures.get(program, [])
        if capture.log.stamp.gpu.name == gpu and not capture.log.imported
    ]
    return sorted(found, key=lambda capture: (capture.log.stamp.time, capture.log.name))


@dataclass(frozen=True)
class Entry:
    """One line of the history: a log, and how it compares with what is published of its card."""

    capture: Capture
    published: bool
    comparison: Comparison | None

    @property
    def verdict(self) -> str:
        """One word for the capture: SLOWER or FASTER if any row is, else that of most rows."""
        if self.published:
            return "published"
        if self.comparison is None:
            return self.capture.state
        if self.comparison.hindrances:
            return "NOT COMPARABLE"
        if self.comparison.differences:
            return "FAILED"
        if self.comparison.of("SLOWER") or self.comparison.of("FASTER"):
            return "SLOWER" if self.comparison.of("SLOWER") else "FASTER"
        same, unclear = self.comparison.of("SAME"), self.comparison.of("AMBIGUOUS")
        return "SAME" if len(same) > len(unclear) else "AMBIGUOUS"

    @property
    def rows(self) -> str:
        """Such as `8 of 9`: the rows that say so; empty where rows were not judged."""
        compared = self.comparison
        if compared is None or compared.hindrances or compared.differences:
            return ""
        saying = sum(row.verdict == self.verdict for row in compared.rows)
        return f"{saying} of {len(compared.rows)}"

    @property
    def line(self) -> str:
        """Such as: 2026-11-30  NVIDIA H200  driver 580.1  CUDA 13.0  SAME."""
        stamp = self.capture.log.stamp
        cuda = stamp.cuda.toolkit if stamp.cuda else "not known"
        facts = (stamp.gpu.name, f"driver {stamp.gpu.driver or 'not known'}", f"CUDA {cuda}")
        rows = f" ({self.rows} rows)" if self.rows else ""
        return "  ".join((stamp.time[:10], *facts, self.verdict + rows))

    def to_json(self) -> dict[str, str | None]:
        stamp = self.capture.log.stamp
        return {
            "log": self.capture.log.name,
            "program": self.capture.program.name,
            "gpu": stamp.gpu.name,
            "time": stamp.time,
            "driver": stamp.gpu.driver,
            "cuda": stamp.cuda.toolkit if stamp.cuda else None,
            "verdict": self.verdict,
        }


def history(project: Project, program: str) -> Iterator[Entry]:
    """Every log of a program, oldest first, judged against what is published of its card."""
    logs = project.captures.get(program, [])
    for capture in sorted(logs, key=lambda one: (one.log.stamp.time, one.log.name)):
        published = published_capture(project, program, capture.log.stamp.gpu.name)
        if published is None or capture.log.imported:
            yield Entry(capture, capture is published, None)
        else:
            same = capture is published
            yield Entry(capture, same, None if same else compare(published, capture))
