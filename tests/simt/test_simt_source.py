"""What cannot be read, compiled or called is an error that says what, where and the mend."""

import subprocess
import sys
from pathlib import Path

import pytest
from kernels import NAIVE, NAIVE_BODY, SIGNATURE, kernel, write

from course.errors import CourseError
from course.simt import Case, launches, toolchain, trace
from course.simt.control import ensure_caught

TWICE = NAIVE + NAIVE.replace("size_t m", "int m")
TEMPLATE = f"template <int T> __global__ void product{SIGNATURE} {{{NAIVE_BODY}}}\n"
BAD: dict[str, tuple[str | bytes, str, str, str]] = {
    "empty": ("", "product", "source-empty", "empty"),
    "blank": ("\n \n", "product", "source-empty", "empty"),
    "binary": (b"\x7fELF\0\0", "product", "not-text", "zero byte"),
    "encoding": (b"// \xff\n" + NAIVE.encode(), "product", "not-text", "0xff"),
    "too large": (b"/" * 2_000_000, "product", "source-too-large", "2,000,000"),
    "no such kernel": (NAIVE, "matmul", "kernel-missing", "`product`"),
    "no kernel at all": ("int main() {}", "product", "kernel-missing", "none"),
    "not a name": (NAIVE, "product; system", "kernel-name", "not the name"),
    "defined twice": (TWICE, "product", "kernel-ambiguous", "more than once"),
    "template without arguments": (TEMPLATE, "product", "kernel-ambiguous", "template"),
    "does not compile": (kernel("c[0] = nothing;"), "product", "compile", "nothing"),
    "other parameters": ("__global__ void product(double* x) { x[0] = 1; }", "product",
                         "signature", "parameters"),
    "cooperative groups": ("#include <cooperative_groups.h>\n" + NAIVE, "product", "unsupported",
                           "cooperative_groups"),
    "initialised shared": (kernel("__shared__ float x = 1; c[0] = x;"), "product", "unsupported",
                           "initializer"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_source_is_an_error_with_a_mend(tmp_path: Path, name: str) -> None:
    text, wanted, code, part = BAD[name]
    path = write(tmp_path, text)
    with pytest.raises(CourseError) as caught:
        trace(path, wanted, Case(8, 8, 8))
    assert caught.value.code == code
    assert part in caught.value.message
    assert caught.value.path == path
    assert caught.value.fix


def test_compile_error_stands_at_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, kernel("\n\n__shared__ float x[4];\n\nx[0] = nothing;"))
    with pytest.raises(CourseError) as caught:
        trace(path, "product", Case(8, 8, 8))
    assert (caught.value.path, caught.value.line) == (path, 6)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="No such file"):
        trace(tmp_path / "none.cu", "product", Case(8, 8, 8))


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"block": (64, 32)}, "64x32"),
        ({"block": (0, 1)}, "0x1"),
        ({"grid": (0, 1)}, "0x1"),
        ({"grid": (9_999_999, 60_000)}, "599,999,940,000 blocks"),
        ({"shared_bytes": 300_000}, "300,000"),
        ({"shared_bytes": -5}, "-5 bytes"),
        ({"case": Case(0, 1, 1)}, "at least 1"),
        ({"case": Case(20_000, 20_000, 1)}, "GB"),
    ],
)
def test_impossible_launch(tmp_path: Path, options: dict[str, object], part: str) -> None:
    arguments = {"case": Case(8, 8, 8)} | options
    with pytest.raises(CourseError, match=part):
        trace(write(tmp_path, NAIVE), "product", **arguments)  # type: ignore[arg-type]


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(CourseError) as caught:
        trace(write(tmp_path, NAIVE), "product", Case(8, 8, 8))
    assert caught.value.code == "no-compiler"
    assert "apt install g++" in caught.value.fix


@pytest.mark.parametrize(
    ("name", "value", "code", "fix"),
    [
        ("CXX", "/bin/true", "no-compiler", "set CXX to a C++ compiler"),
        ("COURSE_CACHE", "/dev/null", "unwritable", "set COURSE_CACHE to a folder that can be wr"),
        ("COURSE_CACHE", "/proc/x", "unwritable", "set COURSE_CACHE to a folder that can be wr"),
    ],
)
def test_an_environment_that_does_not_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, code: str, fix: str
) -> None:
    """A compiler that makes nothing, a cache that cannot be written."""
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(name, value)
    toolchain.runner.cache_clear()
    ensure_caught.cache_clear()
    try:
        with pytest.raises(CourseError) as caught:
            trace(write(tmp_path, NAIVE), "product", Case(8, 8, 8))
    finally:
        toolchain.runner.cache_clear()
        ensure_caught.cache_clear()
    assert (caught.value.code, caught.value.fix[: len(fix)]) == (code, fix)


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ("--threads 0", 2),
        ("--threads 17", 2),
        ("--threads 16", 0),
        ("--shared -1", 2),
        ("--shared 0", 0),
        ("--seed -1", 2),
        (f"--seed {10**23}", 2),
        (f"--seed {2**62}", 0),
    ],
)
def test_bounds_of_options(tmp_path: Path, options: str, status: int) -> None:
    """What is out of range is said of the option, not of the source."""
    source = write(tmp_path, NAIVE)
    command = [sys.executable, "-m", "course", "trace", str(source), "product", "--case", "4,4,4"]
    done = subprocess.run([*command, *options.split()], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert (options.split()[0] in done.stderr) == (status == 2)


RIGHT = {
    "windows line ends": NAIVE.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + NAIVE,
    "other letters": "// größer\n" + NAIVE,
    "in a namespace": f"namespace inner {{ {NAIVE} }}\n",
    "template, launched once": TEMPLATE
    + "void f(float* x) { product<4><<<dim3(1), dim3(2, 2), 0, nullptr>>>(x, x, x, 1, 1, 1); }",
    "sizes as int, other order": NAIVE.replace(
        "size_t m, size_t n, size_t k", "int M, int K, int N"
    ).replace("{", "{ int m = M, n = N, k = K;", 1),
    "scaled": NAIVE.replace("size_t k)", "size_t k, float alpha, float beta)").replace(
        "= sum;", "= alpha * sum + beta * c[row * n + col];"
    ),
    "dynamic shared memory at file scope": "extern __shared__ float cells[];\n"
    + NAIVE.replace("float sum = 0.0f;", "cells[threadIdx.x] = 0; float sum = 0.0f;", 1).replace(
        "cells[threadIdx.x]", "cells[threadIdx.y * 16 + threadIdx.x]"
    ),
    "helper, constant, intrinsics": "__constant__ float one = 1.0f;\n"
    "__device__ __forceinline__ float at(const float* p, size_t i) { return __ldg(p + i) * one; }\n"
    + NAIVE.replace("a[row * k + p]", "at(a, row * k + p)"),
    "several shared variables in a line": kernel(
        "__shared__ __align__(16) float x[16][16], y[16][17], z;\n" + NAIVE_BODY
        + "\nx[threadIdx.y][threadIdx.x] = 1; y[threadIdx.y][threadIdx.x] = 1;"
        "if (threadIdx.x + threadIdx.y == 0) z = 1;"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_source_as_learners_write_it(tmp_path: Path, name: str) -> None:
    report = trace(write(tmp_path, RIGHT[name]), "product", Case(19, 18, 17))
    assert report.clean, [str(f) for f in report.findings]


def test_one_size_means_square(tmp_path: Path) -> None:
    text = NAIVE.replace("size_t m, size_t n, size_t k", "int width").replace(
        "{", "{ size_t m = width, n = width, k = width;", 1
    )
    path = write(tmp_path, text)
    assert trace(path, "product", Case(19, 19, 19)).clean
    with pytest.raises(CourseError, match="one size"):
        trace(path, "product", Case(19, 18, 17))


def test_local_header(tmp_path: Path) -> None:
    write(tmp_path, "constexpr int kOne = 1;\n", "one.h")
    path = write(tmp_path, '#include "one.h"\n' + NAIVE.replace("0.0f", "0.0f * kOne"))
    assert trace(path, "product", Case(8, 8, 8)).clean


MAIN = (
    NAIVE
    + """
#include <cstdio>
#include <vector>
int main(int argc, char** argv) {
  const int m = 20, n = 30, k = 10;
  std::vector<float> a(m * k, 1), b(k * n, 2), c(m * n);
  float *da, *db, *dc;
  cudaMalloc(&da, a.size() * 4);
  cudaMalloc(&db, b.size() * 4);
  cudaMallocManaged(&dc, c.size() * 4);
  cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
  cudaEvent_t start, stop; cudaEventCreate(&start); cudaEventCreate(&stop);
  cudaEventRecord(start);
  dim3 block(16, 16), grid(n / 16, m / 16);
  product<<<grid, block>>>(da, db, dc, m, n, k);
  cudaEventRecord(stop); cudaEventSynchronize(stop);
  float ms; cudaEventElapsedTime(&ms, start, stop);
  cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
  product<<<1, 2048>>>(da, db, dc, m, n, k);
  std::printf("%s %g %s\\n", argc > 1 ? argv[1] : "", c[0], cudaGetErrorString(cudaGetLastError()));
  cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
  cudaFree(da); cudaFree(db); cudaFree(dc);
}
"""
)


def test_launches_of_main(tmp_path: Path) -> None:
    report = launches(write(tmp_path, MAIN), ["hello"])
    assert (report.status, report.why) == (0, "")
    assert report.printed == "hello 20 invalid configuration argument\n"
    first, second = report.launches
    assert (first.kernel, first.line) == (
        "product",
        MAIN[: MAIN.index("product<<<g")].count("\n") + 1,
    )
    assert (first.grid, first.block) == ((1, 1, 1), (16, 16, 1))
    assert first.arguments == ("*", "*", "*", "20", "30", "10")
    assert second.block == (2048, 1, 1)


def test_file_without_main(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="no main"):
        launches(write(tmp_path, NAIVE))
