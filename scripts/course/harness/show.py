"""A report for the eye: plain lines, colour only where a word says the same."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from course.harness.contract import BUDGET, TILE, TRAFFIC_N, link
from course.harness.report import Diagnosis, Report

HEADS = {"pass": ("passed", "green"), "fail": ("not passed", "red"), "error": ("not judged", "red")}


def show(report: Report, console: Console) -> None:
    word, colour = HEADS[report.verdict]
    head = Text.assemble(f"{report.path}: ", (word, f"bold {colour}"))
    console.print(head)
    for line in lines(report):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def lines(report: Report) -> Iterator[str]:
    """All that stands under the head."""
    if report.error is not None:
        yield from _entry(report.error)
    else:
        yield f"  cases    {_cases(report)}"
        if report.failing:
            yield f"  smallest {report.smallest_failing_case} fails (m x n x k){_shrunk(report)}"
        if report.rule:
            yield f"  rule     {report.rule}"
        yield f"  traffic  {_traffic(report)}"
        for entry in report.diagnosis:
            yield from _entry(entry)
        yield from _times(report)
    yield f"  answer   {report.answer or '(none: the line // ANSWER: is empty)'} (not judged)"
    for note in report.notes:
        yield f"  note     {note}"
    if report.walls:
        yield f"  walls    {' and '.join(report.walls)} stood while it ran on the CPU"
    yield f"  device   {report.device}; run this again with --seed {report.seed}"


def _cases(report: Report) -> str:
    judged = [result for result in report.cases if result.right is not None]
    left = len(report.cases) - len(judged)
    rest = f"; {left} were not run, because an earlier one did not end" if left else ""
    if not report.failing:
        return f"all {len(judged)} right, at every element{rest}"
    return f"{len(report.failing)} of {len(judged)} wrong{rest}"


def _shrunk(report: Report) -> str:
    if report.minimal_failing_case in (None, report.smallest_failing_case):
        return ""
    return f"; made smaller on each axis: {report.minimal_failing_case}"


def _traffic(report: Report) -> str:
    reads = report.traffic.reads_per_thread
    if reads is None:
        return "not measured"
    word = "within" if report.traffic.within else "over"
    return (
        f"{reads:,} reads a thread at tile {TILE}, N = {TRAFFIC_N}: {word} the budget of {BUDGET}"
    )


def _entry(entry: Diagnosis) -> Iterator[str]:
    label = "advice: " if entry.is_advice else ""
    name = f" [{entry.pitfall}]" if entry.pitfall else ""
    yield f"  {entry.path}:{entry.line}: {label}{entry.message}{name}"
    if entry.fix:
        yield f"    fix: {entry.fix}"
    if entry.pitfall:
        yield f"    see: {link(entry.pitfall)}"


def _times(report: Report) -> Iterator[str]:
    for time in report.times:
        gflops = 2 * time.case.work / (time.median * 1e6)
        yield (
            f"  time     {time.case!s:<16} {time.name:<12} {time.median:9.3f} ms "
            f"({time.low:.3f} to {time.high:.3f})  {gflops:9.1f} GFLOP/s"
        )
