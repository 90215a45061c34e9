"""The small phrases that messages are made of."""

from __future__ import annotations

from typing import Any

from course.simt.report import Finding

Raw = dict[str, Any]


def once(findings: list[Finding]) -> list[Finding]:
    """The first of each kind and line; faults are counted in the messages already."""
    seen: dict[tuple[str, int, str], Finding] = {}
    for finding in findings:
        array = str(finding.detail.get("array", ""))
        seen.setdefault((finding.kind, finding.line, array), finding)
    return list(seen.values())


def xy(place: list[int]) -> str:
    return f"({', '.join(map(str, place if place[2] else place[:2]))})"


def thread(place: list[int]) -> str:
    return f"thread {xy(place)}"


def who(raw: Raw) -> str:
    return f"{thread(raw['thread'])} of block {xy(raw['block'])}"


def element(raw: Raw) -> str:
    """`a[2788]`, with row and column where the array has rows."""
    if not raw["array"]:
        return "an array"
    if raw["columns"] and raw["index"] >= 0:
        row, column = divmod(raw["index"], raw["columns"])
        if raw["space"] == "shared":
            return f"{raw['array']}[{row}][{column}]"
        return f"{raw['array']}[{raw['index']}] (row {row}, column {column})"
    return f"{raw['array']}[{raw['index']}]"


def times(raw: Raw) -> str:
    return f"; {raw['count']:,} such accesses in all" if raw["count"] > 1 else ""
