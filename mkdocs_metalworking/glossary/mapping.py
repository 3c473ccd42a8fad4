"""The table of terms as Markdown: a row a term, which opens to its code, its sources and its pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from .asked import Asked
from .callout import Verdict
from .inline import code, literal, verdict_chip
from .labels import Labels
from .terms import SIDES, Pair, Row, Terms, ids

COLUMNS = 5


@dataclass(frozen=True, slots=True)
class Table:
    """Draws the table. *link* turns a page into a Markdown link or "", *also* a row's place into further pages."""

    terms: Terms
    link: Callable[[str], str]
    also: Mapping[int, list[str]]
    asked: Asked

    @property
    def labels(self) -> Labels:
        """The words beside the author's own."""
        return self.asked.labels

    @property
    def sides(self) -> tuple[str, str]:
        """The names of the two worlds."""
        callouts = self.asked.callouts
        return (callouts.source, callouts.target) if callouts is not None else SIDES

    def markdown(self) -> str:
        """Return the table, one a group, below a filter and a list of the groups."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        numbered = list(enumerate(self.terms.rows))
        groups = [(group, list(rows)) for group, rows in groupby(numbered, key=lambda item: item[1].group)]
        yield '<div class="mw-mapping" markdown="1">'
        yield ""
        yield filter_bar(self.labels, len(numbered), verdicts=any(row.verdict for _, row in numbered))
        yield ""
        anchors = list(ids("group-", ((group, "terms") for group, _ in groups)))
        named = [(group, anchor) for (group, _), anchor in zip(groups, anchors, strict=True) if group]
        if len(named) > 1:
            links = " ".join(f'<a href="#{anchor}">{literal(group)}</a>' for group, anchor in named)
            yield f'<nav class="mw-jump" aria-label="{self.labels["groups"]}">{links}</nav>'
        for (group, rows), anchor in zip(groups, anchors, strict=True):
            yield ""
            yield from self._group(group, anchor, rows)
        yield ""
        yield "</div>"

    def _group(self, group: str, anchor: str, rows: list[tuple[int, Row]]) -> Iterator[str]:
        if group:
            yield f'<h3 id="{anchor}" markdown="span">{literal(group)}</h3>'
            yield ""
        yield '<table class="mw-terms" markdown="block">'
        labels = self.labels
        heads = (*self.sides, labels["mapping_verdict"], labels["mapping_change"], labels["mapping_page"])
        yield f"<thead><tr>{''.join(f'<th>{literal(head)}</th>' for head in heads)}</tr></thead>"
        for place, row in rows:
            yield from self._row(place, row, heads)
        yield "</table>"

    def _row(self, place: int, row: Row, heads: tuple[str, ...]) -> Iterator[str]:
        anchor = self.terms.anchors[place]
        note = row.note.replace("\n", " ")
        data = f' data-verdict="{row.verdict}"' if row.verdict else ""
        yield f'<tbody id="{anchor}"{data} markdown="block">'
        yield '<tr markdown="block">'
        cells = (
            code(row.target),
            verdict_chip(row.verdict, self.labels),
            note,
            self.link(row.page) if row.page else "",
        )
        here = f'<a class="mw-anchor" href="#{anchor}" aria-label="{self.labels["row_link"]}">&#35;</a>'
        yield f'<th scope="row" markdown="span">{code(row.source)} {here}</th>'
        for head, cell in zip(heads[1:], cells, strict=True):
            yield f'<td data-head="{literal(head)}" markdown="span">{cell}</td>'
        yield "</tr>"
        more = list(self._more(place, row))
        if more:
            yield '<tr class="mw-more" markdown="block">'
            yield f'<td colspan="{COLUMNS}" markdown="block">'
            yield from more
            yield "</td>"
            yield "</tr>"
        yield "</tbody>"

    def _more(self, place: int, row: Row) -> Iterator[str]:
        labels = self.labels
        if row.code is not None:
            yield _pair(row.code, self.sides)
        if row.aliases:
            names = ", ".join(code(alias) for alias in row.aliases)
            yield f'<p class="mw-row-also" markdown="span">{labels["mapping_names"]}: {names}</p>'
        pages = [found for uri in self.also.get(place, ()) if (found := self.link(uri))]
        if pages:
            yield f'<p markdown="span">{labels["also_in"]}: {", ".join(pages)}</p>'
        if row.cited:
            cited = " ".join(f"[@{source}]" for source in row.cited)
            yield f'<p class="mw-cited" markdown="span">{labels["mapping_sources"]}: {cited}</p>'


def mapping_table(
    terms: Terms, link: Callable[[str], str], also: Mapping[int, list[str]] | None = None, asked: Asked | None = None
) -> str:
    """Return the table of *terms* as Markdown."""
    return Table(terms, link, also or {}, asked or Asked()).markdown()


def filter_bar(labels: Labels, count: int, *, verdicts: bool = False) -> str:
    """Return the field above a list that narrows it, with a button a verdict when the list has them."""
    field = '<input type="search" data-mw-filter autocomplete="off" spellcheck="false">'
    chips = ""
    if verdicts:
        chips = "".join(
            f'<button type="button" class="mw-verdict mw-v-{verdict}" data-mw-verdict="{verdict}"'
            f' aria-pressed="false">{literal(labels[verdict.value])}</button>'
            for verdict in Verdict
        )
        chips = f'<span class="mw-filter-verdicts">{chips}</span>'
    told = f'<output aria-live="polite">{labels.counted("row", count)}</output>'
    empty = '<p class="mw-empty" hidden></p>'
    return f'<div class="mw-filter"><label>{labels["filter"]} {field}</label>{chips}{told}</div>\n{empty}'


def _pair(pair: Pair, sides: tuple[str, str]) -> str:
    shown = "".join(_side(name, text) for name, text in zip(sides, (pair.source, pair.target), strict=True))
    return f'<div class="mw-pair">{shown}</div>'


def _side(name: str, text: str) -> str:
    shown = literal(text).replace("\n", "&#10;")
    caption = f"<figcaption>{literal(name)}</figcaption>"
    return f'<figure data-search-exclude="">{caption}<pre class="nohighlight"><code>{shown}</code></pre></figure>'
