"""Re-verification proven on a real card: each disturbance gets the verdict it should.

    PYTHONPATH=scripts:tests python3 -m proof.reverify OUTDIR

Leaves OUTDIR/reverify.json and OUTDIR/reverify-logs.tar.gz; exits with 1 if a verdict is wrong.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from rich.console import Console

from course.capture import capture
from course.evidence import log_paths, read_log
from course.program import Program
from course.project import Capture
from course.reverify.compare import compared_rows
from course.reverify.run import Answer, reverify

ROOT = Path(__file__).parents[2]
PROGRAM = "day16-tiled-matmul"
SOURCE = "tiled_matmul.cu"
REPEATS_OF_THE_SAME_BUILD = 10

# Each block of the tiled kernel waits for 40,000 cycles before it begins.
SLOW = (
    "    float sum = 0.0f;\n    for (size_t step",
    "    const long long until = clock64() + 40000;\n    while (clock64() < until) {\n    }\n"
    "    float sum = 0.0f;\n    for (size_t step",
)
WRONG = ("for (int p = 0; p < kTileDim; ++p)", "for (int p = 0; p < kTileDim - 1; ++p)")

BURNER = """\
#include <cstdio>
__global__ void burn(float* x, int rounds) {
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    float value = x[i];
    for (int r = 0; r < rounds; ++r) value = value * 1.0001f + 0.5f;
    x[i] = value;
}
int main() {
    float* x;
    if (cudaMalloc(&x, (size_t{1} << 22) * sizeof(float)) != cudaSuccess) return 1;
    for (bool first = true;; first = false) {
        burn<<<1 << 14, 256>>>(x, 20000);
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
        if (first) std::puts("busy"), std::fflush(stdout);
    }
}
"""


@dataclass(frozen=True)
class Scene:
    """One thing that was done to the card or the build, the states that are right, the answer."""

    name: str
    right: tuple[str, ...]
    answer: Answer
    by_the_rule_alone: dict[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.answer.state in self.right

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "right": list(self.right),
            "ok": self.ok,
            "exit_status": self.answer.exit_status,
            "by_the_rule_alone": self.by_the_rule_alone,
            **self.answer.to_json(),
        }


class Stage:
    """A copy of the project without evidence, so that nothing here touches the real one."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.root = folder, folder / "project"
        shutil.copytree(ROOT / "code", self.root / "code")
        shutil.copy(ROOT / "mkdocs.yml", self.root)
        self.evidence = self.root / "evidence" / PROGRAM
        self.evidence.mkdir(parents=True)
        self.scenes: list[Scene] = []

    def act(self, name: str, *right: str, console: Console | None = None, **options: Any) -> Answer:
        answer = reverify(self.root, PROGRAM, console=console or _quiet(), **options)
        self.scenes.append(Scene(name, right, answer, self._alone(answer)))
        print(f"{name}: {answer.state}, right is {' or '.join(right)}", flush=True)
        return answer

    def _alone(self, answer: Answer) -> dict[str, str]:
        """What the rule would say of the rows if nothing hindered a comparison."""
        compared = answer.comparison
        if compared is None or not compared.hindrances:
            return {}
        rows = compared_rows(compared.old, compared.new, hindered=False)
        return {row.name: row.verdict for row in rows}

    @contextlib.contextmanager
    def compiler_that(self, edits: tuple[str, str]) -> Iterator[None]:
        """An nvcc that makes other code of the same source, as a new toolkit might."""
        real = shutil.which("nvcc")
        assert real is not None, "nvcc is not on PATH"
        shim = self.folder / "shim"
        shim.mkdir(exist_ok=True)
        edit = f"import pathlib; p = pathlib.Path({SOURCE!r}); t = p.read_text(); "
        edit += f"assert {edits[0]!r} in t; p.write_text(t.replace({edits[0]!r}, {edits[1]!r}))"
        script = f'#!/bin/sh\ncase "$*" in *{SOURCE}*)\n'
        script += f"{shlex.join([sys.executable, '-c', edit])} ;;\nesac\n"
        script += f'exec {shlex.quote(real)} "$@"\n'
        (shim / "nvcc").write_text(script)
        (shim / "nvcc").chmod(0o755)
        before = os.environ["PATH"]
        os.environ["PATH"] = f"{shim}:{before}"
        try:
            yield
        finally:
            os.environ["PATH"] = before

    @contextlib.contextmanager
    def source_that(self, edits: tuple[str, str]) -> Iterator[None]:
        """Another source, for a while."""
        path = self.root / "code" / PROGRAM / SOURCE
        before = path.read_text()
        assert edits[0] in before
        path.write_text(before.replace(*edits))
        try:
            yield
        finally:
            path.write_text(before)

    def put_away(self, answer: Answer) -> None:
        """The log is evidence of a source that will be gone."""
        assert answer.log is not None
        folder = self.evidence / "other-source"
        folder.mkdir()
        answer.log.rename(folder / answer.log.name)

    def logs(self) -> list[Path]:
        return sorted(self.evidence.rglob("*.log"))


class Burner:
    """A second job that keeps the card busy until it is stopped."""

    def __init__(self, folder: Path) -> None:
        source = folder / "burner.cu"
        source.write_text(BURNER)
        command = ["nvcc", "-O2", "-arch=native", "-o", str(folder / "burner"), str(source)]
        subprocess.run(command, check=True)
        self.command = [str(folder / "burner")]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"busy\n"

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


class _Watched(io.StringIO):
    """The progress of a capture; does something once when a line tells of run 3."""

    def __init__(self, then: Callable[[], None]) -> None:
        super().__init__()
        self.then: Callable[[], None] | None = then

    def write(self, text: str) -> int:
        if "run 3 of" in text and self.then is not None:
            then, self.then = self.then, None
            then()
        return super().write(text)


def _quiet() -> Console:
    return Console(file=io.StringIO(), width=200)


def play(stage: Stage, commit: str | None) -> dict[str, Any]:
    """Every scene in turn; returns what goes into the JSON beside them."""
    shared: dict[str, Any] = {"commit": commit, "arch": "native"}
    capture(stage.root, PROGRAM, console=_quiet(), **shared)
    for number in range(1, REPEATS_OF_THE_SAME_BUILD + 1):
        stage.act(f"the same build, {number}", "passed", **shared)
    pairs = same_build_pairs(stage)
    through_driver = {**shared, "arch": "sm_75"}
    stage.act("another architecture, through the driver", "not comparable", **through_driver)
    with stage.compiler_that(SLOW):
        stage.act("a compiler that makes slower code", "slower", **shared)
    with stage.compiler_that(WRONG):
        stage.act("a compiler that makes wrong code", "failed", **shared)
    with stage.source_that(SLOW):
        stage.put_away(stage.act("another, slower source", "first", **shared))
    burner = Burner(stage.folder)
    try:
        watched = Console(file=_Watched(burner.start), width=200)
        half = ("passed", "not comparable")
        stage.act("a second job from run 3 on", *half, console=watched, **shared)
        stage.act("a second job all the time", "not comparable", **shared)
    finally:
        burner.stop()
    return pairs


def same_build_pairs(stage: Stage) -> dict[str, Any]:
    """Every pair of captures of the same build, judged in both directions."""
    program = Program.load(stage.root, PROGRAM)
    logs = [read_log(path) for path in log_paths(stage.root, PROGRAM)]
    captures = [Capture(log, program, log.parse(program.spec.output)) for log in logs]
    verdicts: dict[str, int] = {}
    for one, other in combinations(captures, 2):
        for old, new in ((one, other), (other, one)):
            for row in compared_rows(old, new, hindered=False):
                verdicts[row.verdict] = verdicts.get(row.verdict, 0) + 1
    wrong = verdicts.get("SLOWER", 0) + verdicts.get("FASTER", 0)
    return {"captures": len(captures), "rows": verdicts, "wrong": wrong}


def main(out: Path, commit: str | None = None) -> int:
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="course-proof-") as name:
        stage = Stage(Path(name))
        pairs = play(stage, commit)
        ok = all(scene.ok for scene in stage.scenes) and pairs["wrong"] == 0
        report = {
            "ok": ok,
            "same_build_pairs": pairs,
            "scenes": [scene.to_json() for scene in stage.scenes],
        }
        (out / "reverify.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
        with tarfile.open(out / "reverify-logs.tar.gz", "w:gz") as tar:
            for path in stage.logs():
                tar.add(path, path.relative_to(stage.root).as_posix())
    print(f"pairs of the same build: {pairs}", flush=True)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:3]))
