"""Every page renders, at every width, in both schemes, and asks nothing of another host."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.conftest import Open
from sites import built, served

LESSON = "day16-tiled-matmul/"


def test_there_are_pages_of_every_kind(pages: list[str]) -> None:
    assert {"", "404.html", LESSON, "authors/", "reference/evidence/"} <= set(pages)
    assert "code/day16-tiled-matmul/tiled_matmul.cu.html" in pages
    assert sum(name.endswith(".log.html") for name in pages) >= 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_fits_a_phone_and_asks_nothing_of_another_host(
    open_page: Open, pages: list[str], scheme: str
) -> None:
    for name in pages:
        page = open_page(name, width=360, color_scheme=scheme)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width == 360, f"{name} scrolls sideways: {width} px wide"
        assert page.locator("h1").count() == 1
        page.context.close()


def test_code_of_a_hundred_columns_fits_a_desktop(open_page: Open) -> None:
    page = open_page(LESSON, width=1440)
    room, needed = page.evaluate(
        """() => {
          const code = document.querySelector(".snippet-bar ~ pre > code");
          const first = code.querySelector("[data-linenos] + span");
          const line = document.createElement("span");
          line.style.display = "inline-block";
          line.textContent = "x".repeat(100);
          first.append(line);
          const needed = line.getBoundingClientRect().width;
          line.remove();
          const style = getComputedStyle(code);
          const right = code.getBoundingClientRect().right - parseFloat(style.paddingRight);
          return [right - first.getBoundingClientRect().left, needed];
        }"""
    )
    assert room >= needed


def test_the_tables_of_results_have_a_size(open_page: Open) -> None:
    page = open_page(LESSON)
    table = page.locator("section.evidence table").first
    expect(table).to_be_visible()
    box = table.bounding_box()
    assert box is not None
    assert box["width"] > 500
    assert box["height"] > 200
    expect(table.locator("caption")).to_contain_text("Tiled matrix multiplication on the")
    expect(table.locator('[data-key="611x613x617"][data-column="speedup"]')).to_be_visible()


def test_each_tab_shows_its_card(open_page: Open) -> None:
    page = open_page(LESSON)
    expect(page.locator("#evidence-h200")).to_be_visible()
    expect(page.locator("#evidence-t4")).to_be_hidden()
    page.get_by_text("Tesla T4 (imported)").click()
    expect(page.locator("#evidence-t4 .chip")).to_have_text("imported record")


def test_an_address_opens_the_tab_that_it_leads_into(open_page: Open) -> None:
    page = open_page(LESSON + "#evidence-t4")
    expect(page.locator("#evidence-t4")).to_be_visible()


def test_search_finds_the_lesson(open_page: Open) -> None:
    page = open_page("")
    page.get_by_role("textbox", name="Search").click()
    page.keyboard.type("barrier")
    first = page.locator(".md-search-result__link").first
    expect(first).to_be_visible()
    assert LESSON in (first.get_attribute("href") or "")


def test_the_scheme_follows_the_toggle_and_is_kept(open_page: Open) -> None:
    page = open_page("", color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_title("Switch to light").click()
    page.get_by_title("Switch to dark").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    assert page.evaluate(ground) == dark


def test_paper_is_light_whatever_the_screen_is(open_page: Open) -> None:
    page = open_page(LESSON, color_scheme="dark")
    colour = "getComputedStyle(document.querySelector('.md-content')).color"
    assert page.evaluate(colour) == "rgb(231, 228, 222)"
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(colour) == "rgb(31, 30, 27)"


def test_a_snippet_leads_to_its_lines_in_the_source(open_page: Open) -> None:
    page = open_page(LESSON)
    bar = page.locator(".snippet-bar").filter(has_text="lines").nth(2)
    shown = bar.locator("xpath=..").locator("code [data-linenos]").first
    number = (shown.get_attribute("data-linenos") or "").strip()
    text = bar.locator("xpath=..").locator("code > span").first.inner_text().strip()
    bar.locator("a").click()
    expect(page.locator(f"#L{number}")).to_contain_text(text)
    expect(page.locator(f"#L{number}")).to_be_in_viewport()


def test_a_page_without_scripts_has_its_numbers_and_their_notes(open_page: Open) -> None:
    page = open_page(LESSON, java_script_enabled=False)
    expect(page.locator("#receipt-1")).to_be_visible()
    expect(page.locator("a.value").first).to_have_attribute("href", "#receipt-1")


def test_with_a_repository_there_are_links_to_it_and_still_no_request(
    open_page: Open, tmp_path: Path
) -> None:
    repository = "https://github.com/course/gpu"
    with served(built(tmp_path, REPO_URL=repository)) as address:
        page = open_page(LESSON, at=address)
        edit = page.get_by_title("Edit this page")
        expect(edit).to_have_attribute("href", f"{repository}/edit/main/docs/{LESSON[:-1]}.md")
        source = page.locator("#evidence-h200 .evidence__links a", has_text="at commit")
        assert (source.get_attribute("href") or "").startswith(f"{repository}/blob/")
        expect(page.locator(".md-header .md-source")).to_have_attribute("href", repository)
        page.context.close()


def test_without_a_repository_nothing_leads_to_one(open_page: Open) -> None:
    page = open_page(LESSON)
    assert page.locator(".md-source").count() == 0
    assert page.get_by_title("Edit this page").count() == 0
