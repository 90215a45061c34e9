"""Reading files so that bad input gives a sentence."""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pydantic
import yaml

from course.errors import CourseError

LARGEST_FILE = 16 * 2**20  # bytes; nothing the toolchain reads comes near


class Data(pydantic.BaseModel):
    """Plain data out of a file: an unknown key is an error, nothing changes after reading."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)


Model = TypeVar("Model", bound=pydantic.BaseModel)


def project_root(start: Path | None = None) -> Path:
    """The nearest folder upwards that holds mkdocs.yml, code/ and evidence/.

    Raises CourseError `no-project` outside a project.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / "mkdocs.yml").is_file() and (folder / "code").is_dir():
            return folder
    raise CourseError(
        "no-project",
        f"{here} is not inside a course project (no folder upwards holds mkdocs.yml and code/)",
        fix="cd into the checkout of the course and run the command again",
    )


def read_bytes(path: Path) -> bytes:
    """The file's bytes. Raises CourseError `unreadable` when it is missing, huge or forbidden."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)  # a device has no size to ask for
    except OSError as error:
        raise CourseError("unreadable", f"cannot read: {error.strerror}", path=path) from error
    if len(data) > LARGEST_FILE:
        message = f"the file has more than {LARGEST_FILE:,} bytes, the most that is read"
        raise CourseError("unreadable", message, path=path)
    return data


def decode(data: bytes, path: Path) -> str:
    """`data` as UTF-8 text. Raises CourseError `not-text` with the line of the first bad byte."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CourseError(
            "not-text",
            f"byte 0x{data[error.start]:02x} is not UTF-8",
            path=path,
            line=line,
            fix="save the file as UTF-8",
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        message = "a zero byte: this is not a text file"
        raise CourseError("not-text", message, path=path, line=line, fix="give a text file instead")
    return text


def read_text(path: Path) -> str:
    """The file as text, with `\\n` for every line end."""
    return decode(read_bytes(path), path).replace("\r\n", "\n")


class NotYamlError(Exception):
    """Text that is not YAML; `line` counts from 0."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


# What PyYAML raises: its own errors, and whatever a tag like `!!int ""` or a date trips over.
_YAML_FAULTS = (
    *(yaml.YAMLError, RecursionError, ValueError, TypeError),
    *(LookupError, AttributeError, ArithmeticError),
)


class _OnceLoader(yaml.SafeLoader):
    """PyYAML lets the last of two equal keys win, silently; here the second is a fault."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        lines: dict[Any, int] = {}
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            name = self.construct_object(key, deep=True)
            if isinstance(name, Hashable) and name in lines:
                reason = f"the key {name!r} stands here and on line {lines[name]}"
                raise yaml.constructor.ConstructorError(problem=reason, problem_mark=key.start_mark)
            if isinstance(name, Hashable):
                lines[name] = key.start_mark.line + 1
        return super().construct_mapping(node, deep=deep)


def load_yaml(text: str) -> Any:
    """`text` as plain data. Raises NotYamlError."""
    try:
        return yaml.load(text, Loader=_OnceLoader)  # a SafeLoader, and stricter
    except _YAML_FAULTS as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or type(error).__name__
        raise NotYamlError(reason, mark.line if mark is not None else 0) from error


def parse_yaml(text: str, model: type[Model], path: Path, *, first_line: int = 1) -> Model:
    """`text` as YAML that fits `model`. Raises CourseError `bad-yaml` with the fault's line."""
    try:
        data = load_yaml(text)
    except NotYamlError as error:
        line = first_line + error.line
        raise CourseError("bad-yaml", f"not YAML: {error}", path=path, line=line) from error
    if not isinstance(data, Mapping):
        raise CourseError("bad-yaml", "expected `key: value` lines", path=path, line=first_line)
    try:
        return model.model_validate(data)
    except pydantic.ValidationError as error:
        line = first_line + _line_of_key(text, error.errors()[0]["loc"])
        raise CourseError("bad-yaml", first_fault(error), path=path, line=line) from error


def first_fault(error: pydantic.ValidationError) -> str:
    """The place and the reason of the first value that does not fit, and the value."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"]) or "the file"
    return f"{place}: {first['msg']} (found {_shorten(first['input'])})"


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 80
_SHORT.maxdict = _SHORT.maxlist = 8
_SHORT.maxlevel = 2  # a file of a few lines can hold data that takes for ever to print


def _shorten(value: object) -> str:
    try:
        text = _SHORT.repr(value)
    except ValueError:  # a whole number of thousands of digits
        text = type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."


def _line_of_key(text: str, loc: tuple[int | str, ...]) -> int:
    """The line (from 0) on which the innermost key of `loc` that can be found stands."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    line = 0
    for part in loc:
        if isinstance(node, yaml.MappingNode):
            found = [(k, v) for k, v in node.value if k.value == str(part)]
            if not found:
                break
            line, node = found[0][0].start_mark.line, found[0][1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            node = node.value[part]
            line = node.start_mark.line
        else:
            break
    return line


def as_dict(model: pydantic.BaseModel) -> dict[str, Any]:
    """The model as plain data in the order of its fields, without what is not known."""
    return model.model_dump(mode="json", exclude_none=True)
