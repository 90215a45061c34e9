"""What the parse tree says of one kernel: where its guards, stores and loop over K stand."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from tree_sitter import Node

from course.simt.source import KernelDefinition, Source, ancestors, launch_of, walk


class Outline:
    """Answers questions of where, for messages that name the line to mend."""

    def __init__(self, source: Source, kernel: KernelDefinition) -> None:
        self.source = source
        self.kernel = kernel

    @cached_property
    def _body(self) -> Node | None:
        for node in walk(self.source.root):
            if node.type != "function_definition" or not (
                node.start_point[0] < self.kernel.line <= node.end_point[0] + 1
            ):
                continue
            return node.child_by_field_name("body")
        return None

    def _nodes(self, *types: str) -> Iterator[Node]:
        if self._body is not None:
            yield from (n for n in walk(self._body) if n.type in types)

    def _stores(self, array: str) -> list[Node]:
        """Assignments to elements of an array."""
        return [
            n
            for n in self._nodes("assignment_expression")
            if (left := n.child_by_field_name("left")) is not None
            and left.type == "subscript_expression"
            and self._base(left) == array
        ]

    def _base(self, node: Node) -> str:
        while node.type == "subscript_expression":
            node = node.children[0]
        return self.source.text_of(node)

    def guard_of_line(self, line: int) -> int:
        """The innermost `if` without an else round a store on `line`; the line itself if none."""
        round_it = [
            n
            for n in self._nodes("if_statement")
            if n.start_point[0] < line <= n.end_point[0] + 1
            and n.child_by_field_name("alternative") is None
        ]
        return self.source.line_of(round_it[-1]) if round_it else line

    def guard_of_array(self, array: str) -> int | None:
        """The `if` without an else round a store into a shared array."""
        for store in self._stores(array):
            line = self.source.line_of(store)
            guard = self.guard_of_line(line)
            if guard != line or any(
                p.type == "if_statement" and p.child_by_field_name("alternative") is None
                for p in ancestors(store)
                if p.start_byte > (self._body.start_byte if self._body else 0)
            ):
                return guard
        return None

    @cached_property
    def output_guard(self) -> int:
        """The guard of the store to the output, or that store, or the kernel's own line."""
        inputs = ("const float", "float const")
        for name in reversed(self.kernel.parameters):
            stores = self._stores(name)
            if stores and not name.startswith(inputs):
                return self.guard_of_line(self.source.line_of(stores[-1]))
        return self.kernel.line

    @cached_property
    def launch(self) -> int | None:
        """The line of the kernel's first launch in the file, or of that launch's grid."""
        name = self.kernel.name.rsplit("::", 1)[-1]
        for node in walk(self.source.root):
            if node.type != "call_expression" or launch_of(node) is None:
                continue
            called = self.source.text_of(node.children[0]).partition("<")[0]
            if called.rsplit("::", 1)[-1] == name:
                return self._grid_line(node)
        return None

    def _grid_line(self, call: Node) -> int:
        """Where the launch's grid is declared, else the launch."""
        launch = launch_of(call)
        grid = launch.named_children[0] if launch is not None and launch.named_children else None
        if grid is not None and grid.type == "identifier":
            for node in walk(self.source.root):
                declared = node.child_by_field_name("declarator")
                if (
                    node.type == "init_declarator"
                    and declared is not None
                    and self.source.text_of(declared) == self.source.text_of(grid)
                ):
                    return self.source.line_of(node)
        return self.source.line_of(call)

    @cached_property
    def loop_over_k(self) -> int:
        """The kernel's first loop that mentions the inner size, or the kernel's own line."""
        inner = self._inner_size()
        for loop in self._nodes("for_statement", "while_statement"):
            names = {self.source.text_of(n) for n in walk(loop) if n.type == "identifier"}
            if inner in names:
                return self.source.line_of(loop)
        loops = list(self._nodes("for_statement", "while_statement"))
        return self.source.line_of(loops[0]) if loops else self.kernel.line

    def _inner_size(self) -> str:
        named = [p for p in self.kernel.parameters if p.lower() == "k"]
        return named[0] if named else self.kernel.parameters[-1] if self.kernel.parameters else ""
