"""`course check --site`: what the gate passed has arrived in the HTML, and links lead somewhere."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from bench import REPOSITORY
from course.check import check_site
from course.errors import CourseError
from course.project import Project
from sites import LESSON, built

PAGE = "day16-tiled-matmul/index.html"
PROJECT = Project.load(REPOSITORY)
PUBLISHED = PROJECT.latest("day16-tiled-matmul", "NVIDIA H200")
assert PUBLISHED is not None
CAPTURE = PUBLISHED.log.name


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def project() -> Project:
    return PROJECT


@pytest.fixture
def site(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "site")


def broken(site: Path, pattern: str, by: str) -> str:
    """The lesson with the first match replaced."""
    page = site / PAGE
    text, count = re.subn(pattern, by, page.read_text(), count=1)
    assert count == 1
    page.write_text(text)
    return text


def lesson_line(text: str) -> int:
    return (REPOSITORY / LESSON).read_text().partition(text)[0].count("\n") + 1


BLOCK = '```evidence name="h200"'
TILED = "tiled_matmul.cu:tiled"
BREAKS = {
    "no card": (
        f'data-capture="{CAPTURE}"',
        "",
        f"the evidence block `h200` ({CAPTURE}) did not arrive in the HTML [site-block]",
        BLOCK,
    ),
    "another output's stamp": (
        r'data-output-sha256="\w+"',
        'data-output-sha256="0"',
        "the evidence block `h200` has another output's stamp in the HTML [site-block]",
        BLOCK,
    ),
    "another figure": (
        r'(data-key="512x512x512 tiled" data-column="gflops">)[\d.]+',
        r"\g<1>9999.9",
        "the built table has gflops of 512x512x512 tiled as 9999.9, the evidence as ",
        BLOCK,
    ),
    "another kernel": (
        r"matmulTiled",
        "matmulTilde",
        f"the snippet code/day16-tiled-matmul/{TILED} did not arrive in the HTML [site-snippet]",
        TILED,
    ),
}


def test_a_whole_site_is_clean(project: Project, site: Path) -> None:
    assert check_site(project, site) == []


@pytest.mark.parametrize("name", BREAKS)
def test_what_did_not_arrive_is_found(project: Project, site: Path, name: str) -> None:
    pattern, by, message, place = BREAKS[name]
    broken(site, pattern, by)
    said = [str(finding) for finding in check_site(project, site)]
    start = f"{LESSON}:{lesson_line(place)}: {message}"
    assert any(one.startswith(start) and one.endswith("  fix: make build") for one in said), said


def test_a_mark_that_was_printed_is_found(project: Project, site: Path) -> None:
    value = next(v for v in project.pages["day16-tiled-matmul.md"].values if v.line)
    mark = project.pages["day16-tiled-matmul.md"].text[value.start : value.end]
    broken(site, "<h1", f"<p>{mark}</p><h1")
    said = [str(finding) for finding in check_site(project, site)]
    assert (
        f"{LESSON}:{value.line}: the mark was printed as it is: {mark} [site-mark]"
        "\n  fix: make build"
    ) in said


DISGUISED = (
    ("<p>It is 1.29&times; faster.</p>", "1.29×"),
    ("<p>It is 1.2<b>9</b>&#8239;&#215; faster.</p>", "1.29 ×"),
    ('<p>It is <a class="value" href="#receipt-3">9.29</a>× faster.</p>', "9.29×"),
    ('<section class="evidence"><p>It takes 12 ms.</p></section>', "12 ms"),
    ('<p><bdo dir="rtl">×92.1</bdo> faster</p>', "U+202E, which turns text round,"),
)


@pytest.mark.parametrize(("html", "figure"), DISGUISED)
def test_a_figure_that_the_build_did_not_put_there_is_found(
    project: Project, site: Path, html: str, figure: str
) -> None:
    """However it is written, and also where it borrows a mark of the build's."""
    text = (site / PAGE).read_text()
    (site / PAGE).write_text(text.replace("</article>", f"{html}</article>"))
    said = [finding for finding in check_site(project, site) if finding.code == "site-figure"]
    assert any(finding.message.startswith(f"`{figure}` is shown to readers") for finding in said)


def test_a_mark_in_code_was_not_printed(project: Project, site: Path) -> None:
    """The control: code may show what a mark looks like, and any figure."""
    value = next(v for v in project.pages["day16-tiled-matmul.md"].values if v.line)
    mark = project.pages["day16-tiled-matmul.md"].text[value.start : value.end]
    broken(site, "<h1", f"<p><code>{mark} 12 ms</code> and 16&times;16</p><h1")
    assert check_site(project, site) == []


def test_a_page_that_is_gone_is_found_and_so_are_the_links_to_it(
    project: Project, site: Path
) -> None:
    (site / "reference/hardware/index.html").unlink()
    said = [str(finding) for finding in check_site(project, site)]
    assert any(
        one.startswith("docs/reference/hardware.md:1: the built page is not there: ")
        for one in said
    )
    assert any("../reference/hardware/ leads to nothing in the site [site-link]" in s for s in said)


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("../tile-swap/", "../tile-swap/ leads to nothing in the site"),
        ("../../../etc/passwd", "../../../etc/passwd leads to nothing in the site"),
        ("#cavaets", f"#cavaets leads to no element of {PAGE}"),
        ("../#the-poof", "../#the-poof leads to no element of index.html"),
    ],
)
def test_a_link_that_leads_nowhere_is_found(
    project: Project, site: Path, link: str, message: str
) -> None:
    text = broken(site, "<h1", f'<a href="{link}">there</a><h1')
    line = text.partition(f'href="{link}"')[0].count("\n") + 1
    (said,) = map(str, check_site(project, site))
    assert said == (
        f"{site / PAGE}:{line}: {message} [site-link]"
        "\n  fix: mend the link where the page was written, then: make build"
    )


def test_links_to_elsewhere_are_not_followed(project: Project, site: Path) -> None:
    broken(site, "<h1", '<a href="https://example.invalid/x">x</a><a href="mailto:a@b">y</a><h1')
    assert check_site(project, site) == []


def test_no_site_is_an_error(project: Project, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="there is no built site here"):
        check_site(project, tmp_path)
