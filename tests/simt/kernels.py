"""Small sources for the tests of the CPU check, and a model of what a warp's accesses cost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "code/day16-tiled-matmul/tiled_matmul.cu"

SIGNATURE = "(const float* a, const float* b, float* c, size_t m, size_t n, size_t k)"
NAIVE_BODY = """
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0.0f;
  for (size_t p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
"""
NAIVE = f"__global__ void product{SIGNATURE} {{{NAIVE_BODY}}}\n"


def kernel(body: str, *, before: str = "") -> str:
    """A source with one kernel, `product`, whose body starts on line 2."""
    return f"{before}__global__ void product{SIGNATURE} {{\n{body}\n}}\n"


def write(folder: Path, text: str | bytes, name: str = "source.cu") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def warp_cost(
    block: tuple[int, int],
    grid: tuple[int, int],
    active: Callable[[np.ndarray, np.ndarray], np.ndarray],
    address: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> tuple[int, int]:
    """Requests and sectors of one instruction that each active thread executes once.

    `active` and `address` take rows and columns of C, one for each thread, and give a mask and
    the index of the float. A model of its own: warps of 32 in linear order, sectors of 8 floats.
    """
    requests = sectors = 0
    linear = np.arange(block[0] * block[1])
    x, y = linear % block[0], linear // block[0]
    for block_y in range(grid[1]):
        for block_x in range(grid[0]):
            rows, columns = block_y * block[1] + y, block_x * block[0] + x
            mask, words = active(rows, columns), address(rows, columns)
            for start in range(0, len(linear), 32):
                lanes = slice(start, start + 32)
                taken = words[lanes][mask[lanes]]
                requests += int(taken.size > 0)
                sectors += len(set((taken // 8).tolist()))
    return requests, sectors
