"""How long the CPU check takes, and what its peers take, on this machine, in one go.

    python tests/bench/bench_simt.py [--case 611,613,617] [--peers-case 160,160,160] [--full]

Both shipped kernels, every element compared. Peers are run if they are found: PoCL (no checks) at
the whole case, Oclgrind at `--peers-case`, and scaled by M·N·K unless `--full` runs it at the case.
"""

from __future__ import annotations

import argparse
import platform
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from course.simt import Case, Compiler, Program, Run, ensure_caught, trace
from course.simt.engine import processors

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "code/day16-tiled-matmul/tiled_matmul.cu"
KERNELS = ("matmulNaive", "matmulTiled")
OCLGRIND_CHECKS = ("--data-races", "--uninitialized")
Row = tuple[str, str, float, float, str]


def ours(case: Case, times: int) -> Iterator[Row]:
    ensure_caught()
    for watch, what in ((True, "every access watched"), (False, "unwatched")):
        seconds = []
        for kernel in KERNELS:
            with Program(SOURCE, kernel) as program:
                runs = [Run(case, watch=watch)] * times
                reports = program.run(runs)
                assert all(r.correct for r in reports)
                seconds.append(statistics.median(r.seconds for r in reports))
        yield "CPU check", what, seconds[0], seconds[1], f"{case}"
    started = time.perf_counter()
    whole = []
    for kernel in KERNELS:
        assert trace(SOURCE, kernel, case).clean
        whole.append(time.perf_counter() - started)
        started = time.perf_counter()
    yield "CPU check", "whole command: compile, control, probes", whole[0], whole[1], f"{case}"


def peer(
    binary: Path, before: list[str], case: Case, env: dict[str, str]
) -> tuple[str, float, float]:
    done = subprocess.run(
        [*before, str(binary), str(case.m), str(case.n), str(case.k)],
        capture_output=True,
        text=True,
        env=env,
    )
    if done.returncode:
        raise RuntimeError(f"{before or binary} failed ({done.returncode}): {done.stderr[-300:]}")
    name, naive, tiled = done.stdout.strip().splitlines()[-1].split(" | ")
    return name, float(naive), float(tiled)


def peers(case: Case, small: Case) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "opencl_peer"
        build = [Compiler.find().command, "-O2", str(Path(__file__).parent / "opencl_peer.cpp")]
        if subprocess.run([*build, "-o", str(binary), "-lOpenCL"], capture_output=True).returncode:
            print("no OpenCL headers or loader: peers are left out")
            return
        env = {"PATH": "/usr/bin:/bin", "HOME": folder}
        try:
            name, naive, tiled = peer(binary, [], case, env)
            yield name, "no checks", naive, tiled, f"{case}"
        except (RuntimeError, ValueError) as error:
            print(f"no OpenCL platform: {error}")
        oclgrind = shutil.which("oclgrind")
        if oclgrind is None:
            print("no oclgrind: left out")
            return
        scale = case.work / small.work
        note = f"{case}" if scale == 1 else f"{small}, times {scale:.1f}"
        for checks in ((), OCLGRIND_CHECKS):
            _, naive, tiled = peer(binary, [oclgrind, *checks], small, env)
            what = "data races, uninitialised" if checks else "its default checks"
            yield "Oclgrind", what, naive * scale, tiled * scale, note


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", type=Case.parse, default=Case(611, 613, 617))
    parser.add_argument("--peers-case", type=Case.parse, default=Case(160, 160, 160))
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    print(f"{platform.machine()}, {processors()} processors, {Compiler.find().version}\n")
    print(f"{'tool':<28} {'what':<42} {'naive (s)':>10} {'tiled (s)':>10} {'both (s)':>9}  case")
    small = options.case if options.full else options.peers_case
    for rows in (ours(options.case, options.times), peers(options.case, small)):
        for tool, what, naive, tiled, note in rows:
            both = naive + tiled
            print(f"{tool:<28} {what:<42} {naive:>10.3f} {tiled:>10.3f} {both:>9.3f}  {note}")
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"\nlargest child: {largest:,.0f} MB")


if __name__ == "__main__":
    main()
