"""Ways to break a chart."""

from __future__ import annotations

from gate.copied import LESSON, PROGRAM, SPEC, Copy
from gate.expected import Breaks, Expected

BREAKS = Breaks()
SPEEDUP = '```chart kind="speedup" block="h200"'
ROOFLINE = '```chart kind="roofline" block="h200"'
CARDS = '```chart kind="cards" block="h200" case="ragged"'
MEND = "mend the fence or program.yml, or take the chart out"


def _broken(copy: Copy, old: str, new: str, message: str, fix: str = "") -> Expected:
    code = "chart-no-data" if message.startswith("nothing to draw") else "chart-syntax"
    line = copy.line(LESSON, old)
    copy.replace(LESSON, old, new)
    return Expected(code, LESSON, line, message, fix or 'write ```chart kind="throughput"')


@BREAKS.add
def a_chart_of_an_unknown_kind(copy: Copy) -> Expected:
    message = "there is no chart of the kind `pie`; there are throughput, speedup, roofline, cards"
    return _broken(copy, SPEEDUP, SPEEDUP.replace("speedup", "pie"), message)


@BREAKS.add
def a_chart_of_an_unknown_block(copy: Copy) -> Expected:
    message = "this page has no evidence block `h100` for the chart; it has `h200`, `t4`"
    return _broken(copy, SPEEDUP, SPEEDUP.replace("h200", "h100"), message)


@BREAKS.add
def a_chart_with_an_unknown_option(copy: Copy) -> Expected:
    message = 'a chart of the kind speedup has no option case: chart kind="speedup" block="h200" case="ragged"'
    return _broken(copy, SPEEDUP, f'{SPEEDUP} case="ragged"', message)


@BREAKS.add
def a_chart_of_cards_without_its_case(copy: Copy) -> Expected:
    message = 'a chart of the kind cards needs a case: chart kind="cards" block="h200"'
    return _broken(copy, CARDS, CARDS.replace(' case="ragged"', ""), message)


@BREAKS.add
def a_chart_that_stands_there_twice(copy: Copy) -> Expected:
    line = copy.insert(LESSON, f"{SPEEDUP}\n```")
    message = "the chart speedup-h200 stands on the page already"
    return Expected("chart-syntax", LESSON, line, message, "take one of them out")


@BREAKS.add
def a_chart_of_a_case_that_there_is_not(copy: Copy) -> Expected:
    message = f"nothing to draw: `{PROGRAM}` has no case `raged`; it has small, medium, ragged"
    return _broken(copy, CARDS, CARDS.replace("ragged", "raged"), message, MEND)


@BREAKS.add
def a_chart_of_a_column_that_is_not_measured(copy: Copy) -> Expected:
    message = f"nothing to draw: `{PROGRAM}` measures no `loads`; it measures time_ms, gflops"
    return _broken(copy, CARDS, f'{CARDS} column="loads"', message, MEND)


@BREAKS.add
def a_roofline_without_an_intensity(copy: Copy) -> Expected:
    copy.replace(SPEC, "  intensity: {naive: intensity_naive(k), tiled: intensity_tiled(k)}\n", "")
    message = f"nothing to draw: `{PROGRAM}` gives no intensity"
    return _broken(copy, ROOFLINE, ROOFLINE, message, MEND)


@BREAKS.add
def a_roofline_of_a_formula_that_there_is_not(copy: Copy) -> Expected:
    copy.replace(SPEC, "intensity: {naive: intensity_naive(k)", "intensity: {naive: intensity(k)")
    message = "nothing to draw: 'intensity' is undefined"
    return _broken(copy, ROOFLINE, ROOFLINE, message, MEND)


@BREAKS.add
def a_roofline_of_a_card_that_the_hardware_table_lacks(copy: Copy) -> Expected:
    copy.replace("docs/reference/hardware.yml", "stamped: [NVIDIA H200]", "stamped: []")
    message = "nothing to draw: the hardware table does not know the card `NVIDIA H200`"
    return _broken(copy, ROOFLINE, ROOFLINE, message, MEND)
