"""A number says where it comes from: on hover, by key, by finger, on paper."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import Open

LESSON = "day16-tiled-matmul/"


@pytest.fixture
def lesson(open_page: Open) -> Page:
    return open_page(LESSON)


def measured(page: Page):  # type: ignore[no-untyped-def]
    """The first value that was read from a log."""
    number = page.locator("li.receipt--value:has(.receipt__capture a)").first.get_attribute("id")
    return page.locator(f'a.value[href="#{number}"]').first


def test_hovering_opens_a_card_and_leaving_closes_it(lesson: Page) -> None:
    value = measured(lesson)
    value.hover()
    card = lesson.locator("#receipt-card")
    expect(card).to_be_visible()
    expect(card.locator("mark")).to_have_text(value.inner_text())
    lesson.mouse.move(5, 5)
    expect(card).to_have_count(0)


def test_the_card_stays_while_the_pointer_is_in_it(lesson: Page) -> None:
    measured(lesson).hover()
    card = lesson.locator("#receipt-card")
    card.hover()
    lesson.wait_for_timeout(500)
    expect(card).to_be_visible()


def test_the_focus_opens_it_and_escape_closes_it(lesson: Page) -> None:
    lesson.keyboard.press("Tab")
    value = measured(lesson)
    value.focus()
    card = lesson.locator("#receipt-card")
    expect(card).to_be_visible()
    expect(value).to_have_attribute("aria-expanded", "true")
    lesson.keyboard.press("Escape")
    expect(card).to_have_count(0)
    expect(value).to_have_attribute("aria-expanded", "false")
    expect(value).to_be_focused()


def test_the_next_key_reaches_what_the_card_leads_to(lesson: Page) -> None:
    lesson.keyboard.press("Tab")
    value = measured(lesson)
    value.focus()
    lesson.keyboard.press("Enter")
    lesson.keyboard.press("Tab")
    focused = lesson.locator(":focus")
    expect(focused).to_have_text(re.compile(r"^line \d+$"))
    lesson.keyboard.press("Escape")
    expect(value).to_be_focused()
    expect(lesson.locator("#receipt-card")).to_have_count(0)


def test_the_line_in_the_card_leads_to_that_line_of_the_log(lesson: Page) -> None:
    value = measured(lesson)
    text = value.inner_text()
    value.click()
    lesson.locator("#receipt-card").get_by_text(re.compile(r"^line \d+$")).click()
    expect(lesson.locator(".line:target")).to_contain_text(text)


@pytest.mark.parametrize("width", [360, 1280])
def test_a_tap_opens_it_within_the_window(open_page: Open, width: int) -> None:
    page = open_page(LESSON, width=width, has_touch=True)
    for value in page.locator("a.value").all()[:8]:
        value.tap()
        card = page.locator("#receipt-card")
        box = card.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        value.tap()
        expect(card).to_have_count(0)


def test_a_claim_says_what_it_rests_on(lesson: Page) -> None:
    mark = lesson.locator(".claim__mark").first
    mark.click()
    card = lesson.locator("#receipt-card")
    expect(card).to_contain_text("Holds, checked by every build")
    lesson.locator("h1").click()
    expect(card).to_have_count(0)


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        (LESSON, "1.50", ["tiled is 1.50x faster", "Driver ", "CUDA 13.0", "at commit c761e75"]),
        (LESSON, "1.50", ["Again: course capture day16-tiled-matmul"]),
        ("reference/cpu-check/", "41", ["From ours.json: faults: 41", "python -m proof.ours"]),
        ("reference/hardware/", "101.0", ["L4, as its vendor", "1000 * 30.3 / 300 = 101.0"]),
    ],
)
def test_a_card_tells_all_that_a_number_rests_on(
    open_page: Open, name: str, words: str, said: list[str]
) -> None:
    page = open_page(name)
    page.locator("a.value", has_text=words).first.click()
    for each in said:
        expect(page.locator(".receipt-card")).to_contain_text(each)


def test_a_note_leads_to_the_note_of_its_capture(open_page: Open) -> None:
    page = open_page(LESSON, java_script_enabled=False)
    href = page.locator("#receipt-3 [data-note] a", has_text="note").get_attribute("href") or ""
    expect(page.locator(href)).to_contain_text("at commit")


def test_the_notes_are_folded_until_a_link_leads_to_one(open_page: Open) -> None:
    page = open_page(LESSON)
    expect(page.locator("#receipt-2")).to_be_hidden()
    page = open_page(LESSON + "#receipt-2")
    expect(page.locator("#receipt-2")).to_be_visible()


def test_every_link_to_a_receipt_leads_to_one(lesson: Page) -> None:
    missing = lesson.evaluate(
        "[...document.querySelectorAll('a[data-receipt]')]"
        ".filter((a) => !document.getElementById(a.hash.slice(1))).length"
    )
    assert missing == 0
    assert lesson.locator("a[data-receipt]").count() > 20


def test_on_paper_the_notes_are_open_and_numbered(lesson: Page) -> None:
    lesson.emulate_media(media="print")
    after = lesson.evaluate(
        "getComputedStyle(document.querySelector('a.value'), '::after').content"
    )
    assert after == '"1"'
    expect(lesson.locator("#receipt-1")).to_be_visible()
