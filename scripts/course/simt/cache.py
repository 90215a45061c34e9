"""Results kept on disk, by the hash of all that they depend on. Only for who asks for it."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from course.files import read_bytes
from course.program import Case
from course.simt import toolchain
from course.simt.check import CheckReport, check_kernel
from course.simt.kept import cache_folder, keep
from course.source import tokens

_REPORT = TypeAdapter(CheckReport)
# Asked of tokens, so that no comment or splice stands between its parts.
_INCLUDED = re.compile(
    r"(?:(?:\#|%:)\s*(?:include|import|embed)|__has_(?:include|embed)\s*\()\w*\s*"
    r"(?:[\"<](?P<name>[^\">\n]+)[\">]|(?P<macro>\S))"
)


def check_kernel_cached(
    source: Path, kernel: str, cases: Sequence[Case], **options: Any
) -> CheckReport:
    """As `check_kernel`, from the cache where source, shim, compiler and cases are the same.

    The source is the file and all that it includes from its own folder, in turn. Where a macro
    says what is included, only the compiler knows, and nothing is kept.
    """
    compiler = toolchain.Compiler.find()
    files = _files_hash(source)
    if files is None:
        return check_kernel(source, kernel, cases, **options)
    key = toolchain.digest_of(
        files,
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


def _files_hash(source: Path) -> str | None:
    """Of the source and the local files it may include, whatever the branches; None if unknown."""
    hashes: dict[str, str] = {}
    pending = [source]
    while pending:
        path = pending.pop()
        real = os.path.realpath(path)
        if real in hashes or not path.is_file():
            continue
        data = read_bytes(path)
        hashes[real] = hashlib.sha256(data).hexdigest()
        text = data.decode(errors="replace").replace("\r\n", "\n")
        for match in _INCLUDED.finditer("".join(tokens(text))):
            if match["macro"]:
                return None
            pending += [folder / match["name"] for folder in (path.parent, source.parent)]
    return toolchain.digest_of(*(part for item in sorted(hashes.items()) for part in item))


def _package_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
