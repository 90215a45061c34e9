"""What of a page's text is code or comment, read once from the top; the rest is prose.

Whatever begins first wins: a comment marker in a code span opens no comment, and a fence in a
comment opens no fence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_OPENING = re.compile(r"^(?P<indent>[ \t>]*)(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)$", re.M)
# A line that may begin another block: a blank one, a fence, a list's item, a heading or the line
# under one, a row of a table, a definition, a note, a tab, a quotation, HTML. No span reaches over.
_BLOCK = (
    r"\n[ \t>]*(?:\n|\Z|```|~~~|[-*+][ \t]|\d+[.)][ \t]|#|=|-{2,}|[^\n]*\||:[ \t]|\[\^?[^\]\n]+\]:"
    r"|!!!|\?\?\?|///|<|\*\[)"
)
_COMMENT = rf"(?m:^ {{0,3}})<!--.*?-->|<!--(?:(?!{_BLOCK}).)*?-->"
_CODE_SPAN = rf"(?<![`\\])(?P<tick>`+)(?!`)(?:(?!{_BLOCK}).)+?(?<!`)(?P=tick)(?!`)"
_NEXT = re.compile(f"{_OPENING.pattern}|(?s:{_COMMENT}|{_CODE_SPAN})", re.M)
# What follows a fence that the site takes: a language, then options of its own or of highlighting.
# The language may be one of ours, which take any option.
_OURS = "evidence|chart|figure|proof|proof-table|hardware|history|rule|harness|finding"
_INFO = re.compile(
    rf'[ \t]*(?:(?:{_OURS})(?:[ \t]+[a-z_]+="[^"]*")*'
    r"|\.?[\w#.+-]*(?:[ \t]+(?:hl_lines=\"\d[\d \t-]*\"|linenums=\"\d+\""
    r"|(?:title|guard|barrier)=\"[^\"]*\"))*"
    r"|(?:[\w#.+-]+[ \t]*)?\{[^\n]*\})[ \t]*"
)
_OPTION = re.compile(r'(?P<key>[a-z_]+)="(?P<value>[^"]*)"')


@dataclass(frozen=True)
class Fence:
    """A fenced block. `line` is that of its opening, `last` that of its closing."""

    line: int
    last: int
    indent: str
    info: str
    lines: tuple[str, ...]

    @property
    def language(self) -> str:
        return self.info.strip().partition(" ")[0]

    @property
    def options(self) -> Mapping[str, str]:
        return {match["key"]: match["value"] for match in _OPTION.finditer(self.info)}

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


@dataclass(frozen=True)
class Open:
    """The line of a fence that is never closed, or that the site takes for text; how it begins."""

    line: int
    fence: str
    info: str
    taken: bool


def blank(match: re.Match[str]) -> str:
    """Spaces in place of what was matched, so that every offset stays."""
    return _spaces(match[0])


def read_markup(text: str, head: int) -> tuple[str, list[Fence], list[Open]]:
    """The text with front matter, code and comments blanked out; its fences; those never closed.

    `head` is how many characters of front matter the text begins with.

    What follows the line of a fence that is never closed is read as prose.
    """
    at = head
    shown, fences, unclosed = [_spaces(text[:at])], [], []
    while match := _NEXT.search(text, at):
        end, line = match.end(), text.count("\n", 0, match.start()) + 1
        if match["fence"]:
            taken = _INFO.fullmatch(match["info"]) is not None
            body = _body(text[match.end() + 1 :].split("\n"), match) if taken else None
            if body is None:
                unclosed.append(Open(line, match["fence"], match["info"].strip(), taken))
            else:
                fences.append(_fence(line, match, body))
                end = _line_end(text, match.end(), len(body) + 1)
        shown += [text[at : match.start()], _spaces(text[match.start() : end])]
        at = end
    return "".join([*shown, text[at:]]), fences, unclosed


def _body(lines: list[str], opening: re.Match[str]) -> list[str] | None:
    """The lines up to the closing; None where a fence, the quotation's or page's end is first."""
    fence, depth = opening["fence"], opening["indent"].count(">")
    for number, line in enumerate(lines):
        content = line.lstrip(" \t>")
        quoted = line[: len(line) - len(content)].count(">")
        if quoted < depth:
            return None
        if quoted == depth and content.startswith(fence):
            if content.rstrip(" \t") == fence:
                return lines[:number]
            if _OPENING.match(line):
                return None
    return None


def _fence(line: int, opening: re.Match[str], body: list[str]) -> Fence:
    indent = opening["indent"]
    lines = tuple("" if text == indent.rstrip() else text.removeprefix(indent) for text in body)
    return Fence(line, line + len(lines) + 1, indent, opening["info"], lines)


def _line_end(text: str, at: int, lines: int) -> int:
    """The end of the line that comes `lines` after the one that ends `at`."""
    for _ in range(lines):
        at = text.find("\n", at + 1)
    return at if at >= 0 else len(text)


def _spaces(text: str) -> str:
    return "".join("\n" if character == "\n" else " " for character in text)
