"""Comments on a page that are replaced before it is converted: the index, the table and the list of sources."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from posixpath import dirname, relpath

from ..quote.sources import Sources
from .bibliography import sources_page
from .library import Entry
from .lookup import az_index, terms
from .mapping import Row, literal, mapping_table

_MARK = re.compile(r"<!-- (?P<name>az-index|mapping-table|sources) -->[ \t]*")
_FENCE = re.compile(r"[ \t>]*(?:[-*+][ \t]+)*(?P<mark>`{3,}|~{3,})")
NEEDS = {
    "az-index": ("attr_list", "md_in_html"),
    "mapping-table": ("md_in_html", "tables"),
    "sources": ("attr_list", "md_in_html"),
}
"""The extensions of Python-Markdown without which readers would see the Markdown that a mark stands for."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on a page. ``line`` counts the lines of the text given, from 1."""

    name: str
    line: int
    start: int
    end: int


def find_marks(text: str) -> list[Mark]:
    """Return the marks that stand alone on their lines, outside fences."""
    return list(_marks(text)) if "<!-- " in text else []


def _marks(text: str) -> Iterator[Mark]:
    fence, start = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        words = line.removesuffix("\r")
        if (opened := _FENCE.match(words)) and not fence:
            fence = opened["mark"]
        elif opened and opened["mark"].startswith(fence) and not words.strip("> \t").strip(fence[0]):
            fence = ""
        elif not fence and (match := _MARK.fullmatch(words)):
            yield Mark(match["name"], number, start, start + len(words))
        start += len(line) + 1


@dataclass
class Marks:
    """What is put in the place of ``<!-- az-index -->``, ``<!-- mapping-table -->`` and ``<!-- sources -->``.

    ``entries`` gives every page that the index may list, and ``title`` a page's title, or "" when there is no page.
    """

    entries: Callable[[], Iterable[Entry]]
    title: Callable[[str], str]
    mapping: Iterable[Row]
    sources: Sources

    def fill(self, markdown: str, uri: str) -> str:
        """Return the Markdown of the page *uri* with its marks replaced; links are as authors write them."""
        for mark in reversed(find_marks(markdown)):
            markdown = markdown[: mark.start] + self._filled(mark.name, uri) + markdown[mark.end :]
        return markdown

    def _filled(self, mark: str, uri: str) -> str:
        def link(target: str) -> str:
            title = self.title(target)
            return f"[{literal(title)}]({relpath(target, dirname(uri) or '.')})" if title else ""

        if mark == "mapping-table":
            return mapping_table(self.mapping, link)
        if mark == "sources":
            return sources_page(self.sources)
        entries = list(self.entries())
        return az_index(entries, terms(entries, self.mapping), link)
