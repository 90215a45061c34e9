"""Does the CPU check pass every shipped kernel, and count the loads that the table states?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from course import simt
from course.errors import CourseError, Finding
from course.formula import ExpressionError, evaluate
from course.output import Key, row_names
from course.program import Kernel, Program
from course.project import Project


@dataclass(frozen=True)
class CpuCheck:
    """What the CPU check says of one program.

    `counted` holds, for a row of the table and a column, the counter that was measured.
    """

    state: Literal["passed", "failed", "not run"]
    reason: str = ""
    compiler: str = ""
    kernels: tuple[str, ...] = ()
    cases: int = 0
    counted: dict[tuple[Key, str], int] | None = None
    findings: tuple[Finding, ...] = ()

    def __str__(self) -> str:
        """One line for a terminal or a page."""
        if self.state == "not run":
            return f"CPU check not run: {self.reason}"
        kernels = "kernel" if len(self.kernels) == 1 else "kernels"
        return (
            f"CPU check {self.state}: {len(self.kernels)} {kernels} at {self.cases} cases each, "
            f"every access watched"
        )


def check_cpu(project: Project, *, run: bool) -> dict[str, CpuCheck]:
    """Run, or say why not. Kept results serve authors; CI (where `CI` is set) always runs anew."""
    return {
        name: _check_program(project, program)
        if run
        else CpuCheck("not run", "left out on request")
        for name, program in project.programs.items()
    }


def _check_program(project: Project, program: Program) -> CpuCheck:
    path = project.relative(program.folder / "program.yml")
    if not program.spec.kernels:
        return CpuCheck("not run", "program.yml names no kernels")
    try:
        compiler = simt.Compiler.find()
        reports = [(kernel, _check_kernel(program, kernel)) for kernel in program.spec.kernels]
    except CourseError as error:
        in_ci = bool(os.environ.get("CI")) or error.code != "no-compiler"
        severity: Literal["error", "notice"] = "error" if in_ci else "notice"
        message = f"the CPU check did not run: {error.message}"
        finding = Finding(path, 1, "cpu-not-run", message, error.fix, severity)
        return CpuCheck("not run", error.message, findings=(finding,))
    findings: list[Finding] = []
    counted: dict[tuple[Key, str], int] = {}
    for kernel, report in reports:
        findings += _told(project, report)
        counted |= _counted(program, kernel, report)
    findings += _differing(program, counted, path)
    failed = any(finding.severity == "error" for finding in findings)
    return CpuCheck(
        "failed" if failed else "passed",
        compiler=compiler.version,
        kernels=tuple(kernel.name for kernel in program.spec.kernels),
        cases=max(len(report.ladder) + len(report.reports) for _, report in reports),
        counted=counted,
        findings=tuple(findings),
    )


def _check_kernel(program: Program, kernel: Kernel) -> simt.CheckReport:
    cases = program.cases_of(kernel)
    source = program.folder / (kernel.source or program.spec.sources[0])
    check = simt.check_kernel if os.environ.get("CI") else simt.check_kernel_cached
    return check(source, kernel.name, cases, block=kernel.block)


def _told(project: Project, report: simt.CheckReport) -> Iterator[Finding]:
    for found in report.findings:
        path = Path(found.path)
        shown = project.relative(path) if path.is_relative_to(project.root) else found.path
        severity: Literal["error", "notice"] = "error" if found.is_failure else "notice"
        message = f"{report.kernel}: {found.message}"
        yield Finding(shown, found.line, f"cpu-{found.kind}", message, found.fix, severity)


def _counted(
    program: Program, kernel: Kernel, report: simt.CheckReport
) -> dict[tuple[Key, str], int]:
    """The counters of the declared cases, by row and by the column that names a counter."""
    return {
        ((str(trace.case), *kernel.row), column.name): getattr(trace.counters, column.counted)
        for trace in report.reports
        for column in program.spec.output.columns
        if column.counted
    }


def _differing(
    program: Program, counted: dict[tuple[Key, str], int], path: str
) -> Iterator[Finding]:
    columns = {column.name: column for column in program.spec.output.columns}
    names = program.formula_names()
    for (key, name), count in counted.items():
        formula = columns[name].formula_for(key)
        try:
            expected = evaluate(formula, {**names, **row_names(key, program.spec.output)})
        except ExpressionError as error:
            expected = f"nothing ({error})"
        if count != expected:
            message = (
                f"the CPU check counts {name} {count} for {' '.join(key)}, "
                f"the formula `{formula}` gives {expected}"
            )
            fix = "mend the kernel or the formula, whichever is wrong"
            yield Finding(path, 1, "cpu-count-differs", message, fix)
