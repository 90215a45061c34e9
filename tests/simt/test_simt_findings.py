"""Every fault of the gallery is caught and named, at its line; no right kernel is accused."""

from pathlib import Path

import pytest
from kernels import NAIVE, kernel, write

from course.simt import ADVICE, Case, TraceReport, trace
from gallery import Entry, load

ENTRIES = load()
BROKEN = [entry for entry in ENTRIES if entry.fault]
RIGHT = [entry for entry in ENTRIES if not entry.fault]
# The value alone is wrong: which line makes it so cannot be known in general.
LINELESS = {
    "wrong-axis-guard-load",
    "wrong-axis-guard-load-a",
    "first-step-skipped",
    "swapped-inner-index",
    "double-buffer-never-flips",
    "output-transposed",
}


def run(entry: Entry, case: tuple[int, int, int]) -> TraceReport:
    return trace(
        entry.path,
        entry.kernel,
        Case(*case),
        block=entry.block,
        tile=entry.tile,
        grid=entry.fixed_grid,
        shared_bytes=entry.shared or None,
    )


@pytest.mark.parametrize("entry", BROKEN, ids=lambda entry: entry.name)
def test_fault_is_caught_and_named_at_its_line(entry: Entry) -> None:
    report = run(entry, entry.cases[0])
    lines = {f.line for f in report.findings if f.kind == entry.fault}
    assert lines, [str(f) for f in report.findings]
    if entry.name not in LINELESS:
        assert lines & set(entry.fault_lines)
    others = {f.kind for f in report.findings} - {entry.fault, "wrong-result"} - ADVICE
    assert others <= entry.also
    assert report.exit_code == (0 if entry.fault in ADVICE else 1)


@pytest.mark.parametrize("entry", RIGHT, ids=lambda entry: entry.name)
def test_right_kernel_is_not_accused(entry: Entry) -> None:
    for case in entry.cases:
        report = run(entry, case)
        assert report.failures == ()
        assert report.correct
        assert report.exit_code == 0


RULES = {
    "tile-count-rounded-down": "whenever K is not a multiple of 16",
    "guarded-load-without-else": "whenever K is not a multiple of 16",
    "wrong-axis-guard-load": "whenever K is larger than N",
    "wrong-axis-guard-load-a": "whenever K is larger than M",
    "first-step-skipped": "at every size tried",
}


@pytest.mark.parametrize("name", RULES)
def test_wrong_result_comes_with_the_rule_behind_it(name: str) -> None:
    entry = next(e for e in ENTRIES if e.name == name)
    report = run(entry, entry.cases[0])
    assert report.rule == RULES[name]
    (wrong,) = [f for f in report.findings if f.kind == "wrong-result"]
    assert wrong.message.endswith(RULES[name])


@pytest.mark.parametrize(
    ("name", "case", "correct"),
    [
        ("guarded-load-without-else-a", (64, 32, 41), True),  # no value shows it
        ("guarded-load-without-else", (64, 32, 41), False),
    ],
)
def test_stale_cell_is_named_with_its_guard_and_its_reader(
    name: str, case: tuple[int, int, int], correct: bool
) -> None:
    report = run(next(e for e in ENTRIES if e.name == name), case)
    assert report.correct is correct
    stale = next(f for f in report.findings if f.kind == "stale-shared")
    assert "tileA[0][9]" in stale.message
    assert f"line {stale.detail['reading_line']}" in stale.message
    assert "else" in stale.fix


def test_finding_says_who_where_and_how_often(tmp_path: Path) -> None:
    source = write(tmp_path, kernel("c[blockIdx.x * 64 + threadIdx.x] = a[m * k + threadIdx.x];"))
    report = trace(source, "product", Case(1, 32, 3), block=(32, 1))
    load = next(f for f in report.findings if f.kind == "out-of-bounds")
    assert (load.path, load.line) == (str(source), 2)
    assert "thread (0, 0) of block (0, 0) reads a[3]" in load.message
    assert "32 such accesses" in load.message


def test_one_finding_for_each_kind_and_place(tmp_path: Path) -> None:
    text = NAIVE.replace("a[row * k + p]", "a[row * k + p + m * k]")
    report = trace(write(tmp_path, text), "product", Case(40, 40, 40))
    assert len([f for f in report.findings if f.kind == "out-of-bounds"]) == 1


def test_same_seed_same_report(tmp_path: Path) -> None:
    entry = next(e for e in ENTRIES if e.name == "missing-barrier-after-compute")
    reports = [run(entry, (64, 32, 48)) for _ in range(2)]
    assert [f.to_json() for f in reports[0].findings] == [f.to_json() for f in reports[1].findings]
