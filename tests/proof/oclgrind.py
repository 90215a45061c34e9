"""Runs OpenCL twins of the gallery under Oclgrind: `python -m proof.oclgrind OUTDIR`.

A twin is the kernel itself with CUDA's words put into OpenCL's, line for line, so that a report
names the gallery's own line. A kernel with a word that OpenCL C has not gets no twin. All checks
of Oclgrind are on. Writes oclgrind.json, one entry a kernel, and oclgrind.txt, what was printed,
each report once a line of source.
"""

import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gallery
from gallery import Case, Entry
from proof.build import Run, in_parallel, launch_source, run, write_json

LIMIT = 60.0  # seconds a kernel
POISON = -77777.0  # no sum of the small cases comes near it
CHECKS = ["--data-races", "--uniform-writes", "--uninitialized", "--max-errors", "5000"]

WORDS = (
    (r"__global__ void", "kernel void"),
    (r"__device__ ", ""),
    (r"__shared__", "local"),
    (r"__restrict__", "restrict"),
    (r"reinterpret_cast<const float4\*>", "(global const float4*)"),
    (r"\b(const )?float\* ", r"global \1float* "),
    (r"size_t (?=[mnk]\b[,)])", "ulong "),
    (r"threadIdx\.(x|y)", r"get_local_id(\1)"),
    (r"blockIdx\.(x|y)", r"get_group_id(\1)"),
    (r"blockDim\.(x|y)", r"get_local_size(\1)"),
    (r"gridDim\.(x|y)", r"get_num_groups(\1)"),
    (r"(get_\w+)\(x\)", r"\1(0)"),
    (r"(get_\w+)\(y\)", r"\1(1)"),
    (r"__syncthreads\(\)", "barrier(CLK_LOCAL_MEM_FENCE)"),
)
NOT_OPENCL = re.compile(r"\b(?:__\w+|atomicAdd|template|constexpr|extern|fmaf)\b|#include|size_t\{")

RECORD = re.compile(r"^(\S.+)\n(\tKernel:(?:.*\n)*?)\n", re.MULTILINE)
LINE = re.compile(r"At line ([1-9]\d*)")
VALUE = re.compile(r"^  c\[\d+\] = (.+)$", re.MULTILINE)


def twin(source: str) -> str | None:
    """The kernel in OpenCL C, or nothing if it has words of CUDA's own left."""
    text = source.partition("\nint main()")[0]
    for cuda, opencl in WORDS:
        text = re.sub(cuda, opencl, text)
    code = re.sub(r"//.*", "", text)
    return None if NOT_OPENCL.search(code) else text


def matrices(case: Case) -> tuple[list[int], list[int], list[int]]:
    m, n, k = case
    source = random.Random(16)
    a = [source.randint(-2, 2) for _ in range(m * k)]
    b = [source.randint(-3, 3) for _ in range(k * n)]
    c = [sum(a[i * k + p] * b[p * n + j] for p in range(k)) for i in range(m) for j in range(n)]
    return a, b, c


def simulation(entry: Entry, case: Case, a: list[int], b: list[int]) -> str:
    """The file that tells oclgrind-kernel what to run on what."""
    (x, y), (columns, rows) = entry.block, entry.grid(case)
    m, n, _ = case
    parts = [f"{entry.name}.cl", entry.kernel, f"{columns * x} {rows * y} 1", f"{x} {y} 1"]
    for values in (a, b):
        parts += [f"<size={4 * len(values)} float>", " ".join(map(str, values))]
    parts.append(f"<size={4 * m * n} float fill={POISON} dump>")
    parts += [f"<size=8 ulong>\n{size}" for size in case]
    return "\n".join(parts) + "\n"


def simulate(entry: Entry, text: str, folder: Path) -> tuple[Run, list[int]]:
    case = entry.cases[0]
    a, b, expected = matrices(case)
    (folder / f"{entry.name}.cl").write_text(text)
    simfile = folder / f"{entry.name}.sim"
    simfile.write_text(simulation(entry, case, a, b))
    return run(["oclgrind-kernel", *CHECKS, str(simfile)], LIMIT, cwd=folder), expected


def records(output: str) -> Iterator[tuple[str, str]]:
    """Title and body of each report; the addresses are left out, they are no two runs' same."""
    for title, body in RECORD.findall(output.partition("\nArgument 'c'")[0] + "\n\n"):
        yield re.sub(r"0x[0-9a-f]+|\(\d+\)", "…", title), body


def reading(entry: Entry, done: Run, expected: list[int]) -> dict[str, Any]:
    result: dict[str, Any] = {"case": list(entry.cases[0])}
    values = [float(value) for value in VALUE.findall(done.output)]
    if done.status is None:
        result["timeout"] = LIMIT
    elif len(values) == len(expected):
        result["wrong"] = sum(value != right for value, right in zip(values, expected, strict=True))
        result["unwritten"] = sum(value == POISON for value in values)
    else:
        result["failed"] = done.output[-500:]
    found = list(records(done.output))
    lines = {int(line) for _, body in found for line in LINE.findall(body)}
    says = dict(Counter(title for title, _ in found))
    return result | {"reports": bool(found), "says": says, "lines": sorted(lines)}


def excerpt(name: str, done: Run) -> str:
    """The first report of each title and line, in Oclgrind's own words."""
    first: dict[tuple[str, str], str] = {}
    for title, body in records(done.output):
        lines = ",".join(LINE.findall(body))
        first.setdefault((title, lines), f"{title}\n{body.rstrip()}\n")
    return "\n".join([f"##### {name}: exit {done.status}", *first.values(), ""])


def main(outdir: Path) -> int:
    outdir.mkdir(parents=True, exist_ok=True)
    twins = {entry.name: (entry, twin(entry.path.read_text())) for entry in gallery.load()}
    with tempfile.TemporaryDirectory() as folder:
        runs = in_parallel(
            {
                name: partial(simulate, entry, text, Path(folder))
                for name, (entry, text) in twins.items()
                if text
            }
        )
    matrix: dict[str, Any] = {}
    for name, (entry, _) in twins.items():
        matrix[name] = {
            **launch_source(entry),
            "fault": entry.fault,
            "pitfall": entry.pitfall,
            "fault_lines": entry.fault_lines,
            "oclgrind": reading(entry, *runs[name]) if name in runs else None,
        }
    version = run(["oclgrind-kernel", "--version"], limit=10).output.strip().partition("\n")[0]
    write_json(outdir / "oclgrind.json", {"version": version, "checks": CHECKS, "matrix": matrix})
    printed = [excerpt(name, done) for name, (done, _) in runs.items()]
    (outdir / "oclgrind.txt").write_text("\n".join(printed))
    print(f"oclgrind: {len(runs)} twins of {len(twins)} kernels")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
