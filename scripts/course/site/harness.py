"""The tables of the harness's page, made from the harness's own constants."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from course.harness import contract, ladder


def _kernel() -> str:
    x, y = contract.BLOCK
    rows = [
        ("kernel", f"__global__ void {contract.KERNEL}{contract.SIGNATURE}"),
        ("block", f"{x} x {y} threads"),
        ("grid", "C's size over the block, rounded up on both axes"),
    ]
    return _table(("what", "as it must be"), [(what, _code(text)) for what, text in rows])


def _ladder() -> str:
    rows = [
        (why, " ".join(map(_code, sizes)))
        for group in (ladder.SMALL, ladder.LARGE, ladder.GPU_ONLY)
        for why, sizes in group.items()
    ]
    rows.append(
        (
            "fresh for each run",
            f"{ladder.RANDOM_SMALL} random sizes up to {ladder.SMALL_RANGE[1]}, "
            f"{ladder.RANDOM_LARGE} up to {ladder.LARGE_RANGE[1]}, {ladder.RANDOM_TRAFFIC} with "
            f"K = {contract.TRAFFIC_N}",
        )
    )
    rows.append(("also with random floats", " ".join(map(_code, ladder.FLOATS))))
    rows.append(
        (
            "also with infinities, and with a block's threads in other orders (CPU)",
            _code(ladder.PROBE),
        )
    )
    return _table(("why", "m x n x k"), rows)


def _budget() -> str:
    rows = [
        ("tile", str(contract.TILE)),
        ("N", str(contract.TRAFFIC_N)),
        ("global reads a thread, at most", str(contract.BUDGET)),
    ]
    return _table(("what", "value"), rows)


def _pitfalls() -> str:
    rows = [
        (
            f'<a href="../..{contract.link(p.name)}">{_code(p.name)}</a>',
            escape(p.means),
            escape(p.seen_by),
            "advice" if p.advice else "not passed",
        )
        for p in contract.PITFALLS.values()
    ]
    return _table(("pitfall", "what it is", "how it is recognised", "counts as"), rows)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    return f"<table>\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


# What a harness fence can ask for.
TABLES = {"kernel": _kernel, "ladder": _ladder, "budget": _budget, "pitfalls": _pitfalls}
