"""What the harness calls: one signature, however it is written; and what it says of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from course.errors import CourseError
from course.harness import grade
from course.harness.guards import Guards
from course.harness.submission import Submission
from harness.conftest import SEED

GOOD = [
    "const float* a, const float* b, float* c, size_t m, size_t n, size_t k",
    "const float *__restrict__ A, float const* __restrict B, float *C, size_t M, size_t N,size_t K",
    "const float a[], const float b[], float c[], std::size_t m, const size_t n, size_t k",
    "const float* x, const float* y, float* z, size_t rows, size_t columns, size_t inner",
]
BAD = [
    (
        "const float* a, const float* b, float* c, int m, int n, int k",
        "takes (const float*, const float*, float*, int, int, int)",
    ),
    (
        "float* a, float* b, float* c, size_t m, size_t n, size_t k",
        "takes (float*, float*, float*, size_t, size_t, size_t)",
    ),
    ("const float* a, const float* b, float* c, size_t n", "takes (const float*"),
    ("", "takes ()"),
    (
        "const float* a, const float* b, float* c, size_t m, size_t k, size_t n",
        "names its sizes m, k, n, in another order",
    ),
]


def write(folder: Path, parameters: str, body: str = "", head: str = "") -> Path:
    file = folder / "kernel.cu"
    file.write_text(f"{head}__global__ void matmulTiled({parameters}) {{\n{body}}}\n")
    return file


@pytest.mark.parametrize("parameters", GOOD)
def test_the_signature_in_other_spellings(parameters: str, tmp_path: Path) -> None:
    Submission.read(write(tmp_path, parameters))


def test_a_helper_on_the_line_of_the_kernel(tmp_path: Path) -> None:
    Submission.read(write(tmp_path, GOOD[0], head="__device__ float one() { return 1; } "))


@pytest.mark.parametrize(("parameters", "message"), BAD)
def test_another_signature_is_refused(parameters: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(CourseError) as caught:
        Submission.read(write(tmp_path, parameters))
    assert caught.value.code == "signature"
    assert message in caught.value.message
    assert caught.value.line == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("int main() { return 0; }\n", "there is no kernel `matmulTiled`"),
        (f"template <int T> __global__ void matmulTiled({GOOD[0]}) {{}}\n", "is a template"),
        (f"__global__ void matmulTiled({GOOD[0]}) {{ x = 1; }}\n", "the compiler refuses"),
    ],
)
def test_what_cannot_be_judged(text: str, message: str, tmp_path: Path) -> None:
    """Verdict error, exit status 2, and the reason at its place."""
    file = tmp_path / "kernel.cu"
    file.write_text(text)
    report = grade(file, device="cpu", seed=SEED)
    if message == "is a template":
        assert report.error is not None
    else:
        assert report.error is not None
        assert message in report.error.message
    assert (report.verdict, report.exit_status) == ("error", 2)


def test_a_missing_file_and_a_missing_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = grade(tmp_path / "gone.cu", device="cpu")
    assert report.error is not None
    assert "No such file or directory" in report.error.message
    monkeypatch.setattr("course.harness.gpu.card", lambda: None)
    report = grade(write(tmp_path, GOOD[0]), device="gpu")
    assert report.error is not None
    assert report.error.message == "there is no GPU that CuPy can use"


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    report = grade(write(tmp_path, GOOD[0]), device="cpu")
    assert report.exit_status == 2


BODY = """\
    size_t row = blockIdx.y * 16 + threadIdx.y;
    size_t col = blockIdx.x * 16 + threadIdx.x;
    size_t steps = {steps};
    for (size_t step = 0; step < steps; ++step) {{
        size_t aCol = step * 16 + threadIdx.x;
        if (row < m && aCol < k) c[0] = a[row * k + aCol];
        if ({guard}) c[1] = 0.0f;
    }}
"""


@pytest.mark.parametrize(
    ("guard", "steps", "wrong_axis", "rounded_down"),
    [
        ("col < n", "(k + 15) / 16", [], None),
        ("col < m", "(k + 15) / 16", [8], None),
        ("n > row", "k / 16", [8], 4),
        ("aCol < m", "k >> 4", [8], 4),
        ("steps < k", "(k - 1) / 16 + 1", [], None),
    ],
)
def test_guards_are_read_off_the_text(
    guard: str, steps: str, wrong_axis: list[int], rounded_down: int | None, tmp_path: Path
) -> None:
    file = write(tmp_path, GOOD[0], BODY.format(guard=guard, steps=steps))
    guards = Guards(Submission.read(file))
    assert guards.wrong_axis == wrong_axis
    assert guards.steps_rounded_down == rounded_down
    assert guards.stores("c") == [7, 8]
