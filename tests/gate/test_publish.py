"""Publishing rewrites evidence blocks and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from course.errors import CourseError
from course.project import Project
from course.publish import publish
from gate.copied import LESSON, REPOSITORY, Copy
from gate.expected import CLOSING, H200

OLD, NEW = "611x613x617      tiled         1.364", "611x613x617      tiled         9.999"


def test_a_changed_block_is_put_back(copy: Copy) -> None:
    """`--check` shows the difference and the command, writes nothing; `publish` mends to the byte."""
    before = copy.path(LESSON).read_bytes()
    copy.replace(LESSON, OLD, NEW)
    broken = copy.path(LESSON).read_bytes()
    done = copy.course("publish", "--check")
    assert done.returncode == 1
    assert f"-    {NEW}" in done.stdout
    assert f"+    {OLD}" in done.stdout
    assert done.stderr == f"{LESSON} is not published\n  fix: course publish {LESSON}\n"
    assert copy.path(LESSON).read_bytes() == broken
    done = copy.course("publish", LESSON)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{LESSON} published\n", "")
    assert copy.path(LESSON).read_bytes() == before
    done = copy.course("publish", "--check")
    assert (done.returncode, done.stdout) == (0, "every evidence block is published already\n")


def test_line_ends_are_kept(copy: Copy) -> None:
    """A page with CRLF stays a page with CRLF, and the gate reads it like any other."""
    data = copy.path(LESSON).read_bytes().replace(b"\n", b"\r\n")
    copy.path(LESSON).write_bytes(data)
    assert copy.findings() == []
    copy.path(LESSON).write_bytes(data.replace(OLD.encode(), NEW.encode()))
    assert copy.course("publish").returncode == 0
    assert copy.path(LESSON).read_bytes() == data


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_line_keeps_its_own_end(end: bytes, copy: Copy) -> None:
    """On a page of mixed line ends, with a byte order mark: only the published line changes, and a
    line that the block lacked ends as the one before it."""
    lines = copy.path(LESSON).read_bytes().split(b"\n")
    old = next(at for at, line in enumerate(lines) if OLD.encode() in line)
    ends = [b"\r\n" if at % 3 else b"\n" for at in range(len(lines))]
    ends[-1], ends[old - 1], ends[old] = b"", end, end
    page = [line + ending for line, ending in zip(lines, ends, strict=True)]
    wanted = b"\xef\xbb\xbf" + b"".join(page)
    changed = [line.replace(OLD.encode(), NEW.encode()) for line in page]
    for before in (changed, [*page[:old], *page[old + 1 :]]):
        copy.path(LESSON).write_bytes(b"\xef\xbb\xbf" + b"".join(before))
        done = copy.course("publish")
        assert (done.returncode, done.stderr) == (0, "")
        assert copy.path(LESSON).read_bytes() == wanted


def test_a_page_that_is_saved_meanwhile(copy: Copy) -> None:
    """What its author wrote is not lost."""
    copy.replace(LESSON, OLD, NEW)
    project = Project.load(copy.root)
    saved = copy.path(LESSON).read_bytes() + b"More.\n"
    copy.path(LESSON).write_bytes(saved)
    with pytest.raises(CourseError, match="the page was saved while it was published"):
        publish(project, project.pages["day16-tiled-matmul.md"])
    assert copy.path(LESSON).read_bytes() == saved


def test_a_capture_that_does_not_exist(copy: Copy) -> None:
    """Nothing is written at all when one block cannot be published."""
    copy.replace(LESSON, OLD, NEW)
    copy.replace(LESSON, 'gpu="NVIDIA H200"', 'gpu="NVIDIA L4"')
    before = copy.path(LESSON).read_bytes()
    line = copy.line(LESSON, "NVIDIA L4")
    done = copy.course("publish")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"course: {copy.path(LESSON)}:{line}: there is no evidence of `NVIDIA L4` "
        "in evidence/day16-tiled-matmul/\n  fix: course check says more [block-no-evidence]\n"
    )
    assert copy.path(LESSON).read_bytes() == before


def test_a_block_that_is_never_closed(copy: Copy) -> None:
    """What follows it is not taken for the block: the page stays as it was."""
    copy.replace(LESSON, CLOSING, CLOSING.partition("\n")[0] + "\n")
    copy.replace(LESSON, OLD, NEW)
    before = copy.path(LESSON).read_bytes()
    done = copy.course("publish")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"course: {copy.path(LESSON)}:{copy.line(LESSON, H200)}: the fence is never closed: {H200}"
        "\n  fix: write a line ``` after its last line, as far in as its first [fence-open]\n"
    )
    assert copy.path(LESSON).read_bytes() == before


def test_a_block_in_a_quotation(copy: Copy) -> None:
    """It is put back like any other, and what follows it stays."""
    block = f"{H200.replace('h200', 'again')}\n{copy.latest().log.published}```\n"
    quoted = "".join(f"> {line}".rstrip() + "\n" for line in block.splitlines())
    copy.insert("docs/authors.md", f"{quoted}\nThe end.")
    before = copy.path("docs/authors.md").read_bytes()
    assert copy.course("publish").stdout == "every evidence block is published already\n"
    copy.replace("docs/authors.md", "> 256x256x256 ", "> 256x256x25 ")
    assert copy.course("publish").stdout == "docs/authors.md published\n"
    assert copy.path("docs/authors.md").read_bytes() == before


def test_a_log_that_cannot_be_read(copy: Copy) -> None:
    """Older evidence does not stand in for it."""
    copy.add_capture("2027-01-01T00:00:00Z")
    newest = copy.latest().log.path
    before = copy.path(LESSON).read_bytes()
    newest.write_bytes(newest.read_bytes() + b"x\n")
    done = copy.course("publish")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"course: {newest}:1: 2 bytes after the last run\n  fix: git checkout -- the log if it was "
        "edited; otherwise course capture PROGRAM on the card [log-edited]\n"
    )
    assert copy.path(LESSON).read_bytes() == before


def test_a_page_that_cannot_be_read(copy: Copy) -> None:
    """It is not passed over."""
    copy.path("docs/bad.md").write_bytes(b"# Title\n\xe9\n")
    done = copy.course("publish")
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        f"course: {copy.path('docs/bad.md')}:2: byte 0xe9 is not UTF-8\n"
        "  fix: save the file as UTF-8 [not-text]\n",
    )


def test_a_file_that_is_no_page(copy: Copy) -> None:
    """A path outside docs/ is refused."""
    done = copy.course("publish", "mkdocs.yml")
    assert (done.returncode, done.stderr) == (
        2,
        "course: mkdocs.yml:1: not a page under docs/ [no-page]\n",
    )


def test_the_gate_from_any_folder(copy: Copy) -> None:
    """Inside the project any folder will do; outside, exit 2 and what to do."""
    assert copy.course("check", folder=copy.path("docs")).returncode == 0
    done = copy.course("check", folder=Path(os.sep))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "course: / is not inside a course project (no folder upwards holds mkdocs.yml and code/)\n"
        "  fix: cd into the checkout of the course and run the command again [no-project]\n"
    )


def test_clean_words(copy: Copy) -> None:
    """The control: a clean project says so in words, and the repository itself is clean."""
    done = copy.course("check")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("clean: pages, source and evidence agree\n")
    assert Copy(REPOSITORY).findings() == []
