"""The site, built once a session from a copy of the repository, and pages of it to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from sites import built, served

MODULES = Path(__file__).parent / "node_modules"
Open = Callable[..., Page]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    with served(site) as address:
        yield address


@pytest.fixture(scope="session")
def pages(site: Path) -> list[str]:
    """The address of every page under the site's own; of the files of the proof, which one
    template makes, a kernel and a result."""
    found = [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html"))]
    files = [name for name in found if name.startswith("tests/")]
    kept = {name for name in files if name.endswith(("/early-return.cu.html", "/speed.json.html"))}
    return [name.removesuffix("index.html") for name in found if name not in {*files} - kept]


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Open]:
    """Open a page of the site; at its end nothing was asked of another host, nothing went wrong."""
    opened: list[BrowserContext] = []
    trouble: list[str] = []

    def open_(name: str, at: str = address, width: int = 1280, **options: object) -> Page:
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, **options)  # type: ignore[arg-type]
        opened.append(context)
        page = context.new_page()
        page.on(
            "request",
            lambda r: (
                None
                if r.url.startswith((at, "data:", "blob:"))
                else trouble.append(f"asked of another host: {r.url}")
            ),
        )
        page.on(
            "console",
            lambda m: (
                trouble.append(f"console: {m.text}") if m.type in ("error", "warning") else None
            ),
        )
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.goto(at + name)
        page.wait_for_load_state("networkidle")
        return page

    yield open_
    for context in opened:
        context.close()
    assert trouble == []


def module(name: str) -> Path:
    """A file of an npm package that the tests need."""
    path = MODULES / name
    if not path.exists():
        pytest.fail("an npm package is missing: npm ci --prefix tests/browser")
    return path
