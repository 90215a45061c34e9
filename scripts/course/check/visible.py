"""The words that a reader of a built page sees, and the figures in them that nothing checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from bs4 import BeautifulSoup, Tag
from bs4.element import Comment, NavigableString, PreformattedString

from course.check.figures import CHECKED, INLINE, TURNED, typed_figures
from course.page import Page

# What a fence of ours becomes, by its language. An author's own HTML cannot add to their number.
_MADE = {
    "evidence": "section.evidence",
    "chart": "figure.chart",
    "figure": "figure.plate[data-figure]",
    "proof": "section.proof",
    "hardware": "div.hardware",
    "history": "section.history",
    "rule": "figure.rule",
}
_UNREAD = ("script", "style", "template")
_CODE = ("code", "pre")
_AROUND = 40


def unmarked_figures(words: str) -> Iterator[tuple[str, str]]:
    """Each figure in the visible words of a page that nothing checks, with what is around it."""
    for typed in typed_figures(words):
        around = words[max(0, typed.start - _AROUND) : typed.start + _AROUND]
        yield typed.figure, " ".join(around.replace(CHECKED, "…").split())


def visible_words(soup: BeautifulSoup, page: Page) -> str:
    """The words of the page's article without code and without what the build made.

    `CHECKED` stands for each value and quotation: a link whose words are those of the receipt that
    it leads to.
    """
    article = soup.find("article") or soup
    assert isinstance(article, Tag)
    receipts = article.select("section.receipts")
    made = _made(article, page) | set(map(id, receipts if len(receipts) == 1 else ()))
    shown = {
        f"#{item['id']}": item.select_one(".receipt__shown b") or item.select_one(".receipt__shown")
        for item in (receipts[0].select("li.receipt") if len(receipts) == 1 else ())
    }
    told = {href: " ".join(tag.get_text().split()) for href, tag in shown.items() if tag}
    return "".join(_words(article, made, told))


def _made(article: Tag, page: Page) -> set[int]:
    """The elements that stand for fences of the page."""
    asked = Counter(fence.language for fence in page.fences)
    made: set[int] = set()
    for language, selector in _MADE.items():
        found = article.select(selector)
        if len(found) <= asked[language]:
            made.update(map(id, found))
    return made


def _words(tag: Tag, made: set[int], told: Mapping[str, str]) -> Iterator[str]:
    for child in tag.children:
        if isinstance(child, Tag):
            if id(child) in made or child.name in _UNREAD:
                continue
            if child.name in _CODE:
                yield " "
            elif child.name == "a" and _says(child, told):
                yield CHECKED
            elif _is_formula(child):
                yield _formula(child)
            else:
                space = "" if child.name in INLINE else "\n"
                yield TURNED if child.name == "bdo" or child.get("dir") else space
                yield from _words(child, made, told)
                yield space
        elif isinstance(child, NavigableString) and not isinstance(
            child, Comment | PreformattedString
        ):
            yield str(child)


def _says(link: Tag, told: Mapping[str, str]) -> bool:
    """Whether the words of a link are what its receipt vouches for."""
    words = " ".join(link.get_text().split())
    return bool(words) and words == told.get(str(link.get("href")))


def _is_formula(tag: Tag) -> bool:
    return tag.name == "span" and "math" in tag.get_attribute_list("class")


def _formula(tag: Tag) -> str:
    """The formula's words, without the figures that the notes behind it name."""
    words, note = tag.get_text(), tag.next_sibling
    while isinstance(note, Tag) and "value--note" in note.get_attribute_list("class"):
        said = str(note.get("aria-label", ""))
        figure = said.removeprefix("Where ").removesuffix(" comes from")
        words = words.replace(figure, CHECKED, 1)
        note = note.next_sibling
    return words
