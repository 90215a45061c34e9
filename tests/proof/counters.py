"""Reads the hardware's memory counters with ncu: `python -m proof.counters OUTDIR`.

Writes counters.json, one row a kernel and case, and ncu's own CSV of each kernel under raw/.
"""

import csv
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gallery
from gallery import Case, Launch
from proof.build import ROOT, arguments, build_all, launch_source, machine, run, write_json

SHIPPED = ROOT / "code" / "day16-tiled-matmul" / "tiled_matmul.cu"
OWN = Path(__file__).parent / "kernels"
FROM_GALLERY = (
    "templated-tile-8",
    "templated-tile-32",
    "padded-tiles",
    "transposed-padded-tile",
    "float4-with-tail",
    "block-1d",
    "bank-conflicts",
    "uncoalesced",
    "double-buffer",
    "register-tile-4x4",
    "rectangular-block",
    "warp-shuffle",
)
CASES: tuple[Case, ...] = ((256, 256, 256), (611, 613, 617), (130, 67, 93))
TIME_LIMIT = 170.0  # seconds for all kernels; what is left then is recorded as not run

METRICS = (
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
)
# Said beside them to explain a difference; a card that lacks one of these still gives the others.
FURTHER_METRICS = (
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "smsp__inst_executed_op_global_ld.sum",
    "smsp__inst_executed_op_global_st.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "smsp__sass_thread_inst_executed_op_memory_pred_on.sum",
    "lts__t_sectors_op_read.sum",
    "dram__bytes_read.sum",
)
# Bank conflicts again, counted instruction by instruction: the counters above also see a shared
# access wait for global data on its way into the same memory.
COUNTED_CONFLICTS = (
    "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
)
ALL_METRICS = METRICS + FURTHER_METRICS + COUNTED_CONFLICTS


def subjects() -> list[Launch]:
    named = {entry.name: entry for entry in gallery.load()}
    return [
        Launch(name="naive", path=SHIPPED, kernel="matmulNaive"),
        Launch(name="tiled", path=SHIPPED),
        Launch(name="naive-swapped", path=OWN / "naive-swapped.cu", kernel="matmulNaive"),
        Launch(name="transposed-tile", path=OWN / "transposed-tile.cu"),
        Launch(name="strided", path=OWN / "strided.cu", kernel="matmulStrided", tile=(64, 16)),
        Launch(
            name="float4-tiles",
            path=OWN / "float4-tiles.cu",
            kernel="matmulFloat4",
            block=(8, 32),
            tile=(32, 32),
        ),
        *(named[name] for name in FROM_GALLERY),
    ]


def read_csv(text: str) -> list[dict[str, str]]:
    """The rows of ncu's raw page: a head, a line of units, then a line a launch."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    head, *rows = csv.reader(lines)
    return [dict(zip(head, row, strict=True)) for row in rows if row[0]]


def metrics_of(row: dict[str, str]) -> dict[str, int]:
    wanted = [name for name in ALL_METRICS if name in row]
    return {name: round(float(row[name].replace(",", ""))) for name in wanted}


def dimensions(text: str) -> tuple[int, int]:
    """ncu prints "(39, 39, 1)"."""
    x, y, *_ = (int(number) for number in re.findall(r"\d+", text))
    return x, y


def rows_of(launch: Launch, text: str) -> Iterator[dict[str, Any]]:
    for case, row in zip(CASES, read_csv(text), strict=True):
        block, grid = dimensions(row["Block Size"]), dimensions(row["Grid Size"])
        if (block, grid) != (launch.block, launch.grid(case)):
            raise ValueError(f"{launch.name}: ncu saw {grid} blocks of {block} at {case}")
        yield {
            "name": launch.name,
            "kernel": launch.kernel,
            **launch_source(launch),
            "block": list(block),
            "grid": list(grid),
            "shared": launch.shared,
            "case": list(case),
            "metrics": metrics_of(row),
        }


def profile(launch: Launch, program: Path, log: Path) -> None:
    command = ["ncu", "--clock-control", "none", "--csv", "--page", "raw"]
    command += ["--print-units", "base", "--log-file", str(log)]
    for metrics in (ALL_METRICS, METRICS + FURTHER_METRICS, METRICS):
        chosen = ["--metrics", ",".join(metrics), str(program), *arguments(launch, CASES)]
        done = run(command + chosen, limit=60)
        results = [json.loads(line) for line in done.output.splitlines() if line.startswith("{")]
        if done.status == 0 and [result["wrong"] for result in results] == [0] * len(CASES):
            return
    raise RuntimeError(f"ncu: status {done.status}\n{done.output[-2000:]}")


def main(outdir: Path) -> int:
    raw = outdir / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + TIME_LIMIT
    rows: list[dict[str, Any]] = []
    failures: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        launches = subjects()
        programs = build_all(launches, Path(folder))
        for launch in launches:
            program = programs[launch.name]
            log = raw / f"ncu-{launch.name}.csv"
            try:
                if isinstance(program, RuntimeError):
                    raise program
                if time.monotonic() > deadline:
                    raise TimeoutError("not run: no time was left")
                profile(launch, program, log)
                log.write_text(log.read_text().replace(f"{folder}/", ""))
                rows += rows_of(launch, log.read_text())
            except (RuntimeError, TimeoutError, ValueError, OSError, KeyError) as error:
                failures[launch.name] = str(error).replace(str(ROOT) + "/", "")
    report = {"machine": machine(), "rows": rows, "failures": failures}
    write_json(outdir / "counters.json", report)
    print(f"counters: {len(rows)} of {len(launches) * len(CASES)} rows", *failures, sep="\n  ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
