"""Comments on a page that are replaced before it is converted: the index, the table and the list of sources."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from posixpath import dirname, relpath

from ..quote.fences import fenced_lines
from ..quote.lines import text_lines
from ..quote.sources import Sources
from .bibliography import sources_page
from .library import Entry, Library
from .lookup import az_index, terms
from .mapping import Row, literal, mapping_table

_MARK = re.compile(r"<!-- (az-index|mapping-table|sources) -->[ \t]*")
NEEDS = {
    "az-index": ("md_in_html", "attr_list"),
    "mapping-table": ("md_in_html",),
    "sources": ("md_in_html", "attr_list"),
}
"""The Markdown extensions without which what stands in a mark's place is not read."""


def marks_on(lines: Sequence[str]) -> dict[int, str]:
    """Return the marks of a page by the index of their lines; in a fence they are text."""
    found = {index: match[1] for index, line in enumerate(lines) if (match := _MARK.fullmatch(line))}
    if found:
        for index in fenced_lines(lines) & found.keys():
            del found[index]
    return found


@dataclass
class Marks:
    """What is put in the place of ``<!-- az-index -->``, ``<!-- mapping-table -->`` and ``<!-- sources -->``."""

    library: Library
    mapping: Iterable[Row]
    sources: Sources
    listed: Callable[[Entry], bool] = lambda _: True
    title: Callable[[str], str] = lambda _: ""

    def fill(self, markdown: str, uri: str) -> str:
        """Return the Markdown of the page *uri* with its marks replaced; links are as authors write them."""
        lines = text_lines(markdown) if "<!-- " in markdown else []
        marks = marks_on(lines)
        for index, mark in marks.items():
            lines[index] = self._filled(mark, uri)
        return "\n".join(lines) if marks else markdown

    def _filled(self, mark: str, uri: str) -> str:
        def link(target: str) -> str:
            entry = self.library.entries.get(target)
            if entry is None:
                return ""
            title = self.title(target) or entry.title or target
            return f"[{literal(title)}]({relpath(target, dirname(uri) or '.')})"

        if mark == "mapping-table":
            return mapping_table(self.mapping, link)
        if mark == "sources":
            return sources_page(self.sources)
        entries = [entry for entry in self.library if self.listed(entry)]
        return az_index(entries, terms(entries, self.mapping), link)
