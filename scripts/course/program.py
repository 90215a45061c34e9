"""A program: a folder under code/ with its source and program.yml."""

from __future__ import annotations

import os
import re
import shlex
import string
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, NamedTuple

import pydantic

from course.errors import CourseError
from course.files import Data, parse_yaml, read_text
from course.formula import Formula, bind
from course.source import Constant, Source


class Case(NamedTuple):
    """One problem size: A is m x k, B is k x n, C is m x n, all row by row."""

    m: int
    n: int
    k: int

    @classmethod
    def parse(cls, text: str) -> Case:
        """`611x613x617` or `611,613,617` as a case. Raises ValueError."""
        size = r"([1-9][0-9]{0,5})"
        match = re.fullmatch(f"{size}[x,]{size}[x,]{size}", text.strip())
        if match is None:
            raise ValueError(f"not a case: {text!r}; write it as MxNxK, such as 611x613x617")
        return cls(*map(int, match.groups()))

    @property
    def work(self) -> int:
        """How many products are added up."""
        return self.m * self.n * self.k

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}"


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from error
    return text


def groups(pattern: str) -> list[str]:
    """The named groups of a pattern, in order."""
    return list(re.compile(pattern).groupindex)


def _case(text: str) -> str:
    return str(Case.parse(text))


def _command(text: str) -> str:
    try:
        for _, name, form, conversion in string.Formatter().parse(text):
            if name is not None and (name, form, conversion) != ("arch", "", None):
                raise KeyError(name)
        words = shlex.split(text.format(arch="sm_75"))
    except (ValueError, LookupError) as error:
        raise ValueError(f"not a command: {error}; the one placeholder is {{arch}}") from error
    if not words:
        raise ValueError("an empty command")
    return text


def _source_path(text: str) -> str:
    """A path inside the program's folder, or `../PROGRAM/FILE` for a source of another program."""
    own = text.removeprefix("../") if text.count("/") == 2 else text
    path = PurePosixPath(own)
    if path.is_absolute() or ".." in path.parts or str(path) != own or own == ".":
        raise ValueError(f"not a plain path inside the program's folder: {text!r}")
    return text


def built_as(name: str) -> str:
    """Where a source stands while a capture builds, in a folder of its own."""
    return PurePosixPath(name).name if name.startswith("../") else name


Command = Annotated[str, pydantic.AfterValidator(_command)]
SourcePath = Annotated[str, pydantic.AfterValidator(_source_path)]
Pattern = Annotated[str, pydantic.AfterValidator(_pattern)]
CaseName = Annotated[str, pydantic.AfterValidator(_case)]


class Column(Data):
    """One figure a row. `key` columns name the row; `arithmetic` ones must be equal for ever and
    have a formula (one, or one for each value of the last key); `measured` ones vary.

    `counted` names the counter of the CPU check that measures the figure, if one does.
    """

    name: str
    role: Literal["key", "arithmetic", "measured"]
    label: str
    unit: str = ""
    better: Literal["lower", "higher", ""] = ""
    formula: str | dict[str, str] = ""
    counted: Literal["loads_per_thread", "stores_per_thread", "words_per_thread", ""] = ""

    @pydantic.model_validator(mode="after")
    def _formula_where_arithmetic(self) -> Column:
        if (self.role == "arithmetic") != bool(self.formula):
            raise ValueError(
                f"column {self.name}: arithmetic columns, and only they, need a formula"
            )
        return self

    def formula_for(self, key: tuple[str, ...]) -> str:
        """The formula for the row `key`: the one, or the one of its last key. "" if none."""
        return formula_for(self.formula, key)


def formula_for(formula: str | dict[str, str], key: tuple[str, ...]) -> str:
    return formula if isinstance(formula, str) else formula.get(key[-1], "")


class Line(Data):
    """A line of the output outside the table: a regular expression whose named groups are either
    facts of the stamp (gpu, compute_capability) or figures with a formula."""

    pattern: Pattern
    formulas: dict[str, str] = pydantic.Field(default={})

    @pydantic.model_validator(mode="after")
    def _formulas_of_groups(self) -> Line:
        for name in self.formulas.keys() - groups(self.pattern):
            raise ValueError(f"a formula for {name}, which is no group of the pattern")
        return self


class Comparison(Data):
    """A line under the rows of a case that compares them; its named groups are its columns."""

    pattern: Pattern
    columns: tuple[Column, ...]

    @pydantic.model_validator(mode="after")
    def _columns_are_groups(self) -> Comparison:
        names = [column.name for column in self.columns]
        if sorted(names) != sorted(groups(self.pattern)):
            wanted = ", ".join(groups(self.pattern)) or "none"
            raise ValueError(f"the columns are {', '.join(names)}; the pattern's groups: {wanted}")
        return self


class OutputSpec(Data):
    """How the output is read. Every line must be a header line, a row, a comparison, or blank.

    `intensity` is the formula, or one for each value of the last key, of the floating-point
    operations a byte that a row's kernel asks of global memory; rooflines place the row by it.
    """

    header: tuple[Line, ...] = ()
    columns: tuple[Column, ...]
    comparison: Comparison | None = None
    verdict: Pattern
    published_by: str
    intensity: str | dict[str, str] = ""

    @pydantic.model_validator(mode="after")
    def _each_name_once(self) -> OutputSpec:
        read = [name for line in self.header for name in groups(line.pattern)]
        read += groups(self.verdict)
        for names in (read, [column.name for column in self.columns]):
            for name in names:
                if names.count(name) > 1:
                    raise ValueError(f"two figures are named {name}; one would hide the other")
        return self

    @pydantic.model_validator(mode="after")
    def _published_by_a_measured_column(self) -> OutputSpec:
        measured = [column.name for column in self.columns if column.role == "measured"]
        if self.published_by not in measured:
            raise ValueError(f"published_by must be a measured column, one of {measured}")
        if [column.name for column in self.columns if column.role == "key"][:1] != ["case"]:
            raise ValueError("the first key column must be `case`")
        return self

    @property
    def keys(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.role == "key")


class Kernel(Data):
    """A kernel that the CPU check runs, at all cases or at those of `cases`: names of the program's
    cases, or sizes of the CPU check's own, where the program's are too large for a CPU.

    `row` is the key, after the case, of the rows that the kernel stands in.
    """

    name: str
    row: tuple[str, ...]
    block: tuple[int, int] = (16, 16)
    source: str = ""
    cases: tuple[str, ...] = ()


class ProofLimits(Data):
    """How old a card's last confirmation may be, in days, before the gate gives a notice and then
    a finding; and whether somebody must vouch for each capture."""

    notice_after_days: int | None = pydantic.Field(default=None, ge=1)
    finding_after_days: int | None = pydantic.Field(default=None, ge=1)
    signed: bool = False


class ProgramFile(Data):
    """program.yml."""

    title: str
    sources: tuple[SourcePath, ...] = pydantic.Field(min_length=1)
    extras: tuple[SourcePath, ...] = ()  # files for readers, such as a starter; no capture's
    build: Command
    arch: str
    run: Command
    binary: str = ""
    cases: dict[str, CaseName] = pydantic.Field(min_length=1)
    kernels: tuple[Kernel, ...] = ()
    formulas: dict[str, Formula] = pydantic.Field(default={})
    output: OutputSpec
    proof: ProofLimits | None = None

    @pydantic.model_validator(mode="after")
    def _each_source_built_once(self) -> ProgramFile:
        built = [built_as(name) for name in self.sources]
        for name in built:
            if built.count(name) > 1:
                raise ValueError(f"two sources are built as {name}; one would overwrite the other")
        return self

    @pydantic.model_validator(mode="after")
    def _kernels_run_at_cases(self) -> ProgramFile:
        for kernel in self.kernels:
            for name in kernel.cases:
                try:
                    _case(self.cases.get(name, name))
                except ValueError as error:
                    raise ValueError(f"the cases of {kernel.name}: {error}") from error
        return self


@dataclass(frozen=True)
class Program:
    """One program. `folder` is absolute; `name` is the folder's name."""

    name: str
    folder: Path
    spec: ProgramFile

    @classmethod
    def load(cls, root: Path, name: str) -> Program:
        """Read code/<name>/program.yml. Raises CourseError."""
        folder = root / "code" / name
        if name not in program_names(root):
            known = ", ".join(program_names(root)) or "none yet"
            raise CourseError(
                "no-program", f"there is no program `{name}` under code/", fix=f"known: {known}"
            )
        path = folder / "program.yml"
        return cls(name, folder, parse_yaml(read_text(path), ProgramFile, path))

    @property
    def spec_path(self) -> Path:
        return self.folder / "program.yml"

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        paths = (Path(os.path.normpath(self.folder / name)) for name in self.spec.sources)
        return tuple(Source.read(path) for path in paths)

    def named_sources(self) -> dict[str, Source]:
        """The sources by the names that program.yml and stamps give them."""
        return dict(zip(self.spec.sources, self.sources, strict=True))

    @cached_property
    def extras(self) -> tuple[Source, ...]:
        """What the site hands to readers beside the sources; no result depends on it."""
        return tuple(Source.read(self.folder / name) for name in self.spec.extras)

    @cached_property
    def constants(self) -> dict[str, Constant]:
        """The constants of all sources. Raises CourseError `constant-twice`."""
        found: dict[str, Constant] = {}
        for source in self.sources:
            for name, constant in source.constants().items():
                constant.held_against(found.setdefault(name, constant))
        return found

    @cached_property
    def cases(self) -> dict[str, Case]:
        return {name: Case.parse(text) for name, text in self.spec.cases.items()}

    def cases_of(self, kernel: Kernel) -> tuple[Case, ...]:
        """Where the CPU check runs `kernel`."""
        names = kernel.cases or tuple(self.cases)
        return tuple(self.cases[name] if name in self.cases else Case.parse(name) for name in names)

    def build_command(self, arch: str | None = None) -> str:
        return self.spec.build.format(arch=arch or self.spec.arch)

    def formula_names(self) -> dict[str, Any]:
        """What an expression of program.yml may read: the constants and the formulas."""
        constants = {name: constant.value for name, constant in self.constants.items()}
        return {**constants, **bind(self.spec.formulas, constants)}

    def line_of(self, text: str) -> int:
        """The first line of program.yml that starts with `text`, or 1."""
        lines = read_text(self.folder / "program.yml").split("\n")
        return next((i for i, line in enumerate(lines, 1) if line.strip().startswith(text)), 1)


def program_names(root: Path) -> list[str]:
    """The folders under code/, in order. Raises CourseError where they cannot be listed."""
    code = root / "code"
    try:
        return sorted(path.name for path in code.iterdir() if path.is_dir())
    except OSError as error:
        message = f"cannot list the programs: {error.strerror}"
        raise CourseError("unreadable", message, path=code) from error
