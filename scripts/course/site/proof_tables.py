"""The tables of the proof: what the runs under tests/proof found, as they were kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from course.peers import COLUMNS, COUNTS, Kernel, Peers, Word
from course.site.links import Links
from course.site.templates import render

# A shape for each word, so that none is told by colour.
SHAPES: Mapping[Word, str] = {
    "named": "●",
    "wrong": "●",
    "stopped": "●",
    "accused": "▲",
    "reported": "◐",
    "no end": "◑",
    "silent": "○",
    "right": "○",
    "no twin": "–",
}
HEADS = {"value": "value check", "oclgrind": "Oclgrind", "cpu": "CPU check"}
GROUPS = {
    "fault": "One fault each",
    "slow": "Right, and slower than need be",
    "right": "Right, and unusual",
}


@dataclass(frozen=True)
class Counted:
    """One size of a kernel: for each counter the hardware's count and ours."""

    size: str
    counts: tuple[tuple[int, int], ...]

    @property
    def equal(self) -> bool:
        return all(theirs == own for theirs, own in self.counts)


@dataclass(frozen=True)
class Timed:
    """A row of the benchmark: seconds by the clock, and of all processors for both kernels."""

    tool: str
    what: str
    naive: float
    tiled: float
    processor: float
    case: str
    scaled_by: float

    @classmethod
    def of(cls, row: dict[str, Any]) -> Timed:
        (naive, one), (tiled, other) = row["naive"], row["tiled"]
        tool, what, case = row["tool"], row["what"], row["case"]
        return cls(tool, what, naive, tiled, one + other, case, row["scaled_by"])


def _counters(peers: Peers, links: Links) -> str:
    kernels = []
    for (name, file), rows in groupby(peers.counted, lambda row: (row["name"], row["file"])):
        counted = [
            Counted("×".join(map(str, row["case"])), tuple(tuple(row[name]) for name in COUNTS))
            for row in rows
        ]
        kernels.append((name, file, counted))
    changed = {row["name"] for row in peers.counted if peers.changed(row["file"], row["sha256"])}
    return render(
        "proof-counters.html",
        kernels=kernels,
        changed=changed,
        machine=peers.data["counters"]["machine"],
        files=_files(peers, "comparison", "counters"),
        links=links,
    )


def _matrix(peers: Peers, links: Links) -> str:
    def of(group: str) -> list[Kernel]:
        return [kernel for kernel in peers.kernels.values() if kernel.group == group]

    return render(
        "proof-matrix.html",
        groups=[(title, of(group)) for group, title in GROUPS.items()],
        columns=COLUMNS,
        heads=HEADS,
        shapes=SHAPES,
        machine=peers.data["sanitizers"]["machine"],
        oclgrind=peers.data["oclgrind"]["version"],
        changed={k.name for k in peers.kernels.values() if peers.changed(k.file, k.sha256)},
        files=_files(peers, "sanitizers", "oclgrind", "ours"),
        links=links,
    )


def _speed(peers: Peers, links: Links) -> str:
    speed: dict[str, Any] = peers.data["speed"]
    rows = [Timed.of(row) for row in speed["rows"]]
    watched = next(row.processor for row in rows if row.what.startswith("every access"))
    return render(
        "proof-speed.html",
        speed=speed,
        rows=rows,
        watched=watched,
        files=_files(peers, "speed"),
        links=links,
    )


def _submissions(peers: Peers, links: Links) -> str:
    judged: dict[str, Any] = peers.data["submissions"]
    subjects = judged["subjects"]
    return render(
        "proof-submissions.html",
        judged=judged,
        changed={row["name"] for row in subjects if peers.changed(row["file"], row["sha256"])},
        files=_files(peers, "submissions"),
        links=links,
    )


def _lighthouse(peers: Peers, links: Links) -> str:
    asked: dict[str, Any] = peers.data["lighthouse"]
    return render(
        "proof-lighthouse.html",
        asked=asked,
        pages=[(page, list(rows)) for page, rows in groupby(asked["rows"], lambda r: r["page"])],
        files=_files(peers, "lighthouse"),
        links=links,
    )


def _files(peers: Peers, *names: str) -> list[Path]:
    return [peers.path(name) for name in names]


# What a proof-table fence can ask for.
TABLES: Mapping[str, Callable[[Peers, Links], str]] = {
    "counters": _counters,
    "matrix": _matrix,
    "speed": _speed,
    "submissions": _submissions,
    "lighthouse": _lighthouse,
}
