"""Does every number and every claim in the prose rest on something?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from course.errors import CourseError, Finding
from course.formula import ExpressionError
from course.page import Page
from course.project import Project
from course.values import Namespace

_SECOND = r"s(?:ec(?:ond)?s?)?"
_UNIT = rf"""(?:
      (?: × | \\times | [xX](?!\w) )(?!\s*\d)
    | % | °C
    | (?: percent | per\s+cent | times | fold | cycles? | FLOPs?
        | [kKMGTP]?FLOPS
        | [kKMGTP]?(?:FLOPs?|i?B|bytes?)\s*(?:/|per\s+)\s*{_SECOND}
        | [kKMG]?Hz | [mk]?W | watts?
        | [mµμun]?{_SECOND} | (?:milli|micro|nano)seconds?
      )(?!\w)
)"""
# A number with a unit that only a measurement or a formula can give; `16×16` is a shape, no figure.
# The hyphen of `day-16 s` is no sign and no range.
_FIGURE = re.compile(
    rf"(?<![\w.,])(?<![A-Za-z_]-)\.?\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?[\s-]*{_UNIT}",
    re.VERBOSE,
)
# What readers do not see as words: targets, attributes, tags, emphasis, spaces by their names.
_NO_WORDS = re.compile(
    r"\]\([^)\s]*\)|\{:?\s*(?:[.#][\w-]|[\w-]+=)[^}\n]*\}|</?[A-Za-z][^<>\n]*>|https?://\S+"
    r"|\*+|(?<!\w)__|__(?!\w)|&(?:nbsp|thinsp|ensp|emsp|\#160|\#8239);"
)


def check_prose(project: Project) -> Iterator[Finding]:
    for page in project.pages.values():
        for fault in (*page.open_fences, *page.mark_faults):
            yield Finding.of(fault, project.root, page.path)
        if page.program in project.unreadable:
            continue
        try:
            namespace = Namespace(project, page)
        except CourseError:
            continue  # an evidence block that cannot be read is a finding of its own
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
    prose = _NO_WORDS.sub(lambda match: " " * len(match[0]), page.prose)
    for match in _FIGURE.finditer(prose):
        figure = " ".join(match[0].split())
        yield Finding(
            project.relative(page.path),
            page.line_at(match.start()),
            "figure-unsourced",
            f"`{figure}` is typed by hand: nothing checks it",
            'write it as a value [[= … =]], or as a quotation [["…" from SOURCE]]',
        )
