"""What the expressions on a page may read, and the record of what each one did read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from course.formula import ExpressionError, Figure, Origin, Record, bind, evaluate, names_in, show
from course.output import Key, Row
from course.page import Page
from course.peer_values import proof_view
from course.program import Program
from course.project import Capture, Project


@dataclass(frozen=True)
class Result:
    """An expression's value, the words that readers see, and where it came from; `broken_by` are
    the cards for which `every_card` does not hold."""

    value: Any
    text: str
    origins: tuple[Origin, ...]
    broken_by: tuple[str, ...] = ()


class Namespace:
    """The names of one page: its evidence blocks, and its program's cases, constants, formulas.

    A name of an evidence block leads to the capture that the block shows: `h200.ragged.speedup`,
    `h200.ragged.tiled.time_ms`, `h200.driver`. `every_card("ragged.speedup > 1")` asks the same of
    each card that the page's program has evidence of, whether the page shows it or not.
    `proof` leads to the kept results of the CPU check and its peers.
    """

    def __init__(self, project: Project, page: Page) -> None:
        self._origins: list[Origin] = []
        self._project = project
        self._program = project.programs.get(page.program or "")
        self._names: dict[str, Any] = {"site": site_counts(project)}
        if (peers := project.peers) is not None:
            self._names["proof"] = proof_view(peers, self._record)
        if self._program is not None:
            constants = {name: c.value for name, c in self._program.constants.items()}
            self._names |= constants | self._program.cases
            self._names |= bind(
                self._program.spec.formulas, constants, self._record, program=self._program.name
            )
            self._names["every_card"] = self._every_card
        self._broken_by: list[str] = []
        self._missing: set[str] = set()
        for block in page.evidence_blocks:
            capture = project.shown_by(block)
            if capture is None:
                self._missing.add(block.name)
            else:
                self._names[block.name] = CaptureView(block.name, capture, project, self._record)

    def _record(self, origin: Origin) -> None:
        if origin not in self._origins:
            self._origins.append(origin)

    def lacks_evidence(self, expression: str) -> bool:
        """Whether it reads a block that has no capture, which is a finding of the block's."""
        return bool(names_in(expression) & self._missing)

    def value(self, expression: str) -> Result:
        """Evaluate a value. Raises ExpressionError when it is not a number or a word."""
        result = self._evaluate(expression)
        return Result(result, show(result), self._origins_of(expression))

    def holds(self, condition: str) -> Result:
        """Evaluate a claim's condition. Raises ExpressionError when it is not true or false."""
        result = self._evaluate(condition)
        if not isinstance(result, bool):
            raise ExpressionError(f"gives {_described(result)}, not true or false")
        origins = self._origins_of(condition)
        return Result(result, str(result).lower(), origins, tuple(self._broken_by))

    def _evaluate(self, expression: str) -> Any:
        self._origins.clear()
        self._broken_by.clear()
        return _evaluate(expression, self._names)

    def _every_card(self, condition: str) -> bool:
        """Whether `condition` holds for every card: the names of its cases are the card's own."""
        assert self._program is not None
        for gpu in self._project.gpus(self._program.name):
            capture = self._project.latest(self._program.name, gpu)
            if capture is None:
                continue
            view = CaptureView(gpu, capture, self._project, self._record)
            cases = {case: view[case] for case in self._program.spec.cases}
            holds = _evaluate(condition, {**self._names, **cases, "card": view})
            if not isinstance(holds, bool):
                raise ExpressionError(f"gives {_described(holds)} for {gpu}, not true or false")
            if not holds:
                self._broken_by.append(gpu)
        return not self._broken_by

    def _origins_of(self, expression: str) -> tuple[Origin, ...]:
        """What was read, and the source constants behind it."""
        if self._program is not None:
            for name in sorted(_closure(expression, self._program)):
                constant = self._program.constants[name]
                source = next(s for s in self._program.sources if s.path == constant.path)
                place = f"{self._project.relative(source.path)}:{constant.line}"
                text = source.lines[constant.line - 1].strip()
                self._record(Origin("source", text, place))
        return tuple(self._origins)


def _evaluate(expression: str, names: Mapping[str, Any]) -> Any:
    value = evaluate(expression, names)
    if not names_in(expression):
        raise ExpressionError("reads no name, so nothing checks it")
    return value


def _described(value: Any) -> str:
    return str(value) if isinstance(value, int | float | str) else f"a {type(value).__name__}"


def _closure(expression: str, program: Program) -> set[str]:
    """The constants that an expression reads, itself or through formulas."""
    names, seen = set(names_in(expression)), set[str]()
    while names - seen:
        name = (names - seen).pop()
        seen.add(name)
        if name in program.spec.formulas:
            names |= names_in(program.spec.formulas[name].expr)
    return seen & set(program.constants)


def site_counts(project: Project) -> Mapping[str, int]:
    """How much of the site is checked: counted from the pages, not typed."""
    pages = project.pages.values()
    return {
        "values": sum(len(page.values) for page in pages),
        "claims": sum(len(page.claims) for page in pages),
        "evidence_blocks": sum(
            fence.language == "evidence" for page in pages for fence in page.fences
        ),
        "captures": sum(
            not capture.log.imported
            for captures in project.captures.values()
            for capture in captures
        ),
    }


def _identity(capture: Capture) -> tuple[str, str]:
    """What an origin keeps of a capture: its log's name, and its program's."""
    return capture.log.name, capture.program.name


class CaptureView:
    """A capture as an expression sees it: by case, and the facts of its stamp."""

    def __init__(self, name: str, capture: Capture, project: Project, record: Record) -> None:
        self._name, self._capture = name, capture
        self._project, self._record = project, record

    def __getitem__(self, key: str) -> Any:
        facts = self._facts()
        if key in facts:
            if facts[key] is None:
                raise ExpressionError(f"the stamp of `{self._name}` does not know its {key}")
            place = f"{self._project.relative(self._capture.log.path)}:1"
            told = f"{key}: {facts[key]}"
            self._record(Origin("stamp", told, place, *_identity(self._capture)))
            return facts[key]
        cases = self._capture.program.spec.cases
        case = cases.get(key, key)
        if case not in self._capture.published.cases():
            known = ", ".join([*cases, *facts])
            raise ExpressionError(f"`{self._name}` has no `{key}`; it has {known}")
        return RowView(f"{self._name}.{key}", (case,), self._capture, self._project, self._record)

    def _facts(self) -> dict[str, Any]:
        stamp = self._capture.log.stamp
        return {
            "gpu": stamp.gpu.name,
            "driver": stamp.gpu.driver,
            "cuda": ".".join(stamp.cuda.toolkit.split(".")[:2]) if stamp.cuda else None,
            "date": None if self._capture.log.imported else stamp.time[:10],
            "repeats": len(stamp.runs),
        }


class RowView:
    """A case or a row: by the next key of the table, or by column."""

    def __init__(
        self, name: str, key: Key, capture: Capture, project: Project, record: Record
    ) -> None:
        self._name, self._key, self._capture = name, key, capture
        self._project, self._record = project, record

    def __getitem__(self, name: str | int) -> Any:
        name = str(name)
        output = self._capture.published
        row = output.find(self._key)
        if row is not None and name in row.cells and name not in self._key_columns():
            return self._read(row, name)
        longer = (*self._key, name)
        if any(other.key[: len(longer)] == longer for other in output.rows):
            deeper = f"{self._name}.{name}"
            return RowView(deeper, longer, self._capture, self._project, self._record)
        raise ExpressionError(f"`{self._name}` has no `{name}`; it has {self._known(row)}")

    def _key_columns(self) -> set[str]:
        return {column.name for column in self._capture.program.spec.output.keys}

    def _known(self, row: Row | None) -> str:
        depth = len(self._key)
        rows = self._capture.published.rows
        deeper = [r.key[depth] for r in rows if r.key[:depth] == self._key and len(r.key) > depth]
        columns = [name for name in (row.cells if row else ()) if name not in self._key_columns()]
        return ", ".join(dict.fromkeys([*deeper, *columns])) or "nothing"

    def _read(self, row: Row, name: str) -> Figure:
        log = self._capture.log
        place = f"{self._project.relative(log.path)}:{log.published_line + row.line - 1}"
        line = self._capture.published.text.split("\n")[row.line - 1].strip()
        self._record(Origin("log", line, place, *_identity(self._capture)))
        return Figure(row.cells[name])
