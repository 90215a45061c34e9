"""Reading an output: every line accounted for, every figure checked, the median run chosen."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import OUTPUT, slower
from course.output import (
    Output,
    OutputError,
    choose_published,
    mismatches,
    missing_rows,
    parse_output,
    spread,
)
from course.program import Program


def read(text: str, program: Program) -> Output:
    return parse_output(text, program.spec.output)


def test_an_output_is_read_whole(program: Program) -> None:
    """Facts with their lines, rows and comparisons by key, and the verdict."""
    output = read(OUTPUT, program)
    assert output.facts["gpu"] == ("Tesla T4", 1)
    assert output.facts["shared"] == ("2048", 2)
    assert output.cases() == ["256x256x256", "512x512x512", "611x613x617"]
    row = output.find(("611x613x617", "tiled"))
    assert row is not None
    assert (row.line, row.cells["time_ms"], row.cells["loads"]) == (13, "1.364", "78")
    comparison = output.find(("611x613x617",))
    assert comparison is not None
    assert dict(comparison.cells) == {"speedup": "1.29", "load_ratio": "15.8"}
    assert output.verdict == "all 3 cases match the CPU reference at every element"
    assert list(mismatches(output, program)) == []
    assert missing_rows(output, program) == []


ROW = "256x256x256      naive         0.165       203.5           512\n"
COMPARED = "                 tiled is 1.53x faster and reads 16.0x fewer floats per thread\n"
VERDICT = "all 3 cases match the CPU reference at every element\n"
FAULTS = {
    "": "line 1 of the output: no row of results",
    OUTPUT[:-1]: ("line 16 of the output: the output is cut off: it does not end with a line end"),
    OUTPUT.replace(ROW, ROW + ROW): "line 7 of the output: a second row for 256x256x256 naive",
    OUTPUT.replace(COMPARED, COMPARED * 2): (
        "line 9 of the output: a second comparison for 256x256x256"
    ),
    OUTPUT.partition("\n")[2]: (
        "line 16 of the output: no line matches the header "
        "`GPU: (?P<gpu>.+) \\(compute capability (?P<compute_capability>\\d+\\.\\d+)\\)`"
    ),
    OUTPUT.partition("\n")[0] + "\n" + OUTPUT: (
        "line 2 of the output: a second line that matches "
        "`GPU: (?P<gpu>.+) \\(compute capability (?P<compute_capability>\\d+\\.\\d+)\\)`"
    ),
    OUTPUT.replace(
        "1.53x", f"{10**15}.5x"
    ): "line 8 of the output: not a plain number: '1000000000000000.5'",
    OUTPUT.replace("0.165", "1e-3"): "line 6 of the output: not a plain number: '1e-3'",
    OUTPUT.replace("0.165", "-0.1"): "line 6 of the output: not a plain number: '-0.1'",
    OUTPUT.replace("0.165", "٠.١٦٥"): "line 6 of the output: not a plain number: '٠.١٦٥'",
    OUTPUT.replace("256x256x256      naive", "256x256          naive"): (
        "line 6 of the output: not a case: '256x256'; write it as MxNxK, such as 611x613x617"
    ),
    OUTPUT.replace("naive ", "naive\t", 1): (
        "line 6 of the output: a character that does not print: "
        "'256x256x256      naive\\t        0.165       203.5           512'"
    ),
    OUTPUT + "bye\n": "line 17 of the output: output after the verdict: 'bye'",
    OUTPUT + VERDICT: f"line 17 of the output: output after the verdict: {VERDICT[:-1]!r}",
    OUTPUT.replace(VERDICT, ""): (
        "line 16 of the output: no verdict: the last line does not match `verdict`"
    ),
    COMPARED + OUTPUT: (
        f"line 1 of the output: program.yml does not say how to read {COMPARED[:-1]!r}"
    ),
}


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_a_line_that_is_not_accounted_for(number: int, program: Program) -> None:
    """The message has the line and what is wrong with it."""
    text, message = list(FAULTS.items())[number]
    with pytest.raises(OutputError) as caught:
        read(text, program)
    assert str(caught.value) == message


@settings(deadline=None, max_examples=300)
@given(data=st.data())
def test_one_other_character_is_refused_or_read(data: st.DataObject, program: Program) -> None:
    """No character changes without a refusal, other data, or only other blanks or dashes."""
    at = data.draw(st.integers(0, len(OUTPUT) - 1))
    new = data.draw(st.characters() | st.sampled_from("0123456789. xX-\n\r\t"))
    text = OUTPUT[:at] + new + OUTPUT[at + 1 :]
    try:
        output = read(text, program)
    except OutputError as error:
        assert 1 <= error.line <= text.count("\n") + 1  # noqa: PT017
        return
    assert output.text == text
    before = read(OUTPUT, program)
    if figures(output) == figures(before):
        assert {new, OUTPUT[at]} <= set(" -\n" + new * (new == OUTPUT[at]))
    list(mismatches(output, program))
    missing_rows(output, program)


def figures(output: Output) -> object:
    """Everything that was read, without its place."""
    rows = [(row.key, dict(row.cells)) for row in output.all_rows()]
    return {name: text for name, (text, _) in output.facts.items()}, rows, output.verdict


@settings(deadline=None)
@given(text=st.text())
def test_any_text_is_refused_in_words(text: str, program: Program) -> None:
    """Nothing but OutputError comes out."""
    with pytest.raises(OutputError):
        read(text, program)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("tile 16 x 16", "tile 16 x 32", [(2, "tile_again", "32", "16")]),
        ("256 threads", "512 threads", [(2, "threads", "512", "256")]),
        ("           512\n", "           513\n", [(6, "loads", "513", "512")]),
        ("reads 15.8x", "reads 16.0x", [(14, "load_ratio", "16.0", "15.8")]),
        ("all 3", "all 2", [(16, "cases", "2", "3")]),
        ("0.165", "9.999", []),
    ],
)
def test_arithmetic_is_for_ever_and_measurements_vary(
    old: str, new: str, expected: list[tuple[int, str, str, str]], program: Program
) -> None:
    """A wrong arithmetic figure is told with its line and both values; a time may be any."""
    found = mismatches(read(OUTPUT.replace(old, new, 1), program), program)
    assert [(wrong.line, wrong.name, wrong.text, wrong.expected) for wrong in found] == expected


def test_a_kernel_without_a_formula_is_a_mismatch(program: Program) -> None:
    """A row of a kernel that program.yml does not know cannot be checked, so it is wrong."""
    found = list(mismatches(read(OUTPUT.replace("tiled  ", "wider  ", 1), program), program))
    assert [(wrong.line, wrong.name) for wrong in found] == [(7, "loads")]
    assert found[0].expected.startswith("nothing (")


def test_a_declared_case_without_a_row_is_missing(program: Program) -> None:
    """By case, and by the kernel that other cases have."""
    output = read(OUTPUT.replace(ROW, ""), program)
    assert missing_rows(output, program) == ["256x256x256 naive"]


@settings(deadline=None)
@given(order=st.permutations([0.5, 0.8, 1.0, 1.5, 2.0, 2.5]), count=st.integers(1, 6))
def test_the_published_run_has_the_median_score(
    order: list[float], count: int, program: Program
) -> None:
    """Whatever the order of the runs; with an even number the faster of the two in the middle."""
    factors = order[:count]
    outputs = [read(slower(OUTPUT, factor), program) for factor in factors]
    index = choose_published(outputs, program.spec.output)
    assert factors[index] == sorted(factors)[(count - 1) // 2]


def test_the_earliest_of_equal_runs_is_published(program: Program) -> None:
    """Equal scores are told apart by their order alone."""
    outputs = [read(OUTPUT, program)] * 4
    assert choose_published(outputs, program.spec.output) == 1


def test_a_run_without_time_cannot_be_ranked(program: Program) -> None:
    """A time of zero is no measurement."""
    outputs = [read(OUTPUT.replace("0.165", "0.000"), program)]
    with pytest.raises(OutputError) as caught:
        choose_published(outputs, program.spec.output)
    assert caught.value.message == "no time_ms above zero for 256x256x256 naive in every run"


def test_the_spread_is_what_was_printed(program: Program) -> None:
    """Smallest and largest keep their digits; control: one run has no spread."""
    outputs = [read(slower(OUTPUT, factor), program) for factor in (2.0, 1.0)]
    key = ("512x512x512", "tiled")
    both = spread(outputs, key, "time_ms")
    assert (str(both.low), str(both.high)) == ("0.620", "1.240")
    assert both.overlaps(spread(outputs[:1], key, "time_ms"))
    one = spread(outputs[1:], key, "time_ms")
    assert one.low == one.high
    assert not one.overlaps(spread(outputs[:1], key, "time_ms"))
