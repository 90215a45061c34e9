"""Ways to break a snippet or a section."""

from __future__ import annotations

from gate.copied import LESSON, PROGRAM, SOURCE, SPEC, Copy
from gate.expected import Break, Breaks, Expected

BREAKS = Breaks()

TILED = f'--8<-- "{SOURCE}:tiled"'


def _snippet(old: str, new: str, code: str, message: str, fix: str = "") -> Break:
    def break_it(copy: Copy) -> Expected:
        line = copy.line(LESSON, old)
        copy.replace(LESSON, old, new)
        return Expected(code, LESSON, line, message, fix)

    break_it.__name__ = f"snippet: {new}"
    return break_it


BREAKS += [
    _snippet(
        TILED,
        f"--8<-- {SOURCE}:tiled",
        "snippet-syntax",
        f"not a snippet directive: --8<-- {SOURCE}:tiled",
    ),
    _snippet(
        TILED,
        TILED.replace("<-- ", "<--"),
        "snippet-syntax",
        f'not a snippet directive: --8<--"{SOURCE}:tiled"',
    ),
    _snippet(
        TILED,
        f'--8<-- "{SOURCE}:nope"',
        "snippet-section",
        f"{SOURCE} has no section `nope`; it has: tile, cases, naive, tiled, loads",
        "name one of its sections",
    ),
    _snippet(
        TILED,
        '--8<-- "code/day16-tiled-matmul/gone.cu"',
        "snippet-path",
        "there is no file code/day16-tiled-matmul/gone.cu",
    ),
    _snippet(TILED, '--8<-- "code/day99/a.cu"', "snippet-path", "there is no file code/day99/a.cu"),
    _snippet(
        TILED,
        '--8<-- "../secret.txt"',
        "snippet-path",
        "`../secret.txt` is not a file under code/PROGRAM/",
        "snippets come out of code/",
    ),
    _snippet(
        TILED,
        f'--8<-- "{SOURCE}:10:9999"',
        "snippet-lines",
        f"lines 10 to 9999 of {SOURCE}, which has 307 lines",
        "name lines that exist",
    ),
    _snippet(
        TILED,
        f'--8<-- "{SPEC}"',
        "snippet-undeclared",
        f"{SPEC} is not among the sources of {PROGRAM}, so no capture vouches for it",
        f"add it to `sources` in {SPEC}",
    ),
]


@BREAKS.add
def a_snippet_outside_a_fence(copy: Copy) -> Expected:
    line = copy.insert(LESSON, TILED)
    return Expected(
        "snippet-unfenced", LESSON, line, f"a snippet outside a fenced code block: {TILED}"
    )


@BREAKS.add
def an_empty_source(copy: Copy) -> Expected:
    copy.path(f"code/{PROGRAM}/more.cuh").write_text("\n")
    copy.replace(SPEC, "[tiled_matmul.cu]", "[tiled_matmul.cu, more.cuh]")
    line = copy.line(LESSON, TILED)
    copy.replace(LESSON, TILED, f'--8<-- "code/{PROGRAM}/more.cuh"')
    return Expected("snippet-empty", LESSON, line, f"code/{PROGRAM}/more.cuh is empty")


@BREAKS.add
def an_extra_that_is_gone(copy: Copy) -> Expected:
    starter = f"code/{PROGRAM}/starter.cu"
    copy.path(starter).unlink()
    return Expected("unreadable", starter, 1, "cannot read: No such file or directory")


def _source(old: str, new: str, code: str, message: str) -> Break:
    def break_it(copy: Copy) -> Expected:
        line = copy.line(SOURCE, old) + new.count("\n", 0, new.find("[start"))
        copy.replace(SOURCE, old, new)
        return Expected(code, SOURCE, line, message)

    break_it.__name__ = f"section: {code}"
    return break_it


START, END = "// --8<-- [start:tiled]", "// --8<-- [end:tiled]"
BREAKS += [
    _source(
        "// --8<-- [start:loads]",
        f"{START} ",
        "section-twice",
        "section `tiled` starts twice: here and on line 61",
    ),
    _source(END, "// --8<-- [end:tile]", "section-unopened", "section `tile` never starts"),
    _source(END, "//--8<-[end:tiled", "section-marker", "not a section marker: //--8<-[end:tiled"),
    _source(
        "// --8<-- [end:loads]",
        "// --8<-- [end:loads]\n// --8<-- [start:x]\n// --8<-- [end:x]",
        "section-empty",
        "section `x` is empty",
    ),
    _source(
        "// --8<-- [end:loads]",
        "// --8<-- [end:loads]\n// --8<-- [start:more]\nint x;\n// --8<-- [end:more]",
        "section-unused",
        "no page shows the section `more`",
    ),
]


@BREAKS.add
def a_section_without_an_end(copy: Copy) -> Expected:
    line = copy.line(SOURCE, START)
    copy.replace(SOURCE, f"{END}\n", "")
    return Expected(
        "section-open",
        SOURCE,
        line,
        "section `tiled` never ends",
        "write `// --8<-- [start:NAME]` and `// --8<-- [end:NAME]` once each around the lines",
    )
