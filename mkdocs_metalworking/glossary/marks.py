"""Comments on a page that are replaced before it is converted: the index, the table and the list of sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from posixpath import dirname, relpath

from ..quote.lines import text_lines
from ..quote.sources import Sources
from .asked import Asked
from .az import az_index
from .bibliography import sources_page
from .inline import literal
from .library import Entry
from .lookup import discussed_in, terms_of
from .mapping import mapping_table
from .mark_lines import marks_on
from .terms import Terms


@dataclass
class Marks:
    """What is put in the place of ``<!-- az-index -->``, ``<!-- mapping-table -->`` and ``<!-- sources -->``.

    ``entries`` gives every page that the index may list, and ``title`` a page's title, or "" when there is no page.
    ``table`` is the page on which the table stands.
    """

    entries: Callable[[], Iterable[Entry]]
    title: Callable[[str], str]
    terms: Terms
    sources: Sources
    asked: Asked
    table: str = ""

    def fill(self, markdown: str, uri: str) -> str:
        """Return the Markdown of the page *uri* with its marks replaced; links are as authors write them."""
        lines = text_lines(markdown) if "<!-- " in markdown else []
        marks = marks_on(lines)
        for index, mark in marks.items():
            lines[index] = self._filled(mark, uri)
        return "\n".join(lines) if marks else markdown

    def _filled(self, mark: str, uri: str) -> str:
        def link(target: str, place: str = "") -> str:
            title = self.title(target)
            where = relpath(target, dirname(uri) or ".") + (f"#{place}" if place else "")
            return f"[{literal(title)}]({where})" if title else ""

        if mark == "mapping-table":
            return mapping_table(self.terms, link, discussed_in(self.entries(), self.terms), self.asked)
        if mark == "sources":
            return sources_page(self.sources, self.asked.labels, lambda page: relpath(page, dirname(uri) or "."))
        entries = list(self.entries())
        return az_index(entries, terms_of(entries, self.terms), link, self.asked.labels, self.table)
