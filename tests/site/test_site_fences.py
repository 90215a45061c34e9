"""Fences on their way through Markdown: what cannot be drawn stops the build."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from markdown import Markdown
from pymdownx.superfences import SuperFencesException

from course.site.fences import custom_fences

TEXT = '```evidence name="h200"\nthe block\n```\n'


def rendered(evidence: Any) -> str:
    """TEXT as HTML, on a page that draws its evidence like this."""
    page: Any = SimpleNamespace(evidence=evidence)
    fences = {"custom_fences": custom_fences(lambda: page)}
    markdown = Markdown(
        extensions=["pymdownx.superfences"], extension_configs={"pymdownx.superfences": fences}
    )
    return str(markdown.convert(TEXT))


def test_a_fence_becomes_what_the_page_draws() -> None:
    assert rendered(lambda name: f"<p>{name}</p>") == "<p>h200</p>"


def test_a_fence_that_the_page_does_not_draw_stays_a_block() -> None:
    assert rendered(lambda name: "") == "<pre><code>the block</code></pre>"


def test_a_fence_that_cannot_be_drawn_raises() -> None:
    def broken(name: str) -> str:
        raise KeyError(name)

    with pytest.raises(SuperFencesException, match="the fence `evidence` cannot be drawn"):
        rendered(broken)
