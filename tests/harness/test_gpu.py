"""The judge on a GPU, held against a card that is none; tests/proof has a real one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import REPOSITORY
from course.errors import CourseError
from course.harness import gpu, grade, sanitizer
from course.harness.gpu import GpuJudgement
from course.harness.ladder import Rung, rungs
from course.harness.submission import Submission
from course.simt import Case
from gallery import HERE

FAKES = Path(__file__).parent / "fakes"
STARTER = REPOSITORY / "code/day16-tiled-matmul/starter.cu"
LADDER = gpu.on_gpu(rungs(7, [Case(1, 1, 1), Case(32, 32, 32), Case(67, 37, 41)]))


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The card, and the file in which a test writes how the kernel behaves."""
    compiled = tmp_path / "compiled"
    compiled.write_text("right")
    monkeypatch.setenv("PYTHONPATH", f"{FAKES}:{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.syspath_prepend(FAKES)
    monkeypatch.setattr(gpu, "TIMED", ("64x64x64",))
    monkeypatch.setattr(gpu, "_lesson_kernels", lambda folder, arch: [])
    monkeypatch.setattr(
        gpu, "load_request", lambda *_: {"cubin": str(compiled), "symbol": "matmulTiled"}
    )
    gpu.card.cache_clear()
    yield compiled
    gpu.card.cache_clear()


def judge(compiled: Path, behaviour: str, ladder: list[Rung] = LADDER) -> GpuJudgement:
    compiled.write_text(behaviour)
    submission = Submission.read(STARTER)
    return gpu.judge(submission, STARTER, compiled.parent, ladder, lambda _: None)


def test_a_right_kernel_is_timed(paper: Path) -> None:
    """Over the whole ladder, floats among it, and only because all is right."""
    judged = judge(paper, "right")
    assert len(judged.cases) == len(LADDER)
    assert all(result.right for result in judged.cases)
    assert {result.inputs for result in judged.cases} == {"integers", "floats"}
    assert [time.name for time in judged.times] == ["yours", "cuBLAS"]
    assert all(time.low <= time.median <= time.high for time in judged.times)
    assert judged.notes == []


@pytest.mark.parametrize("behaviour", ["nothing", "ragged", "overflows", "clears-a", "prints-not"])
def test_a_wrong_kernel_is_not_timed(behaviour: str, paper: Path) -> None:
    judged = judge(paper, behaviour)
    wrong = [result for result in judged.cases if not result.right]
    assert bool(wrong) == (behaviour != "prints-not")
    assert bool(judged.times) == (behaviour == "prints-not")
    if behaviour == "ragged":
        assert all(result.case.k % 16 for result in wrong)


def test_whole_numbers_alone_prove_nothing(paper: Path) -> None:
    """A kernel that rounds is exact on them, and beyond the bound on floats."""
    judged = judge(paper, "coarse")
    assert {result.inputs for result in judged.cases if not result.right} == {"floats"}


def test_what_a_kernel_prints_is_no_result(paper: Path) -> None:
    assert len(judge(paper, "prints").cases) == len(LADDER)


def test_an_error_of_the_device_ends_the_ladder(paper: Path) -> None:
    judged = judge(paper, "illegal")
    assert [result.right for result in judged.cases] == [False] + [None] * (len(LADDER) - 1)
    assert judged.notes == [
        f"on A card of paper: {LADDER[0].case}: an illegal memory access was encountered"
    ]


def test_a_hang_is_ended(paper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "PATIENCE", 1.0)
    judged = judge(paper, "never-ends")
    assert [result.right for result in judged.cases] == [False] + [None] * (len(LADDER) - 1)
    assert judged.notes == ["on A card of paper: no answer within 1 s"]


def test_a_child_that_crashes_passes_nothing(paper: Path) -> None:
    judged = judge(paper, "crashes")
    first = [result.right for result in judged.cases].index(False)
    assert all(result.right is None for result in judged.cases[first + 1 :])
    assert judged.notes == ["on A card of paper: the child ended with status -11"]


def test_a_kernel_that_does_not_load_is_not_judged(paper: Path) -> None:
    paper.with_name("compiled").unlink()
    submission = Submission.read(STARTER)
    with pytest.raises(CourseError, match="could not be loaded onto the GPU"):
        gpu.judge(submission, STARTER, paper.parent, LADDER, lambda _: None)


def test_the_report_of_a_gpu(paper: Path) -> None:
    """Both judges' cases stand in one report; the card has its name in it."""
    report = grade(HERE / "double-buffer.cu", seed=7, fixed=[Case(17, 17, 17)])
    assert report.device == "A card of paper"
    assert {result.device for result in report.cases} == {"cpu", "gpu"}
    assert report.verdict == "pass"
    assert report.times
    paper.write_text("ragged")
    report = grade(HERE / "double-buffer.cu", seed=7, fixed=[Case(17, 17, 17)])
    assert (report.verdict, report.correct, report.times) == ("fail", False, ())
    assert report.smallest_failing_case is not None


def test_no_cupy_no_card(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu.card.cache_clear()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert gpu.card() is None
    gpu.card.cache_clear()


@pytest.mark.parametrize(
    "name", ["matmulTiled", "_Z11matmulTiledPKfS0_Pfmmm", "_ZN4mine11matmulTiledEPKfS1_Pfmmm"]
)
def test_the_compilers_name_is_found(name: str) -> None:
    cubin = b"\0.text._Z13matmulTiledToPKf\0.text._Z12xmatmulTiledv\0.nv.info\0.text."
    assert gpu.symbol(cubin + name.encode() + b"\0", "matmulTiled") == name


def test_a_cubin_without_the_kernel() -> None:
    with pytest.raises(CourseError, match="holds no kernel"):
        gpu.symbol(b"\0.text._Z13matmulTiledToPKf\0", "matmulTiled")


def test_nvrtc_gets_the_device_code_alone() -> None:
    code = gpu.device_code(Submission.read(STARTER))
    assert "__global__ void matmulTiled" in code
    assert "constexpr int kTileDim = 16;" in code
    for host in ("#include", "std::", "main(", "cudaMalloc"):
        assert host not in code


TOOL = """\
#!/bin/sh
cat > /dev/null
echo "========= Invalid __global__ write of size 4 bytes"
echo "=========     at matmulTiled(const float *)+0x70 in submission.cu:27"
echo "========= ERROR SUMMARY: {count} errors"
"""


@pytest.mark.parametrize("count", [0, 3])
def test_compute_sanitizer_is_heard(
    count: int, paper: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "compute-sanitizer"
    tool.write_text(TOOL.format(count=count))
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    submission = Submission.read(STARTER)
    file = tmp_path / "submission.cu"
    told, note = sanitizer.judge(submission, file, tmp_path, lambda _: None)
    tools = ", ".join(f"{name} {count}" for name in sanitizer.TOOLS)
    assert note == f"errors that compute-sanitizer counted: {tools}"
    assert [(entry.line, entry.message) for entry in told][:1] == (
        [(27, "compute-sanitizer memcheck counts 3: Invalid __global__ write of size 4 bytes")]
        if count
        else []
    )


def test_without_compute_sanitizer(paper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    submission = Submission.read(STARTER)
    told, note = sanitizer.judge(submission, STARTER, paper.parent, lambda _: None)
    assert (told, note) == ([], "compute-sanitizer is not installed, so it was not run")
