"""Figures and the hardware table on their way from a fence to the page, and what is refused."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from bench import REPOSITORY
from course.errors import CourseError
from course.hardware import PLACE, read_hardware
from course.page import Page
from course.project import Project
from course.site.figures import MODULES, Figures, as_function, figure_fences, number
from course.site.hardware import hardware_html
from course.site.links import Links
from course.site.receipts import Receipts
from figures.node import ask

FENCE = '```figure name="{}"\n```\n\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with the figures and the hardware table, and no pages."""
    shutil.copytree(REPOSITORY / MODULES, tmp_path / MODULES)
    (tmp_path / PLACE).parent.mkdir(parents=True)
    shutil.copy(REPOSITORY / PLACE, tmp_path / PLACE)
    return tmp_path


def page(root: Path, text: str) -> Page:
    path = root / "docs/page.md"
    path.write_text(text)
    return Page.read(path)


def faults(root: Path, text: str) -> list[str]:
    return [str(fault) for fault in Figures(root).faults(page(root, text))]


def plates(root: Path, text: str) -> list[str]:
    shown = page(root, text)
    return [Figures(root).plate(shown, fence) for fence in figure_fences(shown)]


def test_every_figure_and_preset_gives_a_plate(root: Path) -> None:
    for name, presets in Figures(root).known().items():
        for preset in presets:
            (html,) = plates(root, f'```figure name="{name}" preset="{preset}"\n```\n')
            assert html.startswith(f'<figure class="plate figure" id="figure-{name}"')
            assert 'role="img"' in html
            assert 'role="status"' in html
            assert "<fieldset" in html
            assert not re.search(r"undefined|NaN|\[object", html), (name, preset)


def test_a_plate_shows_what_was_computed(root: Path) -> None:
    (html,) = plates(root, FENCE.format("guard-explorer"))
    case = {"m": 611, "n": 613, "k": 617}
    guards = {"a": "no-else", "b": "no-else"}
    (step,) = ask([["lastStep", guards, case, 608, 608, 16]])
    assert f"comes out as {step['sum']:,} instead of {step['right']:,}" in html


def test_plates_are_the_same_at_every_build(root: Path) -> None:
    assert plates(root, FENCE.format("bank-view")) == plates(root, FENCE.format("bank-view"))


def test_hand_made_plates_count_too(root: Path) -> None:
    text = '<figure class="plate">\n</figure>\n\n' + FENCE.format("calculator")
    text += FENCE.format("bank-view")
    shown = page(root, text)
    assert [number(shown, fence) for fence in figure_fences(shown)] == [2, 3]


def test_patterns_come_once_a_page(root: Path) -> None:
    html = "".join(plates(root, FENCE.format("phase-stepper") + FENCE.format("bank-view")))
    assert html.count('id="figure-hatch"') == 1


def test_unknown_names_are_refused(root: Path) -> None:
    assert faults(root, FENCE.format("phase-stepper")) == []
    (fault,) = faults(root, "\n\n" + FENCE.format("phase-steper"))
    assert "page.md:3: there is no figure `phase-steper`" in fault
    assert "fix: the figures are phase-stepper, guard-explorer" in fault
    (fault,) = faults(root, '```figure name="calculator" preset="huge"\n```\n')
    assert "the figure `calculator` has no preset `huge`" in fault
    assert "fix: its presets are medium, ragged" in fault


def test_two_figures_need_two_names(root: Path) -> None:
    other = FENCE.format("calculator").replace("figure name", 'figure id="other" name')
    assert faults(root, FENCE.format("calculator") + other) == []
    (fault,) = faults(root, FENCE.format("calculator") * 2)
    assert "two figures of this page are called figure-calculator" in fault


def test_modules_become_functions() -> None:
    module = 'import a from "./a.js";\nimport {\n  b,\n  c as d,\n} from "./b.js";\n'
    module += "export const e = a;\nexport function f() {}\nexport default { e };\n"
    made = as_function("x.js", module)
    assert 'const { default: a } = use("a.js");' in made
    assert 'const {\n  b,\n  c: d,\n} = use("b.js");' in made
    assert "\nconst e = a;\nfunction f() {}\nexports.default = { e };\n" in made
    assert "Object.assign(exports, { e, f })" in made


def test_the_modules_stay_small() -> None:
    sizes = [path.stat().st_size for path in (REPOSITORY / MODULES).glob("*.js")]
    assert sum(sizes) < 82_000


def test_the_hardware_table(root: Path) -> None:
    hardware = read_hardware(root)
    receipts = Receipts(Project.load(REPOSITORY), Links(root, "", "reference/hardware/"))
    html = hardware_html(hardware, receipts)
    for nth, card in enumerate(hardware.cards, start=1):
        assert card.name in html
        (ridge,) = ask([["ridge", card.model_dump()]])
        assert card.ridge == pytest.approx(ridge)
        assert f'href="#receipt-{nth}">{card.ridge:.1f}</a></td>' in html
    assert set(hardware.cited) == set(hardware.documents)


def test_what_lessons_say_of_the_table(root: Path) -> None:
    """Neither kernel of day 16 reaches the ridge point of any card."""
    naive, tiled = ask([["intensityNaive", 512], ["intensityTiled", 512, 16]])
    assert max(naive, tiled) < min(card.ridge for card in read_hardware(root).cards)


@pytest.mark.parametrize(
    ("found", "put", "says"),
    [
        ("    sms: 40\n", "", "sms"),
        ("fp32_tflops: 8.1", "fp32_tflops: -1", "fp32_tflops"),
        ("sources: [l4, guide]", "sources: [l5, guide]", "L4: no document is called l5"),
        ("    sms: 40\n", "    sms: 40\n    ridge: 27\n", "ridge"),
    ],
)
def test_a_bad_table_is_refused(root: Path, found: str, put: str, says: str) -> None:
    text = (root / PLACE).read_text()
    assert found in text
    (root / PLACE).write_text(text.replace(found, put, 1))
    with pytest.raises(CourseError, match=says):
        read_hardware(root)
    assert any(says in fault for fault in faults(root, "```hardware\n```\n"))
