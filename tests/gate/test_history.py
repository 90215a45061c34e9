"""The commit that a stamp names must be of this history and hold the stamped sources."""

from __future__ import annotations

import subprocess
from itertools import chain
from pathlib import Path

import pytest

from bench import GIT
from gate.copied import SOURCE, Copy


@pytest.fixture
def history(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> Copy:
    """The copy as a repository of one commit, which its captures name."""
    for key, value in GIT.items():
        monkeypatch.setenv(key, value)
    _git(copy, "init", "-q")
    _git(copy, "add", "-A")
    _git(copy, "commit", "-qm", "one")
    commit = _git(copy, "rev-parse", "HEAD")
    for capture in chain.from_iterable(copy.project.captures.values()):
        if not capture.log.imported:
            stamped = [
                {"path": name, "sha256": source.sha256, "tokens_sha256": source.tokens_sha256}
                for name, source in capture.program.named_sources().items()
            ]
            copy.rewrite(capture.log, git={"commit": commit}, sources=stamped)
    return copy


def _git(copy: Copy, *arguments: str) -> str:
    command = ["git", "-C", str(copy.root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_a_commit_that_does_not_exist(history: Copy) -> None:
    """An invented commit is found."""
    log = history.latest().log
    history.rewrite(log, git={"commit": "0" * 40})
    [finding] = history.findings()
    assert (finding["code"], finding["path"]) == (
        "commit-unknown",
        history.project.relative(log.path),
    )
    assert finding["message"] == (
        f"the stamp names the commit {'0' * 40}, which is not in this history"
    )


def test_a_commit_that_no_branch_leads_to(history: Copy) -> None:
    """Git still has the object, but nobody who clones the history would get it."""
    _git(history, "commit", "-q", "--allow-empty", "-m", "dropped")
    dropped = _git(history, "rev-parse", "HEAD")
    history.rewrite(history.latest().log, git={"commit": dropped})
    assert history.findings() == []
    _git(history, "reset", "-q", "--soft", "HEAD~")
    [finding] = history.findings()
    assert finding["code"] == "commit-unknown"
    assert dropped in finding["message"]


def test_a_course_in_a_folder_of_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sources are looked for where the course is, not at the repository's root."""
    for key, value in GIT.items():
        monkeypatch.setenv(key, value)
    above, copy = Copy(tmp_path), Copy.make(tmp_path / "course")
    _git(above, "init", "-q")
    _git(above, "add", copy.root.name)
    _git(above, "commit", "-qm", "one")
    log = copy.latest().log
    stamped = [
        {"path": name, "sha256": source.sha256, "tokens_sha256": source.tokens_sha256}
        for name, source in copy.latest().program.named_sources().items()
    ]
    commit = _git(above, "rev-parse", "HEAD")
    for capture in chain.from_iterable(copy.project.captures.values()):
        copy.rewrite(capture.log, git=None)
    copy.rewrite(log, git={"commit": commit}, sources=stamped)
    assert copy.findings() == []
    copy.rewrite(log, git={"commit": commit}, sources=[{**stamped[0], "sha256": "1" * 64}])
    [finding] = copy.findings()
    assert finding["code"] == "commit-differs"


def test_a_commit_with_another_source(history: Copy) -> None:
    """A commit whose source is not the one that was stamped is found, unless the tree was dirty."""
    log = history.latest().log
    original = history.path(SOURCE).read_text()
    history.path(SOURCE).write_text(original + "// more\n")
    _git(history, "commit", "-qam", "two")
    commit = _git(history, "rev-parse", "HEAD")
    history.path(SOURCE).write_text(original)
    history.rewrite(log, git={"commit": commit, "dirty": True})
    assert history.findings() == []
    history.rewrite(log, git={"commit": commit})
    [finding] = history.findings()
    assert finding["code"] == "commit-differs"
    assert finding["message"] == (
        f"tiled_matmul.cu at the commit {commit[:12]} is not the source stamped"
    )


def test_the_control_is_clean(history: Copy) -> None:
    """The commit exists and holds the sources."""
    assert history.findings() == []
