"""The whole lesson by the Tab key alone: every stop can be seen, and the end is reached."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from browser.conftest import Open

# Of a field that is drawn by its label, the label is what the reader sees; of a point, its reach.
STOP = """() => {
  const at = document.activeElement;
  if (at === document.body) return null;
  const drawn = at.matches("input[type=radio], input[type=checkbox]")
    ? [at, at.nextElementSibling, ...at.labels] : [at, at.querySelector(".chart__reach")];
  const seen = (one) => {
    const box = one.getBoundingClientRect();
    return box.bottom > 0 && box.top < innerHeight && box.width > 1 && box.height > 1;
  };
  const marked = (one) => {
    const style = getComputedStyle(one);
    return style.outlineStyle !== "none" || (one !== at && style.stroke !== "none");
  };
  const stop = {
    name: at.outerHTML.slice(0, 90),
    seen: drawn.some((one) => one && seen(one)),
    marked: drawn.some((one) => one && marked(one)),
    onwards: !window.last?.isConnected
      || !!(window.last.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING),
    again: window.first === at,
  };
  window.first ??= at;
  window.last = at;
  return stop;
}"""


def stops(page: Page) -> list[dict[str, Any]]:
    """Every stop of the Tab key from the top of the page, until it comes round."""
    found: list[dict[str, Any]] = []
    for _ in range(600):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is None or stop["again"]:
            return found
        found.append(stop)
    pytest.fail(f"the Tab key does not come out again: {found[-3:]}")


@pytest.mark.parametrize("width", [360, 1280])
def test_the_lesson_by_the_tab_key(open_page: Open, width: int) -> None:
    page = open_page("day16-tiled-matmul/", width=width, reduced_motion="reduce")
    found = stops(page)
    assert [stop["name"] for stop in found if not stop["seen"]] == []
    assert [stop["name"] for stop in found if not stop["marked"]] == []
    assert [stop["name"] for stop in found if not stop["onwards"]] == []
    names = "".join(stop["name"] for stop in found)
    for wanted in ("value", "figure__button", "chart__point", "evidence", "summary", "md-footer"):
        assert wanted in names, wanted


def test_the_first_stop_leads_past_the_navigation(open_page: Open) -> None:
    page = open_page("day16-tiled-matmul/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className").split(" ")[0] == "md-skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('article') !== null")
