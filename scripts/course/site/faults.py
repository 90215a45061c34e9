"""What only the site can refuse: the gate reads pages, and here they are drawn."""

from __future__ import annotations

from collections.abc import Iterator

from course.errors import CourseError, Finding
from course.page import Page
from course.project import Project
from course.site import mathematics
from course.site.fences import fence_faults
from course.site.figures import Figures
from course.site.links import Links
from course.site.marks import Marks
from course.site.pages import with_values
from course.site.receipts import Receipts
from course.site.snippets import Snippets


def site_findings(project: Project) -> Iterator[Finding]:
    """Marks that mark nothing, bad formulas and figures, fences that have nothing to show."""
    for page in project.pages.values():
        for fault in _faults(project, page):
            yield Finding.of(fault, project.root, page.path)


def _faults(project: Project, page: Page) -> Iterator[CourseError]:
    yield from Snippets(project, page).faults()
    marks = Marks(project, page, Receipts(project, Links(project.root, "", "")))
    for formula in mathematics.formulas(page):
        try:
            tex, _ = with_values(page, formula, marks)
            mathematics.typeset(tex, display=formula.display)
        except mathematics.BadFormulaError as error:
            yield mathematics.fault(page, formula, error)
    yield from Figures(project.root).faults(page)
    yield from fence_faults(project, page)
