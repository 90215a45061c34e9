"""Charts as readers see and ask them: sizes, places, receipts of points and of table cells."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.conftest import Open
from browser.test_quality import axe

LESSON = "day16-tiled-matmul/"
SIZES = """() => [...document.querySelectorAll("svg.drawing")].filter((s) => s.checkVisibility())
  .map((svg) => {
    const box = (svg.closest("figure") ?? svg.parentElement).getBoundingClientRect();
    const inside = [...svg.querySelectorAll("text, .chart__mark, line")].map((e) => {
      const b = e.getBoundingClientRect();
      return [b.left - box.left, box.right - b.right, Math.max(b.width, b.height)];
    });
    const { width, height } = svg.getBoundingClientRect();
    return { width, height, inside };
  })"""


@pytest.fixture
def lesson(open_page: Open) -> Page:
    return open_page(LESSON)


def card(page: Page) -> Locator:
    return page.locator("#receipt-card")


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_every_mark_has_a_size_and_stays_inside(open_page: Open, width: int) -> None:
    sizes = open_page(LESSON, width=width).evaluate(SIZES)
    assert len(sizes) == 6
    for drawing in sizes:
        assert drawing["width"] > 100
        assert drawing["height"] > 100
        assert all(min(left, right) >= 0 for left, right, _ in drawing["inside"])
        assert all(size > 0 for *_, size in drawing["inside"])


@pytest.mark.parametrize("width", [360, 1440])
def test_words_do_not_meet(open_page: Open, width: int) -> None:
    """No two words of a chart overlap, on a phone or a desktop."""
    meeting = open_page(LESSON, width=width).evaluate(
        """() => [...document.querySelectorAll("svg.drawing")].flatMap((svg) => {
          const words = [...svg.querySelectorAll("text")]
            .map((e) => [e, e.getBoundingClientRect()]);
          return words.flatMap(([a, p], n) => words.slice(n + 1)
            .filter(([, q]) => p.left < q.right - 1 && q.left < p.right - 1
              && p.top < q.bottom - 4 && q.top < p.bottom - 4)
            .map(([b]) => `${a.textContent} / ${b.textContent}`));
        })"""
    )
    assert meeting == []


def test_the_chart_is_beside_the_table_or_under_it(open_page: Open) -> None:
    for width, beside in ((1440, True), (360, False)):
        page = open_page(LESSON, width=width)
        table = page.locator("#evidence-h200 .scroll").first.bounding_box()
        chart = page.locator("#evidence-h200 .evidence__chart").bounding_box()
        assert table is not None
        assert chart is not None
        assert (chart["x"] >= table["x"] + table["width"]) == beside
        assert (chart["y"] >= table["y"] + table["height"]) != beside


def test_the_room_of_a_chart_is_kept_from_the_start(open_page: Open) -> None:
    """Styles and scripts change no height: the drawing says its own."""
    with_script, without = (
        open_page(LESSON, java_script_enabled=enabled).evaluate(
            "[...document.querySelectorAll('svg.drawing')].map((s) => s.clientHeight)"
        )
        for enabled in (True, False)
    )
    assert with_script == without
    attribute = (
        "[...document.querySelectorAll('svg.drawing')].map((s) => +s.getAttribute('height'))"
    )
    page = open_page(LESSON)
    visible = [height for height in page.evaluate(attribute) if height in with_script]
    assert len(visible) == len(with_script)


def test_hovering_a_point_tells_where_it_comes_from(lesson: Page) -> None:
    points = lesson.locator("a.chart__point:visible")
    assert points.count() >= 30
    for index in range(points.count()):
        point = points.nth(index)
        point.locator(".chart__reach").hover()
        expect(card(lesson).locator("b")).to_have_text(point.get_attribute("data-value") or "")
        key = point.get_attribute("data-point") or ""
        expect(card(lesson).locator(".receipt__shown").first).to_contain_text(key)


def test_a_point_tells_line_capture_source_and_command(lesson: Page) -> None:
    lesson.locator("#chart-roofline-h200 .chart__reach").first.click()
    told = card(lesson)
    for words in (
        "FLOP a byte loaded",
        "intensity_naive",
        "with k = 256",
        "NVIDIA H200, fresh capture of",
        "Driver 580.159.04. CUDA 13.0",
        "tiled_matmul.cu at commit c761e75",
        "Again: course capture day16-tiled-matmul --repeat 5",
    ):
        expect(told).to_contain_text(words)
    value = told.locator("b").inner_text()
    expect(told.locator("mark")).to_have_text(value)
    told.get_by_text(re.compile(r"^line \d+$")).click()
    expect(lesson.locator(".line:target")).to_contain_text(value)


def test_an_imported_point_is_told_apart_by_shape_and_word(lesson: Page) -> None:
    cards = lesson.locator("#chart-cards-h200-ragged")
    expect(cards.locator("circle.chart__dot")).to_have_count(2)
    expect(cards.locator(".is-imported path.chart__dot")).to_have_count(2)
    expect(cards.locator(".chart__state")).to_have_text(["fresh capture", "imported record"])
    cards.locator(".is-imported .chart__reach").first.click()
    expect(card(lesson)).to_contain_text("not made from this site’s source")


def test_every_cell_tells_where_it_comes_from(lesson: Page) -> None:
    cells = lesson.locator("#evidence-h200 a.figure")
    assert cells.count() == 24
    for index in range(cells.count()):
        cell = cells.nth(index)
        cell.click()
        expect(card(lesson).locator("b")).to_have_text(cell.inner_text())
        expect(card(lesson).locator("mark")).to_have_text(cell.inner_text())
        expect(card(lesson)).to_contain_text("NVIDIA H200, fresh capture of")
        lesson.keyboard.press("Escape")
    lesson.locator('#evidence-h200 [data-key="512x512x512 tiled"][data-column="loads"]').click()
    expect(card(lesson)).to_contain_text("2 * ceil_div(k, kTileDim), with k = 512")


@pytest.mark.parametrize("group", ["#evidence-h200 table", "#chart-speedup-h200 svg"])
def test_one_tab_stop_and_arrow_keys(lesson: Page, group: str) -> None:
    figures = lesson.locator(f"{group} :is(a.figure, a.chart__point)")
    expect(lesson.locator(f"{group} :is(a.figure, a.chart__point)[tabindex='0']")).to_have_count(1)
    lesson.keyboard.press("Tab")
    figures.first.focus()
    expect(card(lesson)).to_be_visible()
    first = card(lesson).inner_text()
    lesson.keyboard.press("ArrowRight")
    expect(figures.nth(1)).to_be_focused()
    assert card(lesson).inner_text() != first
    lesson.keyboard.press("ArrowLeft")
    lesson.keyboard.press("ArrowUp")
    expect(figures.last).to_be_focused()
    lesson.keyboard.press("Escape")
    expect(card(lesson)).to_have_count(0)
    expect(figures.last).to_be_focused()


def test_the_next_tab_reaches_the_card_of_a_point(lesson: Page) -> None:
    lesson.keyboard.press("Tab")
    lesson.locator("#chart-speedup-h200 a.chart__point").first.focus()
    lesson.keyboard.press("Enter")
    lesson.keyboard.press("Tab")
    expect(lesson.locator(":focus")).to_have_text(re.compile(r"^line \d+$"))
    lesson.keyboard.press("Escape")
    expect(lesson.locator("#chart-speedup-h200 a.chart__point").first).to_be_focused()


def test_without_scripts_a_figure_leads_to_its_line(open_page: Open) -> None:
    page = open_page(LESSON, java_script_enabled=False)
    cell = page.locator("#evidence-h200 a.figure").first
    text = cell.inner_text()
    cell.click()
    expect(page.locator(".line:target")).to_contain_text(text)


def test_on_paper_there_is_one_note_a_capture(lesson: Page) -> None:
    lesson.emulate_media(media="print")
    notes = lesson.locator(".receipt--capture")
    expect(notes).to_have_count(2)
    expect(notes.first).to_be_visible()
    number = lesson.locator("#evidence-h200 caption a").get_attribute("data-receipt")
    expect(notes.first).to_have_id(f"receipt-{number}")
    expect(lesson.locator(".chart__data summary").first).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_is_clean_with_a_point_open(open_page: Open, scheme: str, width: int) -> None:
    page = open_page(LESSON, width=width, color_scheme=scheme, reduced_motion="reduce")
    for details in page.locator(".chart__data summary").all():
        details.click()
    page.locator("#chart-roofline-h200 .chart__reach").first.click()
    assert axe(page) == []


def test_the_page_is_light(site_weight: int) -> None:
    """Everything that the lesson loads, styles, scripts and fonts included, uncompressed."""
    assert site_weight < 1_200_000


@pytest.fixture
def site_weight(open_page: Open) -> int:
    page = open_page(LESSON)
    sizes = page.evaluate(
        """() => [...performance.getEntriesByType("resource"),
             ...performance.getEntriesByType("navigation")].map((e) => e.decodedBodySize)"""
    )
    return sum(sizes)
