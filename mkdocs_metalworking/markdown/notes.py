"""Line notes in Markdown: the list under an excerpt, tied to the lines it speaks of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import cast
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from ..quote.diagnostics import MetalworkingError
from ..quote.lines import LineRange, Ranges, format_ranges
from ..quote.mentions import Kind
from ..quote.own import moved
from ..quote.permalinks import permalink
from ..quote.quotation import Quotation
from .anchors import Anchors
from .tracking import MARK, Met, Outcome, unmarked
from .work import Figure, Work

_LABEL = re.compile(rf"{MARK.pattern}[^:]*:\s*")
LIT = 12
"""Notes of an excerpt that an address lights without scripts: so many have a rule in excerpts.css."""
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


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
        figures = {id(one.element): one for one in self._work.figures}
        if not figures:
            return
        for parent in list(root.iter()):
            children = list(parent)
            for element, following in pairwise(children):
                if id(element) in figures and following.tag in ("ul", "ol"):
                    self._notes(parent, following, figures[id(element)])

    def _notes(self, parent: Element, notes: Element, figure: Figure) -> None:
        items = [(item, self._met(item)) for item in notes]
        if not any(met is not None and met.mention.kind is Kind.NOTE for _, met in items):
            return
        sound = [ranges for item, met in items if (ranges := self._lines(item, met, figure)) is not None]
        if len(sound) < len(items):
            # With one that cannot be tied the list stays a list, and what is wrong with it was told.
            for _, other in items:
                if other is not None:
                    other.outcome = Outcome.REPORTED
            return
        for (item, met), ranges in zip(items, sound, strict=True):
            assert met is not None
            met.outcome, met.shown = Outcome.SHOWN, ranges
            figure.met.notes.append(met)
            self._tie(item, ranges, figure)
        if figure.quotation.segments is not None:
            self._work.revise(figure, partial(_noted, anchors=figure.anchors, notes=sound))
        notes.set("class", "mw-notes")
        parent.remove(notes)
        notes.tail = None
        figure.element.append(notes)

    def _met(self, item: Element) -> Met | None:
        match = MARK.match(_holder(item).text or "")
        return self._work.tracker.by(match) if match is not None else None

    def _lines(self, item: Element, met: Met | None, figure: Figure) -> Ranges | None:
        """Return the lines that one item speaks of; None, and a report, when it cannot be tied to them."""
        try:
            if met is None:
                text = unmarked(_holder(item).text or "")
                raise MetalworkingError(
                    "note",
                    f"a line note names no line: {text[:50]!r}",
                    "begin every item with L<n>: or L<a>-<b>:, or add a paragraph before the list",
                )
            if met.mention.problem is not None:
                raise met.mention.problem
            ranges = cast(Ranges, met.mention.what)
            if figure.quotation.shift and figure.quotation.region is not None:
                raise moved(figure.quotation.region, figure.quotation.ranges, f"note {format_ranges(ranges)}")
            outside = next((r for r in ranges if not _shown(r, figure.quotation)), None)
            if outside is not None:
                shown = f"the excerpt shows {format_ranges(figure.quotation.ranges)}"
                raise MetalworkingError("note", f"note {outside} lies outside the excerpt", shown)
            if any(child.tag in _HEADINGS for child in item.iter()):
                raise MetalworkingError(
                    "note", f"note {format_ranges(ranges)} holds a heading", "write it as bold text"
                )
        except MetalworkingError as problem:
            where = met.where if met is not None else figure.met.where
            if met is not None:
                met.outcome = Outcome.REPORTED
            self._work.page.report(problem, where, met or figure.met)
            return None
        return ranges

    def _tie(self, item: Element, ranges: Ranges, figure: Figure) -> None:
        holder, quotation = _holder(item), figure.quotation
        item.set("class", "mw-note")
        item.set("data-lines", " ".join(f"{r.first}-{r.last}" for r in ranges))
        rest = " " + _LABEL.sub("", holder.text or "", count=1)
        holder.text = None
        for index, lines in enumerate(ranges):
            here = quotation.segments is not None
            away = permalink(quotation.public, lines) if quotation.public else ""
            href = f"#{figure.anchors.line(lines.first)}" if here else away
            link = Element("a", {"class": "mw-ref", "href": href}) if href else Element("span", {"class": "mw-ref"})
            link.text = AtomicString(_label(lines))
            link.tail = rest if index + 1 == len(ranges) else ", "
            holder.insert(index, link)


def _noted(html: str, *, anchors: Anchors, notes: Sequence[Ranges]) -> str:
    """Return the excerpt's *html* with a class on each line for each note on it, ``mw-n1`` for the first.

    With it a style sheet alone can light the notes of the line that an address names, the first *LIT* of them.
    """
    numbers: dict[int, list[int]] = {}
    for count, ranges in enumerate(notes[:LIT], 1):
        for part in ranges:
            for number in range(part.first, (part.last or 0) + 1):
                numbers.setdefault(number, []).append(count)
    names = re.compile(f'" id="{re.escape(anchors.prefix)}([0-9]+){re.escape(anchors.suffix)}"')

    def noted(match: re.Match[str]) -> str:
        return "".join(f" mw-n{count}" for count in numbers.get(int(match[1]), ())) + match[0]

    return names.sub(noted, html)


def _shown(lines: LineRange, quotation: Quotation) -> bool:
    return any(lines.first in part and lines.last is not None and lines.last in part for part in quotation.ranges)


def _label(lines: LineRange) -> str:
    return f"L{lines.first}" if lines.first == lines.last else f"L{lines.first}\u2013{lines.last}"


def _holder(item: Element) -> Element:
    """Return the element that has an item's text: a paragraph in loose lists, the item itself in tight ones."""
    return item[0] if len(item) and item[0].tag == "p" and not (item.text or "").strip() else item
