"""Pages: what is found in them, on which line, and that code is never read as marks."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from hypothesis import given
from hypothesis import strategies as st

from course.errors import CourseError
from course.page import Page, Snippet

PAGE = dedent(
    """\
    ---
    title: A page
    program: day16-tiled-matmul
    ---
    Reads [[= loads_tiled(617) =]] floats, not `[[= this =]]`.

    [[? t4.ragged.speedup < 2
    ?]]On the T4 it gains [[= t4.ragged.speedup =]]
    times.[[/?]] Reported: [["1.53×" from the course]].

    === "Tesla T4"

        ```evidence name="t4" program="p" gpu="Tesla T4" kind="imported"
        GPU: Tesla T4
          indented
        ```

    ```cuda
    --8<-- "code/p/a.cu:tiled"
    --8<-- "code/p/a.cu:3:7"
    ;--8<-- "escaped"
    x = a[[=] { return b; }()];  [[= not a value =]]
    ```
    """
)


def page(text: str) -> Page:
    return Page(Path("/p/docs/page.md"), text)


def test_everything_is_found_on_its_line() -> None:
    """Front matter, values, claims, quotes, blocks and snippets, each on its line."""
    found = page(PAGE)
    assert found.program == "day16-tiled-matmul"
    assert [(v.line, v.expression) for v in found.values] == [
        (5, "loads_tiled(617)"),
        (8, "t4.ragged.speedup"),
    ]
    assert [(c.line, c.condition, c.sentence) for c in found.claims] == [
        (7, "t4.ragged.speedup < 2", "On the T4 it gains … times.")
    ]
    assert [(q.line, q.text, q.source) for q in found.quotes] == [(9, "1.53×", "the course")]
    [block] = found.evidence_blocks
    assert (block.line, block.name, block.gpu, block.imported) == (13, "t4", "Tesla T4", True)
    assert block.fence.text == "GPU: Tesla T4\n  indented\n"
    snippets = [s for s in found.directives() if isinstance(s, Snippet)]
    assert [(s.line, s.section, s.lines) for s in snippets] == [
        (19, "tiled", None),
        (20, None, (3, 7)),
    ]
    assert not found.mark_faults


def test_broken_marks_are_faults() -> None:
    """A mark that is not complete would be printed as it is, so it is a fault with its line."""
    cases = {
        "a [[= x": "not a complete mark: [[= x",
        "a x =]] b": "not a complete mark: =]] b",
        "[[? x ?]]no end": "the claim is never closed: [[? x ?]]",
        "end[[/?]]": "out of place: [[/?]]",
        "[[? x ?]]a [[? y ?]]b[[/?]]": "out of place: [[? y ?]]",
        '[["1" by me]]': 'not a complete mark: [["1" by me]]',
        "[[=\n\n1 =]]": "not a complete mark: [[=",
    }
    for text, message in cases.items():
        faults = page(f"\n{text}\n").mark_faults
        assert faults, text
        assert (faults[0].line, faults[0].message) == (2, message)
    assert not page("all [[= fine =]] and [link](x) [[wiki]]").mark_faults


def test_directives_that_mkdocs_would_let_pass() -> None:
    """Each shape that pymdownx prints or ignores without a word is a fault here."""
    cases = {
        "```\n--8<-- code/p/a.cu\n```": "not a snippet directive: --8<-- code/p/a.cu",
        '```\n--8<--"code/p/a.cu"\n```': 'not a snippet directive: --8<--"code/p/a.cu"',
        "```\n--8<--\n```": "not a snippet directive: --8<--",
        '--8<-- "code/p/a.cu"': 'a snippet outside a fenced code block: --8<-- "code/p/a.cu"',
    }
    for text, message in cases.items():
        [fault] = page(text).directives()
        assert isinstance(fault, CourseError)
        assert fault.message == message
    [snippet] = page('```\n--8<-- "code/p/a.cu"\n```').directives()
    assert isinstance(snippet, Snippet)


@given(st.text(alphabet=st.sampled_from('[]=?"/ \n`~x-8<>!{}\'$|:"')))
def test_any_text_is_a_page(text: str) -> None:
    """No text makes the reader fail; every span lies inside the text, on its line."""
    found = page(text)
    for mark in (*found.values, *found.claims, *found.quotes):
        assert found.text[mark.start : mark.start + 2] == "[["
        assert found.line_at(mark.start) == mark.line
    assert len(found.masked) == len(found.text) == len(found.prose)
    assert list(found.directives()) is not None
