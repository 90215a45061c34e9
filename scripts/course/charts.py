"""Charts: what a page asks to be drawn, and the figures of evidence that are drawn for it.

```chart kind="throughput" block="h200"
```

Nothing here draws. The gate asks whether there is something to draw, the site draws it, and the
gate proves in the built page that each figure arrived.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from course.formula import Origin
from course.hardware import Card
from course.markup import Fence
from course.output import Row
from course.page import EvidenceBlock, Page
from course.program import Column, Program
from course.project import Capture

KINDS = ("throughput", "speedup", "roofline", "cards")
_OPTIONS = {
    "throughput": {"column"},
    "speedup": set[str](),
    "roofline": set[str](),
    "cards": {"column", "case"},
}
_SHAPE = 'write ```chart kind="throughput" block="NAME"; cards need case="CASE" as well'


@dataclass(frozen=True)
class Chart:
    """A chart as a page asks for it. `block` names an evidence block of the page."""

    line: int
    kind: str
    block: EvidenceBlock
    column: str = ""
    case: str = ""

    @property
    def options(self) -> dict[str, str]:
        """The options of its fence."""
        given = {"kind": self.kind, "block": self.block.name}
        given |= {"column": self.column, "case": self.case}
        return {name: text for name, text in given.items() if text}

    @property
    def name(self) -> str:
        """What tells it apart from the other charts of its page."""
        return "-".join(self.options.values())


@dataclass(frozen=True)
class Plotted:
    """One figure that is drawn: as the log prints it, or computed by `origins` and rounded.

    `low` and `high` are its spread; both are empty when there was one run or nothing to vary.
    """

    column: str
    label: str
    unit: str
    text: str
    low: str = ""
    high: str = ""
    origins: tuple[Origin, ...] = ()

    @property
    def value(self) -> float:
        return float(self.text)

    @property
    def range(self) -> str:
        return f"{self.low}–{self.high}" if self.low else ""


@dataclass(frozen=True)
class Entry:
    """One row of a capture's output and its figures, the one that the chart is about first.

    `group` are the words under which it stands with others, `series` those that it has itself.
    """

    capture: Capture
    row: Row
    group: str
    series: str
    figures: tuple[Plotted, ...]

    @property
    def key(self) -> str:
        return " ".join(self.row.key)


@dataclass(frozen=True)
class Plot:
    """What a chart draws. `base` is the series that the others are compared with, if any."""

    chart: Chart
    program: Program
    entries: tuple[Entry, ...]
    base: str = ""
    card: Card | None = None

    @property
    def captures(self) -> list[Capture]:
        names = {entry.capture.log.name: entry.capture for entry in self.entries}
        return list(names.values())

    @property
    def keys(self) -> tuple[Column, ...]:
        """The key columns that name an entry; those of a comparison end with the case."""
        return self.program.spec.output.keys[: len(self.entries[0].row.key)]

    @property
    def series(self) -> list[str]:
        return list(dict.fromkeys(entry.series for entry in self.entries))

    @property
    def groups(self) -> dict[str, list[Entry]]:
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            found.setdefault(entry.group, []).append(entry)
        return found


def chart_fences(page: Page) -> Iterator[Fence]:
    return (fence for fence in page.fences if fence.language == "chart")


def read_chart(page: Page, fence: Fence) -> Chart:
    """Raises CourseError: `chart-syntax`, or that of an evidence block that cannot be read."""
    options = dict(fence.options)
    kind, name = options.pop("kind", ""), options.pop("block", "")
    if kind not in KINDS:
        message = f"there is no chart of the kind `{kind}`; there are {', '.join(KINDS)}"
        raise page.fault("chart-syntax", fence.line, message, _SHAPE)
    unknown = set(options) - _OPTIONS[kind]
    if unknown or (kind == "cards" and "case" not in options):
        fault = f"has no option {min(unknown)}" if unknown else "needs a case"
        message = f"a chart of the kind {kind} {fault}: {fence.info.strip()}"
        raise page.fault("chart-syntax", fence.line, message, _SHAPE)
    block = next((block for block in page.evidence_blocks if block.name == name), None)
    if block is None:
        known = ", ".join(f"`{block.name}`" for block in page.evidence_blocks) or "none"
        message = f"this page has no evidence block `{name}` for the chart; it has {known}"
        raise page.fault("chart-syntax", fence.line, message, _SHAPE)
    return Chart(fence.line, kind, block, options.get("column", ""), options.get("case", ""))
