"""Writing: whole or not at all, never over what is there, and nothing of the dead stays."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from course.errors import CourseError
from course.writing import alone_in, sweep, workshop, write_atomically

PARTIAL = ".a.log.course-0123abcd.partial"
RESERVED = ".a.log.course-reserved.partial"


def no_links(number: int) -> Callable[..., None]:
    def link(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    return link


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@contextmanager
def alive(path: Path) -> Iterator[None]:
    """`path` as its maker holds it while it is at work."""
    handle = os.open(path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    yield
    os.close(handle)


@pytest.mark.parametrize("number", [0, errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_new_file_is_never_an_old_one(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With links (0) and on file systems without: written once, whole, alone in its folder."""
    if number:
        monkeypatch.setattr(os, "link", no_links(number))
    path = tmp_path / "new" / "a.log"
    write_atomically(path, b"first\n", replace=False)
    with pytest.raises(FileExistsError):
        write_atomically(path, b"second\n", replace=False)
    assert path.read_bytes() == b"first\n"
    assert list(path.parent.iterdir()) == [path]
    write_atomically(path, b"third\n")
    assert path.read_bytes() == b"third\n"


@pytest.mark.parametrize("number", [0, errno.ENOSYS])
def test_of_many_writers_one_wins(number: int, tmp_path: Path) -> None:
    """Eight processes take one name at the same time: one file, whole; all others are told."""
    code = (
        "import os, sys; from pathlib import Path\n"
        "from course.writing import write_atomically\n"
        "def link(*_): raise OSError(int(sys.argv[1]), 'no links')\n"
        "if sys.argv[1] != '0': os.link = link\n"
        "sys.stdin.readline()\n"
        "try: write_atomically(Path(sys.argv[2]), sys.argv[3].encode() * 9999, replace=False)\n"
        "except FileExistsError: print('taken')\n"
    )
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(number), str(tmp_path / "a.log"), str(n)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for n in range(8)
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    said = [writer.communicate(timeout=60)[0] for writer in writers]
    assert sorted(said) == [b""] + [b"taken\n"] * 7
    assert (tmp_path / "a.log").read_bytes() == str(said.index(b"")).encode() * 9999
    assert names(tmp_path) == ["a.log"]


def test_a_reservation_of_the_living_is_kept_and_of_the_dead_is_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there are no links: who holds a name keeps it; a killed holder blocks nobody."""
    monkeypatch.setattr(os, "link", no_links(errno.EPERM))
    reserved, path = tmp_path / RESERVED, tmp_path / "a.log"
    reserved.touch()
    with alive(reserved), pytest.raises(FileExistsError):
        write_atomically(path, b"mine\n", replace=False)
    assert names(tmp_path) == [RESERVED]
    write_atomically(path, b"mine\n", replace=False)
    assert names(tmp_path) == ["a.log"]


def test_only_what_the_dead_left_is_swept(tmp_path: Path) -> None:
    """The living, other names and what a link of ours leads to stay."""
    below = tmp_path / "below"
    below.mkdir()
    kept = [".a.log.0123abcd.partial", "a.course-0123abcd.partial", ".a.partial", "a.log"]
    for name in (PARTIAL, RESERVED, *kept):
        (below / name).write_bytes(b"x")
    (tmp_path / PARTIAL).symlink_to(below / "a.log")
    live = below / PARTIAL.replace("0", "1")
    live.write_bytes(b"x")
    with alive(live):
        sweep(tmp_path)
    assert {path.name for path in below.iterdir()} == {*kept, live.name}
    assert (tmp_path / PARTIAL).is_symlink()


def test_a_workshop_sweeps_those_of_its_verb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of a killed capture goes, one at work stays, and so do those of others."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead, other = tmp_path / "course-capture-0123abcd", tmp_path / "course-grade-0123abcd"
    for folder in (dead, other):
        (folder / "deep").mkdir(parents=True)
        (folder / "deep" / "file").touch()
    with workshop("capture") as one, workshop("capture") as two:
        assert {path.name for path in tmp_path.iterdir()} == {one.name, two.name, other.name}
        assert stat.S_IMODE(one.stat().st_mode) == 0o700
    assert list(tmp_path.iterdir()) == [other]


def test_the_mode_of_a_file(tmp_path: Path) -> None:
    """A rewritten file keeps its own; a new one has what the umask leaves."""
    old, new = tmp_path / "old", tmp_path / "new"
    old.touch()
    old.chmod(0o640)
    before = os.umask(0o027)
    try:
        for path in (old, new):
            write_atomically(path, b"x")
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (old, new)] == [0o640, 0o640]


def test_a_project_has_one_writer(tmp_path: Path) -> None:
    """A second command is told; after the first there is nothing left, and the next one works."""
    with alone_in(tmp_path), pytest.raises(CourseError) as caught, alone_in(tmp_path):
        pass
    assert str(caught.value) == (
        f"{tmp_path}:1: another command of the course is adding to this project\n"
        "  fix: run this one again when that has ended"
    )
    with alone_in(tmp_path):
        assert list(tmp_path.iterdir()) == []
