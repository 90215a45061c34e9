"""What a campaign is: attempts, each refused or survived, and the reasons for survivors."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import yaml

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RESULTS = HERE / "results"
REASONS = HERE / "reasons"

Outcome = Literal["refused", "survived"]


@dataclass(frozen=True)
class Attempt:
    """One attack and what came of it.

    `name` is the same in every run, so that a reason can be kept for it; `group` is the row of the
    published table in which it is counted. `refused` says that the attack achieved nothing: the
    mutant was found, the deed was not done, nothing was torn or lost.
    """

    group: str
    name: str
    outcome: Outcome
    detail: str = ""


class Campaign(Protocol):
    """A module of this folder with these names."""

    NAME: str
    ABOUT: str

    def attempts(self, sample: int | None, seed: int) -> Iterator[Attempt]:
        """Every attempt, or about `sample` of them, chosen by `seed`.

        A campaign first makes its controls (what must pass does pass) and raises ControlError if
        one fails: a judge that refuses everything refuses every attack.
        """
        ...


class ControlError(Exception):
    """What must pass did not, so that the campaign would prove nothing."""


@dataclass
class Tally:
    """The attempts of a campaign, counted; survivors that have a reason are told apart."""

    reasons: Mapping[str, str]
    groups: dict[str, dict[str, int]] = field(default_factory=dict)
    explained: list[tuple[Attempt, str]] = field(default_factory=list)
    unexplained: list[Attempt] = field(default_factory=list)

    def add(self, attempt: Attempt) -> None:
        row = self.groups.setdefault(
            attempt.group, dict.fromkeys(("tried", "refused", "survived"), 0)
        )
        row["tried"] += 1
        row[attempt.outcome] += 1
        if attempt.outcome == "survived":
            reason = self.reason(attempt)
            if reason is None:
                self.unexplained.append(attempt)
            else:
                self.explained.append((attempt, reason))

    def reason(self, attempt: Attempt) -> str | None:
        """The reason of the first pattern that fits `group: name`."""
        text = f"{attempt.group}: {attempt.name}"
        return next(
            (why for like, why in self.reasons.items() if fnmatch.fnmatch(text, like)), None
        )

    def total(self, what: str) -> int:
        return sum(row[what] for row in self.groups.values())

    def to_json(self) -> dict[str, Any]:
        return {
            "tried": self.total("tried"),
            "refused": self.total("refused"),
            "survived": self.total("survived"),
            "groups": [{"group": group, **row} for group, row in sorted(self.groups.items())],
            "explained": [
                {"group": attempt.group, "name": attempt.name, "reason": reason}
                for attempt, reason in self.explained
            ],
            "unexplained": [
                {"group": attempt.group, "name": attempt.name, "detail": attempt.detail}
                for attempt in self.unexplained
            ],
        }


def reasons(name: str) -> dict[str, str]:
    """`reasons/NAME.yml`: a pattern of `group: name` to why a machine cannot refuse it."""
    path = REASONS / f"{name}.yml"
    found = yaml.safe_load(path.read_text()) if path.is_file() else {}
    return {str(like): " ".join(str(why).split()) for like, why in (found or {}).items()}


def tally(name: str, attempts: Iterable[Attempt]) -> Tally:
    """Count the attempts of the campaign `name`."""
    counted = Tally(reasons(name))
    for attempt in attempts:
        counted.add(attempt)
    return counted
