"""Pages and rows of tables for programs: the Markdown twins, and a table's row with the sources of its cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from bs4 import BeautifulSoup, Tag

from ...quote.diagnostics import MetalworkingError
from ...quote.fences import fenced_lines
from ...quote.suggest import nearest
from ..forms.markdown import to_markdown
from ..forms.twin import name_unseen
from ..forms.volume import Leaf, Volume
from ..mkdocs.code import finished
from ..mkdocs.reading import Reading

_RAISED = {"sup": "^", "sub": "_"}
_FIRST_CELL = re.compile(r"^[ \t]*\|([^|\n]*)\|", re.MULTILINE)
_HEADING = re.compile(r"(?P<level>#{1,6}) (?P<title>.+)")


class Twins:
    """The pages of a reading as Markdown, made when they are asked for."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        leaves = [Leaf(file.src_uri, file.url, "", "") for file in reading.documents()]
        config = reading.config
        self._volume = Volume(config.site_name, address=config.site_url or "", leaves=leaves)
        self._leaves = {leaf.uri: leaf for leaf in leaves}

    def html(self, uri: str) -> str:
        """Return the page at *uri* with its code."""
        file = self._reading.files.get_file_from_path(uri)
        html = (file.page.content if file is not None and file.page is not None else "") or ""
        context = self._reading.pages.get(uri)
        return finished(html, context) if context is not None else html

    def markdown(self, uri: str, section: str = "") -> str:
        """Return the twin of the page at *uri*, or of one *section* with what is below its heading.

        Raises MetalworkingError (``unknown``), with the nearest heading, for a section that the page does not have.
        """
        text = to_markdown(self.html(uri), self._leaves[uri], self._volume)
        return _section(text, section) if section else text

    def row(self, name: str) -> dict[str, Any]:
        """Return the row of *name* in a table: the cells by their columns, the sources that they name, and the page.

        Of several tables the largest is taken, and before others one whose first column is called chip. Raises
        MetalworkingError (``unknown``).
        """
        wanted, known = name.strip().casefold(), dict[str, str]()
        found: list[tuple[tuple[bool, int], str, Tag, Tag]] = []
        for uri in self._leaves:
            page = self._reading.pages.get(uri)
            firsts = [cell.strip(" \t") for cell in _FIRST_CELL.findall(page.source or "")] if page is not None else []
            known |= {first.casefold(): first for first in firsts}
            if wanted in (first.casefold() for first in firsts):
                soup = _without_code(BeautifulSoup(self.html(uri), "html.parser"))
                found += [(rank, uri, head, row) for rank, head, row in _rows(soup, wanted)]
        if not found:
            near = nearest(wanted, known)
            hint = f"did you mean {known[near]}?" if near else "search finds where it is told"
            raise MetalworkingError("unknown", f"no table has a row {name[:80]!r}", hint)
        _, uri, head, row = max(found, key=lambda item: item[0])
        names, cells = ([words_of(cell) for cell in part(["td", "th"])] for part in (head, row))
        return {"row": dict(zip(names, cells, strict=False)), "page": uri, "sources": _cited(row)}


def _rows(soup: BeautifulSoup, wanted: str) -> Iterator[tuple[tuple[bool, int], Tag, Tag]]:
    """Yield the rows that begin with *wanted*, with the head of their table, and how much such a table tells."""
    for table in soup("table"):
        head, rows = table.select_one("thead tr"), table.select("tbody tr")
        for row in rows:
            first = row.find(["td", "th"])
            if head is not None and first is not None and words_of(first).casefold() == wanted:
                names = [words_of(cell) for cell in head(["td", "th"])]
                yield (names[0].casefold() == "chip", len(names) * len(rows)), head, row


def _without_code(soup: BeautifulSoup) -> BeautifulSoup:
    """Return *soup* with the name of each block of code in its place: what is told of a row is one line."""
    name_unseen(soup)
    for figure in soup.select("figure.mw-excerpt"):
        figure.replace_with(f"({''.join(link.get_text() for link in figure.select('.mw-file'))}, on the page)")
    for block in soup("pre"):
        block.replace_with("(code, on the page)")
    return soup


def words_of(cell: Tag) -> str:
    """Return the words of a cell, without its footnotes' numbers and what is struck out."""
    parts = []
    for part in cell.find_all(string=True):
        around = {parent.name: parent for parent in takewhile(lambda one: one is not cell, part.parents)}
        if around.keys() & {"del", "s"} or ("sup" in around and str(around["sup"].get("id")).startswith("fnref")):
            continue
        raised = next((sign for name, sign in _RAISED.items() if name in around), "")
        parts.append(f"{raised}{part}" if part.strip() else part)
    return " ".join("".join(parts).split())


def _cited(row: Tag) -> list[dict[str, str]]:
    """Return what the footnotes of a row say, each with its first address."""
    # What else of the page has the id of a footnote of ours stands before the footnotes, and is none of them.
    notes = {note["id"]: note for note in row.find_parents()[-1].select(".footnote > ol > li[id]")}
    found = []
    for link in row.select("sup a[href^='#']"):
        note = notes.get(str(link["href"])[1:])
        if note is not None:
            for back in note.select(".footnote-backref"):
                back.decompose()
            away = note.find("a", href=True)
            found.append({"title": " ".join(note.get_text().split()), "url": str(away["href"]) if away else ""})
    return found


def _section(text: str, section: str) -> str:
    lines = text.split("\n")
    fenced = fenced_lines(lines)
    headings = [(i, match) for i, line in enumerate(lines) if i not in fenced and (match := _HEADING.fullmatch(line))]
    wanted = _plain(section)
    for place, (start, match) in enumerate(headings):
        if _plain(match["title"]) == wanted:
            below = (i for i, other in headings[place + 1 :] if len(other["level"]) <= len(match["level"]))
            return "\n".join(lines[start : next(below, len(lines))]).strip() + "\n"
    known = {_plain(match["title"]): match["title"] for _, match in headings}
    near = nearest(wanted, known)
    hint = f"did you mean {known[near]}?" if near else f"it has: {', '.join(known.values())}"
    raise MetalworkingError("unknown", f"the page has no section {section[:80]!r}", hint)


def _plain(title: str) -> str:
    return re.sub(r"[^\w]+", " ", title).strip().casefold()
