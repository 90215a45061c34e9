"""The verbs of the harness: `course grade` and `course grade-all`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from course.progress import Progress

Device = Annotated[
    Literal["auto", "cpu", "gpu"], typer.Option(help="Where to judge; auto: a GPU if there is one.")
]


def register(app: typer.Typer) -> None:
    app.command()(grade)
    app.command("grade-all")(grade_all)


def grade(
    file: Annotated[Path, typer.Argument(help="The submission, one .cu file.")],
    device: Device = "auto",
    json_: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    keep: Annotated[
        Path | None, typer.Option(help="Keep the report and the judged copy in this folder.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Of the numbers and the random sizes; fresh by default.")
    ] = None,
    sanitize: Annotated[
        bool, typer.Option("--sanitize", help="On a GPU, run compute-sanitizer as well.")
    ] = False,
) -> None:
    """Judge a learner's kernel. Exit 0 passed, 1 not passed, 2 could not be judged."""
    from course.harness import grade as run_grade
    from course.harness.show import show

    out = Console(highlight=False, soft_wrap=True)
    quiet = Console(stderr=True, quiet=not Console(stderr=True).is_terminal)
    with Progress(quiet) as progress:
        report = run_grade(
            file, device=device, seed=seed, keep=keep, sanitize=sanitize, progress=progress.step
        )
    if json_:
        print(json.dumps(report.to_json(), indent=2))
    else:
        show(report, out)
    raise typer.Exit(report.exit_status)


def grade_all(
    folder: Annotated[Path, typer.Argument(help="The folder with submissions, searched deeply.")],
    out: Annotated[Path, typer.Option(help="The table; submissions in it are not judged again.")],
    jobs: Annotated[
        int, typer.Option("-j", "--jobs", min=1, max=256, help="How many at once.")
    ] = 1,
    device: Device = "auto",
    seed: Annotated[int | None, typer.Option(help="The same for all; fresh by default.")] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Judge on the Dask cluster at this address.")
    ] = None,
) -> None:
    """Judge a folder of submissions, one row each. Exit 0 if each has a row."""
    from course.harness.batch import grade_folder

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    with Progress(console) as progress:
        counts = grade_folder(
            folder,
            out,
            jobs=jobs,
            device=device,
            seed=seed,
            scheduler=scheduler,
            progress=progress.step,
        )
    print(f"{out}: " + ", ".join(f"{number} {verdict}" for verdict, number in counts.items()))
