"""The strip of proof: how much of the site is checked, counted by the gate itself."""

from __future__ import annotations

from dataclasses import dataclass

from course.check import Report
from course.page import Snippet
from course.project import Capture
from course.site.links import Links
from course.site.templates import render
from course.values import site_counts


@dataclass(frozen=True)
class Card:
    """A card with evidence: the capture that is published of it."""

    gpu: str
    title: str
    capture: Capture


def proof_html(report: Report, links: Links) -> str:
    project = report.project
    cards = [
        Card(gpu, program.spec.title, capture)
        for name, program in project.programs.items()
        for gpu in project.gpus(name)
        if (capture := project.latest(name, gpu)) is not None
    ]
    snippets = sum(
        isinstance(directive, Snippet)
        for page in project.pages.values()
        for directive in page.directives()
    )
    counts = site_counts(project)
    return render(
        "proof.html",
        cards=cards,
        counts=counts,
        snippets=snippets,
        cpu=report.cpu,
        programs=project.programs,
        links=links,
    )
