"""What differs between two stamps, as rows for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from course.stamp import Stamp


class Change(NamedTuple):
    what: str
    old: str
    new: str


_FACTS = {
    "card": "gpu.name",
    "compute capability": "gpu.compute_capability",
    "memory (MiB)": "gpu.memory_mib",
    "driver": "gpu.driver",
    "CUDA toolkit": "cuda.toolkit",
    "nvcc": "cuda.nvcc",
    "CUDA runtime": "cuda.runtime",
    "CUDA of the driver": "cuda.driver_supports",
    "operating system": "host.os",
    "CPU": "host.cpu",
    "SM clock after (MHz)": "after.sm_clock_mhz",
    "memory clock after (MHz)": "after.memory_clock_mhz",
    "temperature after (°C)": "after.temperature_c",
    "power after (W)": "after.power_w",
    "build": "build",
}


def changes(old: Stamp, new: Stamp) -> Iterator[Change]:
    """What the two stamps say differently; what one does not know is `not known`."""
    for what, path in _FACTS.items():
        here, there = _fact(old, path), _fact(new, path)
        if here != there:
            yield Change(what, here, there)
    one, other = old.gpu.uuid_sha256, new.gpu.uuid_sha256
    if one and other and one != other and old.gpu.name == new.gpu.name:
        yield Change("the card itself", "one", "another of the same model")


def _fact(stamp: Stamp, path: str) -> str:
    value: object = stamp
    for name in path.split("."):
        value = getattr(value, name, None)
    return "not known" if value is None else str(value)
