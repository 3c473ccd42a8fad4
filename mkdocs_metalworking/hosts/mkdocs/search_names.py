"""Names of terms in the index of Material's search: who types one is led to the page that answers, or to its row.

Material's index has fields with a weight each, and its browser part takes what fields the index names. A field that it
does not know is searched and never shown, so no result is covered with labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from mkdocs.config.defaults import MkDocsConfig

from .search_index import index_of

FIELD = "names"
WEIGHT = 1e6
"""As Material weighs tags: a name before any title and any text."""


def by_page(terms: Iterable[Sequence[Any]]) -> dict[str, list[Sequence[Any]]]:
    """Return *terms*, as the lookup has them, by the address of the page that answers or has the row."""
    found: dict[str, list[Sequence[Any]]] = {}
    for term in terms:
        if address := term[3]:
            found.setdefault(address.removeprefix("./").partition("#")[0], []).append(term)
    return found


def add_names(config: MkDocsConfig, url: str, terms: Iterable[Sequence[Any]]) -> None:
    """Put the names of *terms* into the index of the site's search, which has just read the page *url* that has them.

    The page gets those of the terms that it answers; a row that is itself the answer becomes an entry behind the page's
    first. A search with another index stays as it is. *terms* are ``[name, counterpart, verdict, address, note, other
    names, …]``.
    """
    index = index_of(config)
    settings = getattr(index, "config", None)
    if not isinstance(settings, Mapping) or "fields" not in settings:
        return
    entries = index.entries
    place = next((place for place in reversed(range(len(entries))) if entries[place]["location"] == url), None)
    if place is None:
        return
    settings["fields"].setdefault(FIELD, {"boost": WEIGHT})
    rows = []
    for name, counterpart, _verdict, address, _note, aliases, *_ in terms:
        names = [name, *aliases]
        if "#" in address:
            # Material's browser part takes both for HTML.
            shown = {"title": escape(name, quote=False), "text": escape(counterpart, quote=False)}
            rows.append({"location": address, **shown, FIELD: names})
        else:
            entries[place].setdefault(FIELD, []).extend(names)
    entries[place + 1 : place + 1] = rows
