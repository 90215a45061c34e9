"""What of a page's text is code or comment, read once from the top; the rest is prose.

Whatever begins first wins: a comment marker in a code span opens no comment, and a fence in a
comment opens no fence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_OPENING = re.compile(r"^(?P<indent>[ \t>]*)(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)$", re.M)
_COMMENT = r"<!--.*?-->"
_CODE_SPAN = r"(?<![`\\])(?P<tick>`+)(?!`)(?:(?!\n\n|\n[ \t>]*(?:```|~~~)).)+?(?<!`)(?P=tick)(?!`)"
_NEXT = re.compile(f"{_OPENING.pattern}|(?s:{_COMMENT}|{_CODE_SPAN})", re.M)
_FRONT_MATTER = re.compile(r"\A---\n(?P<yaml>.*?)\n---\n", re.DOTALL)
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
    """The line of a fence that is never closed, and its first characters."""

    line: int
    fence: str
    info: str


def front_matter(text: str) -> str | None:
    """The YAML between the `---` lines at the head of a page, if there is some."""
    match = _FRONT_MATTER.match(text)
    return match["yaml"] if match else None


def blank(match: re.Match[str]) -> str:
    """Spaces in place of what was matched, so that every offset stays."""
    return _spaces(match[0])


def read_markup(text: str) -> tuple[str, list[Fence], list[Open]]:
    """The text with front matter, code and comments blanked out; its fences; those never closed.

    What follows the line of a fence that is never closed is read as prose.
    """
    head = _FRONT_MATTER.match(text)
    at = head.end() if head else 0
    shown, fences, unclosed = [_spaces(text[:at])], [], []
    while match := _NEXT.search(text, at):
        end, line = match.end(), text.count("\n", 0, match.start()) + 1
        if match["fence"]:
            body = _body(text[match.end() + 1 :].split("\n"), match)
            if body is None:
                unclosed.append(Open(line, match["fence"], match["info"].strip()))
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
            rest = content.lstrip(fence[0]).strip()
            if not rest:
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
