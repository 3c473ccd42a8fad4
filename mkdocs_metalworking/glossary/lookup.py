"""What a reader may look up: the JSON for the lookup and for link previews."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .asked import Asked
from .callout import Verdict
from .library import Entry
from .terms import Row, Terms, key_of

_INDEX = re.compile(r"(^|/)index\.html$")


@dataclass(frozen=True, slots=True)
class Term:
    """A term as readers look it up: one row, whatever names lead to it.

    ``uri`` is the page that answers, or "" when the row of the table is the answer; ``anchor`` is that row's id, or ""
    for a term that no table has. ``also`` are further pages that name it.
    """

    source: str
    target: str
    verdict: str = ""
    uri: str = ""
    note: str = ""
    aliases: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    anchor: str = ""


def terms_of(entries: Iterable[Entry], table: Terms) -> list[Term]:
    """Return the terms of *table*, and after them what the pages name beyond it, each once."""
    entries = list(entries)
    discussed = discussed_in(entries, table)
    found = [_of_row(place, row, table, discussed) for place, row in enumerate(table.rows)]
    beyond: dict[str, Term] = {}
    for entry in entries:
        for name in _names(entry):
            if table.find(name) is None:
                known = beyond.get(key_of(name))
                if known is None:
                    beyond[key_of(name)] = _of_page(name, entry)
                elif entry.uri not in (known.uri, *known.also):
                    beyond[key_of(name)] = Term(
                        known.source, known.target, known.verdict, known.uri, known.note, also=(*known.also, entry.uri)
                    )
    return [*found, *beyond.values()]


def discussed_in(entries: Iterable[Entry], table: Terms) -> dict[int, list[str]]:
    """Return, by a row's place, the pages whose front matter names it, the one that answers aside."""
    places = {id(row): place for place, row in enumerate(table.rows)}
    found: dict[int, list[str]] = {}
    for entry in entries:
        for name in _names(entry):
            row = table.find(name)
            if row is not None and row.page != entry.uri:
                pages = found.setdefault(places[id(row)], [])
                if entry.uri not in pages:
                    pages.append(entry.uri)
    return found


def _names(entry: Entry) -> tuple[str, ...]:
    callout = entry.meta.callout
    return (callout.term, *callout.apis) if callout is not None else ()


def _of_row(place: int, row: Row, table: Terms, discussed: Mapping[int, list[str]]) -> Term:
    return Term(
        source=row.source,
        target=row.target,
        verdict=row.verdict,
        uri=row.page,
        note=row.note,
        aliases=row.aliases,
        also=tuple(discussed.get(place, ())),
        anchor=table.anchors[place],
    )


def _of_page(name: str, entry: Entry) -> Term:
    callout = entry.meta.callout
    return Term(name, entry.title, callout.verdict.value if callout else "", entry.uri, entry.meta.summary)


def lookup_data(found: Iterable[Term], pages: Iterable[tuple[Entry, str]], table: str = "") -> dict[str, Any]:
    """Return the data that the browser loads; *pages* gives the address of each page from the site's root.

    ``pages``: address without ``index.html``, as the browser asks for it and so empty for the home page, then
    [title, summary, term, verdict]. ``terms``: [name, counterpart, verdict, address, note, other names, addresses of
    further pages], the address that of the row on the page *table* when no page explains the term, and empty when
    there is no such page.
    """
    shown = {}
    where = {}
    for entry, url in pages:
        callout = entry.meta.callout
        where[entry.uri] = url
        listed = [
            entry.title,
            entry.meta.summary,
            callout.term if callout else "",
            callout.verdict.value if callout else "",
        ]
        shown[_INDEX.sub(r"\1", url.removeprefix("./"))] = listed

    def address(term: Term) -> str:
        if term.uri in where:
            return where[term.uri]
        return f"{where[table]}#{term.anchor}" if term.anchor and table in where else ""

    listed_terms = [
        [
            *(t.source, t.target, t.verdict, address(t), t.note, list(t.aliases)),
            [where[uri] for uri in t.also if uri in where],
        ]
        for t in found
    ]
    return {"pages": shown, "terms": listed_terms}


def lookup_json(data: dict[str, Any], asked: Asked) -> bytes:
    """Return the data of *lookup_data* as the file that the browser loads, with the words that stand beside it."""
    words = {
        "verdicts": {verdict.value: asked.labels[verdict.value] for verdict in Verdict},
        "from": asked.callouts.source if asked.callouts is not None else "",
    }
    return json.dumps({**data, **words}, ensure_ascii=False, separators=(",", ":")).encode()
