"""program.yml: what it may say, and how a fault in it is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import PROGRAM
from course.errors import CourseError
from course.program import Case, Program, program_names

sizes = st.integers(1, 999_999)


@given(m=sizes, n=sizes, k=sizes)
def test_a_case_reads_back(m: int, n: int, k: int) -> None:
    """Written with x or with commas."""
    case = Case(m, n, k)
    assert Case.parse(str(case)) == Case.parse(f" {m},{n},{k}\n") == case


@given(text=st.text(alphabet="0123456789x, -٣") | st.text())
def test_a_case_is_three_sizes_or_refused(text: str) -> None:
    """Nothing but ValueError comes out; what is accepted is what was written."""
    try:
        case = Case.parse(text)
    except ValueError as error:
        assert str(error) == f"not a case: {text!r}; write it as MxNxK, such as 611x613x617"  # noqa: PT017
    else:
        assert str(case) == text.strip().replace(",", "x")


@pytest.mark.parametrize(
    "text", ["", "1x2", "1x2x3x4", "0x1x1", "01x1x1", "-1x1x1", "1x1x1000000", "1 x1x1", "٣x1x1"]
)
def test_what_is_no_case(text: str) -> None:
    """Sizes run from 1 to 999999 without signs, blanks or leading zeros."""
    with pytest.raises(ValueError, match="not a case"):
        Case.parse(text)


def change(project: Path, old: str, new: str) -> Path:
    path = project / "code" / PROGRAM / "program.yml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "[tiled_matmul.cu]",
            "[../tiled_matmul.cu]",
            "sources.0: Value error, not a plain path inside the program's folder: "
            "'../tiled_matmul.cu' (found '../tiled_matmul.cu')",
        ),
        (
            "run: ./tiled_matmul",
            "run: ./tiled_matmul 'a",
            "run: Value error, not a command: No closing quotation; "
            'the one placeholder is {arch} (found "./tiled_matmul \'a")',
        ),
        (
            "-arch={arch}",
            "-arch={gpu}",
            "build: Value error, not a command: 'gpu'; the one placeholder is {arch} "
            "(found 'nvcc -std=c++17 -O3 -arch={gpu} -o tiled_matmul tiled_ma...)",
        ),
        (
            "ragged: 611x613x617",
            "ragged: 611x613",
            "cases.ragged: Value error, not a case: '611x613'; "
            "write it as MxNxK, such as 611x613x617 (found '611x613')",
        ),
        (
            "published_by: time_ms",
            "published_by: loads",
            "output: Value error, published_by must be a measured column, "
            "one of ['time_ms', 'gflops']",
        ),
        (
            "verdict: all (?P<cases>",
            "verdict: all ((?P<cases>",
            "output.verdict: Value error, not a regular expression",
        ),
        (
            "row: [tiled], block: [16, 16]",
            "row: [tiled], block: [16, 16], cases: [jagged]",
            "the file: Value error, the cases of matmulTiled: not a case: 'jagged'; "
            "write it as MxNxK, such as 611x613x617",
        ),
        ("title: Tiled", "tittle: Tiled", "title: Field required"),
        (
            "sources: [tiled_matmul.cu]",
            "sources: [tiled_matmul.cu, ../other/tiled_matmul.cu]",
            "the file: Value error, two sources are built as tiled_matmul.cu; "
            "one would overwrite the other",
        ),
        (
            "(?P<tile_again>",
            "(?P<tile_gain>",
            "output.header.1: Value error, a formula for tile_again, "
            "which is no group of the pattern",
        ),
        (
            "(?P<load_ratio>",
            "(?P<load_ration>",
            "output.comparison: Value error, the columns are speedup, load_ratio; "
            "the pattern's groups: speedup, load_ration",
        ),
        (
            "verdict: all (?P<cases>",
            "verdict: all (?P<tile>",
            "output: Value error, two figures are named tile; one would hide the other",
        ),
        (
            "run: ./tiled_matmul",
            "run: ./tiled_matmul\nrun: ./other",
            "not YAML: the key 'run' stands here and on line ",
        ),
        ("title: ", "title: [", "not YAML: "),
    ],
)
def test_a_faulty_program_file_is_told_with_its_line(
    old: str, new: str, message: str, project: Path
) -> None:
    """The message names the key and what was found there."""
    path = change(project, old, new)
    with pytest.raises(CourseError) as caught:
        Program.load(project, PROGRAM)
    assert caught.value.code == "bad-yaml"
    assert caught.value.path == path
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize("name", ["nothing", "../code", "", ".", f"{PROGRAM}/."])
def test_a_program_that_is_not_there(name: str, project: Path) -> None:
    """The fix lists the programs that are."""
    with pytest.raises(CourseError) as caught:
        Program.load(project, name)
    assert caught.value.message == f"there is no program `{name}` under code/"
    assert caught.value.fix == f"known: {PROGRAM}"


def test_a_kernel_runs_at_named_cases_and_at_sizes_of_its_own(project: Path) -> None:
    """Control: without `cases` it runs at all of the program's."""
    change(
        project,
        "row: [tiled], block: [16, 16]",
        "row: [tiled], block: [16, 16], cases: [ragged, 19x21x23]",
    )
    program = Program.load(project, PROGRAM)
    naive, tiled = program.spec.kernels
    assert program.cases_of(tiled) == (Case(611, 613, 617), Case(19, 21, 23))
    assert program.cases_of(naive) == tuple(program.cases.values())


def test_the_real_program_loads(project: Path) -> None:
    """Control: names, cases, constants and the build command."""
    program = Program.load(project, PROGRAM)
    assert program_names(project) == [PROGRAM]
    assert program.cases["ragged"] == Case(611, 613, 617)
    assert program.build_command("native").split()[3] == "-arch=native"
    assert program.formula_names()["loads_tiled"](617) == 78
