"""The A-Z index: every page and every term by name."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator

from .inline import code, literal, verdict_chip
from .labels import Labels
from .library import Entry
from .lookup import Term
from .mapping import filter_bar


def sort_key(text: str) -> tuple[str, str]:
    """Return the key under which *text* stands in an index: marks in front (``__``, ``-``) do not count."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return plain.lstrip("_-.:<([{$#*&\"'` %"), plain


def az_index(
    entries: Iterable[Entry], found: Iterable[Term], link: Callable[[str, str], str], labels: Labels, table: str = ""
) -> str:
    """Return the index as Markdown: a line a page and a line a term, under the first of its names.

    *link* turns a page and an id on it, which may be empty, into a Markdown link, or "" when the page does not exist;
    *table* is the page on which the rows stand.
    """
    items: dict[tuple[str, str], str] = {}
    for entry in entries:
        if entry.title and (target := link(entry.uri, "")):
            items[entry.title, entry.uri] = f"**{target}**"
    for term in found:
        if term.source.casefold() == "none" or (term.source, term.uri) in items:
            continue
        target = link(term.uri, "") if term.uri else link(table, term.anchor) if table and term.anchor else ""
        other = f'<span class="mw-other" hidden>{literal(" ".join(term.aliases))}</span>' if term.aliases else ""
        line = f"{code(term.source)} {verdict_chip(term.verdict, labels)} {target or code(term.target)}{other}"
        items[term.source, term.uri] = line
    lines = sorted(items.items(), key=lambda item: (*sort_key(item[0][0]), item[0][1]))
    return "\n".join(_letters(lines, labels))


def _letters(items: list[tuple[tuple[str, str], str]], labels: Labels) -> Iterator[str]:
    def letter(name: str) -> str:
        first = sort_key(name)[0][:1].upper()
        return first if first.isalpha() else "#"

    letters = sorted({letter(name) for (name, _), _ in items})
    yield '<div class="mw-az" markdown="1">'
    yield ""
    yield filter_bar(labels, len(items))
    yield ""
    jump = " ".join(f'<a href="#{_anchor(one)}">{literal(one)}</a>' for one in letters)
    yield f'<p class="mw-az-jump" aria-label="{labels["letters"]}">{jump}</p>'
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
    if not letter.isalpha():
        return "letter-other"
    return "letter-" + (letter.lower() if letter.isascii() else "-".join(f"{ord(char):x}" for char in letter))
