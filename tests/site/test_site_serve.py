"""`mkdocs serve` shows what `mkdocs build` refuses, where the fault is, and keeps serving."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from mkdocs.commands.build import build
from mkdocs.config import load_config

from sites import LESSON, copy_repository

SERVED = "http://127.0.0.1:8000/"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return copy_repository(tmp_path / "copy")


def serve(root: Path) -> Path:
    """One build as `mkdocs serve` makes it; gives the folder that it serves."""
    config = load_config(str(root / "mkdocs.yml"), site_dir=str(root / "served"))
    config.plugins.on_startup(command="serve", dirty=False)
    build(config, serve_url=SERVED)
    return root / "served"


def page(site: Path, name: str = "day16-tiled-matmul") -> BeautifulSoup:
    return BeautifulSoup((site / name / "index.html").read_text(), "html.parser")


def banners(soup: BeautifulSoup) -> list[Tag]:
    return soup.select("aside.finding")


def words(tag: Tag | None) -> str:
    assert tag is not None
    return " ".join(tag.get_text().split())


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_clean_project_shows_no_banner(copy: Path) -> None:
    site = serve(copy)
    assert banners(page(site)) == banners(page(site, ".")) == []


def test_both_values_stand_before_the_block_inside_its_tab(
    copy: Path, caplog: pytest.LogCaptureFixture
) -> None:
    change(copy / LESSON, "tiled         0.620", "tiled         0.602")
    with caplog.at_level(logging.WARNING, "mkdocs"):
        soup = page(serve(copy))
    (banner,) = banners(soup)
    assert banner.find_next_sibling("section").get("id") == "evidence-t4"  # type: ignore[union-attr]
    assert banner.parent is not None
    assert banner.parent.get("class") == ["tabbed-block"]
    here, there = banner.select(".finding__compared code")
    assert [mark.text for mark in here.select("mark")] == ["02"]
    assert [mark.text for mark in there.select("mark")] == ["20"]
    assert banner.select_one("button[data-copy]")["data-copy"] == f"course publish {LESSON}"  # type: ignore[index]
    assert words(banner.select_one(".finding__place")).startswith(f"{LESSON}:")
    assert "block-differs" in caplog.text


@pytest.mark.parametrize(
    ("old", "new", "code", "next_words"),
    [
        ("[[= t4.ragged.speedup =]]", "[[= t4.raged.speedup =]]", "value-undefined", "On the T4"),
        ("t4.ragged.speedup < min", "t4.ragged.speedup > min", "claim-false", "On the T4"),
        ("$M \\times K$", "$M \\tims K$", "bad-formula", "Let"),
        ("tiled_matmul.cu:cases", "tiled_matmul.cu:case", "snippet-section", ""),
    ],
)
def test_a_fault_is_shown_before_its_paragraph(
    copy: Path, old: str, new: str, code: str, next_words: str
) -> None:
    change(copy / LESSON, old, new)
    banner = next(
        b for b in banners(page(serve(copy))) if words(b.select_one(".finding__code")) == code
    )
    after = banner.find_next_sibling()
    assert words(after if isinstance(after, Tag) else None).startswith(next_words)


def test_a_fault_of_the_evidence_stands_on_top_of_its_lesson_and_of_the_index(copy: Path) -> None:
    log = next((copy / "evidence/day16-tiled-matmul").glob("*h200*.log"))
    log.write_bytes(log.read_bytes()[:-200])
    site = serve(copy)
    for soup in (page(site), page(site, ".")):
        places = [words(banner.select_one(".finding__place")) for banner in banners(soup)]
        assert f"evidence/day16-tiled-matmul/{log.name}:1" in places
        assert words(soup.select_one("nav.findings")).startswith("The gate has ")
    assert banners(page(site, "authors")) == []


def test_a_page_whose_block_cannot_be_read_is_still_served(copy: Path) -> None:
    change(copy / LESSON, ' gpu="Tesla T4"', "")
    soup = page(serve(copy))
    codes = [words(banner.select_one(".finding__code")) for banner in banners(soup)]
    assert "block-syntax" in codes
    assert soup.select_one(".value--unknown") is not None


def test_a_broken_page_does_not_stop_the_next_build(copy: Path) -> None:
    change(copy / LESSON, "tiled         0.620", "tiled         0.602")
    assert len(banners(page(serve(copy)))) == 1
    change(copy / LESSON, "tiled         0.602", "tiled         0.620")
    assert banners(page(serve(copy))) == []
