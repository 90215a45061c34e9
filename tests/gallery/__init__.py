"""The gallery: broken kernels with one fault each, and right ones that look unusual."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent

Case = tuple[int, int, int]  # m, n, k: A is m x k, B is k x n


@dataclass(frozen=True, kw_only=True)
class Launch:
    """A kernel of a source file, and the block and grid that it is launched with."""

    name: str
    path: Path
    kernel: str = "matmulTiled"
    block: tuple[int, int] = (16, 16)
    tile: tuple[int, int] = (16, 16)  # columns and rows of C that one block makes
    shared: int = 0  # bytes of dynamic shared memory
    fixed_grid: tuple[int, int] | None = None

    def grid(self, case: Case) -> tuple[int, int]:
        if self.fixed_grid:
            return self.fixed_grid
        m, n, _ = case
        columns, rows = self.tile
        return -(-n // columns), -(-m // rows)


@dataclass(frozen=True, kw_only=True)
class Entry(Launch):
    """A kernel of the gallery and what is to be said of it; gallery.yml explains the fields."""

    cases: tuple[Case, ...]
    right_at: tuple[Case, ...]
    fault: str | None
    pitfall: str | None
    also: frozenset[str]
    note: str

    @property
    def is_right(self) -> bool:
        return self.fault is None and self.pitfall is None

    @property
    def fault_lines(self) -> tuple[int, ...]:
        lines = self.path.read_text().splitlines()
        return tuple(number for number, line in enumerate(lines, 1) if "// FAULT" in line)


def load() -> list[Entry]:
    entries: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "gallery.yml").read_text())
    return [_entry(name, fields) for name, fields in entries.items()]


def _entry(name: str, fields: dict[str, Any]) -> Entry:
    rest = dict(fields)
    x, y = rest.pop("block", (16, 16))
    columns, rows = rest.pop("tile", (x, y))
    return Entry(
        name=name,
        path=HERE / rest.pop("file", f"{name}.cu"),
        kernel=rest.pop("kernel", "matmulTiled"),
        block=(x, y),
        shared=rest.pop("shared", 0),
        tile=(columns, rows),
        fixed_grid=tuple(rest.pop("grid")) if "grid" in rest else None,
        cases=tuple((m, n, k) for m, n, k in rest.pop("cases")),
        right_at=tuple((m, n, k) for m, n, k in rest.pop("right_at", ())),
        also=frozenset(rest.pop("also", ())),
        **rest,
    )
