"""Quantities in Markdown: number and unit, what is known of them on hover, and the footnote of the source."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from html import escape
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from ..quote.diagnostics import Location, MetalworkingError, printable
from ..quote.quantities import Quantities, Quantity
from ..quote.quantity_mentions import QUANTITY, Form, Shown, fill_plain, read_quantity_mention, shown_quantity
from .citations import CODE_SPAN, describe, described, elements

if TYPE_CHECKING:
    from .extension import Work

# Raw HTML that shows code or is none, and tags with their attributes that scripts read: a mention inside is literal.
_LITERAL_HTML = re.compile(
    r"<(?P<tag>code|pre|kbd|samp|script|style|textarea)\b[^<>]*>.*?</(?P=tag)\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE
)


# What becomes an attribute, where no HTML may stand: the text of an image, a link's title.
_ATTRIBUTE = re.compile(r"!\[(?:[^\[\]]|\[=[^\[\]]*\]){0,2000}(?=\])|\]\([^()\n]*\)")


class _Spans:
    """The places of a text that a pattern finds."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        found = [match.span() for match in pattern.finditer(text)]
        self._starts = [start for start, _ in found]
        self._ends = [end for _, end in found]

    def cover(self, at: int) -> bool:
        before = bisect_right(self._starts, at) - 1
        return before >= 0 and at < self._ends[before]


class QuantityProcessor(Treeprocessor):
    """Shows ``[=key]`` in text.

    Priority 56: below the callout (58), whose text has them too, above citations (55) and the footnotes' list (50).
    """

    PRIORITY = 56

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, root: Element) -> None:
        """Replace the mentions of the page, of its footnotes, and of the raw HTML in it."""
        work = self._work
        quantities = work.quantities
        if not quantities:
            return
        work.locator.rewind()
        for element in elements(root):
            if element.text and "[=" in element.text:
                element.text = self._text(element.text, quantities)
            for child in element:
                if child.tail and "[=" in child.tail:
                    child.tail = self._text(child.tail, quantities)
        footnotes = self._footnotes()
        for key, text in list(footnotes.footnotes.items()):
            if "[=" in text:
                footnotes.footnotes[key] = self._replaced(text, quantities)
        blocks = work.md.htmlStash.rawHtmlBlocks
        for index, raw in enumerate(blocks):
            if isinstance(raw, str) and "[=" in raw and index not in work.stashed:
                blocks[index] = self._raw(raw, quantities)

    def _text(self, text: str, quantities: Quantities) -> str:
        if isinstance(text, AtomicString):
            return text
        return self._replaced(text, quantities)

    def _footnotes(self) -> Any:
        return self._work.md.inlinePatterns["footnote"].footnotes  # type: ignore[attr-defined]

    def _replaced(self, text: str, quantities: Quantities) -> str:
        in_code, in_attribute = _Spans(CODE_SPAN, text), _Spans(_ATTRIBUTE, text)

        def one(match: re.Match[str]) -> str:
            start = match.start()
            if in_code.cover(start) or text[start - 1 : start] == "\\":
                return match[0]
            if in_attribute.cover(start):
                return fill(self._work, match[0], self._work.locator.text(match[0]))
            return self._shown(match, quantities)

        return QUANTITY.sub(one, text)

    def _shown(self, match: re.Match[str], quantities: Quantities) -> str:
        work = self._work
        try:
            work.quoter()  # what is wrong with the files is told in the place of what follows from it
            shown = shown_quantity(read_quantity_mention(match["inner"]), quantities)
            note = (
                self._footnote(shown.quantity, quantities)
                if shown.form in (Form.FULL, Form.CELL, Form.SENTENCE)
                else ""
            )
        except MetalworkingError as problem:
            work.page.report(problem, work.locator.text(match[0]))
            return f"`{match[0]}`"
        work.page.quantities.append(shown.quantity.key)
        return work.stash(element(shown)) + note + (work.stash(evidence(shown)) if shown.form is Form.CELL else "")

    def _footnote(self, quantity: Quantity, quantities: Quantities) -> str:
        """Return the references of the footnotes that say where *quantity* is from."""
        work, footnotes = self._work, self._footnotes()
        notes: list[str] = []
        cited = [work.quoter().cite(source.citation) for source in quantity.sources]
        if quantity.formula:
            for leaf in quantities.leaves(quantity):
                if leaf.key != quantity.key:
                    cited += [work.quoter().cite(source.citation) for source in leaf.sources]
            notes.append(derivation(quantity, quantities, work))
        else:
            notes += [describe(one) for one in cited]
        work.page.citations.extend(cited)
        names = []
        for html in notes:
            name = "cite-" + hashlib.sha256(html.encode()).hexdigest()[:8]
            if name not in footnotes.footnotes:
                footnotes.setFootnote(name, work.stash(html))
            names.append(f"[^{name}]")
        return "".join(dict.fromkeys(names))

    def _raw(self, raw: str, quantities: Quantities) -> str:
        """Fill raw HTML, a figure's labels among it, with plain text."""
        parts: list[str] = []
        end = 0
        for literal in (*_LITERAL_HTML.finditer(raw), None):
            part = raw[end : literal.start() if literal else len(raw)]
            filled, problems, keys = fill_plain(part, quantities, _e)
            for mention, problem in problems:
                self._work.page.report(problem, self._work.locator.text(mention))
            self._work.page.quantities.extend(keys)
            parts.append(filled)
            if literal:
                parts.append(literal[0])
                end = literal.end()
        return "".join(parts)


def fill(work: Work, text: str, where: Location) -> str:
    """Return plain *text*, a caption, with its quantities shown; problems are reported at *where*."""
    filled, problems, keys = fill_plain(text, work.quantities)
    for _, problem in problems:
        work.page.report(problem, where)
    work.page.quantities.extend(keys)
    return filled.replace("\u00a0", " ")


def element(shown: Shown) -> str:
    """Return the HTML of a number in prose; what is known of it stands in its title until a script shows it better."""
    text = _e(shown.text)
    if shown.form in (Form.NUMBER, Form.TEXT, Form.RANGE):
        return f'<span class="mw-quantity" data-key="{_e(shown.quantity.key)}">{text}</span>'
    about = shown.quantity.about()
    title = f' title="{_e(about)}"' if about else ""
    return f'<abbr class="mw-quantity" data-key="{_e(shown.quantity.key)}"{title}>{text}</abbr>'


def evidence(shown: Shown) -> str:
    """Return what stands below a number in a cell: the chip and the kind of evidence."""
    parts = (shown.quantity.bound, shown.quantity.chip, " and ".join(shown.quantity.kinds))
    return f' <span class="mw-kind">{_e(", ".join(part for part in parts if part))}</span>'


def derivation(quantity: Quantity, quantities: Quantities, work: Work) -> str:
    """Return the footnote of a derived value: the formula, what went into it, and the sources of that."""
    parts = []
    for key in quantity.inputs:
        one = quantities.get(key)
        sources = "; ".join(described(work.quoter().cite(source.citation)) for source in one.sources[:1])
        how = sources or (f"<code>{_e(one.formula)}</code>" if one.formula else "")
        parts.append(f"<code>{_e(key)}</code> {_e(one.text())}{f', {how}' if how else ''}")
    given = f"; {'; '.join(parts)}" if parts else ""
    said = "; ".join(described(work.quoter().cite(source.citation)) for source in quantity.sources)
    told = f"; so has {said}" if said else ""
    return f'<span class="mw-cite">Derived: <code>{_e(quantity.formula)}</code>{given}{told}.</span>'


def _e(text: str) -> str:
    return "\u00a0".join(escape(printable(part)) for part in text.split("\u00a0"))
