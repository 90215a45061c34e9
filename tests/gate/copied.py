"""A copy of the real repository that a test may break, and the gate run on it as a user would."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.evidence import Log, read_log, render_log
from course.project import Capture, Project
from course.stamp import Stamp

REPOSITORY = Path(__file__).parents[2]
PROGRAM = "day16-tiled-matmul"
LESSON = "docs/day16-tiled-matmul.md"
SOURCE = f"code/{PROGRAM}/tiled_matmul.cu"
SPEC = f"code/{PROGRAM}/program.yml"


@dataclass(frozen=True)
class Copy:
    """The copy at `root`; every edit asserts that it changed something."""

    root: Path

    @classmethod
    def make(cls, folder: Path) -> Copy:
        for name in ("code", "docs", "evidence", "tests/gallery", "tests/proof"):
            tests = ("*.py", "*.gz") if name.startswith("tests/") else ()
            ignore = shutil.ignore_patterns("rejected", "assets", *tests)
            shutil.copytree(REPOSITORY / name, folder / name, ignore=ignore)
        shutil.copy(REPOSITORY / "mkdocs.yml", folder)
        return cls(folder)

    def path(self, name: str) -> Path:
        return self.root / name

    def replace(self, name: str, old: str, new: str) -> None:
        """Replace the first `old` in a file."""
        text = self.path(name).read_text()
        assert old in text, f"{old!r} is not in {name}"
        self.path(name).write_text(text.replace(old, new, 1))

    def insert(self, name: str, text: str) -> int:
        """Put a paragraph at the end of a page; returns its line."""
        before = self.path(name).read_text().rstrip("\n")
        self.path(name).write_text(f"{before}\n\n{text}\n")
        return before.count("\n") + 3

    def line(self, name: str, text: str) -> int:
        """The line of a file on which `text` first stands."""
        lines = self.path(name).read_text().split("\n")
        return next(number for number, line in enumerate(lines, 1) if text in line)

    @property
    def project(self) -> Project:
        return Project.load(self.root)

    def latest(self, gpu: str = "NVIDIA H200") -> Capture:
        capture = self.project.latest(PROGRAM, gpu)
        assert capture is not None
        return capture

    def rewrite(
        self,
        log: Log,
        outputs: Sequence[bytes] | None = None,
        runs: Sequence[dict[str, Any]] = (),
        **stamp: Any,
    ) -> None:
        """Seal the log again with another stamp or other outputs: a forger who knows the format."""
        data = outputs if outputs is not None else log.outputs
        plain = log.stamp.model_dump(by_alias=True) | stamp
        plain["runs"] = [
            run.model_dump()
            | {"bytes": len(output), "sha256": hashlib.sha256(output).hexdigest()}
            | (runs[number] if runs else {})
            for number, (run, output) in enumerate(zip(log.stamp.runs, data, strict=True))
        ]
        log.path.write_bytes(render_log(Stamp.model_validate(plain), data))

    def add_capture(self, time: str, old: str = "", new: str = "", gpu: str = "NVIDIA H200") -> str:
        """A later capture of the same card, `old` replaced by `new` in every run; returns its name."""
        log = self.latest(gpu).log
        name = re.sub(r"\d{8}T\d{6}Z", time.replace("-", "").replace(":", ""), log.path.name)
        twin = log.path.with_name(name)
        shutil.copy(log.path, twin)
        outputs = [output.replace(old.encode(), new.encode()) for output in log.outputs]
        self.rewrite(read_log(twin), outputs, time=time)
        return twin.stem

    def course(
        self, *arguments: str, folder: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run `course` in the copy, as a process of its own."""
        command = [sys.executable, "-m", "course", *arguments]
        where = folder or self.root
        return subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)

    def findings(self) -> list[dict[str, Any]]:
        """What `course check --json` finds, and its exit status proven to fit."""
        done = self.course("check", "--json", "--no-cpu-check")
        report = json.loads(done.stdout)
        assert done.stderr == ""
        assert done.returncode == (0 if report["ok"] else 1)
        findings = report["findings"]
        assert isinstance(findings, list)
        return findings
