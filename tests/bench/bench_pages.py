"""What Lighthouse says of the pages, as a phone and as a desktop would load them.

    npm ci --prefix tests/bench/lighthouse
    PYTHONPATH=scripts:tests .venv/bin/python tests/bench/bench_pages.py [PAGE ...] [--times 3]

Without pages: every page of the navigation, and the record in tests/proof/results/lighthouse.json
is written anew. It wants a machine that does nothing else, and takes a quarter of an hour.
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.progress import track

from sites import REPOSITORY, Quiet, built, chromium, served

RECORD = REPOSITORY / "tests/proof/results/lighthouse.json"
LIGHTHOUSE = Path(__file__).with_name("lighthouse") / "node_modules/.bin/lighthouse"
FORMS = {"phone": [], "desktop": ["--preset=desktop"]}
METRICS = {
    "first_paint_ms": "first-contentful-paint",
    "largest_paint_ms": "largest-contentful-paint",
    "blocking_ms": "total-blocking-time",
    "layout_shift": "cumulative-layout-shift",
}
PACKED = (".html", ".css", ".js", ".json", ".svg", ".cu", ".yml")


class Packing(Quiet):
    """Sends text packed, as any host of static pages does."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:  # noqa: N802 - the name that http.server asks for
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if path.suffix not in PACKED or not path.is_file():
            super().do_GET()
            return
        body = gzip.compress(path.read_bytes())
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def pages() -> Iterator[str]:
    """The addresses of the navigation: every page that somebody wrote."""
    for path in sorted((REPOSITORY / "docs").rglob("*.md")):
        name = path.relative_to(REPOSITORY / "docs").with_suffix("").as_posix()
        yield "" if name == "index" else f"{name}/"


def asked(address: str, form: str) -> dict[str, Any]:
    """Lighthouse's report on one load of a page."""
    browser = chromium()
    flags = ["--quiet", "--output=json", "--chrome-flags=--headless=new --no-sandbox"]
    done = subprocess.run(
        [str(LIGHTHOUSE), address, *flags, *FORMS[form]],
        env=os.environ | ({"CHROME_PATH": browser} if browser else {}),
        capture_output=True,
        text=True,
        check=True,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def row(page: str, form: str, reports: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The medians of a page's runs, and the least score of each category."""

    def scores(category: str) -> list[int]:
        return [round(100 * report["categories"][category]["score"]) for report in reports]

    names = list(reports[0]["categories"])
    return {
        "page": page,
        "form": form,
        "scores": {name: statistics.median_low(scores(name)) for name in names},
        "least": {name: min(scores(name)) for name in names},
        **{
            name: round(
                statistics.median(report["audits"][audit]["numericValue"] for report in reports), 3
            )
            for name, audit in METRICS.items()
        },
    }


def git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    if not LIGHTHOUSE.exists():
        parser.error("Lighthouse is not here: npm ci --prefix tests/bench/lighthouse")
    if not options.pages and git("status", "--porcelain"):
        parser.error("the record names a commit: commit what git status shows, then ask again")
    with tempfile.TemporaryDirectory() as folder:
        site = built(Path(folder))
        wanted = [(page, form) for page in options.pages or pages() for form in FORMS]
        rows, reports = [], []
        with served(site, Packing) as address:
            for page, form in track(wanted, "Lighthouse"):
                reports = [asked(address + page, form) for _ in range(options.times)]
                rows.append(row(page, form, reports))
                print(json.dumps(rows[-1]))
    record = {
        "lighthouse": reports[0]["lighthouseVersion"],
        "browser": reports[0]["environment"]["hostUserAgent"].split("Chrome/")[1].split(".")[0],
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": git("rev-parse", "HEAD"),
        "runs": options.times,
        "rows": rows,
    }
    if not options.pages:
        RECORD.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
