"""Does every number and every claim in the prose rest on something?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from course.check.figures import INLINE, typed_figures
from course.errors import Finding
from course.formula import ExpressionError
from course.page import Page
from course.project import Project
from course.values import Namespace

# What readers do not see as words: targets, attributes, tags, emphasis, spaces by their names.
_NO_WORDS = re.compile(
    r"\]\([^)\s]*\)|\{:?\s*(?:[.#][\w-]|[\w-]+=)[^}\n]*\}|</?[A-Za-z][^<>\n]*>|https?://\S+"
    r"|\*+|(?<!\w)__|__(?!\w)|\\(?=[^\w\s])"
)

_TAG = re.compile(r"</?([A-Za-z][\w-]*)")


def check_prose(project: Project, page: Page) -> Iterator[Finding]:
    for fault in (*page.open_fences, *page.stray_backticks, *page.mark_faults):
        yield Finding.of(fault, project.root, page.path)
    if page.program in project.unreadable:
        return
    namespace = Namespace(project, page)
    yield from _values(project, page, namespace)
    yield from _claims(project, page, namespace)
    if page.program is not None:
        yield from _unsourced(project, page)


def _values(project: Project, page: Page, namespace: Namespace) -> Iterator[Finding]:
    for value in page.values:
        if namespace.lacks_evidence(value.expression):
            continue
        try:
            namespace.value(value.expression)
        except ExpressionError as error:
            yield Finding(
                project.relative(page.path),
                value.line,
                "value-undefined",
                f"[[= {value.expression} =]] {error}",
                "name a figure of this page's evidence blocks, a constant or a formula",
            )


def _claims(project: Project, page: Page, namespace: Namespace) -> Iterator[Finding]:
    path = project.relative(page.path)
    for claim in page.claims:
        if namespace.lacks_evidence(claim.condition):
            continue
        try:
            result = namespace.holds(claim.condition)
        except ExpressionError as error:
            message = f"the condition `{claim.condition}` {error}"
            yield Finding(path, claim.line, "claim-undefined", message, "mend the condition")
            continue
        if not result.value:
            read = "".join(
                f"\n  read: {origin.text}  ({origin.place})" for origin in result.origins
            )
            cards = f" on {' and '.join(result.broken_by)}" if result.broken_by else ""
            yield Finding(
                path,
                claim.line,
                "claim-false",
                f"not true{cards}: “{claim.sentence}”\n  condition: {claim.condition}{read}",
                "rewrite the sentence so that it says what the evidence says",
            )


def _unsourced(project: Project, page: Page) -> Iterator[Finding]:
    for text, line in _words(page):
        for typed in typed_figures(text):
            at = line or page.line_at(typed.start)
            yield unsourced(project.relative(page.path), at, typed.figure)


def _words(page: Page) -> Iterator[tuple[str, int]]:
    """The texts that the author typed for readers, each with its line; 0 for all of them."""
    yield _NO_WORDS.sub(_left_out, page.prose), 0
    for key in ("title", "description"):
        if isinstance(text := page.meta.get(key), str):
            yield text, 1


def _left_out(match: re.Match[str]) -> str:
    """Nothing where the words on both sides stand together, as they do at emphasis; else spaces."""
    tag = _TAG.match(match[0])
    parts = tag is not None and tag[1].lower() not in INLINE
    return (" " if parts else "\0") * len(match[0])


def unsourced(path: str, line: int, figure: str) -> Finding:
    return Finding(
        path,
        line,
        "figure-unsourced",
        f"`{figure}` is typed by hand: nothing checks it",
        'write it as a value [[= … =]], or as a quotation [["…" from SOURCE]]',
    )
