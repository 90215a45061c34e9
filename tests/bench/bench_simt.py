"""How long the CPU check takes, and what its peers take, on this machine, in one go.

    python tests/bench/bench_simt.py [--case 611,613,617] [--peers-case 160,160,160] [--full]
                                     [--times 5] [--json FILE]

Both shipped kernels, every element compared. Of `--times` runs the best by the clock, and the mean
of the processors' seconds, which other work on the machine hardly changes; its load is kept too.
Peers are run if they are found: PoCL (no checks) at the whole case, Oclgrind once at
`--peers-case`, and scaled by M·N·K unless `--full` runs it at the case. Then the CPU check at
several sizes: what a product of two floats takes is to stay the same.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from course.simt import Case, Compiler, Program, Run, ensure_caught, trace
from course.simt.engine import processors

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "code/day16-tiled-matmul/tiled_matmul.cu"
KERNELS = ("matmulNaive", "matmulTiled")
OCLGRIND_CHECKS = ("--data-races", "--uninitialized")
GROWTH = (Case(160, 160, 160), Case(320, 320, 320), Case(611, 613, 617), Case(800, 800, 800))


class Time(NamedTuple):
    """Seconds of one kernel by the clock, and of all processors together."""

    clock: float
    processor: float

    def __mul__(self, factor: float) -> Time:  # type: ignore[override]
        return Time(self.clock * factor, self.processor * factor)


@dataclass(frozen=True)
class Row:
    """Both kernels. A row that was scaled was measured at `case` all the same."""

    tool: str
    what: str
    naive: Time
    tiled: Time
    case: str
    scaled_by: float = 1

    def __str__(self) -> str:
        note = self.case if self.scaled_by == 1 else f"{self.case}, times {self.scaled_by:.1f}"
        both = [sum(pair) for pair in zip(self.naive, self.tiled, strict=True)]
        times = f"{self.naive.clock:>10.3f} {self.tiled.clock:>10.3f} {both[0]:>9.3f}"
        return f"{self.tool:<28} {self.what:<42} {times} {both[1]:>10.3f}  {note}"


def ours(case: Case, times: int) -> Iterator[Row]:
    ensure_caught()
    for watch, what in ((True, "every access watched"), (False, "unwatched")):
        naive, tiled = (best(kernel, case, watch, times) for kernel in KERNELS)
        yield Row("CPU check", what, naive, tiled, str(case))
    whole = []
    for kernel in KERNELS:
        started, used = time.perf_counter(), used_by_children()
        assert trace(SOURCE, kernel, case).clean
        whole.append(Time(time.perf_counter() - started, used_by_children() - used))
    what = "whole command: compile, control, probes"
    yield Row("CPU check", what, whole[0], whole[1], str(case))


def best(kernel: str, case: Case, watch: bool, times: int) -> Time:
    """The reference product and the inputs count as processors' time, not by the clock."""
    with Program(SOURCE, kernel) as program:
        program.built(watched=watch)
        used = used_by_children()
        reports = program.run([Run(case, watch=watch)] * times)
        used = used_by_children() - used
    assert all(report.correct for report in reports)
    return Time(min(report.seconds for report in reports), used / times)


def used_by_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def peer(
    binary: Path, before: list[str], case: Case, env: dict[str, str]
) -> tuple[str, Time, Time]:
    done = subprocess.run(
        [*before, str(binary), str(case.m), str(case.n), str(case.k)],
        capture_output=True,
        text=True,
        env=env,
    )
    if done.returncode:
        raise RuntimeError(f"{before or binary} failed ({done.returncode}): {done.stderr[-300:]}")
    name, *times = done.stdout.strip().splitlines()[-1].split(" | ")
    naive, tiled = (Time(*map(float, text.split())) for text in times)
    return name, naive, tiled


def peers(case: Case, small: Case, times: int) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "opencl_peer"
        build = [Compiler.find().command, "-O2", str(Path(__file__).parent / "opencl_peer.cpp")]
        if subprocess.run([*build, "-o", str(binary), "-lOpenCL"], capture_output=True).returncode:
            print("no OpenCL headers or loader: peers are left out")
            return
        env = {"PATH": "/usr/bin:/bin", "HOME": folder}
        try:
            runs = [peer(binary, [], case, env) for _ in range(times)]
            naive, tiled = best_of([run[1] for run in runs]), best_of([run[2] for run in runs])
            name = "PoCL" if runs[0][0].startswith("Portable Computing") else runs[0][0]
            yield Row(name, "no checks", naive, tiled, str(case))
        except (RuntimeError, ValueError) as error:
            print(f"no OpenCL platform: {error}")
        oclgrind = shutil.which("oclgrind")
        if oclgrind is None:
            print("no oclgrind: left out")
            return
        scale = case.work / small.work
        for checks in ((), OCLGRIND_CHECKS):
            _, naive, tiled = peer(binary, [oclgrind, *checks], small, env)
            what = "data races, uninitialised" if checks else "its default checks"
            yield Row("Oclgrind", what, naive * scale, tiled * scale, str(small), scale)


def best_of(times: list[Time]) -> Time:
    return Time(min(t.clock for t in times), sum(t.processor for t in times) / len(times))


def growth(times: int) -> Iterator[dict[str, Any]]:
    for case in GROWTH:
        found = [best(kernel, case, True, times) for kernel in KERNELS]
        clock, processor = (sum(part) for part in zip(*found, strict=True))
        each = 1e9 * processor / (2 * case.work)
        yield {
            "case": str(case),
            "clock": round(clock, 3),
            "processor": round(processor, 3),
            "ns_a_product": round(each, 2),
        }


def kept_row(row: Row) -> dict[str, Any]:
    """Times to the digits that they are good for."""
    fields: dict[str, Any] = asdict(row)
    for name in ("naive", "tiled"):
        fields[name] = [float(f"{seconds:.4g}") for seconds in getattr(row, name)]
    return fields | {"scaled_by": round(row.scaled_by, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", type=Case.parse, default=Case(611, 613, 617))
    parser.add_argument("--peers-case", type=Case.parse, default=Case(160, 160, 160))
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    load = [round(os.getloadavg()[0], 1)]
    machine = f"{platform.machine()}, {processors()} processors"
    print(f"{machine}, {Compiler.find().version}; load {load[0]}\n")
    heads = f"{'naive (s)':>10} {'tiled (s)':>10} {'both (s)':>9} {'cpu (s)':>10}"
    print(f"{'tool':<28} {'what':<42} {heads}  case")
    small = options.case if options.full else options.peers_case
    rows = []
    for part in (ours(options.case, options.times), peers(options.case, small, options.times)):
        for row in part:
            rows.append(row)
            print(row, flush=True)
    print("\nevery access watched, both kernels, by size")
    sizes = []
    for size in growth(options.times):
        sizes.append(size)
        time_, each = f"{size['clock']:>9.3f} s", f"{size['ns_a_product']:>7.2f} ns a product"
        print(f"  {size['case']:<14} {time_} {each}")
    load.append(round(os.getloadavg()[0], 1))
    largest = round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
    print(f"\nlargest child: {largest:,} MB; load {load[0]} before, {load[1]} after")
    if options.json:
        kept = {
            "machine": machine,
            "compiler": Compiler.find().version,
            "load": load,
            "best_of": options.times,
            "case": str(options.case),
            "rows": [kept_row(row) for row in rows],
            "growth": sizes,
            "largest_child_mb": largest,
        }
        options.json.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
