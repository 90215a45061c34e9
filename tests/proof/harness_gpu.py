"""The proof that needs a GPU: the harness judges right kernels, broken ones and cheats on the card.

    PYTHONPATH=scripts:tests python tests/proof/harness_gpu.py OUTDIR

Run it from the root. Writes OUTDIR/harness.json (what was said of each, and whether that is as it
should be) and OUTDIR/harness.txt (the reports in words). Exit 0 if all are. Takes two minutes
on an H200.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.harness import Report, gpu, grade
from course.harness.ladder import GPU_ONLY, cases, rungs
from course.harness.show import lines
from course.harness.submission import Submission
from course.simt import Case
from proof.build import ROOT, digest

# From the root, so that reports name no folder of the machine.
PROGRAM, GALLERY = Path("code/day16-tiled-matmul"), Path("tests/gallery")
CHEATS = Path("tests/harness/cheats")
SMALL = [Case(1, 1, 1), Case(17, 17, 17), Case(64, 32, 48), Case(67, 37, 41), Case(1000, 999, 1001)]


@dataclass(frozen=True)
class Subject:
    """One submission. `gpu_right`: what the card alone must say; None where luck decides."""

    path: Path
    verdict: str
    gpu_right: bool | None = None
    whole: bool = False  # the whole ladder, with times
    sanitize: bool = False


SUBJECTS = [
    Subject(PROGRAM / "tiled_matmul.cu", "pass", True, whole=True, sanitize=True),
    Subject(PROGRAM / "starter.cu", "fail", True, whole=True),
    Subject(GALLERY / "double-buffer.cu", "pass", True),
    Subject(GALLERY / "clamped-load.cu", "pass", True),
    Subject(GALLERY / "guarded-load-without-else.cu", "fail", False),
    Subject(GALLERY / "tile-count-rounded-down.cu", "fail", False),
    Subject(GALLERY / "barrier-in-branch.cu", "fail", False),
    Subject(GALLERY / "wrong-axis-guard-store.cu", "fail", False),
    Subject(GALLERY / "out-of-bounds-store.cu", "fail", False),
    Subject(GALLERY / "guarded-load-without-else-a.cu", "fail"),
    Subject(GALLERY / "missing-barrier-after-compute.cu", "fail"),
    Subject(GALLERY / "no-shared-memory.cu", "fail", True),
    Subject(CHEATS / "ladder-sizes-only.cu", "fail", False),
    Subject(CHEATS / "reads-the-reference.cu", "fail", False),
    Subject(CHEATS / "writes-outside-c.cu", "fail", False),
    Subject(CHEATS / "writes-an-input.cu", "fail", False),
    Subject(CHEATS / "writes-nothing.cu", "fail", False),
    Subject(CHEATS / "writes-nan.cu", "fail", False),
    Subject(CHEATS / "right-once.cu", "fail", False),
    Subject(CHEATS / "half-precision.cu", "fail", False),
    Subject(CHEATS / "exits-at-start.cu", "error", False),
    Subject(CHEATS / "prints-a-report.cu", "fail", False),
]


def about(path: Path) -> dict[str, str]:
    """A file and its hash: what is said is good for that text and no other."""
    return {"name": path.stem, "file": path.as_posix(), "sha256": digest(path)}


def on_the_card(subject: Subject, folder: Path) -> dict[str, Any]:
    """The card's word alone, over a few cases: no CPU check before it."""
    submission = Submission.read(subject.path)
    alone = folder / "submission.cu"
    alone.write_bytes(subject.path.read_bytes())
    ladder = gpu.on_gpu(rungs(4000, SMALL))
    judged = gpu.judge(submission, alone, folder, ladder, lambda _: None)
    return {
        "right": all(result.right for result in judged.cases),
        "cases": len(judged.cases),
        "failing": [list(r.case) for r in judged.cases if r.right is False],
        "not_run": sum(r.right is None for r in judged.cases),
        "notes": judged.notes,
    }


def judged(subject: Subject) -> tuple[dict[str, Any], list[str]]:
    """What the harness says of a subject, whether that is as it should be, and the words."""
    begun = time.monotonic()
    entry = about(subject.path)
    words: list[str] = []
    try:
        report = grade(
            subject.path,
            device="gpu" if subject.whole else "cpu",
            seed=4000,
            sanitize=subject.sanitize,
            fixed=None if subject.whole else SMALL,
        )
        with tempfile.TemporaryDirectory() as folder:
            alone = on_the_card(subject, Path(folder))
        fits = subject.gpu_right in (None, alone["right"])
        more = {"as_it_should_be": report.verdict == subject.verdict and fits, "card": alone}
        told: dict[str, Any] = {**entry, **more, "report": _short(report)}
        words = [
            f"{subject.path.stem}: {report.verdict}",
            *lines(report),
            f"  card     {alone}",
            "",
        ]
    except Exception as error:  # what went wrong is what this run is for
        told = {**entry, "as_it_should_be": False, "exception": repr(error)}
    told["seconds"] = round(time.monotonic() - begun, 1)
    print(told["name"], told["as_it_should_be"], told["seconds"], flush=True)
    return told, words


def main(out: Path) -> int:
    out.mkdir(parents=True, exist_ok=True)
    # For children, which start in folders of their own.
    os.environ["PYTHONPATH"] = f"{ROOT / 'scripts'}:{os.environ['PYTHONPATH']}"
    started, card = time.monotonic(), gpu.card()
    # Those that are timed come first and have the card to themselves.
    results = [judged(subject) for subject in SUBJECTS if subject.whole]
    with ThreadPoolExecutor(6) as pool:
        results += pool.map(judged, [subject for subject in SUBJECTS if not subject.whole])
    told = [entry for entry, _ in results] + [_nvrtc(), _hang()]
    result = {
        "card": card.name if card else None,
        "largest": [list(case) for case in cases(GPU_ONLY)],
        "seconds": round(time.monotonic() - started, 1),
        "subjects": told,
    }
    (out / "harness.json").write_text(json.dumps(result, indent=1) + "\n")
    (out / "harness.txt").write_text("\n".join(line for _, w in results for line in w) + "\n")
    return 0 if all(entry["as_it_should_be"] for entry in told) else 1


def _nvrtc() -> dict[str, Any]:
    """The way of a machine without nvcc: the device code alone, compiled by NVRTC."""
    code = gpu.device_code(Submission.read(PROGRAM / "starter.cu"))
    request = {
        "do": "judge",
        "kernel": {"code": code, "symbol": "matmulTiled"},
        "cases": [[*case, 1, "integers"] for case in SMALL],
    }
    said = list(gpu.talk(request, [gpu.START_SECONDS, gpu.PATIENCE]))
    right = [message["right"] for message in said if "right" in message]
    fits = right == [True] * len(SMALL)
    return {**about(PROGRAM / "starter.cu"), "name": "nvrtc", "said": said, "as_it_should_be": fits}


def _short(report: Report) -> dict[str, Any]:
    """Cases are many: counted here, told in words beside it."""
    plain = report.to_json()
    cases = plain.pop("cases")
    return {**plain, "cases": len(cases), "wrong": sum(case["right"] is False for case in cases)}


def _hang() -> dict[str, Any]:
    """A kernel that never ends on the card: its child is ended, and the card works afterwards."""
    begun, path = time.monotonic(), CHEATS / "never-ends.cu"
    gpu.PATIENCE = 3.0
    with tempfile.TemporaryDirectory() as folder:
        alone = on_the_card(Subject(path, "fail"), Path(folder))
        after = on_the_card(Subject(GALLERY / "double-buffer.cu", "pass"), Path(folder))
    return {
        **about(path),
        "card": alone,
        "card_after": after,
        "as_it_should_be": not alone["right"] and after["right"],
        "seconds": round(time.monotonic() - begun, 1),
    }


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
