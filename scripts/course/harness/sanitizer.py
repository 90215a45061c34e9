"""What compute-sanitizer says of the kernel, where it is installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from course import process
from course.harness import gpu
from course.harness.report import Diagnosis
from course.harness.submission import Submission

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
CASES = ([64, 32, 48], [67, 37, 41])
SECONDS = 120


def judge(
    submission: Submission, file: Path, folder: Path, say: Callable[[str], None]
) -> tuple[list[Diagnosis], str]:
    """One entry for each tool that reports errors, and a note of what was run."""
    program, card = shutil.which("compute-sanitizer"), gpu.card()
    if program is None or card is None:
        return [], "compute-sanitizer is not installed, so it was not run"
    request = {
        "do": "judge",
        "kernel": gpu.load_request(submission, file, folder, card.arch),
        "cases": [[*case, seed, "integers"] for seed, case in enumerate(CASES)],
    }
    told, ran = [], []
    for tool in TOOLS:
        say(f"compute-sanitizer {tool}")
        log = _run([program, "--tool", tool], request)
        total = re.findall(r"ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard", log)
        if not total:
            ran.append(f"{tool} came to no end")
            continue
        count = max(int(number) for pair in total for number in pair if number)
        ran.append(f"{tool} {count}")
        if count:
            told.append(_entry(submission, file, tool, count, log))
    return told, f"errors that compute-sanitizer counted: {', '.join(ran)}"


def _run(command: list[str], request: gpu.Message) -> str:
    """The tool's output. The child's answers go nowhere: here only the tool judges."""
    with (
        Path(os.devnull).open("wb") as nowhere,
        tempfile.TemporaryFile() as asked,
        tempfile.TemporaryFile() as said,
    ):
        asked.write(json.dumps(request).encode())
        asked.seek(0)
        child = [sys.executable, "-P", "-m", "course.harness.gpu_child", str(nowhere.fileno())]
        with process.group(
            [*command, *child],
            stdin=asked,
            stdout=said,
            stderr=subprocess.STDOUT,
            pass_fds=(nowhere.fileno(),),
        ) as tool:
            if not process.wait(tool, SECONDS):
                return ""
        said.seek(0)
        return said.read().decode(errors="replace")


def _entry(submission: Submission, file: Path, tool: str, count: int, log: str) -> Diagnosis:
    place = re.search(rf"{re.escape(file.name)}:(\d+)", log)
    said = [re.sub(r"^=+ *", "", line).strip() for line in log.splitlines()]
    first = next((t for t in said if re.match(r"(Error|Warning|Invalid|Barrier|Uninit)", t)), "")
    words = f": {first[:200]}" if first else ""
    line = int(place[1]) if place else submission.kernel.line
    return Diagnosis(None, str(file), line, f"compute-sanitizer {tool} counts {count}{words}")
