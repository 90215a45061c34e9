"""What a page may say of the CPU check and its peers: the name `proof` in values and claims."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from course.formula import ExpressionError, Origin, Record
from course.peers import COUNTS, TOOLS, Kernel, Peers


@dataclass(frozen=True)
class Leaf:
    """A value with the result that it was counted from, and the kernel in it, if it is of one."""

    value: Any
    says: str
    result: str
    kernel: str = ""


_GPU_RUN = "tests/proof/gpu.sh OUTDIR"
_AGAIN = {
    "counters": _GPU_RUN,
    "comparison": "cd tests; ../.venv/bin/python -m proof.compare proof/results/h200/counters.json",
    "sanitizers": _GPU_RUN,
    "oclgrind": "cd tests; ../.venv/bin/python -m proof.oclgrind proof/results",
    "ours": "cd tests; ../.venv/bin/python -m proof.ours proof/results/ours.json",
    "speed": ".venv/bin/python tests/bench/bench_simt.py",
}

Tree = dict[str, Any]  # of Leaf, Tree, or a function that gives a Tree


def again(result: Path) -> str:
    """The command that makes a result of the proof anew."""
    return _AGAIN[result.stem]


def proof_view(peers: Peers, record: Record) -> View:
    """`proof.counters.rows`, `proof.faults.silent`, `proof.kernels["early-return"].synccheck`."""
    tree = cache(lambda: _tree(peers))  # only for a page that asks
    return View("proof", tree, peers, record)


class View:
    """A branch of the tree, as an expression sees it; reading a leaf is recorded."""

    def __init__(self, name: str, tree: Callable[[], Tree], peers: Peers, record: Record) -> None:
        self._name, self._tree, self._peers, self._record = name, tree, peers, record

    def __getitem__(self, key: str) -> Any:
        tree = self._tree()
        if key not in tree:
            raise ExpressionError(f"`{self._name}` has no `{key}`; it has {', '.join(tree)}")
        found = tree[key]
        if not isinstance(found, Leaf):
            branch: Tree = found
            return View(f"{self._name}.{key}", lambda: branch, self._peers, self._record)
        path = self._peers.path(found.result).relative_to(self._peers.root).as_posix()
        line = self._peers.line(found.result, found.kernel) if found.kernel else 1
        self._record(Origin("proof", found.says, f"{path}:{line}"))
        return found.value


def _tree(peers: Peers) -> Tree:
    kernels = list(peers.kernels.values())
    return {
        "counters": _counters(peers),
        "faults": _faults([k for k in kernels if k.group == "fault"]),
        "right": _group("right", [k for k in kernels if k.group == "right"]),
        "kernels": {kernel.name: _kernel(kernel) for kernel in kernels},
        "speed": _speed(peers),
        **_machine(peers),
    }


def _counters(peers: Peers) -> Tree:
    rows = peers.counted
    equal = [row for row in rows if all(row[name][0] == row[name][1] for name in COUNTS)]
    says = f"{len(equal)} of {len(rows)} rows are equal in all of {', '.join(COUNTS)}"
    names = list(dict.fromkeys(row["name"] for row in rows))
    sizes = list(dict.fromkeys("x".join(map(str, row["case"])) for row in rows))
    return {
        "rows": Leaf(len(rows), says, "comparison"),
        "equal": Leaf(len(equal), says, "comparison"),
        "kernels": Leaf(len(names), ", ".join(names), "comparison"),
        "sizes": Leaf(len(sizes), ", ".join(sizes), "comparison"),
    }


def _faults(kernels: list[Kernel]) -> Tree:
    def is_wrong(kernel: Kernel) -> bool:
        return kernel.verdicts["value"].word == "wrong"

    def only_ours(kernel: Kernel) -> bool:
        told = [name for name, verdict in kernel.verdicts.items() if verdict.told]
        return told == ["cpu"]

    twins = [k for k in kernels if k.verdicts["oclgrind"].word != "no twin"]
    return {
        **_group("faults", kernels),
        "shown_by_value": _count([k for k in kernels if k.verdicts["value"].told], "sanitizers"),
        "silent": _count([k for k in kernels if k.silent], "sanitizers"),
        "wrong_and_silent": _count([k for k in kernels if k.silent and is_wrong(k)], "sanitizers"),
        "named_by_us": _count([k for k in kernels if k.verdicts["cpu"].word == "named"], "ours"),
        "lineless": _count([k for k in kernels if k.verdicts["cpu"].word == "reported"], "ours"),
        "missed_by_us": _count([k for k in kernels if not k.verdicts["cpu"].told], "ours"),
        "only_ours": _count([k for k in kernels if only_ours(k)], "ours"),
        "twins": _count(twins, "oclgrind"),
        "told_by_oclgrind": _count([k for k in twins if k.verdicts["oclgrind"].told], "oclgrind"),
    }


def _group(name: str, kernels: list[Kernel]) -> Tree:
    accused = [k for k in kernels if any(v.word == "accused" for v in k.verdicts.values())]
    return {
        "all": Leaf(len(kernels), f"{name}: {len(kernels)} kernels of the gallery", "ours"),
        "accused": _count(accused, "ours"),
    }


def _count(kernels: list[Kernel], result: str) -> Leaf:
    names = ", ".join(kernel.name for kernel in kernels) or "none"
    return Leaf(len(kernels), f"{len(kernels)}: {names}", result)


def _kernel(kernel: Kernel) -> Tree:
    def leaf(value: Any, says: str, result: str) -> Leaf:
        return Leaf(value, f"{kernel.name}: {says}", result, kernel.name)

    told = {
        column: leaf(verdict.word, f"{column} {verdict.word} {verdict.detail}".strip(), result)
        for column, verdict in kernel.verdicts.items()
        for result in ["sanitizers" if column in ("value", *TOOLS) else column]
        for result in ["ours" if result == "cpu" else result]
    }
    silent = leaf(kernel.silent, f"{'none' if kernel.silent else 'one'} of {TOOLS}", "sanitizers")
    return {**told, "silent": silent}


def _machine(peers: Peers) -> Tree:
    machine = peers.data["sanitizers"]["machine"]

    def leaf(key: str, pattern: str) -> Leaf:
        match = re.search(pattern, machine[key])
        return Leaf(match[1] if match else machine[key], machine[key], "sanitizers")

    oclgrind = peers.data["oclgrind"]["version"]
    return {
        "gpu": leaf("gpu", r"^([^,]+)"),
        "driver": leaf("gpu", r", ([\d.]+),"),
        "cuda": leaf("nvcc", r"cuda_([\d.]+?)\.r"),
        "ncu": leaf("ncu", r"Version (\d+\.\d+\.\d+)"),
        "sanitizer": leaf("compute-sanitizer", r"Version (\d+\.\d+\.\d+)"),
        "oclgrind": Leaf(oclgrind.removeprefix("Oclgrind "), oclgrind, "oclgrind"),
    }


def _speed(peers: Peers) -> Tree:
    speed = peers.data["speed"]
    names = {"whole": "whole command", "watched": "every access", "unwatched": "unwatched"}
    names |= {"pocl": "no checks", "oclgrind": "data races", "oclgrind_default": "its default"}
    found: Tree = {}
    for name, start in names.items():
        for row in speed["rows"]:
            if row["what"].startswith(start):
                clock, processor = (
                    sum(pair) for pair in zip(row["naive"], row["tiled"], strict=True)
                )
                says = f"{row['tool']}, {row['what']}, both kernels: "
                found[name] = {
                    "clock": Leaf(clock, f"{says}{clock:.3f} s by the clock", "speed"),
                    "processor": Leaf(processor, f"{says}{processor:.3f} processor s", "speed"),
                }
    sizes = list(_growth(speed))
    found["most_ns"] = max(sizes, key=lambda leaf: leaf.value)
    found["least_ns"] = min(sizes, key=lambda leaf: leaf.value)
    memory = speed["largest_child_mb"]
    found["memory_mb"] = Leaf(memory, f"the largest process took {memory} MB", "speed")
    return found


def _growth(speed: dict[str, Any]) -> Iterator[Leaf]:
    for row in speed["growth"]:
        says = f"{row['case']}: {row['ns_a_product']} ns a product"
        yield Leaf(row["ns_a_product"], says, "speed")
