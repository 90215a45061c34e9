"""Writing files so that nothing is ever half-written, and sweeping what a killed process left.

What is made on the way to a finished file has a name of ours, and its maker holds a lock on it
(flock) for as long as it works. The lock ends with the process: what is locked is somebody's live
one, and what has our name and is not locked was left by a process that was killed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from course.errors import CourseError

_PARTIAL = re.compile(r"\..+\.course-(?:[0-9a-f]{8}|reserved)\.partial")


def write_atomically(path: Path, data: bytes, *, replace: bool = True) -> None:
    """Write the whole file or nothing.

    With `replace=False` an existing file raises FileExistsError. Raises CourseError `unwritable`
    when the disk is full or the place is forbidden.
    """
    try:
        _make_folder(path.parent)
        partial = _beside(path, secrets.token_hex(4))
        with _made(partial) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if replace:
                if path.exists():
                    os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
                partial.replace(path)
            else:
                _name_once(partial, path)
    except FileExistsError:
        raise
    except OSError as error:
        raise CourseError("unwritable", f"cannot write: {error.strerror}", path=path) from error


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:  # a file is in the way; not to be mistaken for a taken name
        raise CourseError("unwritable", f"cannot write: {error.strerror}", path=folder) from error


def _beside(path: Path, mark: str) -> Path:
    return path.with_name(f".{path.name}.course-{mark}.partial")


def _name_once(partial: Path, path: Path) -> None:
    """Give the finished file its name. Raises FileExistsError where the name is taken.

    A link does both in one step. Some file systems have none (FUSE, network shares, FAT). There
    the name is reserved first, by a file beside it that only one process can make (O_EXCL), and
    only who holds the reservation looks whether the name is free, and renames. So nobody else of
    ours takes the name between the look and the rename, which alone would overwrite. The file is
    finished and on disk before it is renamed, so that a kill at any point leaves it there whole or
    not at all. A reservation whose holder was killed is no longer locked, and is swept.
    """
    try:
        os.link(partial, path)
    except FileExistsError:
        raise
    except OSError:  # whatever the reason is, the other way keeps the promise, or says its own
        reserved = _beside(path, "reserved")
        _remove_left(reserved)
        with _made(reserved):
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path) from None
            partial.rename(path)


@contextlib.contextmanager
def _made(path: Path) -> Iterator[BinaryIO]:
    """A new file that is this process's own until the block ends; then the name is gone.

    Raises FileExistsError where there is one.
    """
    while True:
        with path.open("xb") as file:
            if _hold(file.fileno(), path):  # else the name may be another's by now
                try:
                    yield file
                finally:
                    path.unlink(missing_ok=True)
                return


@contextlib.contextmanager
def workshop(verb: str) -> Iterator[Path]:
    """A fresh folder for a `verb`; what killed ones of the same verb left is swept first."""
    above = Path(tempfile.gettempdir())
    form = re.compile(rf"course-{verb}-[0-9a-f]{{8}}")
    for left in above.iterdir():
        if form.fullmatch(left.name):
            _remove_left(left)
    while True:
        folder = above / f"course-{verb}-{secrets.token_hex(4)}"
        folder.mkdir(mode=0o700)
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:  # swept before it could be locked
            continue
        try:
            if _hold(handle, folder):
                yield folder
                return
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(handle)


def sweep(folder: Path) -> None:
    """Remove the unfinished files of killed processes in `folder` and the folders below."""
    for left in folder.rglob(".*.partial"):
        if _PARTIAL.fullmatch(left.name):
            _remove_left(left)


def _hold(handle: int, path: Path) -> bool:
    """Lock what was just made; False if a sweep was quicker and it is gone.

    Where the file system has no locks, no sweep can take one, and so none takes ours for dead.
    """
    with contextlib.suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX)
    return _still_there(handle, path)


def _still_there(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


def _remove_left(path: Path) -> None:
    """Remove a file or folder of ours whose maker is gone; nothing else, whatever its name is.

    Under its lock nobody else removes it or makes another of the name, so that what is looked at
    is what is removed.
    """
    with contextlib.suppress(OSError):  # in use, gone, or of another user: not ours to remove
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(handle).st_uid == os.getuid() and _still_there(handle, path):
                if stat.S_ISDIR(os.fstat(handle).st_mode):
                    shutil.rmtree(path)
                else:
                    path.unlink()
        finally:
            os.close(handle)


@contextlib.contextmanager
def alone_in(root: Path) -> Iterator[None]:
    """Be the only command that adds to the project. Raises CourseError `busy` if another does.

    The lock is one on the folder itself: it ends with the process and leaves nothing.
    """
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = "another command of the course is adding to this project"
            fix = "run this one again when that has ended"
            raise CourseError("busy", message, path=root, fix=fix) from None
        except OSError:  # a file system without locks: two at once are then not told apart
            pass
        yield
    finally:
        os.close(handle)
