"""The CPU check of one kernel: one case in full, or a ladder of small ones and the declared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from course.program import Case
from course.simt.control import ensure_caught
from course.simt.engine import Program
from course.simt.explain import Rule, explain
from course.simt.report import Finding, TraceReport
from course.simt.run import Run, Size

SMALL = 96  # sizes up to this are kept when a case is made small; larger ones keep size mod 32


def trace(
    source: Path,
    kernel: str,
    case: Case,
    *,
    block: Size = (16, 16),
    grid: Size | None = None,
    tile: Size | None = None,
    shared_bytes: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    watch: bool = True,
) -> TraceReport:
    """Run `kernel` of `source` at `case` and report all there is to say.

    A is m×k, B is k×n, C is m×n floats, row-major. `block` is threads on x and y; `tile` the
    columns and rows of C a block makes, by default the block; `grid` follows from it unless given.
    Beside the case itself a small one with the same remainders is run in other orders of threads,
    and with infinities in A and in B, which shows stale cells that zeros would hide.
    Raises CourseError for what cannot be read, compiled or run.
    """
    run = Run(case, block, grid, tile, shared_bytes, seed, watch)
    with Program(source, kernel) as program:
        run.checked()
        if not watch:
            return program.run([run], threads=threads)[0]
        ensure_caught()
        small = replace(run, watch_stale=True, case=smaller(case))
        is_small = small.case == case
        companions = probes(small) if grid is None or is_small else []
        reports = program.run([replace(run, watch_stale=is_small), *companions], threads=threads)
        rule = _explain_if_wrong(program, run, reports, threads)
        return _told(program, reports[0], reports, rule)


@dataclass(frozen=True)
class CheckReport:
    """A kernel at its declared cases and at a ladder of small ones."""

    kernel: str
    reports: tuple[TraceReport, ...]  # of the declared cases, in order
    ladder: tuple[Case, ...]
    failing: tuple[Case, ...]  # of all, smallest first
    findings: tuple[Finding, ...]
    rule: str | None

    @property
    def clean(self) -> bool:
        return not self.failing and not any(f.is_failure for f in self.findings)

    @property
    def exit_code(self) -> int:
        return 0 if self.clean else 1

    def to_json(self) -> dict[str, Any]:
        return {
            "kernel": self.kernel,
            "clean": self.clean,
            "cases": [report.to_json() for report in self.reports],
            "ladder": [[c.m, c.n, c.k] for c in self.ladder],
            "failing": [[c.m, c.n, c.k] for c in self.failing],
            "rule": self.rule,
            "findings": [f.to_json() for f in self.findings],
        }


def check_kernel(
    source: Path,
    kernel: str,
    cases: Sequence[Case],
    *,
    block: Size = (16, 16),
    tile: Size | None = None,
    shared_bytes: int | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> CheckReport:
    """Check `kernel` at every remainder of every axis, then at `cases`; every access watched."""
    ensure_caught()
    with Program(source, kernel) as program:
        base = Run(Case(1, 1, 1), block, None, tile, shared_bytes, seed, watch_stale=True)
        rungs = ladder(tile or block)
        runs = [replace(base, case=case, seed=seed + number) for number, case in enumerate(rungs)]
        ragged = Case(2 * (tile or block)[1] + 3, 2 * (tile or block)[0] + 5, 73)
        runs += probes(replace(base, case=ragged))
        runs += [replace(base, case=case, watch_stale=smaller(case) == case) for case in cases]
        reports = program.run(runs, threads=threads)
        rule = _explain_if_wrong(program, base, reports, threads)
        declared = tuple(_told(program, r, [r], rule) for r in reports[len(runs) - len(cases) :])
        whole = _told(program, reports[0], reports, rule)
        failing = {r.case for r in reports if not r.clean}
        return CheckReport(
            program.expression,
            declared,
            tuple(rungs),
            tuple(sorted(failing, key=lambda c: (c.work, c))),
            whole.findings,
            rule.text if rule else None,
        )


def ladder(tile: Size = (16, 16)) -> list[Case]:
    """Small cases that cover every remainder of M and N by the tile, and of K by 32."""
    columns, rows = tile
    special = [
        Case(1, 1, 1),
        Case(1, columns + 1, 17),
        Case(rows + 1, 1, 17),
        Case(rows, columns, 5),
    ]
    special += [Case(rows, columns, 32), Case(2 * rows, 2 * columns, 64)]
    count = max(rows, columns, 32)
    climbing = [
        Case(
            rows * (i % 2) + 1 + i % rows,
            columns * (i // 2 % 2) + 1 + (i + 5) % columns,
            32 * (i % 2) + 1 + i * 7 % 32,
        )
        for i in range(count)
    ]
    return special + climbing


def smaller(case: Case) -> Case:
    """A small case with the same remainders by every power of two up to 32."""
    return Case(*(size if size <= SMALL else 64 + size % 32 for size in (case.m, case.n, case.k)))


def probes(run: Run) -> list[Run]:
    """The run in other orders of threads, and with infinities."""
    others = [
        replace(run, order="forward", seed=run.seed + 1),
        replace(run, order="reverse", seed=run.seed + 2),
        replace(run, order="random", seed=run.seed + 3),
    ]
    return [*others, replace(run, fill="infinite-a"), replace(run, fill="infinite-b")]


def _explain_if_wrong(
    program: Program, run: Run, reports: Sequence[TraceReport], threads: int | None
) -> Rule | None:
    kinds = {f.kind for report in reports for f in report.findings}
    if "wrong-result" not in kinds or "hang" in kinds or run.grid is not None:
        return None
    return explain(program, run, threads)


def _told(
    program: Program, report: TraceReport, reports: Sequence[TraceReport], rule: Rule | None
) -> TraceReport:
    """`report` with the findings of all, one for each kind and place, and the rule put in words."""
    found: dict[tuple[str, int, str], Finding] = {}
    for other in reports:
        for finding in other.findings:
            key = (finding.kind, finding.line, str(finding.detail.get("array", "")))
            if finding.kind == "wrong-result":
                finding = _with_rule(program, finding, rule)
                key = (finding.kind, 0, "")
            found.setdefault(key, finding)
    order = {"wrong-result": 1, "bank-conflict": 2, "uncoalesced": 2}
    findings = sorted(found.values(), key=lambda f: order.get(f.kind, 0))
    return replace(report, findings=tuple(findings), rule=rule.text if rule else None)


def _with_rule(program: Program, finding: Finding, rule: Rule | None) -> Finding:
    if rule is None:
        return finding
    on_kernel = finding.line == program.kernel.line
    outline = program.teller.outline
    line = outline.loop_over_k if rule.axis == "K" and on_kernel else finding.line
    message = f"{finding.message}; it fails {rule.text}"
    return replace(
        finding, line=line, message=message, detail={**finding.detail, "rule": rule.text}
    )
