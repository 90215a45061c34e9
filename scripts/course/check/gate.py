"""The gate itself: every check over one project, read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from course.check.age import check_age
from course.check.blocks import check_blocks
from course.check.cards import check_cards
from course.check.charts import check_charts
from course.check.cpu import CpuCheck, check_cpu
from course.check.evidence import check_evidence
from course.check.history import check_history
from course.check.proof import check_proof
from course.check.prose import check_prose
from course.check.snippets import check_sections, check_snippets
from course.check.vouched import check_vouched
from course.errors import CourseError, Finding
from course.net import netted
from course.page import Page
from course.project import Project

# What needs the whole project, and what is asked of each page by itself.
CHECKS: tuple[Callable[[Project], Iterator[Finding]], ...] = (
    check_evidence,
    check_history,
    check_vouched,
    check_sections,
    check_proof,
)
PAGE_CHECKS: tuple[Callable[[Project, Page], Iterator[Finding]], ...] = (
    check_blocks,
    check_cards,
    check_charts,
    check_snippets,
    check_prose,
)


@dataclass(frozen=True)
class Report:
    """What the gate found, in the order of files and lines, and the project that it read."""

    project: Project
    findings: tuple[Finding, ...]
    cpu: dict[str, CpuCheck]

    @property
    def ok(self) -> bool:
        return not any(finding.severity == "error" for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        return {"ok": self.ok, "findings": [finding.to_json() for finding in self.findings]}


def check(root: Path, *, cpu_check: bool = True, day: date | None = None) -> Report:
    """Check the project at `root`; with a `day`, also whether its results were proven lately then.

    Raises CourseError only when it cannot be read at all.
    """
    if not (root / "docs").is_dir():
        raise CourseError("no-project", "there is no docs/ folder", path=root)
    project = Project.load(root)
    findings = set(check_project(project))
    if day is not None:
        findings.update(netted(partial(check_age, project, day), root))
    cpu: dict[str, CpuCheck] = {}
    findings.update(netted(partial(_cpu, project, cpu_check, cpu), root))
    return Report(project, tuple(sorted(findings)), cpu)


def check_project(project: Project) -> Iterator[Finding]:
    """All that a project as it was read says against itself, but its age and the CPU check; a
    finding may come twice."""
    yield from project.faults
    for one in CHECKS:
        yield from netted(partial(one, project), project.root)
    for page in project.pages.values():
        yield from check_page(project, page)


def check_page(project: Project, page: Page) -> Iterator[Finding]:
    """What `check_project` finds by reading this page."""
    for one in PAGE_CHECKS:
        yield from netted(partial(one, project, page), project.root)


def _cpu(project: Project, run: bool, cpu: dict[str, CpuCheck]) -> Iterator[Finding]:
    """What the CPU check finds; its reports go into `cpu`."""
    cpu.update(check_cpu(project, run=run))
    for checked in cpu.values():
        yield from checked.findings
