"""`mkdocs build`: refuses with a message that needs nothing else, and is the same every time."""

from __future__ import annotations

import hashlib
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from sites import LESSON, built, copy_repository, mkdocs

T4_ROW = "512x512x512      tiled         0.620       432.9            64"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("built"))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return copy_repository(tmp_path / "copy")


def replace(path: Path, old: str, new: str) -> int:
    """Replace the first `old`; gives its line."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return text[: text.index(old)].count("\n") + 1


def digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def refusal(*lines: str) -> str:
    """What the console says when the gate refuses, and nothing beside it."""
    return "\n".join(["ERROR   -  the gate refuses this build: " + lines[0], *lines[1:]]) + (
        "\nNothing was written: site/ is as it was.\n"
    )


def test_an_edited_figure_refuses_the_build_and_the_old_site_stands(copy: Path) -> None:
    (copy / "site").mkdir()
    (copy / "site/index.html").write_text("the last good site")
    before = digests(copy / "site")
    wrong = T4_ROW.replace("0.620", "0.602")
    line = replace(copy / LESSON, T4_ROW, wrong)
    log = next(path.stem for path in (copy / "evidence").rglob("*tesla-t4*.log"))

    done = mkdocs(copy, "build")

    assert done.returncode == 1
    assert done.stderr == refusal(
        "1 finding.",
        f"{LESSON}:{line}: line 10 of the block differs from {log}",
        f"  page:     {wrong}",
        f"  evidence: {T4_ROW} [block-differs]",
        f"  fix: course publish {LESSON}",
    )
    assert digests(copy / "site") == before


def test_a_formula_that_katex_refuses_refuses_the_build(copy: Path) -> None:
    line = replace(copy / LESSON, "$2K$", r"$2\K$")
    done = mkdocs(copy, "build")
    assert done.returncode == 1
    assert done.stderr == refusal(
        "1 finding.",
        rf"{LESSON}:{line}: $2\K$ cannot be typeset: Undefined control sequence: \K [bad-formula]",
        r"  fix: mend the TeX, or write \$ for a dollar sign",
    )


def test_a_mark_that_marks_nothing_refuses_the_build(copy: Path) -> None:
    snippet = '--8<-- "code/day16-tiled-matmul/tiled_matmul.cu:loads"'
    line = replace(copy / LESSON, f"```cuda\n{snippet}", f'```cuda barrier="__sync"\n{snippet}')
    done = mkdocs(copy, "build")
    assert done.returncode == 1
    assert done.stderr == refusal(
        "1 finding.",
        f'{LESSON}:{line}: barrier="__sync" marks no line of the snippet [snippet-mark]',
        "  fix: name text that stands in the lines to mark",
    )


@pytest.mark.parametrize(
    ("fence", "message", "fix"),
    [
        (
            'history program="tile-swap"',
            'there is nothing to show for `history` with program="tile-swap"',
            "write one of day16-tiled-matmul, tile-sweep, tile-traffic",
        ),
        (
            "harness",
            'there is nothing to show for `harness` with table=""',
            "write one of kernel, ladder, budget, pitfalls",
        ),
        (
            'proof-table kind="weather"',
            'there is nothing to show for `proof-table` with kind="weather"',
            "write one of counters, matrix, speed, submissions, lighthouse",
        ),
    ],
)
def test_a_fence_with_nothing_to_show_refuses_the_build(
    copy: Path, fence: str, message: str, fix: str
) -> None:
    line = replace(copy / LESSON, "## Results", f"```{fence}\n```\n\n## Results")
    done = mkdocs(copy, "build")
    assert done.returncode == 1
    said = f"{LESSON}:{line}: {message} [fence]"
    assert done.stderr == refusal("1 finding.", said, f"  fix: {fix}")


def test_a_proof_that_is_gone_refuses_the_build(copy: Path) -> None:
    shutil.rmtree(copy / "tests/proof/results")
    done = mkdocs(copy, "build")
    assert done.returncode == 1
    assert "there are no results of the proof in tests/proof/results [fence]" in done.stderr
    assert "  fix: git checkout -- tests/proof/results" in done.stderr


def test_a_stylesheet_that_is_not_there_refuses_the_build(copy: Path) -> None:
    replace(copy / "mkdocs.yml", "assets/code.css", "assets/cod.css")
    done = mkdocs(copy, "build")
    assert done.returncode == 1
    assert "mkdocs.yml: extra_css names assets/cod.css, which is not in docs/" in done.stderr


def test_the_themes_rule_for_every_element_is_not_published(site: Path) -> None:
    rule = "[data-md-color-switching] *"
    sheets = "assets/stylesheets/palette.*.css"
    (theirs,) = Path(str(files("material") / "templates")).glob(sheets)
    (published,) = site.glob(sheets)
    assert rule in theirs.read_text()
    assert rule not in published.read_text()
    assert theirs.read_text().startswith(published.read_text()[:1000])


def test_formulas_are_elements_that_a_browser_shows_and_no_others(site: Path) -> None:
    lesson = (site / "day16-tiled-matmul/index.html").read_text()
    assert "<msup><mn>512</mn><mn>3</mn></msup></math>" in lesson
    assert "<semantics" not in lesson
    assert "<annotation" not in lesson


def test_two_builds_in_two_places_are_the_same_bytes(site: Path, tmp_path: Path) -> None:
    again = built(tmp_path / "another" / "place")
    assert digests(again) == digests(site)


def test_the_working_directory_does_not_matter(site: Path, copy: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = mkdocs(copy, "build", "--strict", folder=elsewhere)
    assert done.returncode == 0, done.stderr
    assert digests(copy / "site") == digests(site)


def test_neither_the_place_nor_the_time_of_the_build_is_in_the_site(site: Path) -> None:
    place = str(site.parent).encode()
    assert not [path for path in site.rglob("*") if path.is_file() and place in path.read_bytes()]
    assert not list(site.rglob("*.gz"))
    assert "lastmod" not in (site / "sitemap.xml").read_text()


def test_a_site_with_an_address_lists_its_pages(tmp_path: Path) -> None:
    site = built(tmp_path, SITE_URL="https://course.example/gpu/")
    sitemap = (site / "sitemap.xml").read_text()
    assert "<loc>https://course.example/gpu/day16-tiled-matmul/</loc>" in sitemap


def test_sources_and_logs_are_published_byte_for_byte(site: Path) -> None:
    published = [*(site / "code").rglob("*.cu"), *(site / "evidence").rglob("*.log")]
    assert len(published) >= 3
    for path in published:
        original = site.parent / path.relative_to(site)
        assert path.read_bytes() == original.read_bytes()
        assert path.with_name(path.name + ".html").is_file()


def test_what_nobody_wrote_is_not_searched(site: Path) -> None:
    index = (site / "search/search_index.json").read_text()
    assert '"location":"day16-tiled-matmul/' in index
    assert ".cu.html" not in index
    assert ".log.html" not in index
    assert "Holds, checked by every build" not in index
