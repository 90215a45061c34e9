"""Ways to lose the proof: forged signatures, and cards that break what a page says of all cards."""

from __future__ import annotations

import subprocess

from course.signing import sign, signers_path
from gate.copied import LESSON, PROGRAM, Copy
from gate.expected import Breaks, Expected

BREAKS = Breaks()
CLAIM = '[[? every_card("ragged.speedup > 1") ?]]Tiled wins on every card[[/?]].'


@BREAKS.add
def a_forged_log_with_a_signature(copy: Copy) -> Expected:
    log, key = copy.latest().log, copy.path("key")
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)]
    subprocess.run(command, check=True)
    signers_path(copy.root).write_text("house " + copy.path("key.pub").read_text())
    sign(log.path, key)
    assert copy.findings() == []
    copy.rewrite(log, gpu={**log.stamp.gpu.model_dump(), "driver": "999.1"})
    return Expected(
        "signature-bad",
        copy.project.relative(log.path),
        1,
        "the signature does not fit the log: the signature of house is of other bytes",
        "git checkout -- the log if it was edited",
    )


@BREAKS.add
def a_new_card_that_breaks_a_claim_about_every_card(copy: Copy) -> Expected:
    line = copy.insert(LESSON, CLAIM)
    assert copy.findings() == []
    name = copy.add_capture("2027-01-01T00:00:00Z")
    log = next(c.log for c in copy.project.captures[PROGRAM] if c.log.name == name)
    outputs = [
        output.replace(b"GPU: NVIDIA H200", b"GPU: NVIDIA L4").replace(b"is 1.6", b"is 0.6")
        for output in log.outputs
    ]
    copy.rewrite(log, outputs, gpu={**log.stamp.gpu.model_dump(), "name": "NVIDIA L4"})
    return Expected(
        "claim-false",
        LESSON,
        line,
        "not true on NVIDIA L4: “Tiled wins on every card”\n"
        '  condition: every_card("ragged.speedup > 1")\n  read: …',
    )


@BREAKS.add
def a_claim_about_every_card_that_is_no_condition(copy: Copy) -> Expected:
    line = copy.insert(LESSON, '[[? every_card("ragged.speedup") ?]]Tiled wins[[/?]].')
    return Expected(
        "claim-undefined",
        LESSON,
        line,
        'the condition `every_card("ragged.speedup")` gives 1.61 for NVIDIA H200, '
        "not true or false",
    )
