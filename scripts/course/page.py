"""What a page claims: evidence blocks, snippets, values, claims and quotations, each with its line.

```evidence name="t4" program="day16-tiled-matmul" gpu="Tesla T4" kind="imported"
--8<-- "code/day16-tiled-matmul/tiled_matmul.cu:tiled"        (in a fence)
[[= h200.ragged.speedup =]]                                   a value
[[? h200.ragged.speedup > 1 ?]]The tiled kernel wins.[[/?]]   a claim
[["1.53×" from the course's report of 2026-09-02]]            a quotation
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mkdocs.utils.meta import YAML_RE, get_data

from course.errors import CourseError
from course.files import NotYamlError, load_yaml, read_text
from course.markup import Fence, Open, blank, read_markup

_SCISSORS = re.compile(r"^\s*(?P<escape>;*)-+8<-+(?P<rest>.*)$")
_DIRECTIVE = re.compile(
    r'^\s*-+8<-+ "(?P<path>[^":]+)'
    r'(?::(?P<section>[A-Za-z_][\w-]*)|:(?P<first>\d{1,9}):(?P<last>\d{1,9}))?"\s*$'
)
_MARK = re.compile(
    r"\[\[=(?P<value>(?:(?!\n\n|\[\[).)+?)=\]\]"
    r"|\[\[\?(?P<condition>(?:(?!\n\n|\[\[).)+?)\?\]\]"
    r"|(?P<end>\[\[/\?\]\])"
    r'|\[\["(?P<quote>(?:(?!\n\n|\[\[).)+?)"\s+from\s+(?P<source>(?:(?!\n\n|\[\[).)+?)\]\]',
    re.DOTALL,
)
_BROKEN_MARK = re.compile(r'\[\[[=?"/]|[=?]\]\]')


_STRAY = re.compile(r"(?<!\\)`+|(?<=\\\\)`+")
_LIKE_HEAD = re.compile(r"\s*(?:---|\.\.\.)[^\n]*\n[ \t]*[\w-]+[ \t]*:")


@dataclass(frozen=True)
class EvidenceBlock:
    """A block that repeats a capture's published run; `capture` is a pinned log's name."""

    fence: Fence
    name: str
    program: str
    gpu: str
    capture: str
    imported: bool

    @property
    def line(self) -> int:
        return self.fence.line


@dataclass(frozen=True)
class Snippet:
    """A part of a source that a fence pulls in: a section, a range of lines, or the whole file."""

    fence: Fence
    line: int
    path: str
    section: str | None
    lines: tuple[int, int] | None

    @property
    def program(self) -> str:
        """The folder under code/ that the path names, or "" for a path that names none."""
        return "".join(self.path.split("/")[1:2])


@dataclass(frozen=True)
class Mark:
    """A span of the page's text, `start` to `end`, with its line."""

    line: int
    start: int
    end: int


@dataclass(frozen=True)
class Value(Mark):
    expression: str


@dataclass(frozen=True)
class Quote(Mark):
    """Words of somebody else, with where they come from."""

    text: str
    source: str


@dataclass(frozen=True)
class Claim(Mark):
    """A sentence and its condition; `start` to `end` is the opening mark, `close` the closing."""

    condition: str
    sentence: str
    close: tuple[int, int]


@dataclass(frozen=True)
class Page:
    """One Markdown page. `path` is absolute, `text` has `\\n` for every line end."""

    path: Path
    text: str

    @classmethod
    def read(cls, path: Path) -> Page:
        """The page as MkDocs reads it: without a byte order mark, any line end as `\\n`."""
        return cls(path, read_text(path).removeprefix("\ufeff").replace("\r", "\n"))

    @cached_property
    def _head(self) -> tuple[int, dict[str, Any]]:
        """How long the front matter is and what it says, by MkDocs' own rules."""
        body, meta = get_data(self.text)
        return len(self.text) - len(body), meta

    @cached_property
    def meta(self) -> Mapping[str, Any]:
        """The front matter. Raises CourseError `bad-front-matter`, also for one MkDocs skips."""
        meta = self._head[1]
        head = YAML_RE.match(self.text)
        if head is None:
            if not meta and _LIKE_HEAD.match(self.text):
                message = "the front matter is not read: its first line or its last is not `---`"
                fix = "begin the file with a line `---`, and end the front matter with another"
                raise self.fault("bad-front-matter", 1, message, fix)
            return meta
        try:
            found = load_yaml(head[1])
        except NotYamlError as error:
            raise self.fault("bad-front-matter", 1, "the front matter is not YAML") from error
        if not isinstance(found, dict):
            raise self.fault("bad-front-matter", 1, "the front matter is not `key: value` lines")
        return found

    @property
    def program(self) -> str | None:
        """The program that the page's formulas, constants and cases belong to."""
        name = self.meta.get("program")
        return name if isinstance(name, str) else None

    @cached_property
    def _markup(self) -> tuple[str, list[Fence], list[Open]]:
        return read_markup(self.text, self._head[0])

    @property
    def masked(self) -> str:
        """The text with code, comments and front matter blanked out; every offset stays."""
        return self._markup[0]

    @property
    def fences(self) -> list[Fence]:
        return self._markup[1]

    @property
    def open_fences(self) -> list[CourseError]:
        """A fault for every fence that is never closed, or that the site takes for text."""
        return [self._open(found) for found in self._markup[2]]

    def _open(self, found: Open) -> CourseError:
        begins = f"{found.fence}{found.info}"
        if not found.taken:
            message = f"the site takes this fence for text: {begins}"
            fix = (
                'write a language, then options as KEY="VALUE", such as ```cuda title="The kernel"'
            )
            return self.fault("fence-info", found.line, message, fix)
        message = f"the fence is never closed: {begins}"
        fix = f"write a line {found.fence} after its last line, as far in as its first"
        return self.fault("fence-open", found.line, message, fix)

    @property
    def stray_backticks(self) -> list[CourseError]:
        """A fault for the first backtick of a line that no other in its block answers: Markdown may
        join it with one further on, and show as words what stands here as code."""
        faults: dict[int, CourseError] = {}
        for match in _STRAY.finditer(self.masked):
            line = self.line_at(match.start())
            message = f"the backtick closes nothing: {self.text.split(chr(10))[line - 1].strip()}"
            fix = "close the code in the same paragraph, item, heading or cell, or write \\`"
            faults.setdefault(line, self.fault("backtick-stray", line, message, fix))
        return list(faults.values())

    @cached_property
    def evidence_blocks(self) -> tuple[EvidenceBlock, ...]:
        """Raises CourseError `block-syntax` for one that names no program or GPU."""
        return tuple(self._block(fence) for fence in self.fences if fence.language == "evidence")

    def _block(self, fence: Fence) -> EvidenceBlock:
        options = fence.options
        unknown = set(options) - {"name", "program", "gpu", "capture", "kind"}
        missing = {"name", "program", "gpu"} - set(options)
        if unknown or missing or options.get("kind", "imported") != "imported":
            fault = f"lacks {', '.join(sorted(missing))}" if missing else "has an unknown option"
            raise self.fault(
                "block-syntax",
                fence.line,
                f"the evidence block {fault}: {fence.info.strip()}",
                'write ```evidence name="h200" program="PROGRAM" gpu="GPU NAME", '
                'and kind="imported" for an imported record',
            )
        return EvidenceBlock(
            fence,
            options["name"],
            options["program"],
            options["gpu"],
            options.get("capture", ""),
            "kind" in options,
        )

    def directives(self) -> Iterator[Snippet | CourseError]:
        """Every snippet directive: as a Snippet, or as the fault that it has."""
        for number, line in enumerate(self.text.split("\n"), start=1):
            scissors = _SCISSORS.match(line)
            if scissors is None or scissors["escape"]:
                continue
            match = _DIRECTIVE.match(line)
            fence = next((f for f in self.fences if f.line < number < f.last), None)
            if match is None:
                message = f"not a snippet directive: {line.strip()}"
                yield self.fault("snippet-syntax", number, message, _SNIPPET_SHAPE)
            elif fence is None:
                message = f"a snippet outside a fenced code block: {line.strip()}"
                yield self.fault("snippet-unfenced", number, message, "put ``` lines around it")
            else:
                lines = (int(match["first"]), int(match["last"])) if match["first"] else None
                yield Snippet(fence, number, match["path"], match["section"], lines)

    @cached_property
    def _marks(self) -> tuple[list[Mark], list[CourseError]]:
        marks: list[Mark] = []
        faults: list[CourseError] = []
        opened: tuple[re.Match[str], int] | None = None
        for match in _MARK.finditer(self.masked):
            line = self.line_at(match.start())
            span = (line, match.start(), match.end())
            if match["value"]:
                marks.append(Value(*span, match["value"].strip()))
            elif match["quote"]:
                marks.append(Quote(*span, match["quote"], " ".join(match["source"].split())))
            elif match["condition"] and opened is None:
                opened = (match, line)
            elif match["end"] and opened is not None:
                marks.append(self._claim(*opened, match))
                opened = None
            else:
                faults.append(self.fault("mark-syntax", line, f"out of place: {match[0]}", _MARKS))
        if opened is not None:
            message = f"the claim is never closed: {opened[0][0]}"
            faults.append(self.fault("mark-syntax", opened[1], message, _MARKS))
        rest = _MARK.sub(blank, self.masked)
        for match in _BROKEN_MARK.finditer(rest):
            found = self.text[match.start() : match.start() + 40].split("\n")[0]
            line = self.line_at(match.start())
            faults.append(self.fault("mark-syntax", line, f"not a complete mark: {found}", _MARKS))
        return marks, faults

    def _claim(self, opening: re.Match[str], line: int, closing: re.Match[str]) -> Claim:
        sentence = _MARK.sub("…", self.masked[opening.end() : closing.start()])
        return Claim(
            line,
            opening.start(),
            opening.end(),
            opening["condition"].strip(),
            " ".join(sentence.split()),
            closing.span(),
        )

    @property
    def values(self) -> list[Value]:
        return [mark for mark in self._marks[0] if isinstance(mark, Value)]

    @property
    def claims(self) -> list[Claim]:
        return [mark for mark in self._marks[0] if isinstance(mark, Claim)]

    @property
    def quotes(self) -> list[Quote]:
        return [mark for mark in self._marks[0] if isinstance(mark, Quote)]

    @property
    def mark_faults(self) -> list[CourseError]:
        return self._marks[1]

    @cached_property
    def prose(self) -> str:
        """What the author typed for readers: `masked` with a sign for each value and quotation,
        and zero bytes for the rest of a mark; every offset stays."""
        return _MARK.sub(_standing, self.masked)

    def line_at(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def fault(self, code: str, line: int, message: str, fix: str = "") -> CourseError:
        return CourseError(code, message, path=self.path, line=line, fix=fix)


def _standing(match: re.Match[str]) -> str:
    """A sign for the figure of a value or a quotation; what fills the place is a zero byte."""
    figure = "\ufffc" if match["value"] or match["quote"] else ""
    return figure + "\0" * (len(match[0]) - len(figure))


_SNIPPET_SHAPE = (
    'write --8<-- "code/PROGRAM/FILE:SECTION" (or :FIRST:LAST), quoted, with one space after --8<--'
)
_MARKS = 'the marks are [[= value =]], [[? condition ?]]sentence[[/?]] and [["words" from source]]'
