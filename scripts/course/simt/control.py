"""The positive control: before a kernel may be called clean, planted faults must be caught."""

from __future__ import annotations

from functools import cache

from course.errors import CourseError
from course.program import Case
from course.simt import toolchain
from course.simt.engine import Program
from course.simt.kept import cache_folder
from course.simt.report import Kind
from course.simt.run import Run

SOURCE = toolchain.RUNTIME / "control.cu"
# The control kernel plants the fault that K asks for; each is small and takes milliseconds.
PLANTED: dict[Kind, Run] = {
    "out-of-bounds": Run(Case(16, 16, 1)),
    "uninitialized-shared": Run(Case(16, 16, 2)),
    "race": Run(Case(16, 16, 3)),
    "barrier-divergence": Run(Case(16, 16, 4)),
    "misaligned": Run(Case(16, 16, 5)),
    "unwritten-output": Run(Case(16, 16, 6)),
    "wrong-result": Run(Case(16, 16, 7)),
    "bank-conflict": Run(Case(16, 16, 8)),
    "uncoalesced": Run(Case(16, 16, 9)),
    "stale-shared": Run(Case(16, 16, 21), watch_stale=True, fill="infinite-a"),
    "hang": Run(Case(16, 16, 10), seconds=0.02),  # last: a run ends with a hang
}
CLEAN = Run(Case(16, 16, 20), watch_stale=True)


@cache
def ensure_caught() -> None:
    """Raise CourseError `control-missed` unless each planted fault is found, and nothing else.

    Once for each process; its compiled kernel is kept in the cache folder.
    """
    compiler = toolchain.Compiler.find()
    key = toolchain.digest_of(toolchain.runtime_hash(), *toolchain.build_key(compiler))
    folder = cache_folder() / f"control-{key}"
    with Program(SOURCE, "control", folder=folder) as program:
        clean, *reports = program.run([CLEAN, *PLANTED.values()])
    if not clean.clean:
        raise _missed(f"a right kernel was accused: {clean.failures or 'wrong elements'}")
    seen = [{f.kind for f in report.findings} for report in reports]
    missed = [k for k, kinds in zip(PLANTED, [*seen, *[set()] * len(PLANTED)]) if k not in kinds]  # noqa: B905
    if missed:
        raise _missed(f"planted faults were not found: {', '.join(missed)}")


def _missed(what: str) -> CourseError:
    return CourseError(
        "control-missed",
        f"the CPU check does not work with this compiler, so it says nothing: {what}",
        fix="set CXX to g++ 11 or newer",
    )
