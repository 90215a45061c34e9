"""Edits of one text by offset, collected first and applied together."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Edits:
    """Replacements of spans of `text`; spans that touch keep the order in which they were added."""

    text: str
    _spans: list[tuple[int, int, str]] = field(default_factory=list)

    def replace(self, start: int, end: int, new: str) -> None:
        self._spans.append((start, end, new))

    def insert(self, at: int, new: str) -> None:
        self.replace(at, at, new)

    def line_start(self, number: int) -> int:
        """The offset of line `number`, from 1; the text's end for the line after the last."""
        lines = self.text.split("\n")[: number - 1]
        return min(sum(len(line) + 1 for line in lines), len(self.text))

    def applied(self) -> str:
        """The edited text. Raises ValueError when two edits overlap."""
        parts, at = [], 0
        for start, end, new in sorted(self._spans, key=lambda span: span[:2]):
            if start < at:
                raise ValueError(f"an edit at {start} overlaps one that ends at {at}")
            parts += [self.text[at:start], new]
            at = end
        return "".join([*parts, self.text[at:]])
