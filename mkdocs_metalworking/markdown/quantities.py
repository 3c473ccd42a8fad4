"""Quantities in Markdown: number and unit, what is known of them on hover, and the footnote of the source."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor

from ..quote.diagnostics import Location, MetalworkingError
from ..quote.mentions import Kind
from ..quote.quantities import Quantities, Quantity
from ..quote.quantity_mentions import QUANTITY, SOURCED, Form, QuantityMention, Shown, fill_plain, shown_quantity
from .citations import describe, described, footnote
from .marked_text import Spans, code_spans, drawn, footnotes_of, literal_html, replace_in_footnotes, replace_in_tree
from .tracking import MARK, Met, Outcome
from .visible import html_attribute, html_text, named
from .work import Work

_LITERAL_HTML = ("code", "pre", "kbd", "samp", "tt", "script", "style", "textarea")
# What becomes an attribute, where no HTML may stand: the text of an image, a link's title, what is in a tag or a list.
_ATTRIBUTE = re.compile(
    r"!\[(?:[^\[\]]|\[=[^\[\]]*\]){0,2000}(?=\])|\]\([^()\n]*\)|<[A-Za-z][^<>]*>|\{:[^{}\n]*\}",
)
_READ = re.compile(r"""[\[\]()<>"'&\\`*_!]""")
_START = "\ufdef[="


class QuantityProcessor(Treeprocessor):
    """Shows ``[=key]`` in text, and in raw HTML that is no code, the labels of figures among it.

    Priority 56: below the callout (58), whose text has them too, above citations (55) and the footnotes' list (50).
    """

    PRIORITY = 56

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work
        self._derived: dict[str, str] = {}

    def run(self, root: Element) -> None:
        """Replace the mentions of the page, of its footnotes, and of the raw HTML in it."""
        work = self._work
        self._derived.clear()
        if not any(met.mention.kind is Kind.QUANTITY for met in work.tracker.met):
            return
        quantities = work.quantities
        replace_in_tree(root, _START, lambda text, _element: self._text(text, quantities))
        replace_in_footnotes(footnotes_of(work.md), _START, lambda text: self._text(text, quantities))
        for name, (link, title) in work.md.references.items():
            if title and _START in title:
                filled = self._fill(title, Spans(()), quantities, lambda shown, _at: named(shown.text))
                work.md.references[name] = link, filled
        blocks = work.md.htmlStash.rawHtmlBlocks
        for index, raw in enumerate(blocks):
            if isinstance(raw, str) and _START in raw and index not in work.stashed:
                blocks[index] = self._raw(raw, quantities)

    def _text(self, text: str, quantities: Quantities) -> str:
        in_attribute, in_drawing = Spans(match.span() for match in _ATTRIBUTE.finditer(text)), drawn(text)

        def html(shown: Shown, at: int) -> str:
            inert = in_attribute.cover(at) or in_drawing.cover(at)
            return _inert(shown.text) if inert else self._html(shown, quantities)

        return self._fill(text, Spans(code_spans(text)), quantities, html)

    def _raw(self, raw: str, quantities: Quantities) -> str:
        """Fill raw HTML with plain text."""
        hidden = Spans(literal_html(raw, _LITERAL_HTML))
        return self._fill(raw, hidden, quantities, lambda shown, _at: html_attribute(shown.text))

    def _fill(self, text: str, hidden: Spans, quantities: Quantities, html: Callable[[Shown, int], str]) -> str:
        """Put *html* of each quantity, by its place, where it is mentioned outside of what is *hidden*."""
        parts, end = [], 0
        for mark in MARK.finditer(text):
            met, match = self._work.tracker.by(mark), QUANTITY.match(text, mark.end())
            if match is None or met is None or met.mention.kind is not Kind.QUANTITY or hidden.cover(mark.start()):
                continue
            shown = self._shown(met, quantities)
            if shown is not None:
                parts += [text[end : mark.start()], html(shown, mark.start())]
                end = match.end()
        return "".join((*parts, text[end:]))

    def _shown(self, met: Met, quantities: Quantities) -> Shown | None:
        """Return what a mention shows; None when it cannot, which is reported: then it stays, with its mark."""
        work = self._work
        try:
            work.quoter()  # what is wrong with the files is told in the place of what follows from it
            if met.mention.problem is not None:
                raise met.mention.problem
            assert isinstance(met.mention.what, QuantityMention)
            shown = shown_quantity(met.mention.what, quantities)
        except MetalworkingError as problem:
            met.outcome = Outcome.REPORTED
            work.page.report(problem, met.where, met)
            return None
        met.outcome, met.shown = Outcome.SHOWN, shown.quantity
        work.page.quantities.append(shown.quantity.key)
        return shown

    def _html(self, shown: Shown, quantities: Quantities) -> str:
        work = self._work
        note = self._notes(shown.quantity, quantities) if shown.form in SOURCED else ""
        return work.stash(element(shown)) + note + (work.stash(evidence(shown)) if shown.form is Form.CELL else "")

    def _notes(self, quantity: Quantity, quantities: Quantities) -> str:
        """Write the footnotes that say where *quantity* is from; returns the references.

        What a formula comes down to may be long: it is cited once a page, however often the page shows the value.
        """
        work = self._work
        if quantity.key in self._derived:
            return self._derived[quantity.key]
        leaves = quantities.leaves(quantity) if quantity.formula else [quantity]
        cited = [work.quoter().cite(source.citation) for leaf in leaves for source in leaf.sources]
        work.page.citations.extend(cited)
        if not quantity.formula:
            return "".join(dict.fromkeys(footnote(work, describe(one)) for one in cited))
        self._derived[quantity.key] = derived = footnote(work, derivation(quantity, quantities, work))
        return derived


def _inert(text: str) -> str:
    """Return *text* so that neither Markdown nor HTML reads anything in it, where it becomes an attribute."""
    return _READ.sub(lambda match: f"&#{ord(match[0])};", named(text))


def fill(work: Work, text: str, where: Location) -> str:
    """Return plain *text*, a caption, with its quantities shown; problems are reported at *where*."""
    filled, problems, keys = fill_plain(text, work.quantities, named)
    for _, problem in problems:
        work.page.report(problem, where)
    work.page.quantities.extend(keys)
    return filled.replace("\u00a0", " ")


def element(shown: Shown) -> str:
    """Return the HTML of a number in prose; what is known of it stands in its title until a script shows it better."""
    text, key = html_text(shown.text), html_attribute(shown.quantity.key)
    if shown.form not in SOURCED:
        return f'<span class="mw-quantity" data-key="{key}">{text}</span>'
    about = shown.quantity.about()
    title = f' title="{html_attribute(about)}"' if about else ""
    return f'<abbr class="mw-quantity" data-key="{key}"{title}>{text}</abbr>'


def evidence(shown: Shown) -> str:
    """Return what stands below a number in a cell: the chip and the kind of evidence."""
    parts = (shown.quantity.bound, shown.quantity.chip, " and ".join(shown.quantity.kinds))
    return f' <span class="mw-kind">{html_text(", ".join(part for part in parts if part))}</span>'


def derivation(quantity: Quantity, quantities: Quantities, work: Work) -> str:
    """Return the footnote of a derived value: the formula, what went into it, and the sources of that."""
    parts = []
    for key in quantity.inputs:
        one = quantities.get(key)
        sources = "; ".join(described(work.quoter().cite(source.citation)) for source in one.sources[:1])
        how = sources or (f"<code>{html_text(one.formula)}</code>" if one.formula else "")
        parts.append(f"<code>{html_text(key)}</code> {html_text(one.text())}{f', {how}' if how else ''}")
    given = f"; {'; '.join(parts)}" if parts else ""
    said = "; ".join(described(work.quoter().cite(source.citation)) for source in quantity.sources)
    told = f"; so has {said}" if said else ""
    return f'<span class="mw-cite">Derived: <code>{html_text(quantity.formula)}</code>{given}{told}.</span>'
