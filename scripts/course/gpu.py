"""The card that a capture measures on: what NVML says of it, or CuPy where there is no NVML."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.errors import CourseError
from course.stamp import Gpu, GpuState

_NO_GPU = "capture on a machine with an NVIDIA GPU and its driver; no GPU, no evidence"

# The bits of the clocks event reasons, by NVML's header; a bit unknown here shows as its number.
_REASONS = {
    0x001: "gpu idle",
    0x002: "applications clocks setting",
    0x004: "software power cap",
    0x008: "hardware slowdown",
    0x010: "sync boost",
    0x020: "software thermal slowdown",
    0x040: "hardware thermal slowdown",
    0x080: "hardware power brake",
    0x100: "display clocks setting",
}


@dataclass(frozen=True)
class Card:
    """One card. `identity` is its UUID (it stays on this machine), `driver_supports` a CUDA
    version, `environment` what makes the card device 0 of a process, `state` reads its sensors."""

    facts: Gpu
    identity: str
    driver_supports: str | None
    environment: Mapping[str, str]
    state: Callable[[], GpuState | None]


def probe() -> Card:
    """The card that CUDA_VISIBLE_DEVICES names first, else the first in PCI bus order.

    Raises CourseError `no-gpu`.
    """
    try:
        import pynvml

        pynvml.nvmlInit()
    except ImportError:
        reason = "NVML is not installed (nvidia-ml-py)"
    except pynvml.NVMLError as error:
        reason = f"NVML does not start ({error})"
    else:
        return _through_nvml(pynvml)
    card = _through_cupy()
    if card is None:
        raise CourseError("no-gpu", f"no GPU: {reason}, and CuPy finds none", fix=_NO_GPU)
    return card


def _through_nvml(nvml: Any) -> Card:
    handle = _first_visible(nvml, os.environ.get("CUDA_VISIBLE_DEVICES"))
    ask = _asker(nvml.NVMLError)
    identity = str(nvml.nvmlDeviceGetUUID(handle))
    capability = ask(lambda: nvml.nvmlDeviceGetCudaComputeCapability(handle))
    memory = ask(lambda: nvml.nvmlDeviceGetMemoryInfo(handle))
    facts = Gpu(
        name=str(nvml.nvmlDeviceGetName(handle)),
        compute_capability=None if capability is None else "{}.{}".format(*capability),
        memory_mib=None if memory is None else int(memory.total) // 2**20,
        uuid_sha256=hashlib.sha256(identity.encode()).hexdigest(),
        driver=ask(lambda: str(nvml.nvmlSystemGetDriverVersion())),
    )
    supports = ask(lambda: _version(nvml.nvmlSystemGetCudaDriverVersion_v2()))
    environment = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": identity}
    return Card(facts, identity, supports, environment, lambda: _nvml_state(nvml, handle))


def _first_visible(nvml: Any, setting: str | None) -> Any:
    """The handle of CUDA's device 0; numbers count in PCI bus order, as NVML's do."""
    first = "0" if setting is None else setting.split(",")[0].strip()
    handles = []
    for index in range(nvml.nvmlDeviceGetCount()):
        with contextlib.suppress(nvml.NVMLError):  # a card that this process may not open
            handles.append(nvml.nvmlDeviceGetHandleByIndex(index))
    if first.isascii() and first.isdigit():
        found = handles[int(first) :][:1]
    elif first.startswith("MIG-"):
        ask = _asker(nvml.NVMLError)
        found = [
            handle for handle in [ask(lambda: nvml.nvmlDeviceGetHandleByUUID(first))] if handle
        ]
    else:
        uuids = [(handle, str(nvml.nvmlDeviceGetUUID(handle))) for handle in handles]
        found = [h for h, name in uuids if first.startswith("GPU-") and name.startswith(first)]
    if len(found) != 1:
        shown = "" if setting is None else f" that CUDA_VISIBLE_DEVICES={setting} leaves visible"
        raise CourseError("no-gpu", f"no GPU{shown}: NVML lists {len(handles)}", fix=_NO_GPU)
    return found[0]


Ask = Callable[[Callable[[], Any]], Any]


def _asker(unsupported: type[Exception]) -> Ask:
    """A function that answers None where the card or the driver has no such sensor."""

    def ask(question: Callable[[], Any]) -> Any:
        try:
            return question()
        except (unsupported, AttributeError):
            return None

    return ask


def _nvml_state(nvml: Any, handle: Any) -> GpuState:
    ask = _asker(nvml.NVMLError)
    power = ask(lambda: nvml.nvmlDeviceGetPowerUsage(handle))
    mask = ask(lambda: nvml.nvmlDeviceGetCurrentClocksEventReasons(handle))
    if mask is None:  # the name before driver 535
        mask = ask(lambda: nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle))
    return GpuState(
        sm_clock_mhz=ask(lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM)),
        memory_clock_mhz=ask(lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM)),
        temperature_c=ask(lambda: nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU)),
        power_w=None if power is None else round(power / 1000, 1),
        throttle_reasons=None if mask is None else reason_names(mask),
    )


def reason_names(mask: int) -> tuple[str, ...]:
    """The names of the bits of NVML's clocks event reasons."""
    bits = [1 << at for at in range(mask.bit_length()) if mask >> at & 1]
    return tuple(_REASONS.get(bit, f"0x{bit:x}") for bit in bits)


def _version(number: int) -> str:
    """CUDA's number of a version, such as 13000, as `13.0`."""
    return f"{number // 1000}.{number % 1000 // 10}"


def _through_cupy() -> Card | None:
    """Device 0 as the CUDA runtime sees it (a Jetson has no NVML): no driver, no sensors."""
    try:
        import cupy

        facts = cupy.cuda.runtime.getDeviceProperties(0)
        supports = _version(cupy.cuda.runtime.driverGetVersion())
    except Exception:  # CuPy fails in as many ways as an installation can be broken
        return None
    identity = f"GPU-{uuid.UUID(bytes=bytes(facts['uuid']))}"
    card = Gpu(
        name=facts["name"].decode(),
        compute_capability=f"{facts['major']}.{facts['minor']}",
        memory_mib=facts["totalGlobalMem"] // 2**20,
        uuid_sha256=hashlib.sha256(identity.encode()).hexdigest(),
    )
    kept = ("CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES")  # device 0 here is device 0 there
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    return Card(card, identity, supports, environment, lambda: None)


@contextlib.contextmanager
def alone_on(card: Card, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the card for one capture of this user; a second one waits, saying so.

    Two captures at the same time would measure each other. The lock ends with the process.
    """
    key = hashlib.sha256(f"{card.identity} {os.getuid()}".encode()).hexdigest()[:16]
    path = Path(tempfile.gettempdir()) / f"course-gpu-{key}.lock"
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise CourseError("no-lock", f"cannot lock the GPU: {error.strerror}", path=path) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another capture measures on this {card.facts.name}; waiting until it ends")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
