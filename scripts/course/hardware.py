"""The hardware table: one YAML file that the reference page, the figures and the charts share."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pydantic

from course.files import Data, parse_yaml, read_text

PLACE = Path("docs/reference/hardware.yml")


class Document(Data):
    title: str
    url: str = pydantic.Field(pattern=r"^https://")


class Card(Data):
    """One card as its vendor describes it. hardware.yml says what the figures are.

    `stamped` are the names by which its driver knows it, which stand in the stamps of captures.
    """

    name: str
    stamped: tuple[str, ...] = ()
    compute_capability: str = pydantic.Field(pattern=r"^\d+\.\d$")
    fp32_tflops: float = pydantic.Field(gt=0)
    bandwidth_gbs: float = pydantic.Field(gt=0)
    shared_kb: int = pydantic.Field(gt=0)
    sms: int = pydantic.Field(gt=0)
    sources: tuple[str, ...] = pydantic.Field(min_length=1)
    note: str = ""

    @property
    def ridge(self) -> float:
        """FLOP that the card can do for each byte that its memory delivers."""
        return 1000 * self.fp32_tflops / self.bandwidth_gbs


class Hardware(Data):
    documents: dict[str, Document]
    cards: tuple[Card, ...] = pydantic.Field(min_length=1)

    @pydantic.model_validator(mode="after")
    def _sources_are_documents(self) -> Hardware:
        for card in self.cards:
            unknown = set(card.sources) - set(self.documents)
            if unknown:
                raise ValueError(f"{card.name}: no document is called {', '.join(sorted(unknown))}")
        return self

    def card(self, gpu: str) -> Card | None:
        """The card that stamps call `gpu`."""
        return next((card for card in self.cards if gpu in card.stamped), None)

    @property
    def cited(self) -> list[str]:
        """The documents that cards name, in the order of the file."""
        named = {source for card in self.cards for source in card.sources}
        return [name for name in self.documents if name in named]


def read_hardware(root: Path) -> Hardware:
    """Raises CourseError when the file is missing or says something else."""
    return _parsed(read_text(root / PLACE), root / PLACE)


@lru_cache(maxsize=8)
def _parsed(text: str, path: Path) -> Hardware:
    return parse_yaml(text, Hardware, path)
