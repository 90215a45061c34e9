"""Ways to part the kept results of the proof from the kernels that they are about."""

from __future__ import annotations

from gate.copied import Copy
from gate.expected import Breaks, Expected

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


@BREAKS.add
def a_result_lacks_a_part(copy: Copy) -> Expected:
    copy.replace(f"{RESULTS}/ours.json", '"matrix"', '"matrices"')
    return Expected("bad-proof", RESULTS, 1, "the results of the proof lack 'matrix'")


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
