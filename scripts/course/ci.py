"""What the workflow reverify.yml does beside measuring: ask each card, gather, propose.

One run of the workflow is for one card, so no card waits for another that does not answer.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from course.check import check
from course.errors import CourseError
from course.evidence import read_log
from course.program import program_names
from course.project import Project
from course.publish import pages_to_publish, publish, published_text
from course.reverify.answers import Answered, record
from course.signing import attestation_path

ANSWER = "answer.json"
BOT = ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com")


def ask(runners: str, run: str = "reverify.yml") -> list[str]:
    """Start a run of the workflow for each card; `runners` is a JSON list of lists of labels.

    Returns the labels that were asked. Raises CourseError `bad-runners`.
    """
    try:
        labels = json.loads(runners or "[]")
        good = isinstance(labels, list) and all(
            one and isinstance(one, list) and all(isinstance(label, str) for label in one)
            for one in labels
        )
    except ValueError:
        good = False
    if not good:
        message = f"GPU_RUNNERS is not a JSON list of lists of labels: {runners}"
        raise CourseError("bad-runners", message, fix='such as [["self-hosted", "gpu"], ["t4"]]')
    asked = [json.dumps(one) for one in labels]
    for one in asked:
        _run(["gh", "workflow", "run", run, "-f", f"runner={one}"])
    return asked


def gather(root: Path, answer: Path, bundle: Path | None) -> list[str]:
    """Copy every log that git does not know to `answer`; with a bundle, put it beside each."""
    known = set(_run(["git", "-C", str(root), "ls-files", "evidence"]).split("\n"))
    gathered = []
    for log in sorted((root / "evidence").rglob("*.log")):
        name = log.relative_to(root).as_posix()
        if name in known:
            continue
        target = answer / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(log, target)
        if bundle is not None and log.parent.parent == root / "evidence":
            shutil.copy(bundle, attestation_path(target))
        gathered.append(name)
    return gathered


def propose(root: Path, answer: Path, runner: str, day: str, branch: str) -> str:
    """Open a pull request with what a runner answered; returns what was done, in Markdown.

    New logs join the evidence and the blocks are published again. An answer that is no pass, or no
    answer at all, is put on record.
    """
    answers = _read_answers(answer)
    told = [_take_over(root, answer, one) for one in answers or ()]
    if answers is None:
        told = [f"No answer: no runner with the labels {runner} took the job."]
    elif not answers:
        told = [f"The runner {runner} took the job and could not measure; its log says why."]
    for program, answered in _not_passed(root, answers, runner, day):
        record(root, program, answered)
    told += _publish(root)
    text = "\n".join(f"- {line}" for line in told) + "\n"
    if not _run(["git", "-C", str(root), "status", "--porcelain", "--", "evidence", "docs"]):
        return text + "\nNothing changed, so no pull request was opened.\n"
    findings = [str(finding) for finding in check(root, cpu_check=False).findings]
    if findings:
        text += "\nThe gate says:\n\n```text\n" + "\n".join(findings) + "\n```\n"
    _open(root, text, answers, branch)
    return text


def _read_answers(answer: Path) -> list[dict[str, Any]] | None:
    """One answer a program; empty from a runner that could not measure, None from a silent one."""
    path = answer / ANSWER
    if not path.is_file():
        return None
    answers: list[dict[str, Any]] = json.loads(path.read_text() or "[]")
    return answers


def _take_over(root: Path, answer: Path, one: dict[str, Any]) -> str:
    """Copy the log of a pass, and what vouches for it, into the evidence."""
    program, name, state = one["program"], one["log"], one["state"]
    if program not in program_names(root):
        raise CourseError("no-program", f"the answer is about `{program}`, which is not here")
    if state in ("passed", "first"):
        log = answer / "evidence" / program / Path(name).name
        read_log(log)  # whole and sealed, or nothing is taken over
        target = root / "evidence" / program / log.name
        shutil.copy(log, target)
        if attestation_path(log).is_file():
            shutil.copy(attestation_path(log), attestation_path(target))
    return f"{program} on {one['gpu']}: {state}"


def _not_passed(
    root: Path, answers: list[dict[str, Any]] | None, runner: str, day: str
) -> Iterator[tuple[str, Answered]]:
    for one in answers or ():
        if one["state"] not in ("passed", "first"):
            state = one["state"]
            yield one["program"], Answered(date=day, runner=runner, gpu=one["gpu"], state=state)
    for program in program_names(root) if not answers else ():
        state = "no answer" if answers is None else "could not run"
        yield program, Answered(date=day, runner=runner, state=state)


def _publish(root: Path) -> Iterator[str]:
    project = Project.load(root)
    for page in pages_to_publish(project, []):
        text = published_text(project, page)
        if text != page.text:
            publish(page, text)
            yield f"{project.relative(page.path)} published again"


def _open(root: Path, text: str, answers: list[dict[str, Any]] | None, branch: str) -> None:
    git = ["git", "-C", str(root), "-c", f"user.name={BOT[0]}", "-c", f"user.email={BOT[1]}"]
    states = sorted({str(one["state"]) for one in answers or ()})
    cards = sorted({str(one["gpu"]) for one in answers or ()})
    title = f"Re-verification on {', '.join(cards)}: {', '.join(states)}"
    if not answers:
        title = f"Re-verification: {'no answer' if answers is None else 'could not run'}"
    _run([*git, "checkout", "-q", "-b", branch])
    _run([*git, "add", "--", "evidence", "docs"])
    _run([*git, "commit", "-q", "-m", title])
    _run(["gh", "auth", "setup-git"])
    _run([*git, "push", "-q", "origin", branch])
    _run(["gh", "pr", "create", "--head", branch, "--title", title, "--body", text], folder=root)


def _run(command: Sequence[str], folder: Path | None = None) -> str:
    """What a command prints. Raises CourseError `command-failed` with what it said."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise CourseError("command-failed", f"`{command[0]}` is not on PATH") from error
    except subprocess.CalledProcessError as error:
        said = (error.stderr or error.stdout).strip()
        raise CourseError("command-failed", f"`{' '.join(command[:3])} …`: {said}") from error
    return done.stdout
