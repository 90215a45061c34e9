"""Counters equal the hardware's, and an independent model's at random sizes and blocks."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import NAIVE, SHIPPED, kernel, warp_cost, write

from course.simt import Case, Program, Run, trace

RAGGED = Case(611, 613, 617)


# Measured with Nsight Compute on an H200 for a plain 16x16 pair.
@pytest.mark.parametrize(
    ("name", "requests", "sectors", "loads"),
    [
        ("matmulNaive", 14_726_556, 35_601_987, 1234),
        ("matmulTiled", 935_415, 5_313_711, 78),
    ],
)
def test_shipped_kernels_load_what_the_hardware_counted(
    name: str, requests: int, sectors: int, loads: int
) -> None:
    report = trace(SHIPPED, name, RAGGED)
    assert report.clean
    assert report.counters.global_load_requests == requests
    assert report.counters.global_load_sectors == sectors
    assert report.counters.loads_per_thread == loads
    assert report.to_json()["shared_bank_conflicts"] == 0


sizes = st.integers(1, 40)
blocks = st.tuples(st.integers(1, 34), st.integers(1, 12))


@pytest.fixture(scope="module")
def naive(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return Program(write(tmp_path_factory.mktemp("naive"), NAIVE), "product")


@settings(max_examples=25, deadline=None)
@given(m=sizes, n=sizes, k=sizes, block=blocks, seed=st.integers(0, 2**31))
def test_naive_kernel_against_the_model(
    naive: Program, m: int, n: int, k: int, block: tuple[int, int], seed: int
) -> None:
    (report,) = naive.run([Run(Case(m, n, k), block=block, seed=seed)])
    assert report.correct
    requests = sectors = 0
    for p in range(k):
        of_a = partial(lambda p, r, c: r * k + p, p)
        of_b = partial(lambda p, r, c: p * n + c, p)
        for address in (of_a, of_b):
            cost = warp_cost(block, report.grid, lambda r, c: (r < m) & (c < n), address)
            requests, sectors = requests + cost[0], sectors + cost[1]
    assert report.counters.global_load_requests == requests
    assert report.counters.global_load_sectors == sectors
    assert report.counters.global_store_requests == requests // (2 * k)
    assert report.counters.loads_per_thread == 2 * k


# Lanes that skip some iterations, loops of different length, nested: (body, loads of the model).
SKIPPING = {
    "some lanes skip some iterations": "for (size_t p = 0; p < k; ++p) if ((col + p) % 3) "
    "sum += a[row * k + p];",
    "lanes leave early": "for (size_t p = 0; p < k; ++p) { if (p > col) break; "
    "sum += a[row * k + p]; }",
    "continue": "for (size_t p = 0; p < k; ++p) { if (p % (col + 2) == 0) continue; "
    "sum += a[row * k + p]; }",
    "a while loop": "size_t p = 0; while (p < k) { if ((row + p) % 2) sum += a[row * k + p]; "
    "++p; }",
}
TAKEN = {
    "some lanes skip some iterations": lambda r, c, p: (c + p) % 3 != 0,
    "lanes leave early": lambda r, c, p: p <= c,
    "continue": lambda r, c, p: p % (c + 2) != 0,
    "a while loop": lambda r, c, p: (r + p) % 2 == 1,
}


@pytest.mark.parametrize("name", SKIPPING)
def test_lanes_that_skip_are_matched_by_iteration(tmp_path: Path, name: str) -> None:
    m, n, k, block = 9, 21, 13, (8, 8)
    body = (
        "size_t row = blockIdx.y * blockDim.y + threadIdx.y, "
        "col = blockIdx.x * blockDim.x + threadIdx.x;\n"
        f"if (row >= m || col >= n) return;\nfloat sum = 0;\n{SKIPPING[name]}\n"
        "c[row * n + col] = sum;"
    )
    with Program(write(tmp_path, kernel(body)), "product") as program:
        (report,) = program.run([Run(Case(m, n, k), block=block)])
    requests = sectors = 0
    for p in range(k):
        active = partial(lambda p, r, c: (r < m) & (c < n) & TAKEN[name](r, c, p), p)
        cost = warp_cost(block, report.grid, active, partial(lambda p, r, c: r * k + p, p))
        requests, sectors = requests + cost[0], sectors + cost[1]
    assert report.counters.global_load_requests == requests
    assert report.counters.global_load_sectors == sectors


# A helper that is called for A and for B is two instructions: lanes that skip the load of A must
# not be matched with the others there when they come to the load of B.
CALLED_TWICE = {
    "a helper": "",
    "a helper of a helper": "__device__ float at(const float* x, size_t i, size_t j, size_t rows, "
    "size_t cols) { return inside(x, i, j, rows, cols); }\n",
    "a helper that is not to be inlined": "__noinline__ ",
    "a template": "template <int> ",
}
INSIDE = (
    "__device__ float {name}(const float* x, size_t i, size_t j, size_t rows, size_t cols) "
    "{{ return i < rows && j < cols ? x[i * cols + j] : 0.0f; }}\n"
)


@pytest.mark.parametrize("name", CALLED_TWICE)
def test_a_helper_called_twice_is_two_instructions(tmp_path: Path, name: str) -> None:
    before = CALLED_TWICE[name]
    if before.endswith("\n"):
        before = INSIDE.format(name="inside") + before
    else:
        before += INSIDE.format(name="at")
    call = "at<0>" if "template" in before else "at"
    body = (
        "size_t row = blockIdx.y * blockDim.y + threadIdx.y, "
        "col = blockIdx.x * blockDim.x + threadIdx.x;\nfloat sum = 0;\n"
        f"for (size_t p = 0; p < k; ++p) sum += {call}(a, row, p, m, k) * {call}(b, p, col, k, n);"
        "\nif (row < m && col < n) c[row * n + col] = sum;"
    )
    m, n, k, block = 9, 21, 13, (8, 8)
    with Program(write(tmp_path, kernel(body, before=before)), "product") as program:
        (report,) = program.run([Run(Case(m, n, k), block=block)])
    assert report.correct
    requests = sectors = 0
    for p in range(k):
        of_a = partial(lambda p, r, c: r * k + p, p)
        of_b = partial(lambda p, r, c: p * n + c, p)
        for active, address in ((lambda r, c: r < m, of_a), (lambda r, c: c < n, of_b)):
            cost = warp_cost(block, report.grid, active, address)
            requests, sectors = requests + cost[0], sectors + cost[1]
    assert report.counters.global_load_requests == requests
    assert report.counters.global_load_sectors == sectors


WIDE = """
  size_t row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float4 four = reinterpret_cast<const float4*>(a + row * k)[col];
  float4 twice = make_float4(2 * four.x, 2 * four.y, 2 * four.z, 2 * four.w);
  reinterpret_cast<float4*>(c + row * n)[col] = twice;
"""


def test_wide_access_is_one_request(tmp_path: Path) -> None:
    """A warp that takes 32 float4 makes one request of 16 sectors, for the store as well."""
    with Program(write(tmp_path, kernel(WIDE)), "product") as program:
        (report,) = program.run([Run(Case(4, 128, 128), block=(32, 4), grid=(1, 1))])
    counters = report.counters
    assert (counters.global_load_requests, counters.global_load_sectors) == (4, 64)
    assert (counters.global_store_requests, counters.global_store_sectors) == (4, 64)
    assert (counters.loads_per_thread, counters.words_per_thread) == (1, 4)


@pytest.mark.parametrize("stride", [1, 2, 3, 4, 8, 16, 32, 33])
def test_bank_conflicts_follow_the_stride(tmp_path: Path, stride: int) -> None:
    """32 lanes `stride` words apart meet gcd(stride, 32) to a bank."""
    body = (
        f"__shared__ float cells[32 * {stride}]; cells[threadIdx.x * {stride}] = 1;"
        "__syncthreads();"
        f"c[threadIdx.x] = cells[threadIdx.x * {stride}];"
    )
    with Program(write(tmp_path, kernel(body)), "product") as program:
        (report,) = program.run([Run(Case(1, 32, 1), block=(32, 1))])
    ways = int(np.gcd(stride, 32))
    assert report.counters.shared_bank_conflicts == 2 * (ways - 1)
    named = [f for f in report.findings if f.kind == "bank-conflict"]
    assert bool(named) == (ways > 1)
    assert all(f"up to {ways} lanes" in f.message for f in named)


def test_counters_do_not_depend_on_threads_or_schedule(naive: Program) -> None:
    case = Case(67, 37, 41)
    runs = [Run(case), Run(case, order="reverse"), Run(case, order="random", seed=5)]
    counters = [r.counters for threads in (1, 3) for r in naive.run(runs, threads=threads)]
    assert len(set(counters)) == 1
