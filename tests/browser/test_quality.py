"""Accessibility and valid HTML, with what the theme does and we cannot mend listed by reason."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page

from browser.conftest import Open, module

# What html-validate says of Material's own markup: the rule, and the elements that it is about.
THEME = {
    # checkboxes that keep the drawer's and the search's state carry autocomplete="off"
    "valid-autocomplete": re.compile(r"^#__(drawer|search)$"),
    # the labels that fold the navigation carry an empty tabindex, which its script fills in
    "attribute-allowed-values": re.compile(r"^#__nav_\d+_label$"),
}


def axe(page: Page) -> list[str]:
    """What axe finds on the page as it stands."""
    page.add_style_tag(content="* { content-visibility: visible !important; }")
    page.add_script_tag(path=module("axe-core/axe.min.js"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {node['target']} {node.get('failureSummary', '')}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 360), ("light", 1280), ("dark", 360), ("dark", 1280)]
)
def test_axe_is_clean(open_page: Open, pages: list[str], scheme: str, width: int) -> None:
    for name in pages:
        page = open_page(name, width=width, color_scheme=scheme, reduced_motion="reduce")
        assert axe(page) == [], name
        page.context.close()


def test_axe_is_clean_with_everything_open(open_page: Open) -> None:
    page = open_page("day16-tiled-matmul/", reduced_motion="reduce")
    page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    page.locator("a.value").first.click()
    assert axe(page) == []


def test_axe_bites(open_page: Open) -> None:
    page = open_page("")
    page.evaluate("document.querySelector('article').insertAdjacentHTML('beforeend', '<img src>')")
    assert any(found.startswith("image-alt") for found in axe(page))


def validated(folder: Path) -> list[str]:
    """What html-validate says of the pages in a folder, less what is the theme's."""
    program = module("html-validate/bin/html-validate.mjs")
    config, report = Path(__file__).with_name("htmlvalidate.json"), folder / "report.json"
    pages = map(str, sorted(folder.rglob("*.html")))
    subprocess.run(
        ["node", program, "--formatter", f"json={report}", "--config", config, *pages],
        check=False,
    )
    return [
        f"{result['filePath']}:{message['line']}: {message['ruleId']}: {message['message']}"
        for result in json.loads(report.read_text())
        for message in result["messages"]
        if not THEME.get(message["ruleId"], re.compile("(?!)")).match(message["selector"] or "")
    ]


def test_the_html_is_valid(site: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(site, tmp_path / "site")
    assert validated(folder) == []


def test_the_validator_bites(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><html lang='en'><head><title>x</title></head><p><div></div>")
    assert validated(tmp_path)
