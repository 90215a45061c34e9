"""An answer in Markdown for a CI job's summary, and as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from course.reverify.changes import changes
from course.reverify.compare import ComparedRow, Comparison
from course.reverify.history import Proven
from course.reverify.run import Answer

_HEADLINES = {
    "passed": "The published results hold.",
    "first": "First results of this card from the present source: there is nothing to compare yet.",
    "unclear": "Correct, but too noisy: no row confirms what is published, and none is worse.",
    "slower": "Slower than published.",
    "not comparable": "Correct, but the times cannot be compared with the published ones.",
    "failed": "The published results do not hold.",
}


def headline(answer: Answer) -> str:
    return _HEADLINES[answer.state]


def markdown(answer: Answer, proven: Proven | None) -> str:
    """The job summary: what holds, row by row, what changed since, the sentence for the page."""
    lines = [f"## {answer.program} on {answer.gpu}", "", f"**{headline(answer)}**", ""]
    if answer.failure:
        lines += ["```text", *answer.failure.replace("```", "'''").split("\n"), "```", ""]
    if answer.comparison is not None:
        lines += _compared(answer.comparison)
    if answer.state in ("unclear", "slower", "not comparable"):
        lines += [f"Nothing was published. {aside_words(answer)}", ""]
    if proven is not None:
        lines += [f"> {proven.sentence}", ""]
    return "\n".join(lines)


def aside_words(answer: Answer) -> str:
    """Where the log is that no page shows, and how to publish it all the same."""
    name = answer.log.name if answer.log else ""
    folder = f"evidence/{answer.program}/"
    return f"The log is `{folder}aside/{name}`; to publish it all the same, move it to `{folder}`."


def _compared(comparison: Comparison) -> Iterator[str]:
    yield f"Compared with the published capture `{comparison.old.log.name}`."
    yield ""
    for hindrance in comparison.hindrances:
        yield f"- {hindrance}"
    if comparison.hindrances:
        yield ""
    yield "| row | published | now | change | would show from | verdict |"
    yield "|---|--:|--:|--:|--:|---|"
    for row in comparison.rows:
        figure = row.speaker
        cells = (row.name, _figure(row, figure.old), _figure(row, figure.new))
        yield f"| {' | '.join((*cells, change(row), threshold(row), _verdict(row)))} |"
    yield ""
    changed = list(changes(comparison.old.log.stamp, comparison.new.log.stamp))
    if not changed:
        yield "Nothing in the stamp changed since."
    else:
        yield "| since then | published | now |"
        yield "|---|---|---|"
        yield from (f"| {' | '.join(one)} |" for one in changed)
    yield ""


def _figure(row: ComparedRow, text: str) -> str:
    unit = row.speaker.column.unit
    return f"{text}{unit}" if unit == "×" else f"{text} {unit}".rstrip()


def _verdict(row: ComparedRow) -> str:
    reason = row.speaker.judgement.reason
    return f"{row.verdict} ({reason})" if reason else row.verdict


def change(row: ComparedRow) -> str:
    """How much worse (+) or better (−) the row became."""
    slowdown = row.speaker.judgement.slowdown
    if slowdown is None:
        return "–"
    words = "slower" if slowdown > 1 else "faster"
    quotient = slowdown if slowdown > 1 else 1 / slowdown
    return "none" if f"{quotient:.3f}" == "1.000" else f"{100 * (quotient - 1):.1f} % {words}"


def threshold(row: ComparedRow) -> str:
    sees = row.speaker.judgement.sees
    return "–" if sees is None else f"{100 * (sees - 1):.1f} %"


def terminal(answer: Answer, proven: Proven | None) -> Iterator[str]:
    """The same for a terminal, a line a row."""
    yield f"{answer.program} on {answer.gpu}: {headline(answer)}"
    yield from (f"  {line}" for line in answer.failure.split("\n") if line)
    if answer.comparison is not None:
        yield from compared_lines(answer.comparison)
    if answer.state in ("unclear", "slower", "not comparable"):
        yield f"  {aside_words(answer)}".replace("`", "")
    if proven is not None:
        yield f"  {proven.sentence}"


def compared_lines(comparison: Comparison) -> Iterator[str]:
    """The rows, what hinders a comparison, and what changed in the stamp."""
    yield from (f"  {hindrance}" for hindrance in comparison.hindrances)
    width = max((len(row.name) for row in comparison.rows), default=0)
    for row in comparison.rows:
        figure = row.speaker
        figures = f"{_figure(row, figure.old)} → {_figure(row, figure.new)}"
        yield f"  {row.name:<{width}}  {figures:<28} {change(row):<16} {_verdict(row)}".rstrip()
    for what, old, new in changes(comparison.old.log.stamp, comparison.new.log.stamp):
        yield f"  {what}: {old} → {new}"
