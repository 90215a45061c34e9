"""Our reading of Markdown beside what the site's own Markdown makes of it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import markdown
import pytest
from bs4 import BeautifulSoup
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mkdocs.config import load_config

from course.check.figures import typed_figures
from course.check.visible import visible_words
from course.errors import CourseError
from course.page import Page

REPOSITORY = Path(__file__).parents[1]


@cache
def site_markdown() -> dict[str, Any]:
    config = load_config(str(REPOSITORY / "mkdocs.yml"))
    return {"extensions": config.markdown_extensions, "extension_configs": config.mdx_configs}


def shown(text: str) -> str:
    """The words of `text` that readers see outside of code, as the site renders it."""
    html = markdown.markdown(text, **site_markdown())
    return visible_words(BeautifulSoup(f"<article>{html}</article>", "html.parser"), page(text))


def page(text: str) -> Page:
    return Page(Path("/p/docs/page.md"), text)


WORDS = st.sampled_from(
    [
        *(
            "one",
            "two",
            "`",
            "``",
            "`code`",
            "``a ` b``",
            "*",
            "**",
            "\\`",
            "&nbsp;",
            "<b>",
            "</b>",
        ),
        *("<!--", "-->", "<code>", "</code>", "[a](b)", "~~~", "```", "$x$", "{ .c }", '"', "|"),
    ]
)
LINE = st.lists(WORDS, max_size=5).map(" ".join)
# Inside HTML of the author's own, backticks are words: only the built page tells those.
PREFIX = st.sampled_from(
    [
        *("", "", "- ", "1. ", "# ", "| ", "> ", ": ", '!!! note "', '??? tip "', '=== "', "    "),
        *("```", "````", "~~~", "```text", "---|---", "<div markdown>", "==="),
        *("[^1]: ", "*[HTML]: "),
    ]
)
TEXT = st.lists(st.tuples(PREFIX, LINE).map("".join), max_size=8).flatmap(
    lambda lines: st.sampled_from(["\n", "\n\n"]).map(lambda between: between.join(lines))
)


def numbered(text: str) -> str:
    """The text with a word of its own at each place where `one` or `two` stands."""
    count = iter(range(10_000))
    return re.sub(r"\b(?:one|two)\b", lambda _: f"word{next(count)}x", text)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(TEXT)
@example("- one ` two\n- one ` two")
@example("| a | b |\n|---|---|\n| ` one | x |\n| y | ` two |")
@example("one ` two\n# one ` two")
@example("one ` two\n===\none ` two")
@example("```\none\n````\n\ntwo\n\n```\n")
@example("```text\none\n```\ntwo")
def test_what_readers_see_as_words_is_never_read_as_code(text: str) -> None:
    """Every word that the rendered page shows outside of code is in what we read as prose."""
    text = numbered(text)
    found = page(text)
    if found.open_fences or found.stray_backticks:
        return  # such a page is refused, whatever it says
    seen = set(re.findall(r"word\d+x", shown(text)))
    read = set(re.findall(r"word\d+x", found.masked))
    assert seen <= read, (seen - read, text)


CODE = ("a `one` b", "```\none\n```", "> ```\n> one\n> ```", "a ``one\ntwo`` b", "<!-- one -->")


@pytest.mark.parametrize("text", CODE)
def test_code_and_comments_are_read_as_no_words_on_both_sides(text: str) -> None:
    """The control: a reading that calls everything prose would pass the test above."""
    assert "one" not in page(text).masked + shown(text)


DISGUISES = (
    *("1.29&times;", "1.29&#215;", "1.29&#xD7;", "1\u200b.29×", "1.\u00ad29×", "1.2\u200f9×"),
    *("1.29\u200b×", "1.2<b>9</b>×", "1.29<wbr>×", "5\u20113&#37;", "12&#8239;ms", "12&thinsp;ms"),
    *("１２ ms", "12 ㎳", "1.29✕", "1.29х", "12 mѕ", "1.2<!-- -->9×", "**1**.29×", "1&#46;29×"),
    *("\u202e×92.1\u202c", "&#x202e;×92.1", "1.29\u0336×", "𝟏.𝟐𝟗×", "1.29\ufe0f×", "1.29&percnt;"),
)


@pytest.mark.parametrize("text", DISGUISES)
def test_a_figure_is_found_in_every_disguise(text: str) -> None:
    assert list(typed_figures(shown(f"It is {text} faster.")))


PLAIN = ("16&times;16 threads", "16\u200b×16", "`1.29×`", "day&#8209;16 s", "9&nbsp;points", "a&b;")


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_no_figure_is_let_be(text: str) -> None:
    """The control."""
    assert not list(typed_figures(shown(f"It is {text} here.")))


HEADS = (
    "---\nprogram: p\n---\n",
    "--- \nprogram: p\n---\n",
    "---\nprogram: p\n...\n",
    "---\t\nprogram: p\n--- \n",
    "\ufeff---\nprogram: p\n---\n",
    "---\r\nprogram: p\r\n---\r\n",
    "---\rprogram: p\r---\r",
    "program: p\n\n",
)


@pytest.mark.parametrize("head", HEADS)
def test_front_matter_is_what_mkdocs_takes_for_it(tmp_path: Path, head: str) -> None:
    """The page keeps its program, and the head is none of its words."""
    path = tmp_path / "page.md"
    path.write_bytes(f"{head}It is so.\n".encode())
    found = Page.read(path)
    assert found.program == "p"
    assert found.masked.strip() == "It is so."


@pytest.mark.parametrize(
    "head", ["\n---\nprogram: p\n---\n", "---\nprogram: p\n\nIt", "----\na: b\n"]
)
def test_front_matter_that_mkdocs_skips_is_a_fault(head: str) -> None:
    with pytest.raises(CourseError, match="the front matter is not read"):
        _ = page(f"{head}It is so.\n").meta


def test_a_rule_below_a_line_is_no_front_matter() -> None:
    """The control."""
    assert page("# Title\n\n---\n\nkey: value\n").meta == {}
