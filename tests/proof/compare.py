"""Holds the CPU check's counts against the hardware's: `python -m proof.compare counters.json`.

Prints one line a kernel and case, and writes comparison.json beside the counters. Exit 1 if a
count of global memory differs. Bank conflicts are shown and decide nothing: the compiler joins
shared accesses, and the hardware's counter also sees waits that no access caused.
"""

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from proof.build import run, write_json

GLOBAL = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
}
CONFLICTS = (
    "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
)

Row = Mapping[str, Any]
Counter = Callable[[Row], Mapping[str, Any]]


def count(row: Row) -> dict[str, Any]:
    """What `course trace` says of the same kernel at the same case."""
    command = [sys.executable, "-m", "course", "trace", row["file"], row["kernel"], "--json"]
    for option in ("case", "block", "grid"):
        command += [f"--{option}", ",".join(map(str, row[option]))]
    done = run(command, limit=300)
    if done.status != 0:
        raise RuntimeError(f"{' '.join(command)}: exit {done.status}\n{done.output}")
    report: dict[str, Any] = json.loads(done.output)
    return report


def compare(rows: Iterable[Row], counter: Counter) -> list[dict[str, Any]]:
    compared = []
    for row in rows:
        ours, metrics = counter(row), row["metrics"]
        counts = {name: [metrics[metric], ours[name]] for name, metric in GLOBAL.items()}
        conflicts = [metrics.get(metric) for metric in CONFLICTS]
        hardware = None if None in conflicts else sum(conflicts)
        compared.append(
            {
                "name": row["name"],
                "file": row["file"],
                "case": row["case"],
                **counts,
                "shared_bank_conflicts": [hardware, ours["shared_bank_conflicts"]],
                "equal": all(theirs == own for theirs, own in counts.values()),
            }
        )
    return compared


def line(result: Mapping[str, Any]) -> str:
    size = "x".join(map(str, result["case"]))
    cells = []
    for theirs, own in (result[name] for name in GLOBAL):
        cells.append(f"{theirs:,}" if theirs == own else f"{theirs:,} != {own:,}")
    return f"{result['name']:24} {size:12} " + "  ".join(f"{cell:>24}" for cell in cells)


def main(path: Path) -> int:
    results = compare(json.loads(path.read_text())["rows"], count)
    write_json(path.with_name("comparison.json"), results)
    print(f"{'kernel':24} {'case':12} " + "  ".join(f"{name:>24}" for name in GLOBAL))
    print(*map(line, results), sep="\n")
    equal = sum(result["equal"] for result in results)
    print(f"{equal} of {len(results)} rows equal ncu's counts to the last digit")
    return 0 if equal == len(results) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
