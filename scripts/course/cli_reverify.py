"""The verbs about evidence over time: reverify, compare, history, sign."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from course.files import project_root, read_bytes
from course.writing import write_atomically

if TYPE_CHECKING:
    from course.project import Project
    from course.reverify.run import Answer

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]
Program = Annotated[str | None, typer.Argument(help="The folder under code/; all by default.")]


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    for verb in (reverify, compare, history, sign):
        app.command()(verb)
    ci = typer.Typer(no_args_is_help=True, help="The steps of the workflow reverify.yml.")
    for step in (ask, gather, propose):
        ci.command()(step)
    app.add_typer(ci, name="ci")


def reverify(
    program: Program = None,
    json_: Json = False,
    summary: Annotated[
        Path | None, typer.Option(help="Append a Markdown summary to this file.")
    ] = None,
    repeat: Annotated[
        int | None, typer.Option(help="How many processes; as many as published by default.")
    ] = None,
    arch: Annotated[
        str | None, typer.Option(help="Instead of the architecture of the published capture.")
    ] = None,
    commit: Annotated[
        str | None, typer.Option(help="The commit, on a machine without the history.")
    ] = None,
) -> None:
    """Measure again and say whether the published results hold on this machine's GPU.

    Exit 0 they hold, or there is nothing to compare; 1 not correct; 2 could not run; 3 slower.
    """
    from course.program import program_names
    from course.project import Project
    from course.reverify.history import proven
    from course.reverify.run import reverify as run
    from course.reverify.summary import markdown, terminal

    root, console = project_root(), err if json_ else out
    answers: list[Answer] = []
    for name in [program] if program else program_names(root):
        answer = run(root, name, console=console, repeat=repeat, arch=arch, commit=commit)
        known = proven(Project.load(root), name, answer.gpu)
        answers.append(answer)
        for line in [] if json_ else terminal(answer, known):
            out.print(line, markup=False)
        if summary is not None:
            _append(summary, markdown(answer, known))
    if json_:
        print(json.dumps([answer.to_json() for answer in answers], indent=2))
    statuses = {answer.exit_status for answer in answers}
    raise typer.Exit(next((status for status in (1, 3) if status in statuses), 0))


def compare(
    log: Annotated[Path, typer.Argument(help="A log, from this machine or any other.")],
    json_: Json = False,
) -> None:
    """Compare a log with the published one of its card, or explain how the cards differ.

    Exit 0 it agrees or its card is another; 1 what must be equal is not; 3 slower.
    """
    from course.reverify.explain import compare_log, explain
    from course.reverify.run import EXIT, Answer, state_of
    from course.reverify.summary import compared_lines

    root = project_root()
    found = compare_log(root, log)
    name, gpu = found.log.program.name, found.log.log.stamp.gpu.name
    state = state_of(found.same)
    failures = [line for one in (found.same, *found.others) if one for line in one.differences]
    state = "failed" if failures else state
    if json_:
        answer = Answer(name, gpu, state, log, found.same, "; ".join(failures))
        print(json.dumps(answer.to_json(), indent=2))
    elif found.same is not None:
        out.print(f"{name} on {gpu}, beside {found.same.old.log.name}", markup=False)
        for line in compared_lines(found.same):
            out.print(line, markup=False)
    else:
        nothing = f"nothing is published of {name} on {gpu} yet"
        itself = f"this log is what is published of {name} on {gpu}"
        out.print(f"{itself if found.itself else nothing}; other cards:", markup=False)
        for other in found.others:
            for line in explain(other, root):
                out.print(line, markup=False)
    raise typer.Exit(EXIT[state])


def history(program: Program = None, json_: Json = False) -> None:
    """Every capture of a program and card, and how it compares with what is published."""
    from course.program import Program as Known
    from course.program import program_names
    from course.project import Project
    from course.reverify.answers import read_answers
    from course.reverify.history import history as entries
    from course.reverify.history import proven

    project = Project.load(project_root())
    root = project.root
    names = program_names(root) if program is None else [Known.load(root, program).name]
    if json_:
        report = [entry.to_json() for name in names for entry in entries(project, name)]
        print(json.dumps(report, indent=2))
        return
    for name in names:
        out.print(name, markup=False)
        for entry in entries(project, name):
            out.print(f"  {entry.line}", markup=False)
        for answered in read_answers(project.root, name):
            who = answered.gpu or answered.runner
            out.print(f"  {answered.date}  {who}  {answered.state}", markup=False)
        for gpu in project.gpus(name):
            known = proven(project, name, gpu)
            sentence = known.sentence if known else _unproven(project, name, gpu)
            out.print(f"  {gpu}: {sentence}", markup=False)


def _unproven(project: Project, program: str, gpu: str) -> str:
    latest = project.latest(program, gpu)
    return f"Never proven: {latest.state if latest else 'no'} evidence."


def sign(
    log: Annotated[Path, typer.Argument(help="A log under evidence/.")],
    key: Annotated[Path, typer.Option(help="Your private SSH key.")],
) -> None:
    """Sign a log with your SSH key; the signature lies beside it."""
    from course.evidence import read_log
    from course.signing import sign as run

    read_log(log)  # whole and sealed: a name stands for a log, and for nothing else
    out.print(f"{run(log, key)} written", markup=False)


Folder = Annotated[Path, typer.Argument(help="The folder of the answer.")]


def ask(
    runners: Annotated[str, typer.Argument(envvar="GPU_RUNNERS", help="JSON: lists of labels.")],
) -> None:
    """Start a run of the workflow for each card."""
    from course.ci import ask as run

    for labels in run(runners):
        out.print(f"asked {labels}", markup=False)


def gather(
    answer: Folder,
    bundle: Annotated[
        Path | None, typer.Option(envvar="BUNDLE", help="The attestation of the logs.")
    ] = None,
) -> None:
    """Copy the new logs into the folder of the answer."""
    from course.ci import gather as run

    for name in run(project_root(), answer, bundle):
        out.print(f"{name} gathered", markup=False)


def propose(
    answer: Folder,
    runner: Annotated[str, typer.Option(envvar="RUNNER", help="The labels that were asked.")],
    branch: Annotated[str, typer.Option(envvar="BRANCH", help="The branch to open.")],
    summary: Annotated[
        Path | None, typer.Option(envvar="GITHUB_STEP_SUMMARY", help="A file for the report.")
    ] = None,
) -> None:
    """Open a pull request with what a runner answered."""
    from course.check.age import today
    from course.ci import propose as run

    text = run(project_root(), answer, runner, today().isoformat(), branch)
    out.print(text, end="", markup=False)
    if summary is not None:
        _append(summary, text)


def _append(summary: Path, text: str) -> None:
    before = read_bytes(summary) if summary.exists() else b""
    write_atomically(summary, before + text.encode())
