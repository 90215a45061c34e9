"""What the toolchain reads out of a C++ or CUDA source: tokens, constants, named sections."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from course.errors import CourseError
from course.files import decode, read_bytes

_CONSTANT = re.compile(
    r"^[ \t]*(?:static\s+)?constexpr\s+(?:unsigned|int|size_t|std::size_t|long)\s+"
    r"(?P<name>\w+)\s*=\s*(?P<value>0|[1-9]\d{0,19})\s*;",
    re.MULTILINE,
)
_MARKER = re.compile(r"^\s*//\s*-+8<-+\s*\[(?P<kind>start|end):(?P<name>[\w-]+)\]\s*$")

# Own, so that no update of a lexer can make evidence stale. The longest operator comes first.
_TOKEN = re.compile(
    r"""
    (?P<gap>(?:\s|\\\n|//(?:\\\n|[^\n])*|/\*.*?\*/)+)
    | (?P<quoted>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"
      | (?:u8|[uUL])?(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
    | \.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*
    | \w+
    | <<<|>>>|<=>|<<=|>>=|->\*|\.\.\.|::|->|\.\*|\+\+|--|<<|>>|&&|\|\||\#\#|[-+*/%&|^!=<>]=
    | .
    """,
    re.DOTALL | re.VERBOSE,
)
_NO_LINE_END = re.compile(r"/\*.*?\*/|//(?:\\\n|[^\n])*|\\\n", re.DOTALL)
_DIRECTIVE = re.compile(r"\s*#\s*(?P<word>\w*)(?P<rest>.*)", re.DOTALL)
_LITERAL = {"0": False, "false": False, "!1": False, "1": True, "true": True, "!0": True}


@dataclass(frozen=True)
class Constant:
    name: str
    value: int
    path: Path
    line: int

    def held_against(self, other: Constant) -> None:
        """Raises CourseError `constant-twice` where `other`, of the same name, differs."""
        if self.value == other.value:
            return
        same_file = self.path == other.path
        place = f"on line {other.line}" if same_file else f"in {other.path.name}:{other.line}"
        raise CourseError(
            "constant-twice",
            f"the constant `{self.name}` is {self.value} here and {other.value} {place}",
            path=self.path,
            line=self.line,
            fix="give one of them another name, so that a page can say which one it means",
        )


@dataclass(frozen=True)
class Section:
    """A named part of a source; `first` and `last` are its own lines, the markers not counted."""

    name: str
    first: int
    last: int
    text: str


@dataclass(frozen=True)
class Source:
    """One source file. `path` is absolute; `lines` are without line ends."""

    path: Path
    data: bytes
    text: str

    @classmethod
    def read(cls, path: Path) -> Source:
        data = read_bytes(path)
        return cls(path, data, decode(data, path).replace("\r\n", "\n"))

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def tokens_sha256(self) -> str:
        """A hash that comments, indents and line breaks do not change, and every token does."""
        digest = hashlib.sha256()
        for token in tokens(self.text):
            digest.update(token.encode() + b"\0")
        return digest.hexdigest()

    def constants(self) -> dict[str, Constant]:
        """The live whole-number `constexpr` constants that stand at the head of a line.

        Raises CourseError `constant-twice` for a name that has two values.
        """
        found: dict[str, Constant] = {}
        for match in _CONSTANT.finditer(live(self.text)):
            line = self.text.count("\n", 0, match.start("name")) + 1
            one = Constant(match["name"], int(match["value"]), self.path, line)
            one.held_against(found.setdefault(one.name, one))
        return found

    def sections(self) -> dict[str, Section]:
        """The named sections. Raises CourseError for one open, doubled, empty or unopened."""
        found: dict[str, Section] = {}
        starts: dict[str, int] = {}
        for number, line in enumerate(self.lines, start=1):
            match = _MARKER.match(line)
            if match is None:
                if re.search(r"-+8<-+", line):
                    message = f"not a section marker: {line.strip()}"
                    raise self._fault("section-marker", number, message)
                continue
            name = match["name"]
            if match["kind"] == "start":
                if name in starts or name in found:
                    first = starts.get(name) or found[name].first - 1
                    message = f"section `{name}` starts twice: here and on line {first}"
                    raise self._fault("section-twice", number, message)
                starts[name] = number
            else:
                if name not in starts:
                    raise self._fault("section-unopened", number, f"section `{name}` never starts")
                found[name] = self._section(name, starts.pop(name), number)
        for name, number in starts.items():
            raise self._fault("section-open", number, f"section `{name}` never ends")
        return found

    def _section(self, name: str, start: int, end: int) -> Section:
        body = [line for line in self.lines[start : end - 1] if not _MARKER.match(line)]
        if not any(line.strip() for line in body):
            raise self._fault("section-empty", start, f"section `{name}` is empty")
        return Section(name, start + 1, end - 1, "\n".join(body))

    def _fault(self, code: str, line: int, message: str) -> CourseError:
        fix = "write `// --8<-- [start:NAME]` and `// --8<-- [end:NAME]` once each around the lines"
        return CourseError(code, message, path=self.path, line=line, fix=fix)


def live(text: str) -> str:
    """`text` with every character at its place, but blank where nothing is defined.

    That is in comments, directives with the macros in them, and the branches that a literal
    condition (`#if 0`) leaves out; quoted text becomes quotation marks. A branch that hangs on
    a name stays: only the compiler knows. A line end stays where it ends a line for the compiler.
    """
    code = _TOKEN.sub(_without_words, text)
    return "\n".join(_live_lines(code.split("\n")))


def _without_words(token: re.Match[str]) -> str:
    if token["gap"]:
        return _NO_LINE_END.sub(lambda match: " " * len(match[0]), token[0])
    return '"' * len(token[0]) if token["quoted"] else token[0]


@dataclass(frozen=True)
class _Branch:
    """Of an open `#if`: whether this branch can be compiled, and whether a later one cannot."""

    live: bool
    last: bool


def _live_lines(lines: Iterable[str]) -> Iterator[str]:
    branches: list[_Branch] = []
    for line in lines:
        directive = _DIRECTIVE.match(line)
        if directive is None:
            yield line if all(branch.live for branch in branches) else " " * len(line)
            continue
        yield " " * len(line)
        word, condition = directive["word"], "".join(directive["rest"].split()).strip("()")
        holds = True if word == "else" else _LITERAL.get(condition)
        if word.startswith("if"):
            branches.append(_Branch(holds is not False, holds is True))
        elif branches and word.startswith("el"):
            past = branches[-1].last
            branches[-1] = _Branch(not past and holds is not False, past or holds is True)
        elif branches and word == "endif":
            branches.pop()


def tokens(text: str) -> Iterator[str]:
    """The C++ tokens of a source without its comments.

    In a preprocessor line a gap (`#define F (x)` is not `#define F(x)`) and its end count too.
    """
    directive, line_start, gap = False, True, False
    for match in _TOKEN.finditer(text):
        if match["gap"]:
            gap = True
            if "\n" in _NO_LINE_END.sub("", match["gap"]):
                if directive:
                    yield "\n"
                directive, line_start = False, True
            continue
        if line_start and match[0] == "#":
            directive = True
        elif directive and gap:
            yield " "
        yield match[0]
        line_start = gap = False
