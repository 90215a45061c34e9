"""Captures that are made up: the output of the course, each run slower or faster by a factor."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import OUTPUT, PROGRAM
from course.check.vouched import check_vouched
from course.errors import Finding
from course.evidence import Log, read_log, render_log, write_log
from course.program import Program
from course.project import Capture, Project
from course.stamp import Stamp

STEADY = (1.0, 1.01, 0.99, 1.0, 1.005)
SHA = "0" * 64
BUILD = "nvcc -std=c++17 -O3 -arch=sm_75 -o tiled_matmul tiled_matmul.cu"
IDLE_AT_FIRST = {
    "before": {"sm_clock_mhz": 300, "throttle_reasons": ["gpu idle"]},
    "after": {"sm_clock_mhz": 1590, "memory_clock_mhz": 5001, "throttle_reasons": []},
}


def table(factor: float, kernel: str = "", speedup: float = 1.0) -> str:
    """The course's output with its times (of one kernel, or of both) and rates changed."""

    def row(match: re.Match[str]) -> str:
        if kernel not in ("", match[2]):
            return match[0]
        time, rate = float(match[3]) * factor, float(match[4]) / factor
        return f"{match[1]}{match[2]:<7} {time:>11.3f} {rate:>11.1f} {match[5]:>13}"

    text = re.sub(r"(?m)^(\S+ +)(naive|tiled) +(\S+) +(\S+) +(\d+)$", row, OUTPUT)
    return re.sub(r"is (\S+)x", lambda found: f"is {float(found[1]) * speedup:.2f}x", text)


def tables(factors: Sequence[float], *, by: float = 1.0, **changes: Any) -> list[str]:
    return [table(factor * by, **changes) for factor in factors]


def make_log(
    root: Path, outputs: Sequence[str], time: str = "2026-11-30T00:00:00Z", **stamp: Any
) -> Log:
    """Write a sealed log into the evidence of the project at `root`."""
    data = [output.encode() for output in outputs]
    program = Program.load(root, PROGRAM)
    plain: dict[str, Any] = {
        "schema": 1,
        "kind": "capture",
        "program": PROGRAM,
        "time": time,
        "gpu": {"name": "Tesla T4", "compute_capability": "7.5", "driver": "580.1"},
        "cuda": {"toolkit": "13.0", "nvcc": "13.0.88"},
        "host": {"os": "Linux", "cpu": "A CPU"},
        "build": BUILD,
        "run": "./tiled_matmul",
        "sources": [
            {"path": name, "sha256": source.sha256, "tokens_sha256": source.tokens_sha256}
            for name, source in program.named_sources().items()
        ],
        "binary_sha256": SHA,
        "verdict": "all 3 cases match the CPU reference at every element",
        "published_run": 1,
        **IDLE_AT_FIRST,
        **stamp,
    }
    plain["runs"] = [
        {
            "bytes": len(one),
            "sha256": hashlib.sha256(one).hexdigest(),
            **({"exit_status": 0} if plain["kind"] == "capture" else {}),
        }
        for one in data
    ]
    return read_log(write_log(root / "evidence" / PROGRAM, Stamp.model_validate(plain), data))


def make(
    root: Path, outputs: Sequence[str], time: str = "2026-11-30T00:00:00Z", **stamp: Any
) -> Capture:
    """The same as a capture, read."""
    log = make_log(root, outputs, time, **stamp)
    program = Program.load(root, PROGRAM)
    return Capture(log, program, log.parse(program.spec.output))


def vouching_findings(root: Path) -> list[Finding]:
    """What the gate says of signatures, attestations and answers."""
    return list(check_vouched(Project.load(root)))


def forge(log: Log) -> None:
    """Edit an output and seal the log again, as somebody who knows the format would."""
    outputs = [output.replace(b" 1.759 ", b" 1.159 ") for output in log.outputs]
    plain = log.stamp.model_dump(by_alias=True)
    for run, output in zip(plain["runs"], outputs, strict=True):
        run["sha256"] = hashlib.sha256(output).hexdigest()
    log.path.write_bytes(render_log(Stamp.model_validate(plain), outputs))
