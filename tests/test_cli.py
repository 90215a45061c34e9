"""The command line itself: what its surroundings refuse is one message, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COURSE = f"{sys.executable} -m course"


def shell(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("publish > /dev/full", 2, "cannot read or write: No space left on device"),
        ("publish > /dev/null", 0, ""),
        ("publish >&-", 0, ""),
        ("publish | true", 0, ""),
        ("sign README.md --key KEY", 2, "README.md:1: "),
        ("trace loop.cu k --case 1,1,1", 2, "loop.cu:1: cannot read: "),
        ("compare /dev/zero", 2, "/dev/zero:1: the file has more than 16,777,216 bytes"),
    ],
)
def test_what_is_refused(tmp_path: Path, command: str, status: int, said: str) -> None:
    """In a project, with `loop.cu` a link to itself."""
    (tmp_path / "code").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").touch()
    (tmp_path / "README.md").write_text("no log")
    (tmp_path / "KEY").touch()
    (tmp_path / "loop.cu").symlink_to("loop.cu")
    done = shell(f"{COURSE} {command}", tmp_path)
    assert (done.returncode, said in done.stderr) == (status, True), done.stderr
    assert "Traceback" not in done.stderr
    assert "ignored" not in done.stderr
    assert bool(said) == bool(done.stderr)


def test_a_working_directory_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    done = shell(f"cd gone && rmdir ../gone && {COURSE} history", tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "course: cannot read or write: No such file or directory\n  fix: see that the working "
        "directory is there, and that the place can be used and has room [system]\n"
    )


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_an_encoding_without_our_letters(tmp_path: Path, encoding: str) -> None:
    """What it lacks is escaped."""
    command = f"{COURSE} trace größe.cu k --case 1,1,1"
    done = shell(command, tmp_path, PYTHONIOENCODING=encoding)
    name = "größe.cu" if encoding == "utf-8" else r"gr\xf6\xdfe.cu"
    assert done.returncode == 2
    assert done.stderr.startswith(f"course: {name}:1: cannot read: No such file or directory")
