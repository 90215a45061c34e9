"""Logs: written whole under a name of their own, proven by their seal, fresh or stale."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench import OUTPUT, PROGRAM
from course.errors import CourseError
from course.evidence import Log, is_newer, log_paths, read_log, render_log, stale_reasons, write_log
from course.program import Program
from course.stamp import Stamp


def stamp(*outputs: bytes, **fields: object) -> Stamp:
    """An imported record's stamp; a rejected capture's where `rejected` is given."""
    runs = [{"bytes": len(o), "sha256": hashlib.sha256(o).hexdigest()} for o in outputs]
    plain = {
        "schema": 1,
        "kind": "imported",
        "program": PROGRAM,
        "time": "2026-11-29T12:34:56Z",
        "told_by": "a test",
        "gpu": {"name": "Tesla T4"},
        "cuda": {"toolkit": "13.0"},
        "published_run": 1,
        "runs": runs,
    }
    return Stamp.model_validate({**plain, **fields})


def captured(program: Program, **fields: object) -> Stamp:
    """A capture's stamp with the hashes of the program as it is."""
    data = OUTPUT.encode()
    plain: dict[str, object] = {
        "kind": "capture",
        "told_by": None,
        "host": {"os": "Linux", "cpu": "a CPU"},
        "build": program.build_command(),
        "run": program.spec.run,
        "sources": [
            {"path": name, "sha256": source.sha256, "tokens_sha256": source.tokens_sha256}
            for name, source in zip(program.spec.sources, program.sources, strict=True)
        ],
        "binary_sha256": "0" * 64,
        "verdict": "all 3 cases match the CPU reference at every element",
        "runs": [
            {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "exit_status": 0}
        ],
    }
    return stamp(data, **{**plain, **fields})


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    outputs=st.lists(
        st.binary() | st.sampled_from([b"---\n", b"=== run 2 of 2 ===\n", b"\n---\n", b"\r\n"]),
        min_size=1,
        max_size=4,
    ),
    told=st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
)
def test_any_bytes_read_back(outputs: list[bytes], told: str, tmp_path: Path) -> None:
    """Outputs that look like a log's own lines, and any text in the stamp, survive."""
    path = tmp_path / "a.log"
    made = stamp(*outputs, told_by=told)
    path.write_bytes(render_log(made, outputs))
    log = read_log(path)
    assert log.outputs == tuple(outputs)
    assert log.stamp.model_copy(update={"seal": None}) == made
    assert render_log(log.stamp, log.outputs) == path.read_bytes()


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_byte_can_change_unseen(data: st.DataObject, tmp_path: Path) -> None:
    """One other byte, one more or one less anywhere in a log is refused in words."""
    outputs = [OUTPUT.encode(), b"second\n"]
    whole = render_log(stamp(*outputs), outputs)
    at = data.draw(st.integers(0, len(whole) - 1))
    new = data.draw(st.binary(max_size=2).filter(lambda new: new != whole[at : at + 1]))
    path = tmp_path / "a.log"
    path.write_bytes(whole[:at] + new + whole[at + 1 :])
    with pytest.raises(CourseError) as caught:
        read_log(path)
    assert caught.value.code in {
        "log-edited",
        "log-truncated",
        "log-schema",
        "bad-yaml",
        "not-text",
    }
    assert caught.value.path == path


def edited(tmp_path: Path, old: str, new: str) -> CourseError:
    """The refusal of a log in which `old` was replaced."""
    path = tmp_path / "a.log"
    data = render_log(stamp(OUTPUT.encode()), [OUTPUT.encode()])
    assert old.encode() in data
    path.write_bytes(data.replace(old.encode(), new.encode(), 1))
    with pytest.raises(CourseError) as caught:
        read_log(path)
    return caught.value


def test_an_edited_output_is_told_with_both_hashes(tmp_path: Path) -> None:
    """The run is named."""
    error = edited(tmp_path, "0.165", "0.155")
    changed = hashlib.sha256(OUTPUT.replace("0.165", "0.155", 1).encode()).hexdigest()[:12]
    sealed = hashlib.sha256(OUTPUT.encode()).hexdigest()[:12]
    assert (error.code, error.message) == (
        "log-edited",
        f"the output of run 1 was edited: its sha256 is {changed}…, stamped is {sealed}…",
    )


def test_an_edited_stamp_is_told(tmp_path: Path) -> None:
    """Even where every field still reads."""
    error = edited(tmp_path, "name: Tesla T4", "name: Tesla T5")
    assert error.code == "log-edited"
    assert error.message.startswith("the stamp was edited: the log hashes to ")


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "message"),
    [
        ("schema: 1", "schema: 2", "log-schema", 2, "schema 2; this toolchain reads schema 1"),
        ("program: ", "programme: ", "bad-yaml", 2, "program: Field required"),
        ("kind: imported", "kind: dreamt", "bad-yaml", 3, "kind: Input should be 'capture'"),
        ("told_by: a test\n", "", "bad-yaml", 2, "the file: Value error, an imported record must"),
        ("published_run: 1", "published_run: 2", "bad-yaml", 2, "the file: Value error, publi"),
        ("---\n===", "--\n===", "log-truncated", None, "no stamp between two `---` lines"),
        ("at every element\n", "", "log-truncated", None, "run 1 should have 910 bytes after"),
        (
            "at every element\n",
            "at every element\n\n",
            "log-edited",
            None,
            "1 bytes after the last",
        ),
        ("---\n", "---\r\n", "log-edited", None, "the line ends were changed to CRLF"),
        ("Tesla T4\n", "[\n", "bad-yaml", 10, "not YAML: "),
    ],
)
def test_a_bad_stamp_is_told_with_its_line(
    old: str, new: str, code: str, line: int | None, message: str, tmp_path: Path
) -> None:
    """Each way to break a log has its code."""
    error = edited(tmp_path, old, new)
    assert (error.code, error.line) == (code, line)
    assert error.message.startswith(message)


def test_a_capture_must_be_complete(program: Program) -> None:
    """A stamp without what a capture knows is refused, unless the capture was rejected."""
    with pytest.raises(ValueError, match="a capture's stamp lacks host, build, binary_sha256"):
        captured(program, host=None, build=None, binary_sha256=None)
    runs = [{"bytes": 0, "sha256": "0" * 64}]
    with pytest.raises(ValueError, match="a capture's stamp lacks exit_status"):
        captured(program, runs=runs)
    rejected = captured(program, host=None, runs=runs, published_run=None, rejected="cut short")
    assert rejected.rejected == "cut short"


def test_a_name_that_is_taken_is_never_overwritten(tmp_path: Path) -> None:
    """Two logs of one second stand side by side, and nothing else is left."""
    data = OUTPUT.encode()
    names = [write_log(tmp_path, stamp(data), [data]).name for _ in range(3)]
    assert names == [
        "20261129T123456Z_tesla-t4_cuda13.0.log",
        "20261129T123456Z_tesla-t4_cuda13.0-2.log",
        "20261129T123456Z_tesla-t4_cuda13.0-3.log",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


def test_rejected_logs_are_not_among_the_published(tmp_path: Path) -> None:
    """What stands in the folder below is never listed."""
    data = OUTPUT.encode()
    folder = tmp_path / "evidence" / PROGRAM
    path = write_log(folder, stamp(data), [data])
    write_log(folder / "rejected", stamp(data, rejected="no"), [data])
    assert log_paths(tmp_path, PROGRAM) == [path]


def test_captures_come_before_imports_and_late_before_early(program: Program) -> None:
    """An import is never newer than a capture."""

    def log(made: Stamp) -> Log:
        return Log(Path("a.log"), made, (b"",))

    old, new = "2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z"
    told = log(stamp(b"", time=new))
    first, second = log(captured(program, time=old)), log(captured(program, time=new))
    assert is_newer(second, first)
    assert is_newer(first, told)
    assert not is_newer(told, first)


def test_what_changed_since_the_capture_makes_it_stale(project: Path) -> None:
    """A token, a file more or less, another build command; a comment does not."""
    program = Program.load(project, PROGRAM)
    log = Log(Path("a.log"), captured(program), (OUTPUT.encode(),))

    def reasons() -> list[str]:
        return stale_reasons(log, Program.load(project, PROGRAM))

    assert reasons() == []
    source = program.folder / "tiled_matmul.cu"
    text = source.read_text()
    source.write_text(text + "\n// a comment\n")
    assert reasons() == []
    source.write_text(text.replace("kTimedLaunches = 100", "kTimedLaunches = 200"))
    assert reasons() == ["tiled_matmul.cu changed"]
    source.write_text(text)
    (program.folder / "sub").mkdir()
    (program.folder / "sub" / "tiled_matmul.cu").write_text("int x;\n")
    described = program.folder / "program.yml"
    yml = described.read_text()
    described.write_text(yml.replace("[tiled_matmul.cu]", "[tiled_matmul.cu, sub/tiled_matmul.cu]"))
    assert reasons() == ["sub/tiled_matmul.cu was added"]
    described.write_text(yml.replace("[tiled_matmul.cu]", "[sub/tiled_matmul.cu]"))
    assert reasons() == ["sub/tiled_matmul.cu was added", "tiled_matmul.cu was removed"]
    described.write_text(yml.replace("-O3", "-O2"))
    assert reasons() == [f"the build command was `{log.stamp.build}`"]


def test_another_lexer_does_not_make_the_same_bytes_stale(project: Path) -> None:
    """Control: a source that is byte for byte the captured one is fresh."""
    program = Program.load(project, PROGRAM)
    made = captured(program)
    sources = [source.model_copy(update={"tokens_sha256": "0" * 64}) for source in made.sources]
    log = Log(Path("a.log"), made.model_copy(update={"sources": tuple(sources)}), ())
    assert stale_reasons(log, program) == []
