"""The real site: copies of the repository, built by MkDocs in a process of its own, and served."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
LESSON = "docs/day16-tiled-matmul.md"


def copy_repository(folder: Path) -> Path:
    """What a build reads: mkdocs.yml, docs/, code/, evidence/, the proof and the site's rooms."""
    proof = ("tests/gallery", "tests/harness/cheats", "tests/proof")
    for name in ("code", "docs", "evidence", "scripts", *proof):
        ignore = shutil.ignore_patterns("rejected", "__pycache__", "*.gz")
        shutil.copytree(REPOSITORY / name, folder / name, ignore=ignore)
    shutil.copy(REPOSITORY / "mkdocs.yml", folder)
    return folder


def mkdocs(
    root: Path,
    *arguments: str,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `mkdocs` on the project at `root`, from `folder` or from the project itself."""
    command = [sys.executable, "-m", "mkdocs", *arguments]
    return subprocess.run(
        command if folder is None else [*command, "--config-file", str(root / "mkdocs.yml")],
        cwd=folder or root,
        env=clean_environment() | dict(environment or {}),
        capture_output=True,
        text=True,
        check=False,
    )


def clean_environment() -> dict[str, str]:
    """This process's environment without what changes a site, and without the slow CPU check."""
    changing = ("SITE_URL", "REPO_URL", "SOURCE_DATE_EPOCH")
    kept = {name: value for name, value in os.environ.items() if name not in changing}
    return kept | {"NO_MKDOCS_2_WARNING": "1", "COURSE_CPU_CHECK": "off"}


def built(folder: Path, **environment: str) -> Path:
    """A site built strictly from an unbroken copy of the repository."""
    done = mkdocs(copy_repository(folder), "build", "--strict", environment=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def chromium() -> str | None:
    """The browser of this machine, by its path."""
    return shutil.which("chromium") or shutil.which("google-chrome")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def served(site: Path, handler: type[Quiet] = Quiet) -> Iterator[str]:
    """The site on a free port of this machine; gives its address, with a slash at the end."""
    here = functools.partial(handler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), here) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
