"""Ways to break an evidence block."""

from __future__ import annotations

from gate.copied import LESSON, PROGRAM, SPEC, Copy
from gate.expected import CAPTURE, H200, PUBLISH, Breaks, Expected

BREAKS = Breaks()


@BREAKS.add
def one_character_of_a_table(copy: Copy) -> Expected:
    line = copy.line(LESSON, "611x613x617      tiled         1.364")
    within = line - copy.line(LESSON, 'name="t4"')
    copy.replace(
        LESSON, "611x613x617      tiled         1.364", "611x613x617      tiled         1.354"
    )
    name = copy.latest("Tesla T4").log.name
    return Expected(
        "block-differs",
        LESSON,
        line,
        f"line {within} of the block differs from {name}\n"
        "  page:     611x613x617      tiled         1.354       338.9            78\n"
        "  evidence: 611x613x617      tiled         1.364       338.9            78",
        PUBLISH,
    )


@BREAKS.add
def a_later_capture_that_is_not_published(copy: Copy) -> Expected:
    old = copy.latest().log.name
    new = copy.add_capture(
        "2027-01-01T00:00:00Z",
        "256x256x256      naive         0.029",
        "256x256x256      naive         0.030",
    )
    return Expected(
        "block-old",
        LESSON,
        copy.line(LESSON, H200),
        f"the block repeats {old}; the latest capture is {new}",
        PUBLISH,
    )


def _pin(copy: Copy) -> str:
    name = copy.latest().log.name
    copy.replace(LESSON, H200, f'{H200} capture="{name}"')
    return name


@BREAKS.add
def a_pinned_block_whose_measurements_drifted(copy: Copy) -> Expected:
    pinned = _pin(copy)
    row = copy.latest().published.find(("611x613x617", "tiled"))
    assert row is not None
    runs = [output.find(row.key) for output in copy.latest().outputs]
    times = sorted(run.cells["time_ms"] for run in runs if run)
    log = copy.latest().log
    new = copy.add_capture("2027-01-01T00:00:00Z")
    twin = next(c.log for c in copy.project.captures[PROGRAM] if c.log.name == new)
    slow = [output.replace(b" 0.07", b" 0.17") for output in log.outputs]
    copy.rewrite(twin, slow)
    low, high = times[0], times[-1]
    return Expected(
        "block-drifted",
        LESSON,
        copy.line(LESSON, H200),
        f"the pinned {pinned} and the later {new} differ in time_ms of 611x613x617 tiled\n"
        f"  pinned: {low} to {high}\n  later:  {low.replace('0.07', '0.17')} to {high.replace('0.07', '0.17')}",
        f'take capture="{pinned}" out of the block, then {PUBLISH}',
    )


@BREAKS.add
def a_pinned_block_whose_arithmetic_differs_from_later(copy: Copy) -> Expected:
    pinned = _pin(copy)
    copy.replace(SPEC, "expr: 2 * k\n", "expr: 2 * k + 0\n")
    new = copy.add_capture("2027-01-01T00:00:00Z", "          1234\n", "          1235\n")
    return Expected(
        "block-drifted",
        LESSON,
        copy.line(LESSON, H200),
        f"the pinned {pinned} and the later {new} differ in loads of 611x613x617 naive\n"
        "  pinned: 1234\n  later:  1235",
    )


@BREAKS.add
def a_pin_that_names_no_capture(copy: Copy) -> Expected:
    copy.replace(LESSON, H200, f'{H200} capture="20000101T000000Z_nothing"')
    return Expected(
        "block-no-evidence",
        LESSON,
        copy.line(LESSON, H200),
        f"there is no capture 20000101T000000Z_nothing in evidence/{PROGRAM}/",
        "name an existing log, or none",
    )


@BREAKS.add
def a_pin_on_another_card(copy: Copy) -> Expected:
    name = copy.latest("Tesla T4").log.name
    copy.replace(LESSON, H200, f'{H200} capture="{name}"')
    return Expected(
        "block-no-evidence",
        LESSON,
        copy.line(LESSON, H200),
        f"the pinned capture {name} is of `Tesla T4`, the block of `NVIDIA H200`",
        "name the capture's own GPU",
    )


@BREAKS.add
def a_card_without_evidence(copy: Copy) -> Expected:
    copy.replace(LESSON, 'gpu="NVIDIA H200"', 'gpu="NVIDIA L4"')
    return Expected(
        "block-no-evidence",
        LESSON,
        copy.line(LESSON, "NVIDIA L4"),
        f"{PROGRAM} has no evidence of `NVIDIA L4`; there is evidence of: NVIDIA H200, Tesla T4",
        f"{CAPTURE}  (on NVIDIA L4)",
    )


@BREAKS.add
def a_block_of_an_unknown_program(copy: Copy) -> Expected:
    copy.replace(LESSON, f'name="h200" program="{PROGRAM}"', 'name="h200" program="day99"')
    return Expected(
        "block-no-evidence",
        LESSON,
        copy.line(LESSON, "day99"),
        f"the block names the program `day99`; known: {', '.join(copy.project.programs)}",
        "name a folder under code/",
    )


@BREAKS.add
def a_block_without_its_gpu(copy: Copy) -> Expected:
    copy.replace(LESSON, H200, H200.replace(' gpu="NVIDIA H200"', ""))
    return Expected(
        "block-syntax",
        LESSON,
        copy.line(LESSON, 'name="h200"'),
        f'the evidence block lacks gpu: evidence name="h200" program="{PROGRAM}"',
    )


@BREAKS.add
def imported_evidence_shown_as_if_captured(copy: Copy) -> Expected:
    copy.replace(LESSON, ' kind="imported"', "")
    name = copy.latest("Tesla T4").log.name
    return Expected(
        "block-unlabelled",
        LESSON,
        copy.line(LESSON, 'name="t4"'),
        f"{name} is imported, and the block shows it as if it were captured here",
        'add kind="imported" to the line that opens the block',
    )


@BREAKS.add
def a_capture_called_imported(copy: Copy) -> Expected:
    copy.replace(LESSON, H200, f'{H200} kind="imported"')
    name = copy.latest().log.name
    return Expected(
        "block-unlabelled",
        LESSON,
        copy.line(LESSON, H200),
        f"{name} was captured here, and the block calls it imported",
        'take kind="imported" out of the line that opens the block',
    )


@BREAKS.add
def two_blocks_of_one_name(copy: Copy) -> Expected:
    block = copy.latest().log.published
    line = copy.insert(LESSON, f"{H200}\n{block}```")
    return Expected(
        "block-twice", LESSON, line, "a second evidence block is named `h200` on this page"
    )


@BREAKS.add
def an_imported_record_before_a_capture(copy: Copy) -> Expected:
    block = copy.latest().log.published
    opening = H200.replace("h200", "again")
    line = copy.insert(LESSON, f"{opening}\n{block}```")
    return Expected(
        "block-order",
        LESSON,
        line,
        "the capture `again` stands after the imported record `t4`",
        "put captures before imported records",
    )
