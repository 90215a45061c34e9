"""The pages about time, rendered from evidence that is made up."""

from __future__ import annotations

from pathlib import Path

from bs4 import BeautifulSoup

from bench import PROGRAM, REPOSITORY
from course.project import Project
from course.reverify.answers import Answered, record
from course.site.history import history_html, rule_html
from course.site.links import Links
from reverify.made import STEADY, make_log, tables


def rendered(root: Path) -> BeautifulSoup:
    html = history_html(Project.load(root), PROGRAM, Links(root, "", "reference/history/"))
    return BeautifulSoup(html, "html.parser")


def rows(soup: BeautifulSoup) -> list[list[str]]:
    return [
        [cell.get_text(strip=True) for cell in row.find_all("td")]
        for row in soup.select("tbody tr")
    ]


def test_every_log_and_every_answer_is_a_row(project: Path) -> None:
    """Verdicts, dates and what is not known; a chart only where there is something to compare."""
    make_log(project, tables(STEADY, by=0.5), "2026-11-01T12:00:00Z")
    make_log(project, tables(STEADY), "2026-11-08T12:00:00Z")
    make_log(project, tables([1.0]), kind="imported", told_by="a friend", sources=[], cuda=None)
    record(project, PROGRAM, Answered(date="2026-11-15", runner='["gpu"]', state="no answer"))
    soup = rendered(project)
    assert rows(soup) == [
        ["2026-11-01 12:00 UTC", "Tesla T4", "580.1", "13.0", "FASTER", "6 of 9", "–"],
        ["2026-11-08 12:00 UTC", "Tesla T4", "580.1", "13.0", "published", "–", "–"],
        ["2026-11-30 00:00 UTC", "Tesla T4", "580.1", "not known", "imported", "–", "–"],
        ["2026-11-15", '["gpu"]', "–", "–", "no answer", "–", "–"],
    ]
    assert len(soup.select(".history__dot--faster path, .history__dot--published circle")) == 2
    assert "0.5" in soup.select_one(".history__dot--faster title").get_text()  # type: ignore[union-attr]
    assert "Last proven on 2026-11-08" in soup.get_text()


def test_a_card_without_a_capture(project: Path) -> None:
    """It is said, and there is no chart."""
    make_log(project, tables([1.0]), kind="imported", told_by="a friend", sources=[])
    soup = rendered(project)
    assert "Never proven: there is no fresh capture of this card." in soup.get_text()
    assert soup.find("svg") is None


def test_the_curve_of_the_rule() -> None:
    """One line a scatter, and each measured world in the table."""
    soup = BeautifulSoup(rule_html(REPOSITORY), "html.parser")
    assert len(soup.select("polyline")) == 4
    assert len(soup.select("tbody")[1].find_all("tr")) == 8
