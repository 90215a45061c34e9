"""The one error and the one finding of the toolchain: what is wrong, where, and what mends it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

Severity = Literal["error", "notice"]


class CourseError(Exception):
    """Something the user can mend; shown as `path:line: message` and the fix, never as a traceback.

    `code` is a short kebab-case name that tests and machines can rely on; `exit_status` is what
    the command line ends with.
    """

    exit_status = 2

    def __init__(
        self,
        code: str,
        message: str,
        *,
        path: Path | None = None,
        line: int | None = None,
        fix: str = "",
    ) -> None:
        super().__init__(message)
        self.code, self.message = code, message
        self.path, self.line, self.fix = path, line, fix

    def __str__(self) -> str:
        where = "" if self.path is None else f"{self.path}:{self.line or 1}: "
        return where + self.message + (f"\n  fix: {self.fix}" if self.fix else "")


@dataclass(frozen=True, order=True)
class Finding:
    """One thing the gate has to say. `path` is relative to the project's root, `line` from 1.

    An `error` refuses the build; a `notice` is shown and lets it pass.
    """

    path: str
    line: int
    code: str
    message: str
    fix: str
    severity: Severity = "error"

    @classmethod
    def of(cls, error: CourseError, root: Path, default: Path) -> Finding:
        """The finding that says what `error` says; `default` is its place where it names none."""
        path = error.path or default
        shown = path.relative_to(root) if path.is_relative_to(root) else path
        undo = f"git diff -- {shown.as_posix()} shows what changed; mend it or check it out again"
        fix = error.fix or undo
        return cls(shown.as_posix(), error.line or 1, error.code, error.message, fix)

    def __str__(self) -> str:
        label = "" if self.severity == "error" else f" {self.severity}:"
        head = f"{self.path}:{self.line}:{label} {self.message} [{self.code}]"
        return f"{head}\n  fix: {self.fix}" if self.fix else head

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
