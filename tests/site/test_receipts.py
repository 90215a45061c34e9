"""Receipts lead to what was read, and not to something else of the same name."""

from __future__ import annotations

from pathlib import Path

import pytest

from course.page import Page
from course.project import Project
from course.site.links import Links
from course.site.receipts import Receipts, Step
from course.values import Namespace
from sites import REPOSITORY, copy_repository

PROGRAMS = ("day16-tiled-matmul", "tile-sweep", "tile-traffic")


@pytest.fixture(scope="module")
def project() -> Project:
    return Project.load(REPOSITORY)


def formulas_of(project: Project, page: Page) -> list[Step]:
    """The formulas in the receipts of a page's values, whose links are as of the site's root."""
    receipts, names = Receipts(project, Links(project.root, "", "")), Namespace(project, page)
    results = [(value, names.value(value.expression)) for value in page.values]
    noted = [
        receipts.of_expression("value", result.text, value.expression, result.origins)
        for value, result in results
    ]
    return [step for receipt in noted for step in receipt.steps if step.kind == "formula"]


def test_a_formula_leads_to_the_program_of_its_page(project: Project) -> None:
    """To the line of its name in that program.yml, though two programs have one of that name."""
    shared = 0
    for page in project.pages.values():
        for step in formulas_of(project, page):
            path, _, line = step.href.partition(".html#L")
            assert path == f"code/{page.program}/program.yml", (page.path, step)
            lines = (project.root / path).read_text().split("\n")
            assert lines[int(line) - 1].strip().startswith(f"{step.where}:")
            declared = [p for p in project.programs.values() if step.where in p.spec.formulas]
            assert (
                step.means == project.programs[page.program or ""].spec.formulas[step.where].means
            )
            shared += len(declared) > 1
    assert shared > 0  # else this shows nothing


def test_a_capture_is_of_its_program(project: Project, tmp_path: Path) -> None:
    """Two programs captured in one second on one card have logs of one name."""
    root = copy_repository(tmp_path / "project")
    name = "20990101T000000Z_nvidia-h200_cuda13.0.log"
    for program in PROGRAMS:
        [newest, *_] = sorted((root / "evidence" / program).glob("*h200*.log"), reverse=True)
        newest.rename(newest.with_name(name))
    copied, seen = Project.load(root), set[int]()
    for page in copied.pages.values():
        names, receipts = Namespace(copied, page), Receipts(copied, Links(root, "", ""))
        for value in page.values:
            if names.lacks_evidence(value.expression):
                continue
            origins = names.value(value.expression).origins
            receipt = receipts.of_expression("value", "", value.expression, origins)
            read = {origin.place.rpartition(":")[0] for origin in origins if origin.key}
            seen.add(len(read))
            assert {copied.relative(c.log.path) for c in receipt.captures} == read
    assert max(seen) > 0  # else this shows nothing
