"""Where things stand on the site. No link to them depends on a host.

A file of the repository is published at its own path, and shown on the page of that path with
`.html` at its end: code/day16/a.cu and code/day16/a.cu.html.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mkdocs.utils import get_relative_url

from course.evidence import Log


def shown_at(path: str) -> str:
    """The URL of the page that shows the repository's file `path`."""
    return f"{path}.html"


@dataclass(frozen=True)
class Links:
    """Links as they are written on the page `url`. `repo_url` may be empty."""

    root: Path
    repo_url: str
    url: str

    def relative(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def shown(self, path: str | Path, line: int | None = None) -> str:
        """The page of a repository's file, at a line of it."""
        name = path if isinstance(path, str) else self.relative(path)
        target = get_relative_url(shown_at(name), self.url)
        return target if line is None else f"{target}#L{line}"

    def place(self, place: str) -> str:
        """The page of `path:line`."""
        path, _, line = place.rpartition(":")
        return self.shown(path, int(line))

    def raw(self, path: str | Path) -> str:
        name = path if isinstance(path, str) else self.relative(path)
        return get_relative_url(name, self.url)

    def page(self, url: str) -> str:
        """Another page of the site."""
        return get_relative_url(url, self.url)

    def asset(self, name: str) -> str:
        return get_relative_url(f"assets/{name}", self.url)

    def repository(self, path: str, commit: str | None) -> str:
        """The file at a commit in the repository; empty when either is not known."""
        if not (self.repo_url and commit):
            return ""
        return f"{self.repo_url.rstrip('/')}/blob/{commit}/{path}"

    def commit_of(self, log: Log) -> str:
        """The repository at the commit of a capture."""
        commit = log.stamp.git.commit if log.stamp.git else None
        return f"{self.repo_url.rstrip('/')}/tree/{commit}" if self.repo_url and commit else ""
