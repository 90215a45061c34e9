"""The figures in Chromium: by keyboard, equal to the arithmetic, still, accessible, narrow."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.conftest import Open
from browser.test_quality import axe
from figures.node import ask

NAMES = ("phase-stepper", "edge", "guard-explorer", "barrier-timeline", "calculator", "bank-view")
RAGGED = {"m": 611, "n": 613, "k": 617}
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => shifts.push(
  ...list.getEntries().map((entry) => entry.sources.map((source) => source.node))))
  .observe({type: "layout-shift", buffered: true});
"""
IN_FIGURES = (
    "shifts.filter((nodes) => nodes.some((node) => node?.parentElement?.closest('.figure')))"
)


def figure(page: Page, name: str) -> Locator:
    return page.locator(f"#figure-{name}")


def status(page: Page, name: str) -> str:
    return figure(page, name).locator(".figure__status").inner_text()


def press(page: Page, name: str, control: str, key: str = "Enter") -> None:
    """Use a control by keyboard alone."""
    page.locator(f"#figure-{name}-{control}").focus()
    page.keyboard.press(key)


def write(page: Page, name: str, control: str, text: str) -> None:
    press(page, name, control, "ControlOrMeta+a")
    page.keyboard.press("Backspace")
    page.keyboard.type(text)
    page.keyboard.press("Tab")


def choose(page: Page, name: str, control: str, value: str) -> None:
    """Move through radio buttons with the arrow keys until `value` is checked."""
    figure(page, name).locator(f"[data-name={control}]:checked").focus()
    for _ in range(4):
        if page.evaluate("document.activeElement.value") == value:
            return
        page.keyboard.press("ArrowRight")
    pytest.fail(f"the arrow keys do not reach {value}")


def numbers(text: str) -> list[int]:
    return [int(found.replace(",", "")) for found in re.findall(r"\d[\d,]*", text)]


def test_figures_wake_without_moving_anything(open_page: Open) -> None:
    page = open_page("figures/")
    page.evaluate(SHIFTS)
    for name in NAMES:
        expect(figure(page, name)).to_have_attribute("data-live", "")
        expect(figure(page, name).locator(".figure__controls")).to_be_enabled()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(200)
    assert page.evaluate(f"{IN_FIGURES}.length") == 0  # the theme moves its title a little


def test_plates_are_numbered_down_the_page(open_page: Open) -> None:
    titles = open_page("figures/").locator(".figure__title b").all_inner_texts()
    assert titles == [f"Figure {count}." for count in range(1, len(NAMES) + 1)]


def test_only_pages_with_a_figure_load_them(site: Path) -> None:
    assert "figures/live.js" in (site / "figures/index.html").read_text()
    assert "figures/live.js" not in (site / "index.html").read_text()


def test_without_javascript_there_is_a_still_picture(open_page: Open) -> None:
    page = open_page("figures/", java_script_enabled=False)
    for name in NAMES:
        plate = figure(page, name)
        expect(plate.locator(".figure__stage svg").first).to_be_visible()
        expect(plate.locator(".figure__still")).to_be_visible()
        expect(plate.locator(".figure__controls")).to_be_hidden()
        expect(plate.locator(".figure__words li").first).to_be_attached()


def test_phases_by_keyboard(open_page: Open) -> None:
    page = open_page("figures/")
    for _ in range(2):
        press(page, "phase-stepper", "step")
    (first,) = ask([["dot", 0, 0, 0, 2]])
    assert status(page, "phase-stepper") == (
        f"Step 1 of 2, multiply: C[0][0] holds {first} after 2 of 4 products."
    )
    for _ in range(6):
        press(page, "phase-stepper", "step")
    (whole,) = ask([["dot", 0, 0, 0, 4]])
    assert status(page, "phase-stepper").endswith(f"C[0][0] = {whole}.")
    assert page.evaluate("document.activeElement.name") == "step"  # it stays, and does nothing
    press(page, "phase-stepper", "step")
    assert status(page, "phase-stepper").endswith(f"C[0][0] = {whole}.")
    press(page, "phase-stepper", "back")
    assert "second barrier" in status(page, "phase-stepper")
    press(page, "phase-stepper", "restart")
    assert status(page, "phase-stepper").startswith("Step 1 of 2, load")


def test_phases_of_sizes_of_ones_own(open_page: Open) -> None:
    page = open_page("figures/")
    press(page, "phase-stepper", "fold-2")
    figure(page, "phase-stepper").locator("summary").first.click()
    for control, text in (("m", "9"), ("n", "7"), ("k", "11"), ("tx", "1"), ("ty", "1")):
        write(page, "phase-stepper", control, text)
    for _ in range(2 + 4 * 5):
        press(page, "phase-stepper", "step")
    (sum_,) = ask([["dot", 1, 1, 0, 11]])
    assert f"C[1][1] holds {sum_} after 11 of 11" in status(page, "phase-stepper")
    write(page, "phase-stepper", "k", "99999")
    assert page.locator("#figure-phase-stepper-k").input_value() == "2048"


def test_the_corner_of_the_ragged_case(open_page: Open) -> None:
    words = figure(open_page("figures/"), "edge").locator(".figure__words").text_content() or ""
    (padded,) = ask([["paddedCells", 617, 16]])
    assert f"{padded} columns beyond K" in words
    assert f"{256 - 3 * 5} of its threads are off the edge" in words


def test_playing_and_pausing(open_page: Open) -> None:
    page = open_page("figures/")
    button = page.locator("#figure-phase-stepper-play")
    before = status(page, "phase-stepper")
    press(page, "phase-stepper", "play")
    expect(button).to_have_text("Pause")
    expect(figure(page, "phase-stepper").locator(".figure__status")).to_have_attribute(
        "aria-live", "off"
    )
    expect(figure(page, "phase-stepper").locator(".figure__status")).not_to_have_text(before)
    press(page, "phase-stepper", "play")
    expect(button).to_have_text("Play")
    here = status(page, "phase-stepper")
    page.wait_for_timeout(900)
    assert status(page, "phase-stepper") == here


def test_nothing_moves_by_itself(open_page: Open) -> None:
    page = open_page("figures/")
    before = [status(page, name) for name in NAMES]
    page.wait_for_timeout(900)
    assert [status(page, name) for name in NAMES] == before


def test_reduced_motion_turns_play_off(open_page: Open) -> None:
    page = open_page("figures/", reduced_motion="reduce")
    for name in ("phase-stepper", "barrier-timeline"):
        expect(page.locator(f"#figure-{name}-play")).to_be_disabled()
        expect(page.locator(f"#figure-{name}-restart")).to_be_enabled()
        expect(figure(page, name).locator(".figure__motion")).to_be_visible()


def test_where_motion_is_welcome_play_needs_no_note(open_page: Open) -> None:
    page = open_page("figures/")
    for name in ("phase-stepper", "barrier-timeline"):
        expect(figure(page, name).locator(".figure__motion")).to_be_hidden()


def test_guards_by_keyboard(open_page: Open) -> None:
    page = open_page("figures/")
    for guard, where in product(("none", "no-else", "ternary"), ("both", "a", "b")):
        check_guard(page, guard, where)


def check_guard(page: Page, guard: str, where: str) -> None:
    choose(page, "guard-explorer", "guard", guard)
    choose(page, "guard-explorer", "where", where)
    guards = {"a": "ternary" if where == "b" else guard, "b": "ternary" if where == "a" else guard}
    (step,) = ask([["lastStep", guards, RAGGED, 608, 608, 16]])
    shown = figure(page, "guard-explorer").locator(".figure__sums b").all_inner_texts()
    assert shown == [number(step["sum"]), number(step["right"])]
    wanted = [number(cell["product"]) for cell in step["cells"]]
    assert figure(page, "guard-explorer").locator("td.product").all_inner_texts() == wanted
    verdict = figure(page, "guard-explorer").locator(".verdict").inner_text()
    same = {True: "right", False: "wrong"}[step["sum"] == step["right"]]
    assert verdict == ("cannot be told" if step["sum"] is None else same)


def number(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"


def test_barriers_by_keyboard(open_page: Open) -> None:
    page = open_page("figures/")
    everything = ("both", "no-first", "no-second", "in-branch"), ("alike", "slow", "own")
    for barriers, pace in product(*everything):
        check_barriers(page, barriers, pace)


def check_barriers(page: Page, barriers: str, pace: str) -> None:
    choose(page, "barrier-timeline", "barriers", barriers)
    choose(page, "barrier-timeline", "pace", pace)
    plan = {"barriers": barriers, "pace": pace, "slow": 3, "rowsInside": 3}
    (run,) = ask([["runBlock", plan]])
    said = status(page, "barrier-timeline")
    flags = figure(page, "barrier-timeline").locator("path.flag").count()
    if run["hazards"]:
        assert numbers(said)[0] == len(run["hazards"])
        assert flags == len({(each["warp"], each["step"]) for each in run["hazards"]})
    else:
        assert "no read goes wrong" in said or "luck" in said
        assert flags == 0
    press(page, "barrier-timeline", "restart")
    assert status(page, "barrier-timeline") == f"Tick 0 of {run['end']}: no hazard so far."
    for _ in range(run["end"]):
        press(page, "barrier-timeline", "step")
    assert status(page, "barrier-timeline") == said


def test_the_calculator_by_keyboard(open_page: Open) -> None:
    page = open_page("figures/")
    for axis, size in RAGGED.items():
        write(page, "calculator", axis, str(size))
    page.locator("#figure-calculator-tile").select_option("32")
    page.locator("#figure-calculator-card").select_option("Tesla T4")
    card = {"name": "Tesla T4", "fp32_tflops": 8.1, "bandwidth_gbs": 300}
    naive, tiled, ratio, padding, shared, ridge, roof = ask(
        [
            ["loadsNaive", 617],
            ["loadsTiled", 617, 32],
            ["loadRatio", 617, 32],
            ["paddingOverhead", 611, 613, 617, 32],
            ["sharedBytes", 32],
            ["ridge", card],
            ["attainable", card, 0.25],
        ]
    )
    rows: list[Any] = figure(page, "calculator").locator("tbody tr").all_inner_texts()
    table = {row.split("\t")[0]: row.split("\t")[1:] for row in rows}
    assert table["loads a thread"] == [f"{naive:,}", f"{tiled:,}"]
    assert table["fewer loads"] == [f"{ratio:.1f}×"]
    assert table["padding"] == [f"{100 * padding:.1f} % more multiply-adds"]
    assert table["shared memory"] == [f"{shared:,} bytes a block"]
    assert table["roof, GFLOP/s"][0] == f"{roof:,.0f}"
    assert status(page, "calculator").endswith(f"the ridge is at {ridge:.1f}.")


def test_banks_and_sectors_by_keyboard(open_page: Open) -> None:
    page = open_page("figures/")
    for name, tile in product(("row", "column", "padded", "a", "b", "swapped"), (8, 16, 32)):
        check_access(page, name, tile)


def check_access(page: Page, name: str, tile: int) -> None:
    page.locator("#figure-bank-view-pattern").select_option(name)
    page.locator("#figure-bank-view-tile").select_option(str(tile))
    write(page, "bank-view", "p", "5")
    write(page, "bank-view", "lane", "31")
    size = {"m": tile, "n": 512, "k": 512}
    place = {"block": {"row": 0, "col": 0}, "warp": 0, "p": 5}
    (indices,) = ask([["warpIndices", {"name": name, "size": size, "tile": tile, **place}]])
    shared, unshared = ask([["sharedAccess", indices], ["globalAccess", indices]])
    counts = figure(page, "bank-view").locator(".figure__sums b").all_inner_texts()
    if name in ("row", "column", "padded"):
        assert counts[2:] == [str(shared["passes"]), str(shared["conflicts"])]
    else:
        assert counts[:2] == ["1", str(len(unshared["sectors"]))]
    words = figure(page, "bank-view").locator(".figure__words").text_content() or ""
    assert f"Lane 31 is thread x = {31 % tile}, y = {31 // tile}" in words


def test_a_lane_can_be_pointed_at(open_page: Open) -> None:
    page = open_page("figures/")
    figure(page, "bank-view").locator(".pick").nth(9).click()
    assert page.locator("#figure-bank-view-lane").input_value() == "9"


def test_on_a_phone_the_field_picks_the_lane(open_page: Open) -> None:
    page = open_page("figures/", width=360)
    expect(figure(page, "bank-view").locator(".pick").first).to_be_hidden()
    field = page.locator("#figure-bank-view-lane").bounding_box()
    assert field is not None
    assert field["height"] >= 24


def test_a_thread_can_be_pointed_at(open_page: Open) -> None:
    page = open_page("figures/")
    pick = figure(page, "phase-stepper").locator("[data-value='1 0']")
    box = pick.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 24
    pick.click()
    assert "thread (1, 0)" in status(page, "phase-stepper")


# The smallest letters of a plate, as they are on the screen.
SMALLEST = """(plate) => Math.min(...[...plate.querySelectorAll("*")].flatMap((part) => {
  const own = [...part.childNodes].some((each) => each.nodeType === 3 && each.data.trim());
  if (!own || !part.checkVisibility() || part.closest("option, script, noscript")) return [];
  const scale = part.getScreenCTM?.().a ?? 1;
  return [parseFloat(getComputedStyle(part).fontSize) * scale];
}))"""


@pytest.mark.parametrize(("width", "least"), [(360, 10.5), (800, 11), (1280, 11)])
def test_letters_are_large_enough(open_page: Open, width: int, least: float) -> None:
    page = open_page("figures/", width=width)
    smallest = {name: figure(page, name).evaluate(SMALLEST) for name in NAMES}
    choose(page, "barrier-timeline", "barriers", "no-first")  # with flags
    page.locator("#figure-bank-view-pattern").select_option("swapped")  # with sectors
    for name in ("barrier-timeline", "bank-view"):
        smallest[name + " later"] = figure(page, name).evaluate(SMALLEST)
    assert {name: px for name, px in smallest.items() if px < least} == {}


@pytest.mark.parametrize("width", [360, 1280])
def test_guards_leave_the_controls_where_they_are(open_page: Open, width: int) -> None:
    page = open_page("figures/", width=width)
    heights = set()
    for guard in ("none", "no-else", "ternary"):
        choose(page, "guard-explorer", "guard", guard)
        box = figure(page, "guard-explorer").bounding_box()
        assert box is not None
        heights.add(round(box["height"]))
    assert len(heights) == 1


def test_the_words_keep_off_the_fields(open_page: Open) -> None:
    page = open_page("figures/")
    for name in ("calculator", "bank-view"):
        fields = figure(page, name).locator(".figure__controls").bounding_box()
        words = figure(page, name).locator(".figure__words").bounding_box()
        assert fields is not None
        assert words is not None
        assert words["y"] - fields["y"] - fields["height"] >= 10  # 0.5rem


def test_the_state_survives_another_scheme(open_page: Open) -> None:
    page = open_page("figures/")
    press(page, "phase-stepper", "step")
    before = status(page, "phase-stepper")
    ground = "getComputedStyle(document.querySelector('.figure')).backgroundColor"
    light = page.evaluate(ground)
    for _ in range(2):
        page.locator("form[data-md-component=palette] label:visible").click()
    assert page.evaluate(ground) != light
    assert status(page, "phase-stepper") == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_axe_is_clean_in_every_state(open_page: Open, scheme: str, width: int) -> None:
    page = open_page("figures/", width=width, color_scheme=scheme, reduced_motion="reduce")
    page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    assert axe(page) == []
    choose(page, "guard-explorer", "guard", "none")
    choose(page, "barrier-timeline", "barriers", "in-branch")
    page.locator("#figure-bank-view-pattern").select_option("swapped")
    for _ in range(2):
        press(page, "phase-stepper", "step")
    assert axe(page) == []


def test_nothing_is_wider_than_a_phone(open_page: Open) -> None:
    page = open_page("figures/", width=360)
    page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    for name in NAMES:
        plate = figure(page, name).bounding_box()
        assert plate is not None
        for part in figure(page, name).locator("svg:visible, button:visible, input, table").all():
            box = part.bounding_box()
            if box is not None and box["width"] > 1:
                assert box["x"] >= plate["x"], (name, part)
                assert box["x"] + box["width"] <= plate["x"] + plate["width"] + 0.5, (name, part)


def test_every_drawing_has_a_size(open_page: Open) -> None:
    """An empty box passes every other test."""
    page = open_page("figures/")
    for drawing in page.locator(".figure__stage svg[role=img]").all():
        box = drawing.bounding_box()
        assert box is not None
        assert box["width"] > 200
        assert box["height"] > 100
