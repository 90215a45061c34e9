"""What a run's output must pass before it may become evidence."""

from __future__ import annotations

from course.errors import CourseError
from course.output import Output, OutputError, mismatches, missing_rows, parse_output
from course.program import Program


def accept(data: bytes, program: Program, run: str) -> Output:
    """The output, read strictly, with every declared case and every arithmetic figure right.

    `run` names it in messages, such as `run 2 of 5`. Raises CourseError `bad-output`,
    `missing-cases` or `bad-arithmetic`.
    """
    try:
        output = parse_output(data.decode(), program.spec.output)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{run}: line {line} of the output: byte 0x{data[error.start]:02x} is not UTF-8"
        raise CourseError("bad-output", message) from error
    except OutputError as error:
        raise CourseError("bad-output", f"{run}: {error}") from error
    if missing := missing_rows(output, program):
        raise CourseError("missing-cases", f"{run} has no row for {', '.join(missing)}")
    for wrong in mismatches(output, program):
        message = (
            f"{run}: line {wrong.line} of the output: {wrong.name} is {wrong.text}, "
            f"by `{wrong.formula}` it is {wrong.expected}"
        )
        raise CourseError("bad-arithmetic", message)
    return output


def accept_alike(first: Output, output: Output, program: Program, run: str) -> None:
    """Header, rows, arithmetic figures and verdict must be those of the first run.

    Raises CourseError `runs-disagree`.
    """
    one, other = _for_ever(first, program), _for_ever(output, program)
    for name in dict.fromkeys([*one, *other]):
        if one.get(name) != other.get(name):
            here, there = other.get(name, "missing"), one.get(name, "missing")
            message = f"{run}: {name} is {here!r}, in run 1 it is {there!r}"
            raise CourseError("runs-disagree", message)


def _for_ever(output: Output, program: Program) -> dict[str, str]:
    """What does not vary from run to run, by a name that a message can use."""
    spec = program.spec.output
    columns = (*spec.columns, *(spec.comparison.columns if spec.comparison else ()))
    names = [column.name for column in columns if column.role == "arithmetic"]
    facts = {name: text for name, (text, _) in output.facts.items()}
    rows = {f"row {' '.join(row.key)}": "there" for row in output.rows}
    figures = {
        f"{name} of {' '.join(row.key)}": row.cells[name]
        for row in output.all_rows()
        for name in names
        if name in row.cells
    }
    return {**facts, **rows, **figures, "verdict": output.verdict}
