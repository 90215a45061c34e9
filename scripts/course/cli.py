"""`course <verb>`: what authors, CI and readers run. Thin: every verb calls one function."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from course import cli_grade, cli_reverify, cli_trace
from course.errors import CourseError, Finding
from course.files import project_root
from course.net import own_fault

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Check, capture and publish the course's results.",
)
out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

CLEAN, FINDINGS = 0, 1

Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]


@app.command()
def check(
    json_: Json = False,
    cpu_check: Annotated[
        bool, typer.Option("--cpu-check/--no-cpu-check", help="Run the kernels on the CPU.")
    ] = True,
    site: Annotated[
        Path | None, typer.Option(help="Also prove that this built site holds what was checked.")
    ] = None,
) -> None:
    """Check pages against source and evidence. Exit 0 clean, 1 findings, 2 could not run."""
    from course.check import check as run_check
    from course.check import check_site
    from course.check.age import today

    with err.status("checking pages, evidence, and every kernel on the CPU"):
        report = run_check(project_root(), cpu_check=cpu_check, day=today())
    findings = list(report.findings)
    if site is not None:
        findings += check_site(report.project, site)
    ok = not any(finding.severity == "error" for finding in findings)
    if json_:
        print(json.dumps({"ok": ok, "findings": [f.to_json() for f in findings]}, indent=2))
    else:
        for name, cpu in report.cpu.items():
            out.print(f"{name}: {cpu}", markup=False)
        _print_findings(findings)
    raise typer.Exit(CLEAN if ok else FINDINGS)


@app.command()
def publish(
    pages: Annotated[
        list[Path] | None, typer.Argument(help="Pages to rewrite; all by default.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; print the diff, exit 1 if there is one.")
    ] = False,
) -> None:
    """Rewrite the evidence blocks of pages from the latest evidence."""
    from course.check.blocks import block_diff
    from course.project import Project
    from course.publish import pages_to_publish, published_text
    from course.publish import publish as write
    from course.writing import sweep

    project = Project.load(project_root())
    if not check:
        sweep(project.root / "docs")
    changed = 0
    texts = [
        (page, published_text(project, page)) for page in pages_to_publish(project, pages or [])
    ]
    for page, text in texts:
        if text == page.text:
            continue
        changed += 1
        path = project.relative(page.path)
        if check:
            out.print(block_diff(page, text), end="", markup=False)
            err.print(f"{path} is not published\n  fix: course publish {path}", markup=False)
        else:
            write(project, page)
            out.print(f"{path} published", markup=False)
    if not changed:
        out.print("every evidence block is published already")
    raise typer.Exit(FINDINGS if check and changed else CLEAN)


@app.command()
def capture(
    program: Annotated[str, typer.Argument(help="The folder under code/.")],
    repeat: Annotated[int, typer.Option(help="How many processes to run, 1 to 99.")] = 5,
    arch: Annotated[
        str | None, typer.Option(help="Instead of program.yml's, such as native.")
    ] = None,
    commit: Annotated[
        str | None, typer.Option(help="The commit, on a machine without the history.")
    ] = None,
) -> None:
    """Measure a program on this machine's GPU and write a stamped log into evidence/."""
    from course.capture import capture as run_capture

    run_capture(project_root(), program, repeat=repeat, arch=arch, commit=commit, console=out)


@app.command("import")
def import_(
    program: Annotated[str, typer.Argument(help="The folder under code/.")],
    output: Annotated[Path, typer.Argument(help="A file with the output, byte for byte.")],
    gpu: Annotated[str, typer.Option(help="The card, as the output names it.")],
    told_by: Annotated[str, typer.Option(help="Who published the output, as a phrase.")],
    compute_capability: Annotated[str | None, typer.Option(help="Such as 7.5.")] = None,
    driver: Annotated[str | None, typer.Option(help="The driver's version.")] = None,
    cuda: Annotated[str | None, typer.Option(help="The toolkit's version.")] = None,
) -> None:
    """Bring in an output from elsewhere as an imported record, with what is known of it."""
    from course.imported import import_log

    path = import_log(
        project_root(),
        program,
        output,
        gpu=gpu,
        told_by=told_by,
        compute_capability=compute_capability,
        driver=driver,
        cuda=cuda,
    )
    out.print(f"{path} imported", markup=False)


cli_reverify.register(app)
cli_trace.register(app)
cli_grade.register(app)


def _print_findings(findings: list[Finding]) -> None:
    if not findings:
        out.print("[green]clean[/]: pages, source and evidence agree")
        return
    for finding in findings:
        out.print(str(finding), markup=False)
    errors = sum(finding.severity == "error" for finding in findings)
    notices = len(findings) - errors
    parts = [
        f"{n} {what}{'s' * (n != 1)}" for n, what in ((errors, "finding"), (notices, "notice")) if n
    ]
    out.print(f"[{'red' if errors else 'yellow'}]{', '.join(parts)}[/]")


def main() -> None:
    """Run `course`; anything the user can mend is one message and exit status 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what an encoding lacks is escaped
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            app()
        finally:
            if sys.stdout is not None:  # closed by who started us
                sys.stdout.flush()
    except CourseError as error:
        _end(error)
    except BrokenPipeError:
        _drop_output()
        sys.exit(CourseError.exit_status)
    except OSError as error:
        _drop_output()
        path = (
            Path(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else None
        )
        message = f"cannot read or write: {error.strerror or error}"
        fix = "see that the working directory is there, and that the place can be used and has room"
        _end(CourseError("system", message, path=path, fix=fix))
    except Exception as error:
        _end(own_fault(error))


def _end(error: CourseError) -> NoReturn:
    err.print(f"course: {error} [{error.code}]", markup=False)
    sys.exit(error.exit_status)


def _drop_output() -> None:
    """What is still to be printed goes nowhere, or Python would complain once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
