"""The CPU check beside its peers: what the runs under tests/proof found, as they were kept.

A GPU's counters, compute-sanitizer's four tools, Oclgrind, and the CPU check itself; beside them
what the harness said of submissions on a GPU, and Lighthouse of the pages.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from course.errors import CourseError
from course.files import read_text
from course.proof_shapes import require_agreement, require_shape

PLACE = Path("tests/proof/results")
FILES = {
    "counters": "h200/counters.json",
    "comparison": "h200/comparison.json",
    "sanitizers": "h200/sanitizers.json",
    "oclgrind": "oclgrind.json",
    "ours": "ours.json",
    "speed": "speed.json",
    "submissions": "h200/harness.json",
    "lighthouse": "lighthouse.json",
}
COUNTS = (
    "global_load_requests",
    "global_load_sectors",
    "global_store_requests",
    "global_store_sectors",
)
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
COLUMNS = ("value", *TOOLS, "oclgrind", "cpu")
Word = Literal[
    "wrong", "stopped", "right", "named", "reported", "silent", "no end", "no twin", "accused"
]
Group = Literal["fault", "slow", "right"]
SLOW = ("bank-conflict", "uncoalesced")


@dataclass(frozen=True)
class Verdict:
    """What one tool says of one kernel. `told` is that it says anything at all."""

    word: Word
    detail: str = ""

    @property
    def told(self) -> bool:
        return self.word not in ("right", "silent", "no twin")


@dataclass(frozen=True)
class Kernel:
    """A kernel of the gallery and the verdict of each column."""

    name: str
    file: str
    sha256: str
    fault: str | None
    pitfall: str | None
    verdicts: Mapping[str, Verdict]

    @property
    def group(self) -> Group:
        """Slow ones are right at every element; what is to be told of them is their cost."""
        if self.fault in SLOW or (self.fault is None and self.pitfall):
            return "slow"
        return "fault" if self.fault else "right"

    @property
    def silent(self) -> bool:
        """None of compute-sanitizer's tools says anything."""
        return not any(self.verdicts[tool].told for tool in TOOLS)


@dataclass(frozen=True)
class Peers:
    """The kept results of the proof."""

    root: Path
    data: Mapping[str, Any]

    @classmethod
    def load(cls, root: Path) -> Peers | None:
        """None where a project keeps no such results. Raises CourseError for broken ones."""
        if not (root / PLACE).is_dir():
            return None
        data = {}
        for name, file in FILES.items():
            path = root / PLACE / file
            try:
                data[name] = json.loads(read_text(path))
            except (ValueError, RecursionError) as error:
                raise CourseError("bad-proof", f"not JSON: {error}", path=path) from error
            require_shape(name, data[name], path)
        require_agreement(data, {name: root / PLACE / file for name, file in FILES.items()})
        peers = cls(root, data)
        try:
            _ = peers.kernels, peers.counted, peers.files()
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            message = f"the results of the proof lack {error}"
            raise CourseError("bad-proof", message, path=root / PLACE) from error
        return peers

    def path(self, name: str) -> Path:
        return self.root / PLACE / FILES[name]

    def files(self) -> list[Path]:
        """The results, and the sources that they are about and no program declares."""
        sources = {self.root / kernel.file for kernel in self.kernels.values()}
        sources |= {self.root / row["file"] for row in self.counted}
        sources |= {self.root / row["file"] for row in self.data["submissions"]["subjects"]}
        code = self.root / "code"
        own = sorted(path for path in sources if path.is_file() and not path.is_relative_to(code))
        return [*map(self.path, FILES), *own]

    def line(self, name: str, key: str) -> int:
        """The line of a result on which the kernel `key` starts, or 1."""
        lines = read_text(self.path(name)).split("\n")
        return next((at for at, text in enumerate(lines, 1) if f'"{key}":' in text), 1)

    @cached_property
    def kernels(self) -> dict[str, Kernel]:
        return {name: self._kernel(name) for name in self.data["ours"]["matrix"]}

    def _kernel(self, name: str) -> Kernel:
        ours = self.data["ours"]["matrix"][name]
        gpu = self.data["sanitizers"]["matrix"][name]
        lines, right = set(ours["fault_lines"]), ours["fault"] is None
        verdicts = {"value": _value(gpu["plain"])}
        verdicts |= {tool: _told(gpu[tool], lines, right) for tool in TOOLS}
        twin = self.data["oclgrind"]["matrix"][name]["oclgrind"]
        verdicts["oclgrind"] = _told([twin], lines, right) if twin else Verdict("no twin")
        verdicts["cpu"] = _ours(ours)
        file, sha256, fault, pitfall = map(ours.get, ("file", "sha256", "fault", "pitfall"))
        return Kernel(name, file, sha256, fault, pitfall, verdicts)

    @cached_property
    def counted(self) -> list[dict[str, Any]]:
        """The rows of the comparison with the counters; `hash` is the source's, as counted."""
        pairs = zip(self.data["comparison"], self.data["counters"]["rows"], strict=True)
        return [{**told, "sha256": row["sha256"]} for told, row in pairs]

    def changed(self, file: str, sha256: str) -> bool:
        """Whether a source is no longer the one that went through the tools."""
        path = self.root / file
        return not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != sha256

    def stale(self) -> Iterator[tuple[str, str]]:
        """Kernels of the gallery that changed since: the name of the result, and the file."""
        for name in ("sanitizers", "oclgrind", "ours"):
            rows = self.data[name]["matrix"].values()
            for file, sha256 in dict.fromkeys((row["file"], row["sha256"]) for row in rows):
                if self.changed(file, sha256):
                    yield name, file


def _value(runs: list[dict[str, Any]]) -> Verdict:
    """What a comparison of all elements shows on the GPU, over the sizes that were run."""
    if any("error" in run for run in runs):
        return Verdict("stopped", next(run["error"] for run in runs if "error" in run))
    if any("timeout" in run for run in runs):
        return Verdict("no end")
    wrong = sum(run["wrong"] > 0 for run in runs)
    return Verdict("wrong" if wrong else "right", f"at {wrong or len(runs)} of {len(runs)} sizes")


def _told(runs: list[dict[str, Any]], fault_lines: set[int], right: bool) -> Verdict:
    """What a tool said, over its runs: at a line of the fault, elsewhere, or nothing."""
    if any(run["reports"] for run in runs):
        lines = {line for run in runs for line in run["lines"]}
        where = ", ".join(map(str, sorted(lines & fault_lines or lines)))
        word: Word = "accused" if right else "named" if lines & fault_lines else "reported"
        return Verdict(word, f"line {where}" if where else "without a line")
    return Verdict("no end" if any("timeout" in run for run in runs) else "silent")


def _ours(row: dict[str, Any]) -> Verdict:
    """As for the others, and the kind must be right too; costs accuse nobody."""
    says, fault = row["cpu"]["says"], row["fault"]
    if fault is None:
        return Verdict("silent") if row["cpu"]["clean"] else Verdict("accused", ", ".join(says))
    lines = set(says.get(fault, ()))
    at = ", ".join(map(str, sorted(lines & set(row["fault_lines"]) or lines)))
    if lines & set(row["fault_lines"]):
        return Verdict("named", f"line {at}")
    other = [kind for kind in says if kind not in SLOW]
    if lines or other:
        return Verdict("reported", "another line" if lines else ", ".join(other))
    return Verdict("silent")
