"""The proof that needs a GPU: the harness judges right kernels, broken ones and cheats on the card.

    PYTHONPATH=scripts:tests python tests/proof/harness_gpu.py OUTDIR

Writes OUTDIR/harness.json (a report each, and whether it is as it should be) and OUTDIR/harness.txt
(the reports in words). Exit 0 if all are. Takes under three minutes on an H200.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]
os.environ["PYTHONPATH"] = f"{ROOT / 'scripts'}:{os.environ.get('PYTHONPATH', '')}"

from course.harness import Report, gpu, grade  # noqa: E402
from course.harness.ladder import GPU_ONLY, cases, rungs  # noqa: E402
from course.harness.show import lines  # noqa: E402
from course.harness.submission import Submission  # noqa: E402
from course.simt import Case  # noqa: E402

PROGRAM = ROOT / "code/day16-tiled-matmul"
GALLERY, CHEATS = ROOT / "tests/gallery", ROOT / "tests/harness/cheats"
SMALL = [Case(1, 1, 1), Case(17, 17, 17), Case(64, 32, 48), Case(67, 37, 41), Case(1000, 999, 1001)]
SECONDS = 170.0  # what is not reached in this time is written down as not run


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


def on_the_card(subject: Subject, folder: Path) -> dict[str, Any]:
    """The card's word alone, over a few cases: no CPU check before it."""
    submission = Submission.read(subject.path)
    alone = folder / "submission.cu"
    alone.write_bytes(subject.path.read_bytes())
    ladder = gpu.on_gpu(rungs(4000, SMALL))
    judged = gpu.judge(submission, alone, folder, ladder, lambda _: None)
    return {
        "right": all(result.right for result in judged.cases),
        "failing": [list(r.case) for r in judged.cases if r.right is False],
        "not_run": sum(r.right is None for r in judged.cases),
        "notes": judged.notes,
    }


def main(out: Path) -> int:
    out.mkdir(parents=True, exist_ok=True)
    started, told, words = time.monotonic(), [], []
    card = gpu.card()
    for subject in SUBJECTS:
        name = subject.path.stem
        if time.monotonic() - started > SECONDS:
            told.append({"name": name, "as_it_should_be": False, "not_run": True})
            continue
        begun = time.monotonic()
        entry: dict[str, Any] = {"name": name}
        try:
            fixed = None if subject.whole else SMALL
            report = grade(
                subject.path,
                device="gpu" if subject.whole else "cpu",
                seed=4000,
                sanitize=subject.sanitize,
                fixed=fixed,
            )
            with tempfile.TemporaryDirectory() as folder:
                alone = on_the_card(subject, Path(folder))
            entry |= {"report": _short(report), "card": alone}
            entry["as_it_should_be"] = report.verdict == subject.verdict and (
                subject.gpu_right in (None, alone["right"])
            )
            words += [f"{name}: {report.verdict}", *lines(report), f"  card     {alone}", ""]
        except Exception as error:  # what went wrong is what this run is for
            entry |= {"as_it_should_be": False, "exception": repr(error)}
        entry["seconds"] = round(time.monotonic() - begun, 1)
        told.append(entry)
        print(name, entry["as_it_should_be"], entry["seconds"], flush=True)
    told.append(_hang())
    result = {
        "card": card.name if card else None,
        "largest": [list(case) for case in cases(GPU_ONLY)],
        "seconds": round(time.monotonic() - started, 1),
        "subjects": told,
    }
    (out / "harness.json").write_text(json.dumps(result, indent=1) + "\n")
    (out / "harness.txt").write_text("\n".join(words) + "\n")
    return 0 if all(entry["as_it_should_be"] for entry in told) else 1


def _short(report: Report) -> dict[str, Any]:
    """Without the right cases, which are many."""
    plain = report.to_json()
    plain["cases_run"] = len(plain["cases"])
    plain["cases"] = [case for case in plain["cases"] if case["right"] is not True]
    return plain


def _hang() -> dict[str, Any]:
    """A kernel that never ends on the card: its child is ended, and the card works afterwards."""
    begun = time.monotonic()
    gpu.PATIENCE = 3.0
    with tempfile.TemporaryDirectory() as folder:
        alone = on_the_card(Subject(CHEATS / "never-ends.cu", "fail"), Path(folder))
        after = on_the_card(Subject(GALLERY / "double-buffer.cu", "pass"), Path(folder))
    return {
        "name": "never-ends",
        "card": alone,
        "card_after": after,
        "as_it_should_be": not alone["right"] and after["right"],
        "seconds": round(time.monotonic() - begun, 1),
    }


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
