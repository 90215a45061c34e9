"""Ways to part the kept results of the proof from the kernels that they are about."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from gate.copied import Copy
from gate.expected import Break, Breaks, Expected

BREAKS = Breaks()
RESULTS = "tests/proof/results"


@BREAKS.add
def a_kernel_of_the_gallery_was_changed(copy: Copy) -> Expected:
    copy.replace("tests/gallery/early-return.cu", "// FAULT", "")
    return Expected(
        "proof-stale",
        f"{RESULTS}/h200/sanitizers.json",
        1,
        "tests/gallery/early-return.cu changed since the proof ran: its sha256 is not the one in "
        "the result",
        "on a machine with a GPU: tests/proof/gpu.sh",
    )


def _kept(name: str, message: str, change: Callable[[Any], Any]) -> Break:
    def break_it(copy: Copy) -> Expected:
        path = copy.path(f"{RESULTS}/{name}")
        path.write_text(json.dumps(change(json.loads(path.read_text()))))
        return Expected("bad-proof", f"{RESULTS}/{name}", 1, message)

    break_it.__name__ = f"{name}: {message[:40]}"
    return break_it


def _without(*path: Any) -> Callable[[Any], Any]:
    def change(data: Any) -> Any:
        inner = data
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]
        return data

    return change


KERNEL = "early-return"
BREAKS += [
    _kept("ours.json", "matrix: Field required…", _without("matrix")),
    _kept("speed.json", "machine: Field required (found {})", lambda _: {}),
    _kept("lighthouse.json", "the file: Input should be a valid dictionary…", lambda _: None),
    _kept("h200/harness.json", "card: Field required (found {})", lambda _: {}),
    _kept("h200/counters.json", "53 rows, where the comparison has 54", _without("rows", 0)),
    _kept(
        "h200/sanitizers.json",
        f"matrix.{KERNEL}.sha256: Field required…",
        _without("matrix", KERNEL, "sha256"),
    ),
    _kept(
        "oclgrind.json",
        f"lacks the kernel {KERNEL}, which the CPU check has",
        _without("matrix", KERNEL),
    ),
]


@BREAKS.add
def a_result_is_not_json(copy: Copy) -> Expected:
    copy.replace(f"{RESULTS}/speed.json", "{", "")
    return Expected("bad-proof", f"{RESULTS}/speed.json", 1, "not JSON: Extra data…")


@BREAKS.add
def a_claim_about_the_proof_that_is_not_true(copy: Copy) -> Expected:
    line = copy.insert(
        "docs/reference/cpu-check.md", "[[? proof.faults.silent == 0 ?]]The tools find all.[[/?]]"
    )
    return Expected(
        "claim-false", "docs/reference/cpu-check.md", line, "not true: “The tools find all.”…"
    )
