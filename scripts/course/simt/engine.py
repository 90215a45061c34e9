"""One kernel of one source: compiled once, run at many cases."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from course.errors import CourseError
from course.simt import child, toolchain
from course.simt.kept import keep
from course.simt.lines import Lines
from course.simt.outline import Outline
from course.simt.report import Counters, Finding, TraceReport
from course.simt.run import MAX_WORKERS, Run
from course.simt.source import Source
from course.simt.words import Teller

# Seconds for what a child does beside its launches, and for ending one launch whose time is up.
PATIENCE = 40


class Program:
    """A compiled kernel. Use as a context manager; it owns a temporary folder.

    With `folder` what is built is kept there, and used again; its name must tell versions apart.

    Raises CourseError for whatever cannot be read, compiled or called.
    """

    def __init__(self, path: Path, kernel: str, *, folder: Path | None = None) -> None:
        self.source = Source.read(path)
        self.kernel, self.expression = self.source.kernel(kernel)
        self._temporary = tempfile.TemporaryDirectory(prefix="course-simt-")
        self._kept = folder
        self._built: dict[bool, toolchain.Built] = {}
        self._teller: Teller | None = None
        self.walls = child.Walls()  # of the last run

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._temporary.cleanup()

    def built(self, *, watched: bool) -> toolchain.Built:
        if watched not in self._built:
            self._built[watched] = self._build(watched)
        return self._built[watched]

    def _build(self, watched: bool) -> toolchain.Built:
        fresh = Path(self._temporary.name)
        kept = self._kept / f"{watched}.so" if self._kept else None
        if kept and kept.exists():
            return toolchain.Built(kept, ())
        built = toolchain.build(self.source, self.kernel, self.expression, fresh, watched=watched)
        if kept:
            keep(kept, built.library.read_bytes())
        return built

    @property
    def teller(self) -> Teller:
        if self._teller is None:
            lines = Lines(self.built(watched=True).library, self.source.path)
            outline = Outline(self.source, self.kernel)
            self._teller = Teller(self.source, outline, lines, str(self.source.path))
        return self._teller

    def run(
        self,
        runs: Sequence[Run],
        *,
        threads: int | None = None,
        on_report: Callable[[TraceReport], None] | None = None,
    ) -> list[TraceReport]:
        """Run them in order. Stops after one that hangs, so the list may be shorter than `runs`."""
        reports: list[TraceReport] = []
        for run in runs:
            run.checked()
        start = 0
        while start < len(runs):  # neighbours of one build share a child
            end = start
            while end < len(runs) and runs[end].watch == runs[start].watch:
                end += 1
            part = self._run_part(runs[start:end], threads, on_report)
            reports += part
            if len(part) < end - start:
                break
            start = end
        return reports

    def _run_part(
        self,
        runs: Sequence[Run],
        threads: int | None,
        on_report: Callable[[TraceReport], None] | None,
    ) -> list[TraceReport]:
        reports: list[TraceReport] = []

        def take(result: child.Result) -> None:
            if "id" not in result:
                return
            report = self._report(runs[result["id"]], result)
            reports.append(report)
            if on_report:
                on_report(report)

        ended = child.run(
            toolchain.runner(toolchain.Compiler.find()),
            "check",
            self.built(watched=runs[0].watch).library,
            [run.request(i) for i, run in enumerate(runs)],
            workers=threads or processors(),
            seconds=PATIENCE + 2 * sum(run.limit for run in runs),
            setting=",".join(self.kernel.parameters),
            on_result=take,
        )
        self.walls = ended.walls
        for result in ended.results:
            if "failed" in result:
                raise self._cannot(f"it cannot be loaded: {result['message']}", "load")
        if not ended.complete:
            unfinished = runs[min(len(reports), len(runs) - 1)].case
            raise self._cannot(
                f"the program ended before its result at {unfinished} was known: {ended.why}",
                "ended-early",
            )
        if ended.printed:
            reports = [replace(r, printed=ended.printed) for r in reports]
        return reports

    def _cannot(self, message: str, code: str, fix: str = "") -> CourseError:
        return CourseError(
            code,
            message,
            path=self.source.path,
            line=self.kernel.line,
            fix=fix or "remove what ends the process or waits: exit, abort, a lock, a constructor",
        )

    def _report(self, run: Run, result: child.Result) -> TraceReport:
        self._refuse(run, result)
        columns, rows = run.tile or run.block
        covered = run.launched[0] * columns, run.launched[1] * rows
        result = {**result, "case": run.case, "grid": run.launched, "covered": covered}
        findings: list[Finding] = []
        correct = not (result["stopped"] or result["mismatches"])
        infinite = run.fill.startswith("infinite")
        if run.watch and not infinite and correct and result["unseen"] and not result["faults"]:
            raise self._unseen(run, result)
        if run.watch:
            findings = self.teller.findings(result)
            if infinite:  # only stale cells count: 0 times infinity may be meant
                correct = not any(f.kind == "stale-shared" for f in findings)
                findings = [f for f in findings if f.kind != "unwritten-output"]
            elif result["mismatches"] > result["unwritten"]:
                findings.append(self._wrong(run, result))
        elif result["faults"] or not correct or not result["inputs_kept"]:
            correct = False
        return TraceReport(
            kernel=self.expression,
            case=run.case,
            block=run.block,
            grid=run.launched,
            seed=run.seed,
            correct=correct and bool(result["inputs_kept"]),
            mismatches=result["mismatches"],
            counters=counters_of(result),
            findings=tuple(findings),
            watched=run.watch,
            out_of_time=bool(result["timed_out"]),
            seconds=result["seconds"],
        )

    def _wrong(self, run: Run, result: child.Result) -> Finding:
        row, column = divmod(result["first"], run.case.n)
        low_row, high_row, low_column, high_column = result["box"]
        reads_c = next((f for f in result["faults"] if f["fault"] == "output-read"), None)
        line, cause = self.kernel.line, ""
        fix = "compare the indices and the number of steps with the sizes of the case"
        if reads_c is not None:
            line = self.teller.lines.line(reads_c["pc"]) or line
            cause = "; C is read here before anything has written it"
            fix = "start the sum from zero, and only write to C"
        elif warned := self.built(watched=True).warnings:
            line, text = warned[-1].line, warned[-1].text
            cause = f"; the compiler says: {text}"
            fix = "start the sum from zero: float sum = 0.0f"
        return Finding(
            "wrong-result",
            str(self.source.path),
            line,
            f"{result['mismatches']:,} of {run.case.m * run.case.n:,} elements of C are wrong at "
            f"{run.case}, rows {low_row} to {high_row}, columns {low_column} to {high_column}; "
            f"the first at row {row}, column {column}: got {result['got']}, expected "
            f"{result['expected']}{cause}",
            fix,
            {
                "row": row,
                "column": column,
                "got": result["got"],
                "expected": result["expected"],
                "mismatches": result["mismatches"],
                "box": result["box"],
            },
        )

    def _unseen(self, run: Run, result: child.Result) -> CourseError:
        elements = run.case.m * run.case.k + run.case.k * run.case.n
        return self._cannot(
            f"C is right at {run.case}, but {result['unseen']:,} of the {elements:,} elements of A "
            "and B were never seen to be read: some code is out of sight",
            "unwatched",
            "read A and B in the kernel's own code",
        )

    def _refuse(self, run: Run, result: child.Result) -> None:
        error = result.get("error")
        if error == "square":
            raise self._cannot(
                f"the kernel takes one size, so only square cases can be run, not {run.case}",
                "signature",
                "give a case with M = N = K",
            )
        if error:
            raise self._cannot(
                f"`{self.kernel.name}` does not have the parameters of a matrix product",
                "signature",
                "take (const float* a, const float* b, float* c, size_t m, size_t n, size_t k)",
            )
        for fault in result["faults"]:
            if fault["fault"] == "shared-size":
                raise CourseError(
                    "shared-size",
                    f"a block uses {fault['total']:,} bytes of shared memory; without dynamic "
                    "shared memory it has at most 49,152",
                    path=self.source.path,
                    line=fault["number"] or self.kernel.line,
                    fix="make the tiles smaller",
                )


def counters_of(result: dict[str, Any]) -> Counters:
    traffic, sites = result["traffic"], result["sites"]
    threads = max(traffic["threads"], 1)

    def total(key: str, *, kind: int | None, shared: bool) -> int:
        return sum(
            site[key]
            for site in sites
            if bool(site["shared"]) == shared and (kind is None or site["kind"] == kind)
        )

    return Counters(
        loads_per_thread=traffic["most_loads"],
        loads_per_thread_mean=traffic["loads"] / threads,
        stores_per_thread=traffic["most_stores"],
        stores_per_thread_mean=traffic["stores"] / threads,
        words_per_thread=traffic["most_words"],
        words_per_thread_mean=traffic["words"] / threads,
        global_load_requests=total("requests", kind=0, shared=False),
        global_load_sectors=total("sectors", kind=0, shared=False),
        global_store_requests=total("requests", kind=1, shared=False),
        global_store_sectors=total("sectors", kind=1, shared=False),
        shared_load_requests=total("requests", kind=0, shared=True),
        shared_store_requests=total("requests", kind=1, shared=True),
        shared_bank_conflicts=total("conflicts", kind=None, shared=True),
    )


def processors() -> int:
    """How many processors this process may use, and the runner's address space has room for."""
    try:
        return min(MAX_WORKERS, len(os.sched_getaffinity(0)))
    except AttributeError:
        return min(MAX_WORKERS, os.cpu_count() or 1)
