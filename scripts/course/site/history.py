"""The pages about time: how each card's results fared, and how often the rule errs."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.project import Project
from course.reverify.answers import read_answers
from course.reverify.history import Entry, Proven, history, proven
from course.signing import reproduced_by
from course.site.links import Links
from course.site.templates import render

WIDTH, HEIGHT = 560, 150
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 16, 30


@dataclass(frozen=True)
class Dot:
    """A capture in the chart: where it stands, and what it says."""

    x: float
    y: float
    entry: Entry
    change: str


@dataclass(frozen=True)
class CardHistory:
    """One card: what is known of it, and its captures as dots. `reach` is the top of the scale."""

    gpu: str
    proven: Proven | None
    dots: tuple[Dot, ...]
    reach: float


def history_html(project: Project, program: str, links: Links) -> str:
    """The history of a program of the project."""
    entries = list(history(project, program))
    return render(
        "history.html",
        program=project.programs[program],
        cards=[_card(project, program, gpu, entries) for gpu in project.gpus(program)],
        entries=entries,
        answers=read_answers(project.root, program),
        by={e.capture.log.name: reproduced_by(project.root, e.capture.log.path) for e in entries},
        links=links,
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        middle=(TOP + HEIGHT - BOTTOM) / 2,
    )


def _card(project: Project, program: str, gpu: str, entries: Sequence[Entry]) -> CardHistory:
    mine = [
        e for e in entries if e.capture.log.stamp.gpu.name == gpu and e.capture.state == "fresh"
    ]
    shown = [(entry, slowdown(entry)) for entry in mine]
    logs = [math.log(change) for _, change in shown if change is not None]
    reach = max([0.05, *(abs(one) for one in logs)])
    step = (WIDTH - LEFT - RIGHT) / max(len(shown) - 1, 1)
    middle, half = (TOP + HEIGHT - BOTTOM) / 2, (HEIGHT - BOTTOM - TOP) / 2
    dots = []
    for number, (entry, change) in enumerate(shown):
        shift = math.log(change) / reach if change is not None else 0.0
        x = LEFT + number * step if len(shown) > 1 else (LEFT + WIDTH - RIGHT) / 2
        words = "" if change is None else f", its times are {change:.3f} of the published ones"
        dots.append(Dot(round(x, 1), round(middle + shift * half, 1), entry, words))
    return CardHistory(gpu, proven(project, program, gpu), tuple(dots), math.exp(reach) - 1)


def slowdown(entry: Entry) -> float | None:
    """The geometric mean, over the rows, of a capture's times over the published ones."""
    if entry.published:
        return 1.0
    rows = entry.comparison.rows if entry.comparison else ()
    changes = [
        change
        for row in rows
        if not row.ratio and (change := row.speaker.judgement.slowdown) is not None
    ]
    return math.exp(sum(map(math.log, changes)) / len(changes)) if changes else None


def rule_html(root: Path) -> str:
    """The measured errors of the rule: a curve and two tables."""
    measured: dict[str, Any] = json.loads((root / "docs" / "assets" / "rule.json").read_text())
    wide, high, bottom = WIDTH - LEFT - 110, 240, 300
    shifts = measured["shifts"]
    span = shifts[-1] - shifts[0]
    curves = [
        {
            "scatter": curve["scatter"],
            "points": [
                (round(LEFT + wide * (x - shifts[0]) / span, 1), round(bottom - 40 - high * y, 1))
                for x, y in zip(shifts, curve["slower"], strict=True)
            ],
            "half": _seen_from(0.5, shifts, curve["slower"]),
            "most": _seen_from(0.9, shifts, curve["slower"]),
        }
        for curve in measured["curves"]
    ]
    return render(
        "rule.html",
        curves=curves,
        alarms=measured["false_alarms"],
        measured=measured,
        left=LEFT,
        right=LEFT + wide,
        base=bottom - 40,
        top=bottom - 40 - high,
        width=WIDTH,
        height=bottom,
        ticks=[(round(LEFT + wide * t / 50, 1), t) for t in (0, 10, 20, 30, 40, 50)],
    )


def _seen_from(part: float, shifts: list[float], slower: list[float]) -> float | None:
    return next((x for x, y in zip(shifts, slower, strict=True) if y >= part), None)
