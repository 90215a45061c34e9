"""A stand-in for NVML with the cards that FAKE_CARDS names: `uuid|name|capability`, `;` between.

`FAKE_SENSORS=none` is a card without sensors, `FAKE_SENSORS=old` a driver without the new names.
`FAKE_REASONS` names a file that holds the clocks event reasons, as a number.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 1, 2, 0


class NVMLError(Exception):
    pass


def _cards() -> list[list[str]]:
    return [card.split("|") for card in os.environ.get("FAKE_CARDS", "").split(";") if card]


def _sensor(value: object) -> object:
    if os.environ.get("FAKE_SENSORS") == "none":
        raise NVMLError("Not Supported")
    return value


def nvmlInit() -> None:  # noqa: N802
    if not _cards():
        raise NVMLError("Driver Not Loaded")


def nvmlDeviceGetCount() -> int:  # noqa: N802
    return len(_cards())


def nvmlDeviceGetHandleByIndex(index: int) -> list[str]:  # noqa: N802
    card = _cards()[index]
    if card[1] == "forbidden":
        raise NVMLError("Insufficient Permissions")
    return card


def nvmlDeviceGetHandleByUUID(uuid: str) -> list[str]:  # noqa: N802
    for card in _cards():
        if card[0] == uuid:
            return card
    raise NVMLError("Not Found")


def nvmlDeviceGetUUID(card: list[str]) -> str:  # noqa: N802
    return card[0]


def nvmlDeviceGetName(card: list[str]) -> str:  # noqa: N802
    return card[1]


def nvmlDeviceGetCudaComputeCapability(card: list[str]) -> tuple[int, int]:  # noqa: N802
    major, _, minor = card[2].partition(".")
    return int(major), int(minor)


def nvmlDeviceGetMemoryInfo(card: list[str]) -> SimpleNamespace:  # noqa: N802
    return SimpleNamespace(total=15360 * 2**20)


def nvmlSystemGetDriverVersion() -> str:  # noqa: N802
    return "580.1"


def nvmlSystemGetCudaDriverVersion_v2() -> int:  # noqa: N802
    return 13010


def nvmlDeviceGetClockInfo(card: list[str], clock: int) -> object:  # noqa: N802
    return _sensor({NVML_CLOCK_SM: 1590, NVML_CLOCK_MEM: 5001}[clock])


def nvmlDeviceGetTemperature(card: list[str], sensor: int) -> object:  # noqa: N802
    return _sensor(41)


def nvmlDeviceGetPowerUsage(card: list[str]) -> object:  # noqa: N802
    return _sensor(30123)


def nvmlDeviceGetCurrentClocksThrottleReasons(card: list[str]) -> object:  # noqa: N802
    return _sensor(0x24)


if os.environ.get("FAKE_SENSORS") != "old":

    def nvmlDeviceGetCurrentClocksEventReasons(card: list[str]) -> object:  # noqa: N802
        path = os.environ.get("FAKE_REASONS")
        return _sensor(int(Path(path).read_text(), 0) if path else 0x205)
