"""How long the harness takes on this machine: the whole ladder, step by step.

    python tests/bench/bench_harness.py [FILE.cu ...] [--times 3]

By default the shipped kernel, which is to take less than 30 s on two cores, a broken one and the
starter. The clock and the processors' seconds, of which other work on the machine changes less.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

from course.harness import grade

ROOT = Path(__file__).parents[2]
FILES = [
    ROOT / "code/day16-tiled-matmul/tiled_matmul.cu",
    ROOT / "code/day16-tiled-matmul/starter.cu",
    ROOT / "tests/gallery/guarded-load-without-else.cu",
]


def used() -> float:
    """Processor seconds of the children that have ended, the compiler's among them."""
    both = resource.getrusage(resource.RUSAGE_CHILDREN), resource.getrusage(resource.RUSAGE_SELF)
    return sum(part.ru_utime + part.ru_stime for part in both)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=Path, default=FILES)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    for file in options.files:
        for number in range(options.times):
            started, before = time.monotonic(), used()
            report = grade(file, device="cpu", seed=number * 1000)
            seconds, processor = time.monotonic() - started, used() - before
            print(
                f"{file.name:<36} {report.verdict:<6} {len(report.cases):3} cases "
                f"{seconds:6.1f} s, {processor:6.1f} s of processors"
            )


if __name__ == "__main__":
    main()
