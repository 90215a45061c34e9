"""The steps of reverify.yml, run as the workflow runs them: through make, in a checkout."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench import OUTPUT, PROGRAM, REPOSITORY, Bench, slower
from course import ci
from course.errors import CourseError
from course.evidence import log_paths
from course.reverify.answers import Answered, read_answers
from gate.copied import Copy

GH = """\
#!/bin/sh
printf '%s\\n' "$*" | head -n 1 >> {folder}/asked
[ "$1 $2" = "pr create" ] && printf '%s' "$8" > {folder}/body
exit 0
"""
DAY = "2026-12-01"


@dataclass(frozen=True)
class Checkout:
    """A clone of a copy of the project, with a make that uses this test's environment."""

    root: Path
    folder: Path
    copy: Copy

    def make(self, target: str, **environment: str) -> subprocess.CompletedProcess[str]:
        ready = self.folder / "ready"
        ready.touch()
        overrides = [f"BIN={Path(sys.executable).parent}", f"SITE_READY={ready}"]
        command = ["/usr/bin/make", "-s", "-o", str(ready), *overrides, target]
        env = {**os.environ, "GITHUB_STEP_SUMMARY": str(self.summary), **environment}
        return subprocess.run(
            command, cwd=self.root, env=env, capture_output=True, text=True, check=False
        )

    @property
    def summary(self) -> Path:
        return self.folder / "summary.md"

    def git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.root), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def asked(self) -> list[str]:
        path = self.folder / "asked"
        return path.read_text().splitlines() if path.exists() else []

    def answers(self) -> tuple[Answered, ...]:
        return read_answers(self.root, PROGRAM)


@pytest.fixture
def checkout(tmp_path: Path, bench: Bench, idle: Path) -> Checkout:
    """The project with its history, an origin to push to, and a gh that writes down its orders."""
    copy = Copy.make(tmp_path / "checkout")
    root, folder = copy.root, tmp_path / "work"
    folder.mkdir()
    for name in ("Makefile", ".gitignore", ".gitattributes"):
        shutil.copy(REPOSITORY / name, root)
    gh = bench.folder / "gh"
    gh.write_text(GH.format(folder=folder))
    gh.chmod(0o755)
    made = Checkout(root, folder, copy)
    subprocess.run(["git", "init", "-q", "--bare", str(folder / "origin")], check=True)
    for arguments in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        ("commit", "-qm", "one"),
        ("remote", "add", "origin", str(folder / "origin")),
    ):
        made.git(*arguments)
    return made


def test_every_card_is_asked(checkout: Checkout) -> None:
    """`make ask` starts one run for each list of labels; without any it asks nobody."""
    done = checkout.make("ask", GPU_RUNNERS='[["self-hosted", "gpu"], ["gpu-t4"]]')
    assert done.returncode == 0, done.stderr
    assert checkout.asked() == [
        'workflow run reverify.yml -f runner=["self-hosted", "gpu"]',
        'workflow run reverify.yml -f runner=["gpu-t4"]',
    ]


@pytest.mark.parametrize("runners", ["[", "{}", '["gpu"]', "[[]]", "[[1]]"])
def test_runners_that_are_no_lists_of_labels(runners: str) -> None:
    """The variable's shape is told, whatever stands in it."""
    with pytest.raises(CourseError) as caught:
        ci.ask(runners)
    assert caught.value.code == "bad-runners"
    assert str(caught.value) == (
        f"GPU_RUNNERS is not a JSON list of lists of labels: {runners}\n"
        '  fix: such as [["self-hosted", "gpu"], ["t4"]]'
    )


def test_a_first_capture_travels_into_a_pull_request(checkout: Checkout, bench: Bench) -> None:
    """Measure, gather with a bundle, propose: the branch holds the log and what attests it."""
    bench.prints(*(slower(OUTPUT, factor) for factor in (1.0, 1.01, 0.99, 1.0, 1.005)))
    done = checkout.make("reverify", PROGRAM=PROGRAM)
    assert done.returncode == 0, done.stderr
    [answer] = json.loads((checkout.root / "answer/answer.json").read_text())
    assert (answer["state"], answer["gpu"]) == ("first", "Tesla T4")
    assert "**First results of this card" in checkout.summary.read_text()
    assert checkout.make("gather").returncode == 0
    log = checkout.root / "answer" / "evidence" / PROGRAM / answer["log"]
    bundle = checkout.folder / "bundle.json"
    bundle.write_text(bundle_of(log))
    done = checkout.make("gather", BUNDLE=str(bundle))
    assert done.stdout == f"evidence/{PROGRAM}/{log.name} gathered\n"

    new = checkout.root / "evidence" / PROGRAM / log.name
    new.unlink()  # the job that proposes has a checkout of its own
    done = propose(checkout)
    assert done.returncode == 0, done.stderr
    tree = checkout.git("ls-tree", "-r", "--name-only", "origin/reverify/1").split("\n")
    assert f"evidence/{PROGRAM}/{log.name}" in tree
    assert f"evidence/{PROGRAM}/{log.name}.sigstore.json" in tree
    assert checkout.answers() == ()
    assert checkout.asked()[-1].startswith(
        "pr create --head reverify/1 --title Re-verification on Tesla T4: first --body "
    )
    body = (checkout.folder / "body").read_text()
    assert body.startswith(f"- {PROGRAM} on Tesla T4: first\n")
    assert "[block-unlabelled]" in body  # the lesson shows an import, and now there is a capture


def test_a_slower_capture_is_put_on_record_and_not_published(
    checkout: Checkout, bench: Bench
) -> None:
    """Exit 3, the log aside; the pull request holds one line that says so, and no log."""
    bench.prints(*(slower(OUTPUT, factor) for factor in (1.0, 1.01, 0.99, 1.0, 1.005)))
    assert checkout.make("reverify", PROGRAM=PROGRAM).returncode == 0
    checkout.git("add", "-A")
    checkout.git("commit", "-qm", "two")
    before = log_paths(checkout.root, PROGRAM)
    (bench.folder / "started").unlink()
    bench.prints(*(slower(OUTPUT, 1.5 * factor) for factor in (1.0, 1.01, 0.99, 1.0, 1.005)))
    assert "Error 3" in checkout.make("reverify", PROGRAM=PROGRAM).stderr
    assert "Slower than published" in checkout.summary.read_text()
    assert checkout.make("gather").stdout.startswith(f"evidence/{PROGRAM}/aside/")
    done = propose(checkout)
    assert done.returncode == 0, done.stderr
    assert log_paths(checkout.root, PROGRAM) == before
    assert checkout.answers() == (
        Answered(date=DAY, runner='["gpu"]', gpu="Tesla T4", state="slower"),
    )


@pytest.mark.parametrize(
    ("answer", "state", "said"),
    [
        (None, "no answer", '- No answer: no runner with the labels ["gpu"] took the job.\n'),
        ("", "could not run", '- The runner ["gpu"] took the job and could not measure; '),
    ],
)
def test_silence_is_a_state(checkout: Checkout, answer: str | None, state: str, said: str) -> None:
    """A runner that is offline, and one that cannot measure, are told apart and put on record."""
    (checkout.root / "answer").mkdir()
    if answer is not None:
        (checkout.root / "answer" / "answer.json").write_text(answer)
    done = propose(checkout)
    assert done.returncode == 0, done.stderr
    assert checkout.summary.read_text().startswith(said)
    assert [(one.state, one.gpu) for one in checkout.answers()] == [(state, None)]
    assert f"Re-verification: {state}" in checkout.asked()[-1]


def test_the_same_answer_twice_is_one_record(checkout: Checkout) -> None:
    """Where nothing changed, no pull request is opened."""
    (checkout.root / "answer").mkdir()
    assert propose(checkout).returncode == 0
    orders = checkout.asked()
    done = propose(checkout, "reverify/2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("\nNothing changed, so no pull request was opened.\n")
    assert checkout.asked() == orders


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"{", "Invalid JSON"),
        (b"\xff", "Invalid JSON"),
        (b'{"a":1}', "Input should be a valid "),
        (b"[1]", "0: "),
        (b'[{"program": "P", "gpu": "T4"}]', "0.state: Field required"),
        (b'[{"program": "P", "gpu": "T4", "state": "first"}]', "first, and no log is named"),
        (b'[{"program": "P", "gpu": "T4", "state": "first", "log": null}]', "no log is named"),
        (b'[{"program": "P", "gpu": "T4", "state": "fine"}]', "0.state: Input should be 'passed'"),
        (b'[{"program": "Q", "gpu": "T4", "state": "slower"}]', "is about `Q`, which is not here"),
        (b'[{"program": "P", "gpu": "T4", "state": "first", "log": "a.log"}]', "cannot read"),
    ],
)
def test_an_answer_that_is_none(checkout: Checkout, answer: bytes, said: str) -> None:
    """Told with its place; nothing is taken over, and no branch made."""
    (checkout.root / "answer").mkdir()
    path = checkout.root / "answer" / "answer.json"
    path.write_bytes(answer.replace(b'"P"', f'"{PROGRAM}"'.encode()))
    with pytest.raises(CourseError) as caught:
        ci.propose(checkout.root, path.parent, "gpu", DAY, "reverify/1")
    assert said in str(caught.value)
    assert str(path.parent) in str(caught.value)
    assert checkout.git("branch", "--list", "reverify/*") == ""
    assert checkout.git("status", "--porcelain", "--", "evidence", "docs") == ""


def test_an_answer_never_overwrites_evidence(checkout: Checkout, bench: Bench) -> None:
    """Another log of a published name is refused; the very same log is taken for what it is."""
    bench.prints(*(slower(OUTPUT, factor) for factor in (1.0, 1.01, 0.99, 1.0, 1.005)))
    assert checkout.make("reverify", PROGRAM=PROGRAM).returncode == 0
    assert checkout.make("gather").returncode == 0
    answer = checkout.root / "answer"
    [log] = (answer / "evidence" / PROGRAM).glob("*.log")
    published = checkout.root / "evidence" / PROGRAM / log.name
    published.write_bytes(b"what was published\n")
    with pytest.raises(CourseError) as caught:
        ci.propose(checkout.root, answer, "gpu", DAY, "reverify/1")
    assert (caught.value.code, caught.value.path) == ("evidence-exists", published)
    assert str(caught.value).endswith(
        "a file of this name is published, and the answer brings another\n"
        "  fix: evidence is only ever added to: capture again, and propose that"
    )
    assert published.read_bytes() == b"what was published\n"
    published.write_bytes(log.read_bytes())
    ci.propose(checkout.root, answer, "gpu", DAY, "reverify/1")
    assert published.read_bytes() == log.read_bytes()


def test_without_gh_nothing_is_done(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a branch, a commit or a record."""
    monkeypatch.setattr("shutil.which", lambda tool: None if tool == "gh" else tool)
    with pytest.raises(CourseError, match="`gh` is not on PATH"):
        ci.propose(checkout.root, checkout.root / "answer", "gpu", DAY, "reverify/1")
    assert checkout.git("branch", "--list", "reverify/*") == ""
    assert checkout.answers() == ()


def test_a_bundle_that_is_not_there(checkout: Checkout) -> None:
    """Told before the answer is begun; without a bundle the log is gathered."""
    answer, folder = checkout.folder / "answer", checkout.root / "evidence" / PROGRAM
    (folder / "new.log").write_text("new")
    with pytest.raises(CourseError, match="nosuch:1: cannot read"):
        ci.gather(checkout.root, answer, Path("/nosuch"))
    assert not answer.exists()
    assert ci.gather(checkout.root, answer, None) == [f"evidence/{PROGRAM}/new.log"]


def propose(checkout: Checkout, branch: str = "reverify/1") -> subprocess.CompletedProcess[str]:
    return checkout.make("propose", RUNNER='["gpu"]', BRANCH=branch)


def bundle_of(log: Path) -> str:
    digest = hashlib.sha256(log.read_bytes()).hexdigest()
    statement = json.dumps({"subject": [{"name": log.name, "digest": {"sha256": digest}}]})
    return json.dumps({"dsseEnvelope": {"payload": base64.b64encode(statement.encode()).decode()}})
