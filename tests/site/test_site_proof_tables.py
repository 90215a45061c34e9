"""The tables of the proof say what the kept results say, misses included."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from bench import REPOSITORY
from course.peers import FILES, PLACE, Peers
from course.site.links import Links
from course.site.proof_tables import TABLES

LINKS = Links(REPOSITORY, "", "reference/cpu-check/")


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A project that holds the results and the kernels alone."""
    for name in ("tests/gallery", "tests/harness/cheats", "tests/proof", "code"):
        shutil.copytree(REPOSITORY / name, tmp_path / name)
    return tmp_path


def table(root: Path, kind: str) -> BeautifulSoup:
    links = Links(root, "", LINKS.url)
    peers = Peers.load(root)
    assert peers is not None
    return BeautifulSoup(TABLES[kind](peers, links), "html.parser")


def cells(soup: BeautifulSoup, name: str) -> list[str]:
    """The words of a kernel's row, without the small print."""
    for small in soup.find_all("small"):
        small.decompose()
    row = next(r for r in soup.find_all("tr") if r.th and r.th.get_text(strip=True) == name)
    return [cell.get_text(" ", strip=True) for cell in row.find_all("td")]


def edit(root: Path, name: str, change: Any) -> None:
    path = root / PLACE / FILES[name]
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def test_every_kernel_of_the_gallery_has_a_row(kept: Path) -> None:
    matrix = json.loads((kept / PLACE / "ours.json").read_text())["matrix"]
    soup = table(kept, "matrix")
    names = [th.a.get_text() for th in soup.select("tbody th.name")]  # type: ignore[union-attr]
    assert sorted(names) == sorted(matrix)
    assert all(len(row.find_all("td")) == 7 for row in soup.select("tbody tr:not(.group)"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (  # what no value and no tool shows
            "guarded-load-without-else-a",
            ["○ right", *["○ silent"] * 4, "○ silent", "● named"],
        ),
        ("early-return", ["● wrong", *["○ silent"] * 4, "● named", "● named"]),
        (
            "barrier-in-both-branches",
            ["● wrong", "○ silent", "◐ reported", "○ silent", "● named", "○ silent", "● named"],
        ),
        (  # no line of ours
            "output-transposed",
            ["● wrong", *["○ silent"] * 4, "○ silent", "◐ reported"],
        ),
        ("spin-on-flag", ["◑ no end", *["◑ no end"] * 4, "◑ no end", "● named"]),
        ("warp-shuffle", ["○ right", *["○ silent"] * 4, "– no twin", "○ silent"]),
    ],
)
def test_who_catches_what(kept: Path, name: str, words: list[str]) -> None:
    assert cells(table(kept, "matrix"), name) == words


def test_a_miss_and_a_false_alarm_of_ours_would_be_told(kept: Path) -> None:
    def change(data: Any) -> None:
        data["matrix"]["early-return"]["cpu"]["says"] = {}
        data["matrix"]["block-1d"]["cpu"] |= {"clean": False, "says": {"race": [3]}}

    edit(kept, "ours", change)
    assert cells(table(kept, "matrix"), "early-return")[-1] == "○ silent"
    assert cells(table(kept, "matrix"), "block-1d")[-1] == "▲ accused"


def test_counts_that_differ_stand_one_above_the_other(kept: Path) -> None:
    soup = table(kept, "counters")
    verdicts = [cell.get_text(" ", strip=True) for cell in soup.select("td.key")]
    assert verdicts == ["● equal"] * 54

    def change(data: Any) -> None:
        data[0]["global_load_sectors"] = [2097152, 2097153]

    edit(kept, "comparison", change)
    row = table(kept, "counters").select("tbody tr")[0]
    assert "2,097,152 2,097,153" in row.get_text(" ", strip=True)
    assert "◐ differs" in row.get_text(" ", strip=True)


def test_a_source_that_changed_is_marked(kept: Path) -> None:
    shipped = kept / "code/day16-tiled-matmul/tiled_matmul.cu"
    shipped.write_text(shipped.read_text() + "\n")
    marked = [note.parent.a for note in table(kept, "counters").find_all("small")]  # type: ignore[union-attr]
    assert [link.get_text() for link in marked if link] == ["naive", "tiled"]


def test_times_stand_beside_the_load_and_say_what_was_scaled(kept: Path) -> None:
    speed = json.loads((kept / PLACE / "speed.json").read_text())
    soup = table(kept, "speed")
    assert f"load of {speed['load'][0]}" in soup.get_text()
    assert len(soup.select("tbody tr")) == len(speed["rows"]) + len(speed["growth"])
    scaled = [row["tool"] for row in speed["rows"] if row["scaled_by"] != 1]
    assert [row.th.get_text() for row in soup.select("tbody tr") if row.small] == scaled  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tiled_matmul", ["○ pass", "nothing", "none of 22 wrong"]),
        ("starter", ["● fail", "no-shared-memory", "none of 22 wrong"]),
        (
            "missing-barrier-after-compute",
            ["● fail", "missing-barrier-after-compute", "1 of 22 wrong"],
        ),
        ("half-precision", ["● fail", "wrong elements", "3 of 22 wrong"]),
        ("exits-at-start", ["● error", "ends itself", "22 of 22 wrong"]),
    ],
)
def test_a_submission_has_the_harnesss_word_and_the_cards(
    kept: Path, name: str, words: list[str]
) -> None:
    assert cells(table(kept, "submissions"), name) == words


def test_a_submission_that_changed_since_says_so(kept: Path) -> None:
    (kept / "tests/harness/cheats/half-precision.cu").write_text("")
    names = table(kept, "submissions").select("tbody th")
    changed = [name.get_text(" ") for name in names if name.small]
    assert changed == ["half-precision source changed since"]


def test_lighthouse_was_asked_about_every_page_that_somebody_wrote(kept: Path) -> None:
    docs = REPOSITORY / "docs"
    written = {path.stem for path in docs.rglob("*.md")}
    soup = table(kept, "lighthouse")
    told = {link.get_text() for link in soup.select("th.name a")}
    assert told == written - {"index"} | {"home"}
    assert len(soup.select("tbody tr")) == 2 * len(told)


def test_lighthouse_is_content_with_every_page(kept: Path) -> None:
    """Performance moves by some points between runs of one commit: its floor is lower."""
    rows = json.loads((kept / PLACE / "lighthouse.json").read_text())["rows"]
    scores = {(r["page"], r["form"], name): n for r in rows for name, n in r["scores"].items()}
    floors = {key: 95 if key[-1] == "performance" else 100 for key in scores}
    assert {key: score for key, score in scores.items() if score < floors[key]} == {}


def test_a_score_that_fell_in_one_run_is_told(kept: Path) -> None:
    def change(data: Any) -> None:
        data["rows"][0]["scores"]["performance"] = 97
        data["rows"][0]["least"]["performance"] = 61

    edit(kept, "lighthouse", change)
    row = table(kept, "lighthouse").select("tbody tr")[0]
    assert "97 61 at least" in row.get_text(" ", strip=True)


def test_a_project_without_results_has_none(project: Path) -> None:
    assert Peers.load(project) is None
