"""The CPU check's own column of the matrix: `python -m proof.ours proof/results/ours.json`.

Each kernel of the gallery at the size that the other tools got, as `course trace` runs it.
"""

import sys
from pathlib import Path
from typing import Any

import gallery
from course.simt import Case, Compiler, trace
from gallery import Entry
from proof.build import launch_source, write_json


def row(entry: Entry) -> dict[str, Any]:
    """What is found in one kernel: the lines of each kind."""
    report = trace(
        entry.path,
        entry.kernel,
        Case(*entry.cases[0]),
        block=entry.block,
        tile=entry.tile,
        grid=entry.fixed_grid,
        shared_bytes=entry.shared or None,
    )
    found: dict[str, set[int]] = {}
    for finding in report.findings:
        found.setdefault(finding.kind, set()).add(finding.line)
    return {
        **launch_source(entry),
        "fault": entry.fault,
        "pitfall": entry.pitfall,
        "fault_lines": list(entry.fault_lines),
        "cpu": {
            "case": list(entry.cases[0]),
            "clean": report.clean,
            "says": {kind: sorted(lines) for kind, lines in sorted(found.items())},
        },
    }


def main(path: Path) -> int:
    matrix = {entry.name: row(entry) for entry in gallery.load()}
    write_json(path, {"compiler": Compiler.find().version, "matrix": matrix})
    print(f"the CPU check: {len(matrix)} kernels")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
