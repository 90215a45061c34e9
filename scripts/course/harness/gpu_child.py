"""The child that has the GPU: loads a compiled kernel, runs it, compares, times.

Started by gpu.py with a request on standard input; answers with lines of JSON on the descriptor
that its one argument names. Inputs are made, and results compared, in the host's memory, and the
reference is computed after the kernel has ended, so a kernel finds no result to copy.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
GUARD = 4096  # bytes on either side of each buffer
PATTERN = 0xA5
POISON = 0x7F9EADBE  # a NaN
TILE = 16
ROUNDS = 25
WARM_UP = 3
PR_SET_PDEATHSIG = 1
FLOAT_UNIT, DOUBLE_UNIT = 2.0**-24, 2.0**-53


def main() -> int:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # nobody would read the answer
    descriptor = int(sys.argv[1])
    request = json.load(sys.stdin)

    def say(message: dict[str, Any]) -> None:
        os.write(descriptor, json.dumps(message).encode() + b"\n")

    import cupy

    device = cupy.cuda.runtime.getDeviceProperties(0)
    if request["do"] == "probe":
        arch = f"sm_{device['major']}{device['minor']}"
        say({"name": device["name"].decode(), "arch": arch})
        return 0
    if request["do"] == "judge":
        kernel = load(cupy, request["kernel"])
        say({"ready": True})
        for m, n, k, seed, inputs in request["cases"]:
            started = time.monotonic()
            try:
                wrong = judge(cupy, kernel, (m, n, k), seed, inputs)
            except cupy.cuda.runtime.CUDARuntimeError as error:
                say({"right": False, "mismatches": m * n, "why": f"{m}x{n}x{k}: {error}"})
                return 0  # nothing more can run after an error of the device
            seconds = time.monotonic() - started
            say({"right": wrong == 0, "mismatches": wrong, "seconds": seconds})
        return 0
    say({"ready": True})
    for m, n, k in request["cases"]:
        for name, times in contest(cupy, request["kernels"], (m, n, k)):
            low, middle, high = np.percentile(times, [25, 50, 75])
            say({"case": [m, n, k], "contestant": name, "times": [low, middle, high]})
    return 0


def load(cupy: Any, kernel: dict[str, str]) -> Any:
    if "cubin" in kernel:
        return cupy.RawModule(path=kernel["cubin"]).get_function(kernel["symbol"])
    names = (kernel["symbol"],)
    module = cupy.RawModule(
        code=kernel["code"], options=("-std=c++17",), name_expressions=names, backend="nvrtc"
    )
    return module.get_function(kernel["symbol"])


class Buffer:
    """Floats on the device between two guard bands; nothing but copies touches it."""

    def __init__(self, cupy: Any, content: Array) -> None:
        self.cupy, self.bytes = cupy, content.nbytes
        self.memory = cupy.cuda.alloc(self.bytes + 2 * GUARD)
        guard = np.full(GUARD, PATTERN, np.uint8)
        self.whole = np.concatenate([guard, content.reshape(-1).view(np.uint8), guard])
        self.memory.copy_from_host(self.whole.ctypes.data_as(ctypes.c_void_p), self.whole.nbytes)

    @property
    def address(self) -> np.uint64:
        return np.uint64(self.memory.ptr + GUARD)

    def read(self) -> tuple[Array, bool]:
        """What it holds now, and whether the guard bands are whole."""
        now = np.empty_like(self.whole)
        self.memory.copy_to_host(now.ctypes.data_as(ctypes.c_void_p), now.nbytes)
        whole = bool((now[:GUARD] == PATTERN).all() and (now[-GUARD:] == PATTERN).all())
        return now[GUARD:-GUARD].view(np.float32), whole


def judge(cupy: Any, kernel: Any, case: tuple[int, int, int], seed: int, inputs: str) -> int:
    """How many elements of C are wrong; a broken guard band or input makes it at least one."""
    m, n, k = case
    a, b = numbers(m, k, seed * 2, inputs), numbers(k, n, seed * 2 + 1, inputs)
    buffers = [Buffer(cupy, matrix) for matrix in (a, b)]
    buffers.append(Buffer(cupy, np.full(m * n, POISON, np.uint32)))
    launch(kernel, buffers, case)
    cupy.cuda.runtime.deviceSynchronize()
    (a_now, a_whole), (b_now, b_whole), (c, c_whole) = (buffer.read() for buffer in buffers)
    spoilt = not (a_whole and b_whole and c_whole)
    spoilt |= a_now.tobytes() != a.tobytes() or b_now.tobytes() != b.tobytes()
    wrong = int(np.count_nonzero(~right(c.reshape(m, n), a, b, inputs)))
    if not wrong and inputs == "integers":
        wrong = int(np.count_nonzero(c.reshape(m, n) != cublas(cupy, a, b)))
    return max(wrong, int(spoilt))


def numbers(rows: int, columns: int, seed: int, inputs: str) -> Array:
    chance = np.random.default_rng(seed)
    if inputs == "floats":
        odd = chance.integers(0, 2**23, (rows, columns)) * 2 + 1
        return ((odd - 2**23) / 2**23).astype(np.float32)
    whole = chance.integers(1, 4, (rows, columns), dtype=np.int8)
    return np.where(chance.random((rows, columns)) < 0.5, whole, -whole).astype(np.float32)


def launch(kernel: Any, buffers: list[Buffer], case: tuple[int, int, int]) -> None:
    m, n, k = case
    grid = (-(-n // TILE), -(-m // TILE))
    sizes = tuple(np.uint64(size) for size in (m, n, k))
    kernel(grid, (TILE, TILE), (*(buffer.address for buffer in buffers), *sizes))


def right(c: Array, a: Array, b: Array, inputs: str) -> Array:
    """Where C is right. Small whole numbers: the product in floats is exact in any order, so this
    is the reference to the last bit. Floats: within gamma_k times the sum of absolute products."""
    if inputs == "integers":
        return np.asarray(c == a @ b)
    wide_a, wide_b, k = a.astype(np.float64), b.astype(np.float64), a.shape[1]
    bound = (gamma(k, FLOAT_UNIT) + 2 * gamma(k, DOUBLE_UNIT)) * (np.abs(wide_a) @ np.abs(wide_b))
    return np.asarray(np.abs(c - wide_a @ wide_b) <= bound)


def gamma(k: int, unit: float) -> float:
    return k * unit / (1 - k * unit)


def cublas(cupy: Any, a: Array, b: Array) -> Array:
    return np.asarray(cupy.asnumpy(cupy.asarray(a) @ cupy.asarray(b)))


def contest(
    cupy: Any, kernels: list[tuple[str, dict[str, str]]], case: tuple[int, int, int]
) -> Iterator[tuple[str, list[float]]]:
    """Milliseconds of each contestant, taken in turns."""
    m, n, k = case
    a, b = numbers(m, k, 1, "integers"), numbers(k, n, 2, "integers")
    buffers = [Buffer(cupy, a), Buffer(cupy, b), Buffer(cupy, np.zeros(m * n, np.float32))]
    on_device = cupy.asarray(a), cupy.asarray(b), cupy.empty((m, n), cupy.float32)
    entrants: list[tuple[str, Callable[[], object]]] = [
        (name, partial(launch, load(cupy, kernel), buffers, case)) for name, kernel in kernels
    ]
    entrants.append(("cuBLAS", lambda: cupy.matmul(on_device[0], on_device[1], out=on_device[2])))
    times: dict[str, list[float]] = {name: [] for name, _ in entrants}
    for number in range(WARM_UP + ROUNDS):
        for name, run in entrants:
            start, stop = cupy.cuda.Event(), cupy.cuda.Event()
            start.record()
            run()
            stop.record()
            stop.synchronize()
            if number >= WARM_UP:
                times[name].append(cupy.cuda.get_elapsed_time(start, stop))
    yield from times.items()


if __name__ == "__main__":
    sys.exit(main())
