"""Ways to name another card over an evidence block."""

from __future__ import annotations

from gate.copied import LESSON, Copy
from gate.expected import Break, Breaks, Expected

BREAKS = Breaks()
TAB = '=== "NVIDIA H200"'


def _over(new: str, *, named: str, at: str) -> Break:
    def break_it(copy: Copy) -> Expected:
        copy.replace(LESSON, TAB, new)
        message = f"`{named}` stands over the evidence block `h200`, which is of `NVIDIA H200`"
        fix = "name NVIDIA H200 there, or no card"
        return Expected("block-card", LESSON, copy.line(LESSON, at), message, fix)

    break_it.__name__ = f"over a block: {new!r}"
    return break_it


BREAKS += [
    _over('=== "NVIDIA B200"', named="B200", at='=== "NVIDIA B200"'),
    _over('=== "rtx 4090 Ti"', named="RTX4090TI", at='=== "rtx 4090 Ti"'),
    _over(f"#### On an L40S\n\nSo it is.\n\n{TAB}", named="L40S", at="On an L40S"),
    _over(f"{TAB}\n\n    An A100\n    and a V100:", named="A100, V100", at="An A100"),
    _over(f"{TAB}\n\n    **A GH200**<!-- x -->\n", named="GH200", at="**A GH200"),
]
