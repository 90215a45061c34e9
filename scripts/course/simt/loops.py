"""The loops of a source: numbered for the runner, found again for the reader."""

from __future__ import annotations

from tree_sitter import Node

from course.simt.source import Source, walk

LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")


def loops_of(source: Source) -> list[Node]:
    return [n for n in walk(source.root) if n.type in LOOPS]


def loop_number(source: Source, loop: Node) -> int:
    """Loops are numbered by their place in the file; `loop_line` turns one back."""
    return [n.start_byte for n in loops_of(source)].index(loop.start_byte)


def loop_line(source: Source, number: int) -> int | None:
    loops = loops_of(source)
    return source.line_of(loops[number]) if number < len(loops) else None


def innermost_loop_line(source: Source, line: int) -> int | None:
    """The line of the innermost loop round `line`."""
    around = [n for n in loops_of(source) if n.start_point[0] < line <= n.end_point[0] + 1]
    return source.line_of(around[-1]) if around else None
