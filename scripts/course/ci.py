"""What the workflow reverify.yml does beside measuring: ask each card, gather, propose.

One run of the workflow is for one card, so no card waits for another that does not answer.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pydantic

from course.check import check
from course.errors import CourseError
from course.evidence import read_log
from course.files import first_fault, read_bytes
from course.program import program_names
from course.project import Project
from course.publish import pages_to_publish, publish, published_text
from course.reverify.answers import Answered, record
from course.reverify.run import State
from course.signing import attestation_path
from course.writing import sweep, write_atomically

ANSWER = "answer.json"
_AGAIN = "give what `course reverify --json` printed"
BOT = ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com")


class Said(pydantic.BaseModel):
    """What proposing needs of an answer of `course reverify --json`."""

    program: str
    gpu: str
    state: State
    log: str | None = None

    @property
    def passed(self) -> bool:
        return self.state in ("passed", "first")

    @pydantic.model_validator(mode="after")
    def _has_its_log(self) -> Said:
        if self.passed and not self.log:
            raise ValueError(f"the state is {self.state}, and no log is named")
        return self


Answers = tuple[Said, ...]
_ANSWERS = pydantic.TypeAdapter(Answers)


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
    attestation = read_bytes(bundle) if bundle is not None else None
    logs = {log.relative_to(root).as_posix(): log for log in (root / "evidence").rglob("*.log")}
    gathered = sorted(logs.keys() - known)
    for name in gathered:
        write_atomically(answer / name, read_bytes(logs[name]))
        if attestation is not None and logs[name].parent.parent == root / "evidence":
            write_atomically(attestation_path(answer / name), attestation)
    return gathered


def propose(root: Path, answer: Path, runner: str, day: str, branch: str) -> str:
    """Open a pull request with what a runner answered; returns what was done, in Markdown.

    New logs join the evidence and the blocks are published again. An answer that is no pass, or no
    answer at all, is put on record. Nothing is changed unless the whole answer is sound.
    """
    for tool in ("git", "gh"):
        if shutil.which(tool) is None:
            raise CourseError("command-failed", f"`{tool}` is not on PATH", fix=f"install {tool}")
    for folder in ("evidence", "docs"):
        sweep(root / folder)
    answers = _read_answers(root, answer)
    for path, data in _new_evidence(root, answer, answers or ()).items():
        write_atomically(path, data, replace=False)
    told = [f"{one.program} on {one.gpu}: {one.state}" for one in answers or ()]
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


def _read_answers(root: Path, answer: Path) -> Answers | None:
    """One answer a program; empty from a runner that could not measure, None from a silent one."""
    path = answer / ANSWER
    if not path.is_file():
        return None
    try:
        answers = _ANSWERS.validate_json(read_bytes(path) or b"[]")
    except pydantic.ValidationError as error:
        raise CourseError("bad-answer", first_fault(error), path=path, fix=_AGAIN) from None
    for one in answers:
        if one.program not in program_names(root):
            message = f"the answer is about `{one.program}`, which is not here"
            raise CourseError("no-program", message, path=path)
    return answers


def _new_evidence(root: Path, answer: Path, answers: Answers) -> dict[Path, bytes]:
    """The logs of passes, and what vouches for them, by where they go, as far as they are new.

    Raises CourseError `evidence-exists` for another file of the name of one that is there.
    """
    found = {}
    for one in answers:
        if one.passed:
            log = answer / "evidence" / one.program / Path(one.log or "").name
            read_log(log)  # whole and sealed, or nothing is taken over
            target = root / "evidence" / one.program / log.name
            found[target] = read_bytes(log)
            if attestation_path(log).is_file():
                found[attestation_path(target)] = read_bytes(attestation_path(log))
    for path in [path for path in found if path.exists()]:
        if found.pop(path) != read_bytes(path):
            message = "a file of this name is published, and the answer brings another"
            fix = "evidence is only ever added to: capture again, and propose that"
            raise CourseError("evidence-exists", message, path=path, fix=fix)
    return found


def _not_passed(
    root: Path, answers: Answers | None, runner: str, day: str
) -> Iterator[tuple[str, Answered]]:
    for one in answers or ():
        if one.state != "passed" and one.state != "first":
            yield one.program, Answered(date=day, runner=runner, gpu=one.gpu, state=one.state)
    for program in program_names(root) if not answers else ():
        state = "no answer" if answers is None else "could not run"
        yield program, Answered(date=day, runner=runner, state=state)


def _publish(root: Path) -> Iterator[str]:
    project = Project.load(root)
    for page in pages_to_publish(project, []):
        if published_text(project, page) != page.text:
            publish(project, page)
            yield f"{project.relative(page.path)} published again"


def _open(root: Path, text: str, answers: Answers | None, branch: str) -> None:
    git = ["git", "-C", str(root), "-c", f"user.name={BOT[0]}", "-c", f"user.email={BOT[1]}"]
    states = sorted({one.state for one in answers or ()})
    cards = sorted({one.gpu for one in answers or ()})
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
