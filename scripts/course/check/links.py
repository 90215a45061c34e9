"""Links inside the built site: each must lead to a file of it, and its anchor to an element."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from course.errors import Finding
from course.files import read_text

_FIX = "mend the link where the page was written, then: make build"
_LINKS = ("href", "src", "xlink:href")
# Its links start at the root of the host, which is not the site's own where that has a path.
_ROOTED = "404.html"


@dataclass
class _Read(HTMLParser):
    """What a page links to, by line, and what can be linked to in it."""

    html: str
    links: list[tuple[int, str]] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in _LINKS and value:
                self.links.append((self.getpos()[0], value))
            elif name == "id" and value:
                self.anchors.add(value)


def check_links(root: Path, site: Path) -> Iterator[Finding]:
    """A finding for every link that leads nowhere; links to other hosts are not followed."""
    pages = {path: _Read(read_text(path)) for path in site.rglob("*.html")}
    for path, page in pages.items():
        if path == site / _ROOTED:
            continue
        shown = path.relative_to(root) if path.is_relative_to(root) else path
        for line, link in page.links:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            target = target / "index.html" if target.is_dir() else target
            anchor = unquote(url.fragment)
            if not target.is_relative_to(site) or not target.is_file():
                message = f"{link} leads to nothing in the site"
            elif anchor and target in pages and anchor not in pages[target].anchors:
                message = f"{link} leads to no element of {target.relative_to(site).as_posix()}"
            else:
                continue
            yield Finding(shown.as_posix(), line, "site-link", message, _FIX)
