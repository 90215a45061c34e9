"""When results were last proven, how often, and what the history says of each capture."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import PROGRAM
from course.check.age import check_age, today
from course.errors import CourseError
from course.project import Project
from course.reverify.answers import Answered, answers_path, read_answers, record
from course.reverify.history import history, proven
from reverify.made import STEADY, make_log, table, tables

T4 = "Tesla T4"


def at(day: str) -> str:
    return f"{day}T12:00:00Z"


@pytest.fixture
def seen(project: Path) -> Path:
    """Three weeks of one card: the same, the same, throttled, then the same again."""
    make_log(project, tables(STEADY), at("2026-11-01"))
    make_log(project, tables(STEADY), at("2026-11-08"))
    throttled = {"throttle_reasons": ["software power cap"]}
    make_log(project, tables(STEADY, by=2), at("2026-11-15"), after=throttled)
    make_log(project, tables(STEADY), at("2026-11-22"))
    return project


def test_last_proven(seen: Path) -> None:
    """From the oldest to the newest capture that agrees; the throttled one is not counted."""
    known = proven(Project.load(seen), PROGRAM, T4)
    assert known is not None
    assert (known.since, known.date, known.times) == ("2026-11-01", "2026-11-22", 3)
    assert known.sentence == (
        "Last proven on 2026-11-22 with driver 580.1, CUDA 13.0; 3 times since 2026-11-01."
    )


def test_one_capture_is_proven_once(project: Path) -> None:
    """By itself."""
    make_log(project, tables(STEADY), at("2026-11-01"))
    known = proven(Project.load(project), PROGRAM, T4)
    assert known is not None
    assert known.sentence == "Last proven on 2026-11-01 with driver 580.1, CUDA 13.0; once."


def test_what_is_never_proven(project: Path) -> None:
    """An imported record, a stale capture, and a card without evidence."""
    make_log(project, tables([1.0]), kind="imported", told_by="a friend", sources=[])
    assert proven(Project.load(project), PROGRAM, T4) is None
    assert proven(Project.load(project), PROGRAM, "NVIDIA L4") is None
    stale = [{"path": "tiled_matmul.cu", "sha256": "1" * 64, "tokens_sha256": "2" * 64}]
    make_log(project, tables(STEADY), at("2026-11-02"), sources=stale)
    assert proven(Project.load(project), PROGRAM, T4) is None


def test_a_pinned_block_is_dated_by_later_passes(seen: Path) -> None:
    """The page shows the first capture; the captures that confirm it move the date."""
    (seen / "docs").mkdir()
    name = "20261101T120000Z_tesla-t4_cuda13.0"
    block = f'```evidence name="t4" program="{PROGRAM}" gpu="{T4}" capture="{name}"\n```\n'
    (seen / "docs" / "page.md").write_text(f"---\nprogram: {PROGRAM}\n---\n\n{block}")
    known = proven(Project.load(seen), PROGRAM, T4)
    assert known is not None
    assert known.published.log.name == name
    assert (known.date, known.times) == ("2026-11-22", 3)


def test_a_slower_capture_does_not_move_the_date_of_a_pin(seen: Path) -> None:
    """Only a pass does."""
    test_a_pinned_block_is_dated_by_later_passes(seen)
    make_log(seen, tables(STEADY, by=2), at("2026-11-29"))
    known = proven(Project.load(seen), PROGRAM, T4)
    assert known is not None
    assert (known.date, known.times) == ("2026-11-22", 3)


@pytest.mark.parametrize(
    ("factors", "by", "times"),
    [
        ([1.0], 10, 3),  # one run, ten times slower: nothing about it is known
        ([1.0], 1, 3),
        (STEADY[:2], 1, 3),
        ([1, 3, 0.5, 2, 0.7], 1, 3),  # every row is AMBIGUOUS
        (STEADY[:3], 1, 4),
        (STEADY, 0.5, 4),
    ],
)
def test_the_date_moves_only_where_a_row_confirms(
    seen: Path, factors: list[float], by: float, times: int
) -> None:
    """At least one row SAME or FASTER, none worse, of three runs or more: nothing less confirms."""
    test_a_pinned_block_is_dated_by_later_passes(seen)
    outputs = [table(factor * by, speedup=factor**2) for factor in factors]
    make_log(seen, outputs, at("2026-11-29"))
    known = proven(Project.load(seen), PROGRAM, T4)
    assert known is not None
    assert known.times == times
    assert known.date == ("2026-11-29" if times == 4 else "2026-11-22")


def test_the_history_tells_every_log(seen: Path) -> None:
    """Oldest first; each against what is published of its card now."""
    make_log(seen, tables([1.0]), at("2026-10-01"), kind="imported", told_by="a friend", sources=[])
    make_log(seen, tables(STEADY, by=2), at("2026-11-09"))
    stale = [{"path": "tiled_matmul.cu", "sha256": "1" * 64, "tokens_sha256": "2" * 64}]
    make_log(seen, tables(STEADY), at("2026-11-10"), sources=stale)
    entries = list(history(Project.load(seen), PROGRAM))
    assert [entry.verdict for entry in entries] == [
        "imported",
        "SAME",
        "SAME",
        "SLOWER",
        "NOT COMPARABLE",
        "NOT COMPARABLE",
        "published",
    ]
    assert entries[1].line == "2026-11-01  Tesla T4  driver 580.1  CUDA 13.0  SAME (9 of 9 rows)"


def test_a_capture_with_other_arithmetic(seen: Path) -> None:
    """Whatever the noise, it FAILED."""
    outputs = [output.replace("            78\n", "            77\n") for output in tables(STEADY)]
    make_log(seen, outputs, at("2026-11-02"))
    assert [entry.verdict for entry in history(Project.load(seen), PROGRAM)][1] == "FAILED"


def test_the_command_line(seen: Path) -> None:
    """One line a log, then what is known of each card; --json is the same for machines."""
    record(seen, PROGRAM, Answered(date="2026-11-29", runner='["gpu"]', state="no answer"))
    command = [sys.executable, "-m", "course", "history"]
    done = subprocess.run(command, cwd=seen, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == [
        PROGRAM,
        "  2026-11-01  Tesla T4  driver 580.1  CUDA 13.0  SAME (9 of 9 rows)",
        "  2026-11-08  Tesla T4  driver 580.1  CUDA 13.0  SAME (9 of 9 rows)",
        "  2026-11-15  Tesla T4  driver 580.1  CUDA 13.0  NOT COMPARABLE",
        "  2026-11-22  Tesla T4  driver 580.1  CUDA 13.0  published",
        '  2026-11-29  ["gpu"]  no answer',
        "  Tesla T4: Last proven on 2026-11-22 with driver 580.1, CUDA 13.0; "
        "3 times since 2026-11-01.",
        "",
    ]
    command += [PROGRAM, "--json"]
    done = subprocess.run(command, cwd=seen, capture_output=True, text=True, check=True)
    first = json.loads(done.stdout)[0]
    assert first == {
        "log": "20261101T120000Z_tesla-t4_cuda13.0",
        "program": PROGRAM,
        "gpu": T4,
        "time": at("2026-11-01"),
        "driver": "580.1",
        "cuda": "13.0",
        "verdict": "SAME",
    }


LIMITS = "proof:\n  notice_after_days: 60\n  finding_after_days: 365\n"


@pytest.mark.parametrize(
    ("limits", "day", "severity", "message"),
    [
        (LIMITS, "2027-01-21", None, ""),
        (
            LIMITS,
            "2027-01-22",
            "notice",
            "the results on Tesla T4 were last proven on 2026-11-22, 61 days ago; "
            "the limit is 60 days",
        ),
        (
            LIMITS,
            "2027-11-23",
            "error",
            "the results on Tesla T4 were last proven on 2026-11-22, 366 days ago; "
            "the limit is 365 days",
        ),
        ("proof:\n  notice_after_days: 1\n", "2036-01-01", "notice", "…"),
        ("proof:\n  finding_after_days: 9\n", "2026-12-01", None, ""),
        ("", "2036-01-01", None, ""),
    ],
)
def test_age(seen: Path, limits: str, day: str, severity: str | None, message: str) -> None:
    """Nothing, then a notice, then a finding; without limits nothing is ever too old."""
    spec = seen / "code" / PROGRAM / "program.yml"
    assert LIMITS in spec.read_text()
    spec.write_text(spec.read_text().replace(LIMITS, limits))
    findings = list(check_age(Project.load(seen), date.fromisoformat(day)))
    assert [finding.severity for finding in findings] == ([severity] if severity else [])
    for finding in findings:
        assert finding.code == "proof-old"
        assert finding.path == f"evidence/{PROGRAM}/20261122T120000Z_tesla-t4_cuda13.0.log"
        assert finding.fix == f"course reverify {PROGRAM}  (on Tesla T4)"
        assert message in ("…", finding.message)


@pytest.mark.parametrize("days", ["0", "-1", "soon"])
def test_limits_that_are_none(project: Path, days: str) -> None:
    """program.yml is read strictly."""
    spec = project / "code" / PROGRAM / "program.yml"
    spec.write_text(spec.read_text().replace("notice_after_days: 60", f"notice_after_days: {days}"))
    [fault] = Project.load(project).faults
    assert fault.code == "bad-yaml"
    assert fault.message.startswith("proof.notice_after_days: ")


def test_today_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """SOURCE_DATE_EPOCH is today where it is set; nonsense is not."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert today() == date(1970, 1, 1)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "tomorrow")
    assert today() >= date(2026, 11, 30)


states = st.sampled_from(
    ["no answer", "could not run", "unclear", "slower", "not comparable", "failed"]
)
answered = st.builds(
    Answered,
    date=st.dates().map(lambda day: day.isoformat()),
    runner=st.text(min_size=1),
    gpu=st.none() | st.text(),
    state=states,
)


@settings(deadline=None)
@given(st.lists(answered, max_size=5))
def test_answers_are_appended(tmp_path_factory: pytest.TempPathFactory, answers: list[Any]) -> None:
    """What is written is read, in order, once; every earlier byte stays."""
    root = tmp_path_factory.mktemp("project")
    before = b""
    for one in answers:
        record(root, PROGRAM, one)
        after = answers_path(root, PROGRAM).read_bytes()
        assert after.startswith(before)
        before = after
    assert list(read_answers(root, PROGRAM)) == list(dict.fromkeys(answers))


def test_answers_that_do_not_read(project: Path) -> None:
    """A state that does not exist is told with its line."""
    path = answers_path(project, PROGRAM)
    path.parent.mkdir()
    path.write_text("answers:\n- date: '2026-11-29'\n  runner: gpu\n  state: tired\n")
    with pytest.raises(CourseError) as caught:
        read_answers(project, PROGRAM)
    assert (caught.value.code, caught.value.line) == ("bad-yaml", 4)


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_program_that_is_not_there(seen: Path, options: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "course", "history", "nosuch", *options]
    done = subprocess.run(command, cwd=seen, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"course: there is no program `nosuch` under code/\n  fix: known: {PROGRAM} [no-program]\n"
    )
