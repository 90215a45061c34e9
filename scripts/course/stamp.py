"""The stamp at the head of a log: what was run, where, and what came of it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import pydantic

from course.files import Data

Sha256 = Annotated[str, pydantic.StringConstraints(pattern=r"^[0-9a-f]{64}$")]
INSTANT = "%Y-%m-%dT%H:%M:%SZ"


def _instant(text: str) -> str:
    if datetime.strptime(text, INSTANT).strftime(INSTANT) != text:
        raise ValueError(f"not a time such as 2026-11-30T00:35:59Z: {text!r}")
    return text


def _printable(text: str) -> str:
    if not (text.strip() and text.isprintable()):
        raise ValueError("a name is empty or does not print")
    return text


Instant = Annotated[str, pydantic.AfterValidator(_instant)]
Version = Annotated[str, pydantic.StringConstraints(pattern=r"^[0-9]+(\.[0-9]+)*$")]


class Gpu(Data):
    name: Annotated[str, pydantic.AfterValidator(_printable)]
    compute_capability: str | None = None
    memory_mib: int | None = None
    uuid_sha256: Sha256 | None = None
    driver: str | None = None


class Cuda(Data):
    """Versions: toolkit and nvcc, the runtime that the binary links, the driver's limit."""

    toolkit: Version
    nvcc: str | None = None
    runtime: str | None = None
    driver_supports: str | None = None


class Host(Data):
    os: str
    cpu: str


class GpuState(Data):
    """What the card said of itself at one moment; a sensor it lacks is missing."""

    sm_clock_mhz: int | None = None
    memory_clock_mhz: int | None = None
    temperature_c: int | None = None
    power_w: float | None = None
    throttle_reasons: tuple[str, ...] | None = None


class SourceHash(Data):
    """`tokens_sha256` hashes the C++ tokens, so that a comment or an indent does not change it."""

    path: str
    sha256: Sha256
    tokens_sha256: Sha256


class Git(Data):
    commit: str | None = None
    dirty: bool | None = None


class Run(Data):
    """One process of the program. `bytes` and `sha256` are of its output."""

    bytes: int = pydantic.Field(ge=0)
    sha256: Sha256
    exit_status: int | None = None
    seconds: float | None = None


class Stamp(Data):
    """The head of a log. What an imported record does not know is missing."""

    schema_: Annotated[int, pydantic.Field(alias="schema")]
    kind: Literal["capture", "imported"]
    program: str
    time: Instant
    told_by: str | None = None
    rejected: str | None = None
    gpu: Gpu
    cuda: Cuda | None = None
    host: Host | None = None
    before: GpuState | None = None
    after: GpuState | None = None
    build: str | None = None
    run: str | None = None
    sources: tuple[SourceHash, ...] = ()
    binary_sha256: Sha256 | None = None
    git: Git | None = None
    verdict: str | None = None
    published_run: int | None = None
    runs: tuple[Run, ...] = ()
    seal: Sha256 | None = None

    @pydantic.model_validator(mode="after")
    def _complete(self) -> Stamp:
        if self.kind == "imported" and not self.told_by:
            raise ValueError("an imported record must say who told it (`told_by`)")
        if self.kind == "capture" and self.rejected is None:
            needed = ("cuda", "host", "build", "run", "sources", "binary_sha256", "verdict")
            missing = [name for name in needed if not getattr(self, name)]
            if any(run.exit_status is None for run in self.runs):
                missing.append("exit_status")
            if missing:
                raise ValueError(f"a capture's stamp lacks {', '.join(missing)}")
        if self.rejected is None and not 1 <= (self.published_run or 0) <= len(self.runs):
            raise ValueError(f"published_run must be one of the {len(self.runs)} runs")
        return self
