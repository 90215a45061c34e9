"""From CUDA to C++: the few things a host compiler cannot read, edited in place.

Edits never add or remove a line, so every line number the compiler knows is the learner's.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tree_sitter import Node

from course.errors import CourseError
from course.simt.leaving import refuse_leaving
from course.simt.loops import LOOPS, loop_number
from course.simt.source import KernelDefinition, Source, has_keyword, launch_of, walk

BRANCHES = (
    *LOOPS,
    "if_statement",
    "switch_statement",
    "conditional_expression",
    "continue_statement",
    "break_statement",
    "goto_statement",
    "call_expression",
)
UNSUPPORTED_HEADERS = ("cooperative_groups", "mma.h", "cublas", "cuda_fp16", "thrust/", "cub/")
Edit = tuple[int, int, str]


class Rewriter:
    """Rewrites one source. `watched` builds leave `main` out and mark loops."""

    def __init__(self, source: Source, *, watched: bool) -> None:
        self.source = source
        self.watched = watched
        self.edits: list[Edit] = []
        self.shared_id = 0

    def run(self) -> str:
        self._refuse_unsupported()
        file_scope = dict(self._file_scope_arrays())
        for node in walk(self.source.root):
            if node.type == "declaration" and self._is_shared(node):
                if self._inside_function(node):
                    self._edit(node, self._shared_declaration(node))
            elif node.type == "call_expression" and (launch := launch_of(node)):
                self._launch(node, launch)
            elif node.type == "function_definition":
                self._function(node, file_scope)
            elif not node.children and self._is(node, "__noinline__"):
                self._edit(node, "")  # a word that the C++ library's headers use as well
        return self._apply()

    # ---- single constructs ---------------------------------------------------------------------

    def _function(self, node: Node, file_scope: dict[str, str]) -> None:
        body = node.child_by_field_name("body")
        if body is None:
            return
        if has_keyword(node, "__global__", "__device__"):
            used = {self.source.text_of(n) for n in walk(body) if n.type == "identifier"}
            opening = "".join(d for name, d in file_scope.items() if name in used)
            if opening:
                self._insert(body.start_byte + 1, " " + opening)
            if not self.watched and has_keyword(node, "__global__"):
                entered = f' simt_entered("{self._name_of(node)}");'
                self._insert(body.start_byte + 1, entered)
            if self.watched:
                for loop in (n for n in walk(body) if n.type in LOOPS):
                    self._mark_loop(loop)
        elif (name := main_name(node, self.source)) is not None:
            self._edit(name, "simt_user_main")
            if self.watched:
                self._edit(body, "{ return 0; }")
            else:
                self._insert(body.end_byte - 1, " return 0; ")

    def _name_of(self, function: Node) -> str:
        at = function.child_by_field_name("declarator")
        while at is not None and (inner := at.child_by_field_name("declarator")) is not None:
            at = inner
        return self.source.text_of(at) if at is not None else ""

    def _mark_loop(self, loop: Node) -> None:
        """Count iterations where lanes of a warp may part; elsewhere order alone matches them."""
        body = loop.child_by_field_name("body") or loop.named_children[-1]
        inner = (n for child in loop.children for n in walk(child))
        if not any(n.type in BRANCHES and not self._is_barrier(n) for n in inner):
            return
        number = loop_number(self.source, loop)
        variable = f"simt_loop{loop.start_byte}"
        self._insert(loop.start_byte, f"{{ simt::Loop {variable}({number}); ")
        if body.type == "compound_statement":
            self._insert(body.start_byte + 1, f" {variable}.next();")
        else:
            self._insert(body.start_byte, f"{{ {variable}.next(); ")
            self._insert(body.end_byte, " }")
        self._insert(loop.end_byte, " }")

    def _launch(self, call: Node, launch: Node) -> None:
        name, arguments = self.source.text_of(call.children[0]), call.children[-1]
        opening = next(c for c in launch.children if c.type == "<<<")
        closing = next(c for c in launch.children if c.type == ">>>")
        quoted = " ".join(name.split()).replace('"', "'")
        line = self.source.line_of(call)
        self._insert(
            call.start_byte, f'simt::launch("{quoted}", {line}, [&](auto... simt_argument) {{ '
        )
        self._edit(opening, "(simt_argument...); }, simt::config(")
        self._edit(closing, ")")
        separator = ", " if arguments.named_child_count else ""
        self._edit(arguments.children[0], separator)

    def _shared_declaration(self, node: Node) -> str:
        extern = any(self.source.text_of(c) == "extern" for c in node.children)
        type_node = node.child_by_field_name("type")
        if type_node is None:
            raise self._unsupported(node, "this __shared__ declaration")
        volatile = "volatile " if any(self._is(c, "volatile") for c in node.children) else ""
        kind = volatile + self.source.text_of(type_node)
        parts = []
        for declarator in node.children_by_field_name("declarator"):
            if declarator.type == "init_declarator":
                raise self._unsupported(declarator, "an initializer on a __shared__ variable")
            name = next((n for n in walk(declarator) if n.type == "identifier"), None)
            if name is None:
                raise self._unsupported(declarator, "this __shared__ declaration")
            before = self._slice(declarator.start_byte, name.start_byte)
            after = self._slice(name.end_byte, declarator.end_byte)
            text = self.source.text_of(name)
            if extern:
                parts.append(
                    f'{kind}* {before}{text} = simt::dynamic_shared<{kind}{before}>("{text}");'
                )
                continue
            self.shared_id += 1
            line = self.source.line_of(name)
            parts.append(
                f"{kind} {before}(& __restrict__ {text}){after} = "
                f'simt::shared<{kind} {before}{after}, {self.shared_id}>("{text}", {line});'
            )
        return " ".join(parts)

    def _file_scope_arrays(self) -> Iterator[tuple[str, str]]:
        """`extern __shared__` outside functions moves into each function that uses it."""
        for node in walk(self.source.root):
            if node.type != "declaration" or not self._is_shared(node):
                continue
            if self._inside_function(node):
                continue
            declaration = self._shared_declaration(node)
            self._edit(node, "")
            for declarator in node.children_by_field_name("declarator"):
                name = next(n for n in walk(declarator) if n.type == "identifier")
                yield self.source.text_of(name), declaration

    # ---- what is refused -----------------------------------------------------------------------

    def _refuse_unsupported(self) -> None:
        refuse_leaving(self.source)
        for node in walk(self.source.root):
            if node.type == "preproc_include":
                self._check_include(node)
        for number, line in enumerate(self.source.text.split(b"\n"), 1):
            bare = line.lstrip()
            if bare.startswith((b"%:", b"??=")) or (bare.startswith(b"#") and b"incbin" in bare):
                raise CourseError(
                    "unsupported",
                    "the CPU check does not support directives in this spelling",
                    path=self.source.path,
                    line=number,
                    fix="write the directive with #",
                )

    def _check_include(self, node: Node) -> None:
        target = node.child_by_field_name("path")
        text = self.source.text_of(target) if target is not None else ""
        name = text.strip('<>"')
        if target is None or target.type not in ("system_lib_string", "string_literal"):
            raise self._unsupported(node, "an #include through a macro")
        if name.startswith(("/", "~")) or ".." in Path(name).parts:
            raise CourseError(
                "include-outside",
                f"#include {text} leaves the source's folder",
                path=self.source.path,
                line=self.source.line_of(node),
                fix="include files of the source's own folder, or of the compiler",
            )
        if name.startswith(UNSUPPORTED_HEADERS):
            raise self._unsupported(node, f"#include {text}")

    def _unsupported(self, node: Node, what: str) -> CourseError:
        return CourseError(
            "unsupported",
            f"the CPU check does not support {what}",
            path=self.source.path,
            line=self.source.line_of(node),
            fix="write it in plain CUDA C++, or check this kernel on a GPU",
        )

    # ---- helpers -------------------------------------------------------------------------------

    def _is(self, node: Node, text: str) -> bool:
        return self.source.text_of(node) == text

    def _is_shared(self, node: Node) -> bool:
        return any(self._is(c, "__shared__") for c in node.children)

    def _is_barrier(self, node: Node) -> bool:
        return node.type == "call_expression" and self._is(node.children[0], "__syncthreads")

    def _inside_function(self, node: Node) -> bool:
        at = node.parent
        while at is not None and at.type != "compound_statement":
            at = at.parent
        return at is not None

    def _slice(self, start: int, end: int) -> str:
        return " ".join(self.source.text[start:end].decode().split())

    def _insert(self, at: int, text: str) -> None:
        self.edits.append((at, at, text))

    def _edit(self, node: Node, text: str) -> None:
        newlines = self.source.text.count(b"\n", node.start_byte, node.end_byte)
        self.edits.append((node.start_byte, node.end_byte, text + "\n" * newlines))

    def _apply(self) -> str:
        out, at = [], 0
        for start, end, text in sorted(self.edits, key=lambda e: (e[0], e[1])):
            if start < at:
                continue  # inside something that was replaced as a whole
            out += [self.source.text[at:start].decode(), text]
            at = end
        return "".join([*out, self.source.text[at:].decode()])


def main_name(function: Node, source: Source) -> Node | None:
    """The name node of the file's `main`."""
    declarator = function.child_by_field_name("declarator")
    name = declarator.child_by_field_name("declarator") if declarator is not None else None
    return name if name is not None and source.text_of(name) == "main" else None


def translation_unit(
    source: Source, kernel: KernelDefinition | None, expression: str, *, watched: bool
) -> str:
    """The whole C++ file: the source rewritten, then what the runner looks up."""
    rewritten = Rewriter(source, watched=watched).run()
    out = f'#line 1 "{escaped(source.path)}"\n{rewritten}\n#line 1 "simt-entry"\n'
    if kernel is not None:
        out += (
            'extern "C" { const simt::Kernel* simt_kernel = '
            f"&simt::Describe<&::{expression}>::kKernel; }}\n"
        )
    main = next(
        (
            n
            for n in walk(source.root)
            if n.type == "function_definition" and main_name(n, source) is not None
        ),
        None,
    )
    if main is not None and not watched:
        declarator = main.child_by_field_name("declarator")
        parameters = declarator.child_by_field_name("parameters") if declarator else None
        count = (
            sum(p.type == "parameter_declaration" for p in parameters.named_children)
            if parameters
            else 0
        )
        count = 0 if count == 1 else count  # main(void)
        given = ", ".join(["argc", "argv", "nullptr"][:count])
        out += (
            'extern "C" int simt_main(int argc, char** argv) { (void)argc; (void)argv; '
            f"return simt_user_main({given}); }}\n"
        )
    return out


def escaped(path: Path) -> str:
    return str(path).replace("\\", "\\\\").replace('"', '\\"')
