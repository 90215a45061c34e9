"""A card that is none: what the harness's child asks of CuPy, answered out of the host's memory.

The "compiled" file holds one word that says how its kernel behaves.
"""

from __future__ import annotations

import ctypes
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

float32 = np.float32
asarray = asnumpy = np.asarray
empty, matmul = np.empty, np.matmul


class CUDARuntimeError(Exception):
    pass


class Memory:
    def __init__(self, size: int) -> None:
        self.bytes = (ctypes.c_char * size)()
        self.ptr = ctypes.addressof(self.bytes)

    def copy_from_host(self, pointer: ctypes.c_void_p, size: int) -> None:
        ctypes.memmove(self.ptr, pointer, size)

    def copy_to_host(self, pointer: ctypes.c_void_p, size: int) -> None:
        ctypes.memmove(pointer, self.ptr, size)


class Event:
    def record(self) -> None:
        self.at = time.perf_counter()

    def synchronize(self) -> None:
        pass


def _floats(address: np.uint64, count: int) -> Any:
    return np.ctypeslib.as_array((ctypes.c_float * count).from_address(int(address)))


class RawModule:
    def __init__(self, path: str) -> None:
        self.behaviour = Path(path).read_text()

    def get_function(self, symbol: str) -> Any:
        assert symbol == "matmulTiled"
        return self.launch

    def launch(self, grid: Any, block: Any, arguments: Any) -> None:
        m, n, k = map(int, arguments[3:])
        assert (grid, block) == ((-(-n // 16), -(-m // 16)), (16, 16))
        a, b = _floats(arguments[0], m * k), _floats(arguments[1], k * n)
        c = _floats(arguments[2], m * n + 1)
        product = (a.reshape(m, k) @ b.reshape(k, n)).reshape(-1)
        if self.behaviour == "never-ends":
            time.sleep(1000)
        if self.behaviour == "illegal":
            raise CUDARuntimeError("an illegal memory access was encountered")
        if self.behaviour == "crashes" and k > 16:
            ctypes.string_at(0)
        if self.behaviour != "nothing":
            c[: m * n] = product
        if self.behaviour == "ragged" and k % 16:
            c[0] += 1
        if self.behaviour == "overflows":
            c[m * n] = 1
        if self.behaviour == "clears-a":
            a[0] = 0
        if self.behaviour == "coarse":
            c[: m * n] = np.round(product)
        if self.behaviour == "prints":
            print('{"right": true}')


cuda = SimpleNamespace(
    runtime=SimpleNamespace(
        getDeviceProperties=lambda _: {"name": b"A card of paper", "major": 9, "minor": 0},
        deviceSynchronize=lambda: None,
        CUDARuntimeError=CUDARuntimeError,
    ),
    alloc=Memory,
    Event=Event,
    get_elapsed_time=lambda start, stop: (stop.at - start.at) * 1000,
)
