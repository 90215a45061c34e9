"""What to run: a case, a launch, and how closely to look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from course.errors import CourseError
from course.program import Case
from course.simt.report import checked

Fill = Literal["integers", "infinite-a", "infinite-b", "floats"]
Order = Literal["mixed", "forward", "reverse", "random"]
FILLS: tuple[Fill, ...] = ("integers", "infinite-a", "infinite-b", "floats")
ORDERS: tuple[Order, ...] = ("mixed", "forward", "reverse", "random")
DEFAULT_SHARED = 48 * 1024
MAX_SHARED = 227 * 1024
MAX_BLOCKS = 10_000_000
MAX_WORKERS = 16  # each takes about 140 MB of the 7 GB of address space that the runner has
Size = tuple[int, int]


@dataclass(frozen=True)
class Run:
    """One run of the kernel.

    `tile` is what one block makes of C, columns by rows, and defaults to the block; the grid
    follows from it, rounded up on both axes, unless it is given. `shared_bytes` is the launch's
    dynamic shared memory. An unwatched run only compares C, and is much faster.
    """

    case: Case
    block: Size = (16, 16)
    grid: Size | None = None
    tile: Size | None = None
    shared_bytes: int | None = None
    seed: int = 0
    watch: bool = True
    watch_stale: bool = False
    fill: Fill = "integers"
    order: Order = "mixed"
    seconds: float | None = None  # limit of processor time on each worker

    @property
    def launched(self) -> Size:
        """The grid."""
        if self.grid is not None:
            return self.grid
        columns, rows = self.tile or self.block
        return -(-self.case.n // columns), -(-self.case.m // rows)

    @property
    def limit(self) -> float:
        if self.seconds is not None:
            return self.seconds
        return 3 + self.case.work * (80e-9 if self.watch else 20e-9)

    def checked(self) -> Run:
        checked(self.case)
        x, y = self.block
        if min(x, y) < 1 or x * y > 1024:
            raise CourseError(
                "block",
                f"a block of {x}x{y} threads: a block has 1 to 1024",
                fix="give --block X,Y",
            )
        columns, rows = self.launched
        if min(columns, rows) < 1 or columns > 2**31 - 1 or rows > 65535:
            raise CourseError(
                "grid",
                f"a grid of {columns}x{rows} blocks: it has at least 1, and at most 65535 rows",
                fix="give --grid X,Y",
            )
        if columns * rows > MAX_BLOCKS:
            raise CourseError(
                "grid",
                f"a grid of {columns}x{rows} is {columns * rows:,} blocks; the CPU check runs at "
                f"most {MAX_BLOCKS:,}",
                fix="give a smaller --grid, or use larger blocks",
            )
        if not 0 <= (self.shared_bytes or 0) <= MAX_SHARED:
            raise CourseError(
                "shared",
                f"{self.shared_bytes:,} bytes of dynamic shared memory: a block has 0 to "
                f"{MAX_SHARED:,}",
                fix="use smaller tiles",
            )
        return self

    def request(self, number: int) -> str:
        c, (gx, gy) = self.case, self.launched
        shared = DEFAULT_SHARED if self.shared_bytes is None else self.shared_bytes
        return (
            f"{number} {c.m} {c.n} {c.k} {self.block[0]} {self.block[1]} {gx} {gy} {shared} "
            f"{self.seed} {int(self.watch)} {int(self.watch_stale)} {FILLS.index(self.fill)} "
            f"{ORDERS.index(self.order)} {self.limit:.3f}"
        )
