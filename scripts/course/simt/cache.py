"""Results kept on disk, by the hash of all that they depend on. Only for who asks for it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from course.program import Case
from course.simt import toolchain
from course.simt.check import CheckReport, check_kernel
from course.simt.kept import cache_folder, keep

_REPORT = TypeAdapter(CheckReport)


def check_kernel_cached(
    source: Path, kernel: str, cases: Sequence[Case], **options: Any
) -> CheckReport:
    """As `check_kernel`, from the cache where source, shim, compiler and cases are the same."""
    compiler = toolchain.Compiler.find()
    key = toolchain.digest_of(
        hashlib.sha256(source.read_bytes()).hexdigest() if source.is_file() else "",
        str(source),
        kernel,
        " ".join(map(str, cases)),
        repr(sorted(options.items())),
        toolchain.runtime_hash(),
        _package_hash(),
        compiler.version,
    )
    kept = cache_folder() / "checks" / f"{key}.json"
    try:
        return _REPORT.validate_json(kept.read_bytes())
    except (OSError, ValidationError):
        pass
    report = check_kernel(source, kernel, cases, **options)
    keep(kept, _REPORT.dump_json(report))
    return report


def _package_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
