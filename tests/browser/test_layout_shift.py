"""Nothing moves once it is painted: not when scripts arrive late, nor when figures wake up."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, Route

from browser.conftest import Open

WATCH = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) {
    const nodes = shift.sources.map(({ node }) => node);
    const moved = nodes.map((node) => (node?.outerHTML ?? node?.textContent ?? "?").slice(0, 80));
    const aside = nodes.every((node) => node?.parentElement?.closest(".md-sidebar"));
    window.shifts.push({ value: shift.value, moved, aside });
  }
}).observe({ type: "layout-shift", buffered: true });
"""


def opened_late(page: Page, address: str) -> None:
    """Open the page with its scripts held back until its text has been painted."""
    held: list[Route] = []
    page.route("**/*.js", lambda route: held.append(route))
    page.goto(address, wait_until="commit")
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    page.unroute_all()  # which lets go of what was held
    page.wait_for_load_state("networkidle")


def shifts(page: Page) -> list[dict[str, Any]]:
    """Every layout shift that the browser has told so far, with what moved."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))")
    found: list[dict[str, Any]] = page.evaluate("window.shifts")
    return found


@pytest.fixture(params=[360, 1280, 1350])
def page(request: pytest.FixtureRequest, open_page: Open) -> Page:
    """A page that keeps count of its shifts, on a phone and on two desktops."""
    page = open_page("404.html", width=request.param)
    page.add_init_script(WATCH)
    return page


def test_nothing_shifts_when_scripts_come_late(page: Page, address: str, pages: list[str]) -> None:
    for name in pages:
        opened_late(page, address + name)
        assert shifts(page) == [], name


@pytest.mark.parametrize("anchor", ["#uncoalesced", "#figure-phase-stepper"])
def test_nothing_shifts_for_a_reader_who_comes_by_an_anchor(
    page: Page, address: str, anchor: str
) -> None:
    opened_late(page, address + "day16-tiled-matmul/" + anchor)
    assert page.evaluate("scrollY") > 0
    # The table of contents beside the text scrolls to where the reader is.
    assert [shift for shift in shifts(page) if not shift["aside"]] == []


def test_a_shift_is_seen(page: Page, address: str) -> None:
    page.goto(address)
    page.evaluate("document.querySelector('article').prepend('Above all\\n'.repeat(99))")
    assert shifts(page) != []
