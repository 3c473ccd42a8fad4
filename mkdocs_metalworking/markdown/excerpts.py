"""Excerpt directives in Markdown: the block processor that puts the figure in."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from xml.etree.ElementTree import Element

from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockProcessor
from markdown.inlinepatterns import InlineProcessor
from markdown.util import AtomicString

from ..quote.diagnostics import MetalworkingError
from ..quote.directive import Directive
from ..quote.mentions import Kind
from ..quote.own import Changed
from ..quote.quotation import Quotation
from . import figure, highlight
from .anchors import Anchors
from .coloring import ask_ahead
from .quantities import fill
from .tracking import MARK, Met, Outcome
from .work import Figure, Work

MOST_LINES = 100_000
"""Lines of code on a page: more take a browser's memory, and nobody reads them."""
_MARKED = re.compile(rf"[ \t]*{MARK.pattern}(?=<<)")
_ATTRIBUTES = re.compile(r"[ \t]*\{:?[ ]*[#.\w][^{}\n]*\}[ \t]*$")


class ExcerptProcessor(BlockProcessor):
    """Replaces a directive by its figure. Fences, comments and raw HTML are gone by now, taken out by preprocessors.

    It is registered twice. At 75, below ``code`` (80) so that indented code stays literal, it takes blocks that begin
    with a directive. At 12, below lists (30, 40) and quotes (20) so that they have cut their items out, above
    ``paragraph`` (10), it takes a directive that stands below text without a blank line.
    """

    PRIORITY = 75
    BELOW_TEXT = 12

    def __init__(self, parser: BlockParser, work: Work, *, below_text: bool = False) -> None:
        super().__init__(parser)
        self._work = work
        self._below_text = below_text

    def test(self, parent: Element, block: str) -> bool:
        """Tell whether *block* begins with a directive, or holds one where text may stand above it."""
        if "\ufdef<<" not in block:
            return False
        lines = block.lstrip("\n").split("\n")
        return any(map(self._directive, lines if self._below_text else lines[:1]))

    def _directive(self, line: str) -> Met | None:
        """Return the directive that *line* is, by its mark."""
        match = _MARKED.match(line)
        met = self._work.tracker.by(match) if match is not None else None
        return met if met is not None and met.mention.kind is Kind.DIRECTIVE else None

    def run(self, parent: Element, blocks: list[str]) -> bool | None:
        """Parse what stands above the directive, put the figure in, leave the rest for the next round."""
        lines = blocks.pop(0).split("\n")
        index = next(i for i, line in enumerate(lines) if self._directive(line))
        above, rest = lines[:index], lines[index + 1 :]
        if above:
            self.parser.parseBlocks(parent, ["\n".join(above)])
        met = self._directive(lines[index])
        # Those that follow at once are taken in the same round: ten thousand rounds would each copy all that is left.
        following = 0
        while met is not None:
            parent.extend(self._elements(met))
            last = met
            met = self._directive(rest[following]) if following < len(rest) else None
            following += met is not None
        rest = rest[following:]
        if rest and _ATTRIBUTES.match(rest[0]):
            self._refuse_attributes(last, rest.pop(0))
        if rest:
            blocks.insert(0, "\n".join(rest))
        return None

    def _refuse_attributes(self, met: Met, line: str) -> None:
        problem = MetalworkingError(
            "grammar",
            f"{line.strip()[:60]} stands under an excerpt, which takes no attributes",
            "take it out; the excerpt has an id of its own, which its line numbers link to",
        )
        self._work.page.report(problem, met.where, met)

    def _elements(self, met: Met) -> list[Element]:
        """Return what stands in the directive's place: the figure, and before it words for a search that reads it all.

        Such a search would show code in one line, without gaps and without what nobody sees.
        """
        element, quotation = self._element(met), met.shown
        if not (self._work.indexes and isinstance(quotation, Quotation) and quotation.segments is not None):
            return [element]
        if element.get("data-search-exclude") is not None:
            return [element]
        self._work.revise(self._work.figures[-1], figure.excluded)
        words = Element("p", {"class": "mw-words", "hidden": ""})
        words.text = AtomicString(self._work.stash(figure.search_words(quotation)))
        return [words, element]

    def _element(self, met: Met) -> Element:
        work, where = self._work, met.where
        try:
            if met.mention.problem is not None:
                raise met.mention.problem
            assert isinstance(met.mention.what, Directive)
            directive = met.mention.what
            directive = replace(directive, title=fill(work, directive.title, where))
            quotation = work.quoter().quote(directive)
            element = self._figure(quotation, met)
        except MetalworkingError as problem:
            met.outcome = Outcome.REPORTED
            work.page.report(problem, where, met)
            difference = problem.difference if isinstance(problem, Changed) else ()
            return figure.error(problem.diagnostic.at(where), work.labels, difference)
        if quotation.missing is not None:
            work.page.report(quotation.missing, where, met)
        met.outcome, met.shown = Outcome.SHOWN, quotation
        work.page.quotations.append(quotation)
        work.page.figures[element.get("id", "")] = quotation
        return element

    def _figure(self, quotation: Quotation, met: Met) -> Element:
        work = self._work
        searchable = work.search if quotation.directive.search is None else quotation.directive.search
        if quotation.segments is not None:
            work.page.lines += sum((part.last or 0) - part.first + 1 for part in quotation.ranges)
            if work.page.lines > MOST_LINES:
                what = f"the page shows more than {MOST_LINES:,} lines of code"
                raise MetalworkingError("range", what, "quote the lines that are read, as in #L1-40")
        anchors = work.page.names.give(quotation)
        element = figure.figure(quotation, anchors, searchable=searchable)
        # Atomic, so that no inline pattern is tried on the stash mark.
        html, late = self._content(quotation, anchors)
        index = work.md.htmlStash.html_counter
        element.text = AtomicString(work.stash(html))
        work.figures.append(Figure(element, quotation, anchors, met, index, late))
        return element

    def _content(self, quotation: Quotation, anchors: Anchors) -> tuple[str, str]:
        """Return the figure's content and ""; or what a search reads, and the key under which the content comes."""
        work = self._work
        if quotation.segments is None or not work.late or work.page.late is None:
            return figure.content(quotation, anchors, work.labels, work.line_cache), ""
        if quotation.directive.lang:
            highlight.lexer_named(quotation.directive.lang)  # an unknown name is an error now, not later
        ask_ahead(quotation, work.line_cache)
        key = f"{work.page.seal}{len(work.page.late)}"
        work.page.late[key] = partial(figure.content, quotation, anchors, work.labels, work.line_cache)
        return figure.search_text(quotation, key), key


class EscapeProcessor(InlineProcessor):
    r"""Lets ``\<< excerpt`` stand as text. Priority 185: above ``escape`` (180), below ``backtick`` (190)."""

    PRIORITY = 185

    def __init__(self, work: Work) -> None:
        super().__init__(r"\\<<(?=[ \t]*excerpt)", work.md)

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str, int, int]:  # type: ignore[override]
        """Return a stash mark, which the search for leftovers does not see."""
        assert self.md is not None
        return self.md.htmlStash.store("&lt;&lt;"), m.start(0), m.end(0)
