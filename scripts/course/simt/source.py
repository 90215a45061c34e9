"""A `.cu` file as the CPU check reads it: its bytes, its parse tree, its kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

from course.errors import CourseError
from course.files import decode, read_bytes

MAX_BYTES = 1_000_000
KERNEL = re.compile(r"[A-Za-z_]\w*(::[A-Za-z_]\w*)*\s*(<[\w\s,:\-]*>)?")


@dataclass(frozen=True)
class KernelDefinition:
    """A `__global__` function: where it stands, and its parameters' names in order."""

    name: str
    line: int
    parameters: tuple[str, ...]
    is_template: bool


@dataclass(frozen=True)
class Source:
    """One file, read and parsed. Line numbers count from 1 and are the file's own."""

    path: Path
    text: bytes
    root: Node

    @classmethod
    def read(cls, path: Path) -> Source:
        """Read `path`; a file that cannot be a CUDA source raises a CourseError that says why."""
        data = read_bytes(path)
        if len(data) > MAX_BYTES:
            raise CourseError(
                "source-too-large",
                f"the file has {len(data):,} bytes; the CPU check reads at most {MAX_BYTES:,}",
                path=path,
                fix="give it the kernel's own source file",
            )
        decode(data, path)
        text = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if not text.strip():
            raise CourseError(
                "source-empty", "the file is empty", path=path, fix="write the kernel into it"
            )
        # The grammar knows no __align__(n); alignment does not matter to what is read here.
        masked = re.sub(rb"__align__\s*\(\s*\w+\s*\)", lambda m: b" " * len(m[0]), text)
        return cls(path, text, _parser().parse(masked).root_node)

    def line_of(self, node: Node) -> int:
        return node.start_point[0] + 1

    def text_of(self, node: Node) -> str:
        return self.text[node.start_byte : node.end_byte].decode()

    def kernels(self) -> list[KernelDefinition]:
        """The kernels the file defines, in order."""
        found = []
        for node in walk(self.root):
            if node.type != "function_definition" or not has_keyword(node, "__global__"):
                continue
            declarator = _function_declarator(node)
            name = declarator and declarator.child_by_field_name("declarator")
            parameters = declarator and declarator.child_by_field_name("parameters")
            if name is None or parameters is None:
                continue
            spaces = [
                self.text_of(space)
                for parent in ancestors(node)
                if parent.type == "namespace_definition"
                and (space := parent.child_by_field_name("name")) is not None
            ]
            names = [
                self._parameter_name(p)
                for p in parameters.named_children
                if p.type in ("parameter_declaration", "optional_parameter_declaration")
            ]
            found.append(
                KernelDefinition(
                    "::".join([*reversed(spaces), self.text_of(name)]),
                    self.line_of(name),
                    tuple(names),
                    any(p.type == "template_declaration" for p in ancestors(node)),
                )
            )
        return found

    def kernel(self, wanted: str) -> tuple[KernelDefinition, str]:
        """The kernel that `wanted` names, and the expression that names it in C++.

        `wanted` may leave out namespaces, and template arguments that a launch in the file gives.
        """
        if not KERNEL.fullmatch(wanted.strip()):
            raise CourseError(
                "kernel-name",
                f"`{wanted}` is not the name of a kernel",
                path=self.path,
                fix='write it as in a launch: "matmulTiled" or "matmulTiled<16>"',
            )
        name, _, arguments = wanted.strip().partition("<")
        kernels = self.kernels()
        hits = [k for k in kernels if k.name == name or k.name.endswith("::" + name)]
        if not hits:
            known = ", ".join(f"`{k.name}`" for k in kernels) or "none"
            raise CourseError(
                "kernel-missing",
                f"there is no kernel `{name}`; the file's kernels: {known}",
                path=self.path,
                fix=f"define `__global__ void {name}(...)`, or ask for one that is there",
            )
        if len(hits) > 1:
            lines = " and ".join(str(k.line) for k in hits)
            raise CourseError(
                "kernel-ambiguous",
                f"`{name}` is defined more than once, on lines {lines}",
                path=self.path,
                line=hits[1].line,
                fix="give one of them another name",
            )
        (kernel,) = hits
        if kernel.is_template and not arguments:
            arguments = self._launched_with(kernel)
        return kernel, kernel.name + (f"<{arguments.rstrip('>').strip()}>" if arguments else "")

    def _launched_with(self, kernel: KernelDefinition) -> str:
        """Template arguments of the one launch of `kernel` in the file."""
        given = set()
        for node in walk(self.root):
            if node.type != "call_expression" or not launch_of(node):
                continue
            name, _, arguments = self.text_of(node.children[0]).partition("<")
            if kernel.name.split("::")[-1] == name.split("::")[-1] and arguments:
                given.add(arguments.rstrip("> "))
        if len(given) == 1:
            return given.pop()
        seen = f"launches with {', '.join(sorted(given))}" if given else "no launch with arguments"
        raise CourseError(
            "kernel-ambiguous",
            f"`{kernel.name}` is a template and the file has {seen}",
            path=self.path,
            line=kernel.line,
            fix=f'give its arguments, as in "{kernel.name}<16>"',
        )

    def _parameter_name(self, parameter: Node) -> str:
        names = [n for n in walk(parameter) if n.type == "identifier"]
        return self.text_of(names[0]) if names else ""


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_cuda.language()))


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in source order; no recursion, for hostile nesting."""
    pending = [node]
    while pending:
        at = pending.pop()
        yield at
        pending.extend(reversed(at.children))


def ancestors(node: Node) -> Iterator[Node]:
    at = node.parent
    while at is not None:
        yield at
        at = at.parent


def has_keyword(node: Node, *keywords: str) -> bool:
    return any(child.type in keywords for child in node.children)


def launch_of(call: Node) -> Node | None:
    """The `<<<...>>>` of a call, if it has one."""
    return next((c for c in call.children if c.type == "kernel_call_syntax"), None)


def _function_declarator(node: Node) -> Node | None:
    at = node.child_by_field_name("declarator")
    while at is not None and at.type != "function_declarator":
        at = at.child_by_field_name("declarator")
    return at
