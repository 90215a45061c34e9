"""Run campaigns: `make campaigns`, or one of them with `python -m campaigns NAME --sample 200`.

Exits 0 only if every survivor has a reason. With --keep the results are written where the page
`reference/campaigns` reads them; only a whole run of a committed tree is kept.
"""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import subprocess
import sys
import time
from collections.abc import Iterator

from rich.console import Console

from campaigns.campaign import RESULTS, ROOT, Attempt, Campaign, ControlError, Tally, tally
from course.progress import Progress
from course.writing import write_atomically

NAMES = ("submissions",)


def main() -> int:
    parser = argparse.ArgumentParser(prog="campaigns", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--sample", type=int, help="make about so many attempts, not all")
    parser.add_argument("--seed", type=int, default=0, help="chooses the sample")
    parser.add_argument("--keep", action="store_true", help="write results/NAME.json")
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown or (options.keep and (options.sample or _git("status", "--porcelain"))):
        parser.error(
            f"no such campaign: {unknown}" if unknown else "--keep takes a whole, clean run"
        )
    worst = 0
    for name in options.names or NAMES:
        campaign: Campaign = importlib.import_module(f"campaigns.{name}")
        worst = max(worst, _run(campaign, options.sample, options.seed, options.keep))
    return worst


def _run(campaign: Campaign, sample: int | None, seed: int, keep: bool) -> int:
    started = time.monotonic()
    try:
        counted = tally(campaign.NAME, _told(campaign, sample, seed))
    except ControlError as error:
        print(f"{campaign.NAME}: nothing is proved, a control failed: {error}")
        return 2
    seconds = time.monotonic() - started
    _print(campaign.NAME, counted, seconds)
    if keep:
        head = {
            "campaign": campaign.NAME,
            "about": campaign.ABOUT,
            "commit": _git("rev-parse", "HEAD"),
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
            "python": platform.python_version(),
            "seconds": round(seconds),
        }
        text = json.dumps(head | counted.to_json(), indent=2) + "\n"
        write_atomically(RESULTS / f"{campaign.NAME}.json", text.encode())
    return 1 if counted.unexplained or not counted.total("tried") else 0


def _told(campaign: Campaign, sample: int | None, seed: int) -> Iterator[Attempt]:
    """The attempts, with a line of progress on a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield from campaign.attempts(sample, seed)
        return
    with Progress(console) as progress:
        for number, attempt in enumerate(campaign.attempts(sample, seed), 1):
            progress.step(f"{campaign.NAME}: {number} tried; {attempt.group}")
            yield attempt


def _print(name: str, counted: Tally, seconds: float) -> None:
    for group, row in sorted(counted.groups.items()):
        print(
            f"  {group}: {row['tried']} tried, {row['refused']} refused, {row['survived']} survived"
        )
    for attempt in counted.unexplained:
        print(f"  SURVIVED {attempt.group}: {attempt.name}\n    {attempt.detail}")
    print(
        f"{name}: {counted.total('tried')} tried, {counted.total('refused')} refused, "
        f"{counted.total('survived')} survived ({len(counted.explained)} with a reason, "
        f"{len(counted.unexplained)} without), in {seconds:.0f} s"
    )


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
