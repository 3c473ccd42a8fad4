"""Excerpt directives in Markdown: the block processor, the line notes, and the search for leftovers."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockProcessor
from markdown.inlinepatterns import InlineProcessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from ..quote.diagnostics import Location, MetalworkingError
from ..quote.directive import LINE, parse_directive
from ..quote.lines import LineRange, format_ranges, parse_ranges
from ..quote.permalinks import permalink
from ..quote.quotation import Quotation
from . import figure, highlight
from .quantities import fill

if TYPE_CHECKING:
    from .extension import Work

_LINES = r"L[0-9]+(?:-L?[0-9]+)?"
_NOTE = re.compile(rf"^\s*({_LINES}(?:, ?{_LINES})*):\s+", re.ASCII)
_LEFTOVER = re.compile(r"<\s?<[ \t]*([A-Za-z]{4,12})\b[^\n]*")
_LITERAL = frozenset({"code", "pre", "script", "style", "samp", "kbd"})


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
        lines = block.lstrip("\n").split("\n")
        return "<<" in block and any(map(LINE.match, lines if self._below_text else lines[:1]))

    def run(self, parent: Element, blocks: list[str]) -> bool | None:
        """Parse what stands above the directive, put the figure in, leave the rest for the next round."""
        lines = blocks.pop(0).split("\n")
        index = next(i for i, line in enumerate(lines) if LINE.match(line))
        above, rest = lines[:index], lines[index + 1 :]
        if above:
            self.parser.parseBlocks(parent, ["\n".join(above)])
        parent.append(self._element(lines[index]))
        # Those that follow at once are taken in the same round: ten thousand rounds would each copy all that is left.
        following = next((i for i, line in enumerate(rest) if not LINE.match(line)), len(rest))
        for line in rest[:following]:
            parent.append(self._element(line))
        rest = rest[following:]
        if rest:
            blocks.insert(0, "\n".join(rest))
        return None

    def _element(self, text: str) -> Element:
        work = self._work
        where = work.locator.directive(text)
        try:
            directive = parse_directive(text)
            directive = replace(directive, title=fill(work, directive.title, where))
            quotation = work.quoter().quote(directive)
        except MetalworkingError as problem:
            work.page.report(problem, where)
            return figure.error(problem.diagnostic.at(where))
        if quotation.missing is not None:
            work.page.report(quotation.missing, where)
        return self._figure(quotation, where)

    def _figure(self, quotation: Quotation, where: Location) -> Element:
        work = self._work
        searchable = work.search if quotation.directive.search is None else quotation.directive.search
        anchors = figure.Anchors.of(quotation, work.page.ids, work.page.copies)
        element = figure.figure(quotation, anchors, searchable=searchable)
        try:
            html = self._content(quotation, anchors)
        except MetalworkingError as problem:
            work.page.report(problem, where)
            return figure.error(problem.diagnostic.at(where))
        # Atomic, so that no inline pattern is tried on the stash mark.
        element.text = AtomicString(work.stash(html))
        work.page.quotations.append(quotation)
        work.figures.append((element, quotation, anchors, where))
        return element

    def _content(self, quotation: Quotation, anchors: figure.Anchors) -> str:
        work = self._work
        if quotation.segments is None or not work.late:
            return figure.content(quotation, anchors, work.line_cache)
        if quotation.directive.lang:
            highlight.lexer_named(quotation.directive.lang)  # an unknown name is an error now, not later
        key = str(len(work.page.late))
        work.page.late[key] = partial(figure.content, quotation, anchors, work.line_cache)
        return figure.search_text(quotation, key)


class NotesProcessor(Treeprocessor):
    """Makes the list that follows a figure into its line notes, when every item begins with a line number.

    Priority 45: after footnote definitions are in the tree (50), before inline patterns (20) touch the text.
    """

    PRIORITY = 45

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, root: Element) -> None:
        """Move and number the notes of every figure."""
        self._work.locator.rewind()
        figures = {
            id(element): (quotation, anchors, where) for element, quotation, anchors, where in self._work.figures
        }
        if not figures:
            return
        for parent in list(root.iter()):
            children = list(parent)
            for element, following in pairwise(children):
                if id(element) in figures and following.tag == "ul":
                    self._notes(parent, element, following, *figures[id(element)])

    def _notes(
        self,
        parent: Element,
        element: Element,
        notes: Element,
        quotation: Quotation,
        anchors: figure.Anchors,
        where: Location,
    ) -> None:
        labels = [_NOTE.match(_holder(item).text or "") for item in notes]
        if not any(labels):
            return
        if not all(labels):
            odd = next(_holder(i).text or "" for i, label in zip(notes, labels, strict=True) if not label)
            problem = MetalworkingError(
                "note",
                f"a line note names no line: {odd[:50]!r}",
                "begin every item with L<n>: or L<a>-<b>:, or add a paragraph before the list",
            )
            self._work.page.report(problem, self._place(odd, where))
            return
        for item, label in zip(list(notes), labels, strict=True):
            assert label is not None
            self._note(item, label, quotation, anchors, where)
        notes.set("class", "mw-notes")
        parent.remove(notes)
        notes.tail = None
        element.append(notes)

    def _note(
        self, item: Element, label: re.Match[str], quotation: Quotation, anchors: figure.Anchors, where: Location
    ) -> None:
        holder = _holder(item)
        try:
            ranges = parse_ranges(label[1].replace(" ", ""), what="note")
            outside = next((r for r in ranges if not _shown(r, quotation)), None)
            if outside is not None:
                raise MetalworkingError(
                    "note",
                    f"note {outside} lies outside the excerpt",
                    f"the excerpt shows {format_ranges(quotation.ranges)}",
                )
        except MetalworkingError as problem:
            self._work.page.report(problem, self._place(label[0].strip(), where))
            return
        item.set("class", "mw-note")
        item.set("data-lines", " ".join(f"{r.first}-{r.last}" for r in ranges))
        rest = " " + (holder.text or "")[label.end() :]
        holder.text = None
        for index, lines in enumerate(ranges):
            here = quotation.segments is not None
            href = f"#{anchors.line(lines.first)}" if here else permalink(quotation.file.key, lines)
            link = Element("a", {"class": "mw-ref", "href": href})
            link.text = AtomicString(_label(lines))
            link.tail = rest if index + 1 == len(ranges) else ", "
            holder.insert(index, link)

    def _place(self, words: str, where: Location) -> Location:
        found = self._work.locator.text(words.split("\n")[0])
        return found if found.line else where


def _shown(lines: LineRange, quotation: Quotation) -> bool:
    return any(lines.first in part and lines.last is not None and lines.last in part for part in quotation.ranges)


def _label(lines: LineRange) -> str:
    return f"L{lines.first}" if lines.first == lines.last else f"L{lines.first}\u2013{lines.last}"


def _holder(item: Element) -> Element:
    """Return the element that has an item's text: a paragraph in loose lists, the item itself in tight ones."""
    return item[0] if len(item) and item[0].tag == "p" and not (item.text or "").strip() else item


class EscapeProcessor(InlineProcessor):
    r"""Lets ``\<< excerpt`` stand as text. Priority 185: above ``escape`` (180), below ``backtick`` (190)."""

    PRIORITY = 185

    def __init__(self, work: Work) -> None:
        super().__init__(r"\\<<(?=[ \t]*excerpt)", work.md)

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str, int, int]:  # type: ignore[override]
        """Return a stash mark, which the search for leftovers does not see."""
        assert self.md is not None
        return self.md.htmlStash.store("&lt;&lt;"), m.start(0), m.end(0)


class LeftoverProcessor(Treeprocessor):
    """Finds text that was meant to be a directive or a citation and became prose: a typo, a lost ``>>``.

    Priority 4: after inline patterns (20) and footnotes (15), so that only text a reader would see is searched.
    """

    PRIORITY = 4

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, root: Element) -> None:
        """Report every leftover."""
        self._work.locator.rewind()
        for text in _prose(root):
            if "<<" in text or "< <" in text:
                for match in _LEFTOVER.finditer(text):
                    self._directive(match)
            if "[@" in text:
                self._citation(text)

    def _directive(self, match: re.Match[str]) -> None:
        word = match[1].lower()
        if not difflib.get_close_matches(word, ["excerpt"], 1, 0.7):
            return
        if word == "excerpt":
            hint = r"put the directive alone on its line; in prose write \<< excerpt"
        else:
            hint = "write << excerpt"
        self._report("leftover", f"left over as text: {match[0][:60].strip()}", hint, match[0])

    def _citation(self, text: str) -> None:
        start = text.index("[@")
        self._report(
            "leftover",
            f"left over as text: {text[start : start + 40]}",
            "write [@key] or [@owner/name:path#L1-9]",
            text[start:],
        )

    def _report(self, code: str, message: str, hint: str, text: str) -> None:
        line = text.split("\n")[0]
        places = (self._work.locator.text(line[:length].strip()) for length in (len(line), 60, 30))
        where = next((place for place in places if place.line), Location(self._work.page.path))
        self._work.page.report(MetalworkingError(code, message, hint), where)


def _prose(root: Element) -> Iterator[str]:
    """Yield the text that a reader sees as prose; no recursion, since a page may nest deeper than Python's stack."""
    todo: list[Element | str] = [root]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
        elif item.tag not in _LITERAL and item.get("class") != "mw-error":
            if item.text:
                yield item.text
            for child in reversed(item):
                if child.tail:
                    todo.append(child.tail)
                todo.append(child)
