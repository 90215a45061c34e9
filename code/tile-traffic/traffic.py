"""What the tile sweep's kernels ask of global memory, L2 and DRAM, by the hardware's counters.

Runs ../tile-sweep's program under Nsight Compute (`ncu`), once a case, and prints a row for the
first launch of every kernel: the one that the program compares with its CPU reference.

    python3 traffic.py [--cases 1024x1024x1024,1021x1031x1033]
"""

import csv
import re
import subprocess
import sys

CASES = ["1024x1024x1024", "4096x4096x4096", "1021x1031x1033"]
METRICS = {
    "requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l2": "lts__t_sectors_op_read.sum",
    "dram": "dram__bytes_read.sum",
}
SECTOR = 32  # bytes
TIME_LIMIT = 240  # seconds a case
VERDICT = "all 1 cases match the CPU reference at every element"


def profile(case):
    """The program's own output, and ncu's rows: one a kernel, as {column: text}."""
    command = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base"]
    command += ["--kernel-name", "regex:matmul", "--launch-count", "4"]
    command += ["--metrics", ",".join(METRICS.values())]
    command += ["./tile_sweep", "--cases", case]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
    if done.returncode != 0 or VERDICT not in done.stdout:
        sys.exit(f"{case}: ncu ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr}")
    head, *rows = csv.reader(line for line in done.stdout.splitlines() if line.startswith('"'))
    return done.stdout, [dict(zip(head, row)) for row in rows if row[0]]


def tile_of(kernel):
    """1 for the naive kernel, else the template's argument."""
    width = re.search(r"matmulTiled<(?:\(int\))?(\d+)>", kernel)
    return int(width[1]) if width else 1


def main(arguments):
    cases = CASES
    if arguments:
        if len(arguments) != 2 or arguments[0] != "--cases":
            sys.exit("usage: traffic.py [--cases MxNxK[,MxNxK ...]]")
        cases = arguments[1].split(",")
    lines = []
    for case in cases:
        output, rows = profile(case)
        card = re.search(r"^GPU: .+$", output, re.MULTILINE)[0]
        tiles = sorted((tile_of(row["Kernel Name"]), row) for row in rows)
        if [tile for tile, _ in tiles] != [1, 8, 16, 32]:
            sys.exit(f"{case}: ncu saw the tiles {[tile for tile, _ in tiles]}")
        for tile, row in tiles:
            count = {name: float(row[metric]) for name, metric in METRICS.items()}
            lines.append(
                f"{case:<16} {tile:>4} {count['requests']:>13.0f} {count['sectors']:>13.0f} "
                f"{count['l2'] * SECTOR / 1e6:>13.1f} {count['dram'] / 1e6:>13.1f}"
            )
    print(card + "\n")
    print(f"{'case':<16} tile {'requests':>13} {'sectors':>13} {'L2 (MB)':>13} {'DRAM (MB)':>13}")
    print("---------------- ----", *["-" * 13] * 4)
    print("\n".join(lines))
    print(f"\nall {len(cases)} cases match the CPU reference at every element")


if __name__ == "__main__":
    main(sys.argv[1:])
