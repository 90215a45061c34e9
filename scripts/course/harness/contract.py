"""What the harness promises, as constants: the reference page renders these very values."""

from __future__ import annotations

from dataclasses import dataclass

KERNEL = "matmulTiled"
SIGNATURE = "(const float* a, const float* b, float* c, size_t m, size_t n, size_t k)"
LESSON = "/day16-tiled-matmul/"
TILE = 16
BLOCK = (TILE, TILE)
BUDGET = 72  # global reads a thread at TRAFFIC_N
TRAFFIC_N = 512
ANSWER_MARK = "// ANSWER:"
LONGEST_ANSWER = 400

PASSED, NOT_PASSED, NOT_JUDGED = 0, 1, 2  # exit statuses


@dataclass(frozen=True)
class Pitfall:
    """A fault that the lesson has a name for. Advice does not keep a kernel from passing."""

    name: str
    means: str
    seen_by: str
    advice: bool = False


PITFALLS = {
    pitfall.name: pitfall
    for pitfall in (
        Pitfall(
            "guarded-load-without-else",
            "off the edge a tile's cell keeps an old value, or none",
            "a cell of an earlier step, or one never written, is multiplied in",
        ),
        Pitfall(
            "barrier-in-branch",
            "only a part of the block reaches a barrier",
            "threads of one block that stand at different barriers, or have left",
        ),
        Pitfall(
            "missing-barrier-after-load",
            "a cell may be read before it is filled",
            "a write and a read of one cell with no barrier between, the write first in the step",
        ),
        Pitfall(
            "missing-barrier-after-compute",
            "a cell may be overwritten before all have read it",
            "a read and a write of one cell with no barrier between, the write of the next step",
        ),
        Pitfall(
            "out-of-bounds-load",
            "a load reads past A or B",
            "a read outside the buffer, also inside its guard band",
        ),
        Pitfall(
            "out-of-bounds-store",
            "a store writes past C, or into an input",
            "a write outside C, also inside its guard band",
        ),
        Pitfall(
            "wrong-axis-guard",
            "a guard tests an index against the size of another axis",
            "squares of whole tiles are right, other cases are not, and a guard mixes axes",
        ),
        Pitfall(
            "tile-count-rounded-down",
            "the loop over K leaves out the last step",
            "wrong sums only where K is not a multiple of the tile, and K divided rounding down",
        ),
        Pitfall(
            "grid-rounded-down",
            "the launch in main leaves out the edge of C",
            "the file's own main is run, and its launch does not cover C",
        ),
        Pitfall(
            "no-shared-memory",
            "right, but the loads did not fall",
            f"more than {BUDGET} reads a thread, and shared memory never read",
        ),
        Pitfall(
            "uninitialized-accumulator",
            "the sum starts without a value",
            "wrong sums, and a value that is used before it is set",
        ),
        Pitfall(
            "bank-conflicts",
            "lanes of a warp queue at one bank of shared memory",
            "extra passes of shared memory",
            advice=True,
        ),
        Pitfall(
            "uncoalesced",
            "lanes side by side load from rows apart",
            "more 32-byte sectors a request than lanes side by side need",
            advice=True,
        ),
    )
}


def link(pitfall: str) -> str:
    """Where the lesson tells cause and cure."""
    return f"{LESSON}#{pitfall}"
