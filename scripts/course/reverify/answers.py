"""What runners answered when they were asked and did not confirm: evidence/<program>/answers.yml.

A pass leaves a log, and that is its record. Everything else would leave no trace: a runner that is
offline, a slower or a wrong result, a throttled card. The file is append-only, like the logs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pydantic
import yaml

from course.files import Data, as_dict, parse_yaml, read_bytes, read_text
from course.writing import write_atomically

Day = Annotated[str, pydantic.StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")]


class Answered(Data):
    """On `date` the runner with these labels was asked. `gpu` is known if it answered at all."""

    date: Day
    runner: str
    gpu: str | None = None
    state: Literal["no answer", "could not run", "unclear", "slower", "not comparable", "failed"]


class _File(Data):
    answers: tuple[Answered, ...] = ()


def answers_path(root: Path, program: str) -> Path:
    return root / "evidence" / program / "answers.yml"


def read_answers(root: Path, program: str) -> tuple[Answered, ...]:
    """Every answer on record, as it stands in the file. Raises CourseError."""
    path = answers_path(root, program)
    return parse_yaml(read_text(path), _File, path).answers if path.is_file() else ()


def record(root: Path, program: str, answered: Answered) -> None:
    """Put one answer behind the others; an answer that is there already is not repeated."""
    if answered in read_answers(root, program):
        return
    path = answers_path(root, program)
    before = read_bytes(path) if path.is_file() else b"answers:\n"
    line = yaml.safe_dump([as_dict(answered)], sort_keys=False, width=4096)
    write_atomically(path, before + line.encode())
