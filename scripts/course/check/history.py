"""Is the commit that a capture names one of this history, with the sources that were stamped?"""

from __future__ import annotations

import hashlib
import posixpath
import subprocess
from collections.abc import Iterator
from pathlib import Path

from course.errors import Finding
from course.project import Capture, Project


def check_history(project: Project) -> Iterator[Finding]:
    """Nothing is said of a checkout without history, or of a shallow one that ends too early."""
    if _git(project.root, "rev-parse", "--is-shallow-repository") != b"false\n":
        return
    for captures in project.captures.values():
        for capture in captures:
            yield from _check_commit(project, capture)


def _check_commit(project: Project, capture: Capture) -> Iterator[Finding]:
    git, path = capture.log.stamp.git, project.relative(capture.log.path)
    if git is None or git.commit is None:
        return
    fix = f"move the log away and run: course capture {capture.program.name}"
    if _git(project.root, "merge-base", "--is-ancestor", git.commit, "HEAD") is None:
        message = f"the stamp names the commit {git.commit}, which is not in this history"
        yield Finding(path, 1, "commit-unknown", message, fix)
        return
    folder = project.relative(capture.program.folder)
    for source in capture.log.stamp.sources:
        name = posixpath.normpath(f"{folder}/{source.path}")
        data = _git(
            project.root, "show", f"{git.commit}:./{name}"
        )  # from the project, not its repository
        if not git.dirty and (data is None or hashlib.sha256(data).hexdigest() != source.sha256):
            message = f"{source.path} at the commit {git.commit[:12]} is not the source stamped"
            yield Finding(path, 1, "commit-differs", message, fix)


def _git(root: Path, *arguments: str) -> bytes | None:
    """What git prints, or None when it fails or is not there."""
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
