"""The verb of the CPU check: trace."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from course.errors import CourseError
from course.program import Case, Program

if TYPE_CHECKING:
    from course.simt import TraceReport

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(trace)


def trace(
    file: Annotated[Path, typer.Argument(help="A .cu file.", show_default=False)],
    kernel: Annotated[str, typer.Argument(help="Such as matmulTiled or 'matmulTiled<8>'.")],
    case: Annotated[str, typer.Option(help="M,N,K: A is MxK, B is KxN, C is MxN.")],
    block: Annotated[
        str | None, typer.Option(help="X,Y threads; program.yml's, else 16,16.")
    ] = None,
    grid: Annotated[
        str | None, typer.Option(help="X,Y blocks; C's size over the block, rounded up.")
    ] = None,
    shared: Annotated[
        int | None, typer.Option(min=0, help="Bytes of dynamic shared memory.")
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**62, help="Of the inputs and the random order.")
    ] = 0,
    threads: Annotated[
        int | None, typer.Option(min=1, max=16, help="Processor cores to use; all by default.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Run a kernel on the CPU and watch every access. Exit 0 clean, 1 failures, 2 cannot run."""
    from course import simt

    with err.status(f"running {kernel} at {case} on the CPU"):
        report = simt.trace(
            file,
            kernel,
            _case(case),
            block=_pair("--block", block) or _declared_block(file, kernel) or (16, 16),
            grid=_pair("--grid", grid),
            shared_bytes=shared,
            seed=seed,
            threads=threads,
        )
    if json_:
        print(json.dumps(report.to_json(), indent=2))
    else:
        _print(report)
    raise typer.Exit(report.exit_code)


def _case(text: str) -> Case:
    try:
        return Case.parse(text)
    except ValueError as error:
        raise CourseError("case", str(error), fix="write it as M,N,K: 611,613,617") from None


def _pair(option: str, text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    match = re.fullmatch(r"([1-9]\d{0,6})[,x]([1-9]\d{0,6})", text)
    if match is None:
        raise CourseError("bad-option", f"{option} {text!r} is not X,Y", fix=f"{option} 16,16")
    return int(match[1]), int(match[2])


def _declared_block(file: Path, kernel: str) -> tuple[int, int] | None:
    """The block that program.yml gives, for a source of a program."""
    folder = Path(os.path.realpath(file)).parent  # resolve() raises at a loop of links
    if not (folder / "program.yml").is_file():
        return None
    program = Program.load(folder.parents[1], folder.name)
    return next((k.block for k in program.spec.kernels if k.name == kernel), None)


def _print(report: TraceReport) -> None:
    counters = report.counters
    block, grid = (" x ".join(map(str, size)) for size in (report.block, report.grid))
    verdict = "every element is right" if report.correct else f"{report.mismatches} elements wrong"
    out.print(f"{report.kernel} at {report.case}, {grid} blocks of {block} threads: {verdict}")
    for label, count in (
        ("loads a thread, at most", counters.loads_per_thread),
        ("global load requests", counters.global_load_requests),
        ("global load sectors", counters.global_load_sectors),
        ("global store requests", counters.global_store_requests),
        ("global store sectors", counters.global_store_sectors),
        ("shared bank conflicts", counters.shared_bank_conflicts),
    ):
        out.print(f"  {label:<24}{count:>16,}")
    for finding in report.findings:
        out.print(f"{'' if finding.is_failure else 'advice: '}{finding}", markup=False)
    failures = len(report.failures)
    if report.clean:
        out.print("[green]clean[/]: every access watched, no failure found")
    else:
        out.print(f"[red]{failures} failure{'s' * (failures != 1)}[/]")
