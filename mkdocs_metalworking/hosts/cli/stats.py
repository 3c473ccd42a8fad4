"""How deep each page goes: words of prose, excerpts, figures, tables, citations."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from html.parser import HTMLParser

from ...markdown.page import PageContext
from ...quote.diagnostics import printable

_WORD = re.compile(r"\w[\w'\u2019.,/+-]*")
_VOID = frozenset({"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
_NOT_PROSE = frozenset({"figure", "table", "pre", "svg", "script", "style", "aside", "sup"})


@dataclass(frozen=True, slots=True)
class Depth:
    """Counts of one page. ``lead`` is the words of the first paragraph."""

    page: str
    words: int
    lead: int
    excerpts: int
    figures: int
    tables: int
    citations: int

    def as_dict(self) -> dict[str, str | int]:
        """Return plain data."""
        return asdict(self)


def depth(page: PageContext, html: str) -> Depth:
    """Count what *page* holds, from its converted *html*."""
    counter = _Counter()
    counter.feed(html)
    counter.close()
    return Depth(
        page.path,
        counter.words,
        counter.lead or 0,
        len(page.quotations),
        counter.figures,
        counter.tables,
        len(page.citations),
    )


class _Counter(HTMLParser):
    """Words count in paragraphs, lists and headings' texts; not in figures, tables, code, callouts and footnotes."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.words = self.figures = self.tables = 0
        self.lead: int | None = None
        self._stack: list[bool] = []
        self._paragraph = 0
        self._in_heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        classes = (dict(attrs).get("class") or "").split()
        outside = bool(self._stack) and self._stack[-1]
        if not outside:
            self.figures += "mw-diagram" in classes
            self.tables += tag == "table"
        self._stack.append(outside or tag in _NOT_PROSE or "footnote" in classes or "mw-summary" in classes)
        self._in_heading = tag in ("h1", "h2", "h3", "h4") or (self._in_heading and tag != "p")
        if tag == "p":
            self._paragraph = 0

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID or not self._stack:
            return
        outside = self._stack.pop()
        if tag in ("h1", "h2", "h3", "h4"):
            self._in_heading = False
        if tag == "p" and not outside and self.lead is None and self._paragraph:
            self.lead = self._paragraph

    def handle_data(self, data: str) -> None:
        if self._in_heading or (self._stack and self._stack[-1]):
            return
        count = len(_WORD.findall(data))
        self.words += count
        self._paragraph += count


def table(rows: list[Depth]) -> str:
    """Return the counts as a Markdown table, in the order given."""
    head = "| page | words | lead | excerpts | figures | tables | citations |\n|---|--:|--:|--:|--:|--:|--:|\n"
    return head + "".join(
        f"| {printable(r.page)} | {r.words} | {r.lead} | {r.excerpts} | {r.figures} | {r.tables} | {r.citations} |\n"
        for r in rows
    )
