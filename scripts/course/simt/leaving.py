"""Code that would leave the compiler's instrumentation, or the runner's control, by its own wish.

What is allowed is listed and all else refused, so that what a compiler adds one day is refused too.
"""

from __future__ import annotations

import re

from course.errors import CourseError
from course.simt.source import Source, walk

ATTRIBUTES = "unused|maybe_unused|nodiscard|noreturn|deprecated|likely|unlikely|fallthrough|aligned"
INLINING = "always_inline|gnu_inline|noinline|forceinline|const|pure|nothrow"
PRAGMAS = r"once|unroll|nounroll|pack|region|endregion|nv_\w+"
# Nothing here is tried in a second way (the `+` behind a repetition), so that no text takes long.
_NAME = rf"(?:gnu::|__gnu__::)?_*+(?:{ATTRIBUTES}|{INLINING}|carries_dependency)_*+(?!\w)"
_LIST = rf"\s*+(?:{_NAME}\s*+(?:\([\w\s\"]*+\))?+\s*+,?+\s*+)*+"
ALLOWED = {
    "attribute": re.compile(rf"__attribute__\s*\(\({_LIST}\)\)|\[\[{_LIST}\]\]"),
    "pragma": re.compile(rf'#[ \t]*pragma[ \t]+(?:{PRAGMAS})\b|_Pragma\s*\(\s*"(?:{PRAGMAS})\b'),
    "inline assembly": re.compile(r"(?!)"),
}
MET = re.compile(
    r"(?P<attribute>\b__attribute(?:__)?\b|\[\[|\b__declspec\b)"
    r"|(?P<pragma>(?:#|%:)[ \t]*pragma\b|\b_Pragma\b|\b__pragma\b)"
    r"|(?P<assembly>\b(?:asm|__asm|__asm__)\b)"
)


def refuse_leaving(source: Source) -> None:
    """Raise CourseError `unsupported` for an attribute, pragma or assembly that is not allowed."""
    text, lines = _code(source)
    for met in MET.finditer(text):
        kind = "inline assembly" if met.lastgroup == "assembly" else str(met.lastgroup)
        if ALLOWED[kind].match(text, met.start()):
            continue
        shown = " ".join(text[met.start() :].partition("\n")[0].split())[:60]
        what = kind if kind == "inline assembly" else f"the {kind} `{shown}`"
        raise CourseError(
            "unsupported",
            f"the CPU check does not support {what}",
            path=source.path,
            line=lines[met.start()],
            fix="remove it: what is judged is code that the compiler treats as all other code",
        )


def _code(source: Source) -> tuple[str, list[int]]:
    """The text without comments and without spliced line ends, and the line of each character."""
    data = bytearray(source.text)
    for node in walk(source.root):
        if node.type == "comment":
            data[node.start_byte : node.end_byte] = re.sub(
                rb"[^\n]", b" ", data[node.start_byte : node.end_byte]
            )
    text = data.decode()
    kept: list[str] = []
    lines: list[int] = []
    line = 1
    for part in re.split(r"(\\[ \t]*\n|\n)", text):
        if part.endswith("\n"):
            if part == "\n":
                kept.append(part)
                lines.append(line)
            line += 1
        else:
            kept.append(part)
            lines += [line] * len(part)
    return "".join(kept), lines
