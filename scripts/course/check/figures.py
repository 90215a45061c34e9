"""Which figures in a text need something that checks them, however they are written.

The rule stands here once. It is asked of the author's Markdown and of the built page's words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

# What stands for a figure that the build put on the page: a value, a quotation.
CHECKED = "\ufffc"
# Elements that part no words: `1.2<b>9</b>×` is one figure to a reader.
_INLINE = """
a abbr b bdi cite del dfn em font i ins kbd mark q s samp small span strong sub sup time u var wbr
math mrow mi mn mo mtext semantics mstyle tspan
"""
INLINE = frozenset(_INLINE.split())

_SECOND = r"s(?:ec(?:ond)?s?)?"
_UNIT = rf"""(?:
      (?: × | \\times | [xX](?!\w) )(?!\s*\d)
    | % | °C
    | (?: percent | per\s+cent | times | fold | cycles? | FLOPs?
        | [kKMGTP]?FLOPS
        | [kKMGTP]?(?:FLOPs?|i?B|bytes?)\s*(?:/|per\s+)\s*{_SECOND}
        | [kKMG]?Hz | [mk]?W | watts?
        | [mµμun]?{_SECOND} | (?:milli|micro|nano)seconds?
      )(?!\w)
)"""
# A number with a unit that only a measurement or a formula can give; `16×16` is a shape, no figure.
# The hyphen of `day-16 s` is no sign and no range.
_FIGURE = re.compile(
    rf"(?<![\w.,])(?<![A-Za-z_]-)\.?\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?[\s-]*{_UNIT}", re.VERBOSE
)
# Digits that touch a checked figure make another one of it.
_TOUCHING = re.compile(rf"\d[\d.,]*{CHECKED}|{CHECKED}(?:[.,]?\d[\d.,]*)")
# Signs by which text is shown in another order than it is written.
TURNED = "\u202e"
_TURNED = re.compile("[\u202a-\u202e\u2066-\u2069]")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# What may look like something else: an entity, and any sign beside those of plain ASCII.
_OTHER = re.compile(rf"\0+|{_ENTITY.pattern}|[^ -~\n]")
_ALIKE = str.maketrans(
    {
        **dict.fromkeys("‐‒–—―−⁃﹣－", "-"),
        **dict.fromkeys("✕✖⨉⨯╳хХχ", "×"),
        **dict.fromkeys("٪⁒", "%"),
        **dict(zip("сеорѕМВНКТкгµ", "ceopsMBHKTkrμ", strict=True)),
    }
)
# Letters that are blank: they part nothing that a reader sees as one.
_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0\u17b4\u17b5"


@dataclass(frozen=True)
class Typed:
    """A figure that nothing checks; `start` is its offset in the text that was asked about."""

    figure: str
    start: int


def typed_figures(text: str) -> Iterator[Typed]:
    """The figures of `text`, in which `CHECKED` stands for each that something checks."""
    for match in _TURNED.finditer(unescape(text)):
        yield Typed(f"U+{ord(match[0]):04X}, which turns text round,", 0)
    shown, places = _as_seen(text)
    for pattern in (_FIGURE, _TOUCHING):
        for match in pattern.finditer(shown):
            figure = " ".join(match[0].replace(CHECKED, "…").split())
            yield Typed(figure, places[match.start()])


def _as_seen(text: str) -> tuple[str, list[int]]:
    """The text as it looks, and for each of its characters the offset that it comes from.

    Entities are what they stand for, what has no width is gone, and one sign stands for all that
    look like it.
    """
    shown: list[str] = []
    places: list[int] = []
    at = 0
    for match in _OTHER.finditer(text):
        shown.append(text[at : match.start()])
        places += range(at, match.start())
        seen = _plain(unescape(match[0]))
        shown.append(seen)
        places += [match.start()] * len(seen)
        at = match.end()
    shown.append(text[at:])
    places += range(at, len(text))
    return "".join(shown), places


@lru_cache(maxsize=4096)
def _plain(piece: str) -> str:
    return "".join(
        character
        for character in unicodedata.normalize("NFKD", piece.translate(_ALIKE)).translate(_ALIKE)
        if character.isspace()
        or (
            unicodedata.category(character) not in ("Cf", "Cc", "Mn", "Me")
            and character not in _BLANK_LETTERS
        )
    )
