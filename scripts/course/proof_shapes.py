"""What each kept result of the proof must hold, so that no page meets one that lacks a part."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import pydantic

from course.errors import CourseError
from course.files import first_fault


class _Shape(pydantic.BaseModel):
    """What is read of a result; it may hold more."""

    model_config = pydantic.ConfigDict(strict=True)


_Count = Annotated[list[int], pydantic.Field(min_length=2, max_length=2)]
_Seconds = Annotated[list[pydantic.PositiveFloat], pydantic.Field(min_length=2, max_length=2)]


class _Machine(_Shape):
    gpu: str
    nvcc: str
    ncu: str
    sanitizer: str = pydantic.Field(alias="compute-sanitizer")


class _Hashed(_Shape):
    file: str
    sha256: str


class _Counters(_Shape):
    machine: _Machine
    rows: list[_Hashed]


class _Compared(_Shape):
    name: str
    file: str
    case: list[int]
    global_load_requests: _Count
    global_load_sectors: _Count
    global_store_requests: _Count
    global_store_sectors: _Count


class _Told(_Shape):
    reports: bool
    lines: list[int]


class _Sanitized(_Hashed):
    plain: list[dict[str, Any]]
    memcheck: list[_Told]
    racecheck: list[_Told]
    initcheck: list[_Told]
    synccheck: list[_Told]


class _Sanitizers(_Shape):
    machine: _Machine
    matrix: dict[str, _Sanitized]


class _Twin(_Hashed):
    oclgrind: _Told | None


class _Oclgrind(_Shape):
    version: str
    matrix: dict[str, _Twin]


class _Said(_Shape):
    clean: bool
    says: dict[str, list[int]]


class _Own(_Hashed):
    fault: str | None
    pitfall: str | None
    fault_lines: list[int]
    cpu: _Said


class _Ours(_Shape):
    matrix: dict[str, _Own]


class _Timed(_Shape):
    tool: str
    what: str
    naive: _Seconds
    tiled: _Seconds
    case: str
    scaled_by: float


class _Grown(_Shape):
    case: str
    clock: float
    processor: float
    ns_a_product: float


class _Speed(_Shape):
    machine: str
    compiler: str
    load: Annotated[list[float], pydantic.Field(min_length=2, max_length=2)]
    best_of: int
    case: str
    rows: list[_Timed]
    growth: list[_Grown] = pydantic.Field(min_length=1)
    largest_child_mb: float

    @pydantic.field_validator("rows")
    @classmethod
    def _watched(cls, rows: list[_Timed]) -> list[_Timed]:
        if not any(row.what.startswith("every access") for row in rows):
            raise ValueError("no row of the CPU check, `every access`")
        return rows


class _Judged(_Shape):
    cases: int
    failing: list[Any]


class _Report(_Shape):
    verdict: str
    diagnosis: list[dict[str, Any]]
    cases: int | None = None
    wrong: int | None = None
    error: str | None = None


class _Subject(_Hashed):
    """One that the harness did not judge is not shown, and may lack the card's answer too."""

    name: str
    report: _Report | None = None
    card: _Judged | None = None

    @pydantic.model_validator(mode="after")
    def _judged_by_both(self) -> _Subject:
        if self.report is not None and self.card is None:
            raise ValueError(f"{self.name} has a report and no answer of the card")
        return self


class _Submissions(_Shape):
    card: str
    subjects: list[_Subject]


class _Asked(_Shape):
    page: str
    form: str
    scores: dict[str, float]
    least: dict[str, float]
    first_paint_ms: float
    largest_paint_ms: float
    blocking_ms: float
    layout_shift: float

    @pydantic.model_validator(mode="after")
    def _least_of_each(self) -> _Asked:
        if set(self.scores) != set(self.least):
            raise ValueError("`scores` and `least` are not of the same things")
        return self


class _Lighthouse(_Shape):
    lighthouse: str
    browser: str
    date: str
    commit: str
    runs: int
    rows: list[_Asked]


_SHAPES: Mapping[str, pydantic.TypeAdapter[Any]] = {
    "counters": pydantic.TypeAdapter(_Counters),
    "comparison": pydantic.TypeAdapter(list[_Compared]),
    "sanitizers": pydantic.TypeAdapter(_Sanitizers),
    "oclgrind": pydantic.TypeAdapter(_Oclgrind),
    "ours": pydantic.TypeAdapter(_Ours),
    "speed": pydantic.TypeAdapter(_Speed),
    "submissions": pydantic.TypeAdapter(_Submissions),
    "lighthouse": pydantic.TypeAdapter(_Lighthouse),
}


def require_shape(name: str, data: Any, path: Path) -> None:
    """Raises CourseError `bad-proof` for a result that lacks what is read of it."""
    try:
        _SHAPES[name].validate_python(data)
    except pydantic.ValidationError as error:
        raise CourseError("bad-proof", first_fault(error), path=path) from error


def require_agreement(data: Mapping[str, Any], paths: Mapping[str, Path]) -> None:
    """Raises CourseError `bad-proof` for results that are not about the same things."""
    counted, compared = len(data["counters"]["rows"]), len(data["comparison"])
    if counted != compared:
        message = f"{counted} rows, where the comparison has {compared}"
        raise CourseError("bad-proof", message, path=paths["counters"])
    for name in ("sanitizers", "oclgrind"):
        missing = [
            kernel for kernel in data["ours"]["matrix"] if kernel not in data[name]["matrix"]
        ]
        if missing:
            message = f"lacks the kernel {missing[0]}, which the CPU check has"
            raise CourseError("bad-proof", message, path=paths[name])
