"""A submission as it stands in its file: the kernel's signature, and the answer in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tree_sitter import Node

from course.errors import CourseError
from course.harness.contract import ANSWER_MARK, KERNEL, LONGEST_ANSWER, SIGNATURE
from course.simt.source import KernelDefinition, Source, has_keyword, walk

_POINTERS = ["const float*", "const float*", "float*"]
_SIZES = {"size_t", "std::size_t"}


@dataclass(frozen=True)
class Submission:
    """One file, read once. Raises CourseError for what can never be judged."""

    source: Source
    kernel: KernelDefinition

    @classmethod
    def read(cls, path: Path) -> Submission:
        source = Source.read(path)
        kernel, _ = source.kernel(KERNEL)
        submission = cls(source, kernel)
        submission._check_signature()
        return submission

    @cached_property
    def definition(self) -> Node:
        """The kernel's whole definition."""
        return next(
            node
            for node in walk(self.source.root)
            if node.type == "function_definition"
            and has_keyword(node, "__global__")
            and node.start_point[0] < self.kernel.line <= node.end_point[0] + 1
        )

    @property
    def answer(self) -> str | None:
        """The learner's sentence; None where the line is missing or still as in the starter."""
        text = self.source.text.decode()
        found = re.search(rf"^[ \t]*{re.escape(ANSWER_MARK)}(.*)$", text, re.M)
        words = " ".join(found[1].split()) if found else ""
        printable = "".join(c for c in words if c.isprintable())[:LONGEST_ANSWER]
        return printable if printable.strip(" .…") else None

    def _check_signature(self) -> None:
        types = [self._type(node) for node in self._parameters()]
        sizes = [name.lower() for name in self.kernel.parameters[3:]]
        right = types[:3] == _POINTERS and len(types) == 6 and set(types[3:]) <= _SIZES
        if self.kernel.is_template or not right:
            what = "is a template" if self.kernel.is_template else f"takes ({', '.join(types)})"
            raise self._fault(f"`{KERNEL}` {what}")
        if set(sizes) == set("mnk") and sizes != list("mnk"):
            raise self._fault(f"`{KERNEL}` names its sizes {', '.join(sizes)}, in another order")

    def _fault(self, message: str) -> CourseError:
        return CourseError(
            "signature",
            f"{message}; the harness calls it with {SIGNATURE}",
            path=self.source.path,
            line=self.kernel.line,
            fix=f"keep the starter's signature: __global__ void {KERNEL}{SIGNATURE}",
        )

    def _parameters(self) -> list[Node]:
        lists = (n for n in walk(self.definition) if n.type == "parameter_list")
        return [n for n in next(lists).named_children if n.type.endswith("parameter_declaration")]

    def _type(self, parameter: Node) -> str:
        """A parameter's type without its name, `__restrict__` or top-level const."""
        text = self.source.text_of(parameter)
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
        text = re.sub(r"\b(__restrict__|__restrict|restrict)\b", " ", text)
        text = re.sub(r"(\w+)\s*\[\s*\]", r"* \1", text).replace("float const", "const float")
        before, star, _ = text.partition("*")
        words = before.split()
        if not star:
            words = [word for word in words if word not in ("const", self._name(parameter))]
        return " ".join(words) + star

    def _name(self, parameter: Node) -> str:
        names = [n for n in walk(parameter) if n.type == "identifier"]
        return self.source.text_of(names[-1]) if names else ""
