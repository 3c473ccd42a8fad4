"""What a reader may look up: the JSON for the CUDA lookup and for link previews, and the A-Z index."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .asked import Asked
from .callout import Verdict
from .library import Entry
from .mapping import Row, code, literal, verdict_chip

_INDEX = re.compile(r"(^|/)index\.html$")


@dataclass(frozen=True, slots=True)
class Term:
    """A CUDA name and where it leads."""

    cuda: str
    metal: str
    verdict: str = ""
    uri: str = ""
    note: str = ""


def terms(entries: Iterable[Entry], rows: Iterable[Row]) -> list[Term]:
    """Return every CUDA name that pages and the table know, the table's rows first: they are more exact."""
    entries = list(entries)
    found: dict[tuple[str, str], Term] = {}
    for row in rows:
        for name in row.names:
            found.setdefault((_fold(name), row.page), Term(name, row.metal, row.verdict, row.page, row.note))
    for entry in entries:
        cuda = entry.meta.cuda
        if cuda is None:
            continue
        found.setdefault((_fold(cuda.term), entry.uri), _of(cuda.term, entry))
        for name in cuda.apis:
            found.setdefault((_fold(name), entry.uri), _of(name, entry))
    return list(found.values())


def _of(name: str, entry: Entry) -> Term:
    cuda = entry.meta.cuda
    return Term(name, entry.title, cuda.verdict.value if cuda else "", entry.uri, entry.meta.summary)


def _fold(text: str) -> str:
    return text.casefold().strip()


def lookup_data(found: Iterable[Term], pages: Iterable[tuple[Entry, str]]) -> dict[str, Any]:
    """Return the data that the browser loads; *pages* gives the address of each page from the site's root.

    ``pages``: address without ``index.html``, as the browser asks for it and so empty for the home page, then
    [title, summary, CUDA term, verdict]. ``terms``: [CUDA, Metal, verdict, address, note], the address empty when no
    page explains the term.
    """
    shown = {}
    where = {}
    for entry, url in pages:
        cuda = entry.meta.cuda
        where[entry.uri] = url
        listed = [entry.title, entry.meta.summary, cuda.term if cuda else "", cuda.verdict.value if cuda else ""]
        shown[_INDEX.sub(r"\1", url.removeprefix("./"))] = listed
    return {"pages": shown, "terms": [[t.cuda, t.metal, t.verdict, where.get(t.uri, ""), t.note] for t in found]}


def lookup_json(data: dict[str, Any], asked: Asked) -> bytes:
    """Return the data of *lookup_data* as the file that the browser loads, with the words that stand beside it."""
    words = {
        "verdicts": {verdict.value: asked.labels[verdict.value] for verdict in Verdict},
        "from": asked.callouts.source if asked.callouts is not None else "",
    }
    return json.dumps({**data, **words}, ensure_ascii=False, separators=(",", ":")).encode()


def sort_key(text: str) -> tuple[str, str]:
    """Return the key under which *text* stands in an index: marks in front (``__``, ``-``) do not count."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return plain.lstrip("_-.:<([{$#*&\"'` "), plain


def az_index(entries: Iterable[Entry], found: Iterable[Term], link: Callable[[str], str]) -> str:
    """Return the index as Markdown; *link* turns a page into a Markdown link, or "" when it does not exist."""
    items: dict[tuple[str, str], str] = {}
    for entry in entries:
        if entry.title and (target := link(entry.uri)):
            items[entry.title, entry.uri] = f"**{target}**"
    for term in found:
        target = link(term.uri) if term.uri else ""
        if term.cuda.casefold() == "none" or (term.cuda, term.uri) in items:
            continue
        leads = target or code(term.metal)
        items[term.cuda, term.uri] = f"{code(term.cuda)} {verdict_chip(term.verdict)} {leads}"
    return "\n".join(_letters(sorted(items.items(), key=lambda item: (*sort_key(item[0][0]), item[0][1]))))


def _letters(items: list[tuple[tuple[str, str], str]]) -> Iterator[str]:
    def letter(name: str) -> str:
        first = sort_key(name)[0][:1].upper()
        return first if first.isascii() and first.isalpha() else "#"

    letters = sorted({letter(name) for (name, _), _ in items})
    yield '<div class="mw-az" markdown="1">'
    yield ""
    jump = " ".join(f'<a href="#{_anchor(one)}">{literal(one)}</a>' for one in letters)
    yield f'<p class="mw-az-jump" aria-label="Letters">{jump}</p>'
    for one in letters:
        yield ""
        yield f"## {literal(one)} {{ #{_anchor(one)} }}"
        yield ""
        for (name, _), line in items:
            if letter(name) == one:
                yield f"- {line}"
    yield ""
    yield "</div>"


def _anchor(letter: str) -> str:
    return f"letter-{letter.lower() if letter.isalpha() else 'other'}"
