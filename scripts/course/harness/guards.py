"""What a kernel's text says of its guards: read from the parse tree, used to name a line.

Nothing here decides whether a kernel is right; that is measured. This only says where to look.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from course.harness.submission import Submission
from course.simt.source import walk

# The size that an index must be tested against, by what the index is made of.
ROW, COLUMN, STEP = "blockIdx.y", "blockIdx.x", "threadIdx"
COMPARISONS = {"<", "<=", ">", ">=", "=="}


@dataclass(frozen=True)
class Guards:
    """The kernel of one submission."""

    submission: Submission

    @cached_property
    def wrong_axis(self) -> list[int]:
        """Lines with a test of an index against another axis's size."""
        sizes = dict(zip(self._sizes, ("m", "n", "k"), strict=True))
        lines = []
        for left, right in self._comparisons():
            for index, size in ((left, right), (right, left)):
                wanted = self._axis(index)
                found = sizes.get(self._text(size))
                if wanted and found and wanted != found:
                    lines.append(self._line(index))
        return sorted(set(lines))

    @cached_property
    def steps_rounded_down(self) -> int | None:
        """The line that divides K by something, rounding down."""
        inner = self._sizes[2]
        for node in self._nodes("binary_expression"):
            operator = node.child_by_field_name("operator")
            left = node.child_by_field_name("left")
            if operator is None or left is None or self._text(operator) not in ("/", ">>"):
                continue
            if self._text(left).strip("()") == inner:
                return self._line(node)
        return None

    @cached_property
    def barriers(self) -> list[int]:
        """Lines with a call of __syncthreads."""
        calls = self._nodes("call_expression")
        return [self._line(n) for n in calls if self._text(n.children[0]) == "__syncthreads"]

    def stores(self, array: str) -> list[int]:
        """Lines with an assignment to an element of `array`."""
        return [
            self._line(node)
            for node in self._nodes("assignment_expression")
            if (left := node.child_by_field_name("left")) is not None
            and left.type == "subscript_expression"
            and self._base(left) == array
        ]

    # ---- helpers -------------------------------------------------------------------------------

    @property
    def _sizes(self) -> tuple[str, ...]:
        return self.submission.kernel.parameters[3:6]

    def _nodes(self, kind: str) -> Iterator[Node]:
        return (n for n in walk(self.submission.definition) if n.type == kind)

    def _comparisons(self) -> Iterator[tuple[Node, Node]]:
        for node in self._nodes("binary_expression"):
            operator, left, right = (
                node.child_by_field_name(name) for name in ("operator", "left", "right")
            )
            if operator is None or left is None or right is None:
                continue
            if self._text(operator) in COMPARISONS:
                yield left, right

    def _axis(self, index: Node) -> str | None:
        made_of = self._made_of(self._text_parts(index), set())
        for part, axis in ((ROW, "m"), (COLUMN, "n"), (STEP, "k")):
            if any(name.startswith(part) for name in made_of):
                return axis
        return None

    def _made_of(self, names: set[str], seen: set[str]) -> set[str]:
        """The names, and those that their values are made of."""
        found = set(names)
        for name in names - seen:
            seen.add(name)
            found |= self._made_of(self._definitions.get(name, set()), seen)
        return found

    @cached_property
    def _definitions(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for node in walk(self.submission.definition):
            if node.type == "init_declarator":
                name, value = (node.child_by_field_name(f) for f in ("declarator", "value"))
            elif node.type == "assignment_expression":
                name, value = (node.child_by_field_name(f) for f in ("left", "right"))
            else:
                continue
            if name is not None and value is not None and name.type == "identifier":
                found.setdefault(self._text(name), set()).update(self._text_parts(value))
        return found

    def _text_parts(self, node: Node) -> set[str]:
        """The identifiers and fields (`threadIdx.x`) in an expression."""
        return {self._text(n) for n in walk(node) if n.type in ("identifier", "field_expression")}

    def _base(self, node: Node) -> str:
        while node.type == "subscript_expression":
            node = node.children[0]
        return self._text(node)

    def _text(self, node: Node) -> str:
        return self.submission.source.text_of(node)

    def _line(self, node: Node) -> int:
        return self.submission.source.line_of(node)
