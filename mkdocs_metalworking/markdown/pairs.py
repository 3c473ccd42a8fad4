"""Pairs: an excerpt and its twin in a fence, side by side, with the lines that do the same tied to each other."""

from __future__ import annotations

import re
from functools import partial
from typing import NamedTuple
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE

from ..quote.diagnostics import MetalworkingError
from ..quote.lines import LineRange, format_ranges
from .anchors import Anchors
from .visible import html_attribute
from .work import Figure, Work

CLASS = "mw-twins"
_TIES = "ties"
_TIE = re.compile(r"L([0-9]{1,9})(?:-L?([0-9]{1,9}))?=L([0-9]{1,9})(?:-L?([0-9]{1,9}))?", re.ASCII)
_CODE = re.compile(r"(<pre[^>]*>(?:<span></span>)?<code[^>]*>)(.*?)(</code></pre>)", re.DOTALL)
_HINT = "write L<lines of the excerpt>=L<lines of the fence>, from 1, with a blank between two: L7=L3 L9-12=L5-6"
_MOST = 10
_ONE = "put one excerpt and one fence into it"


class _Tie(NamedTuple):
    number: int
    """From 1 on, in the order in which they are written; both sides show it."""
    here: LineRange
    there: LineRange


class PairProcessor(Treeprocessor):
    """Ties the lines of the excerpt and of the fence that stand in one ``<div class="mw-twins" ties="…">``.

    Priority 44: after the line notes (45) have become a part of the excerpt.
    """

    PRIORITY = 44

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, root: Element) -> None:
        """Tie each pair of the page."""
        figures = {id(one.element): one for one in self._work.figures}
        pairs = [div for div in root.iter("div") if CLASS in (div.get("class") or "").split()]
        for count, div in enumerate(pairs, 1):
            inside = [figures[id(element)] for element in div.iter() if id(element) in figures]
            ties = div.attrib.pop(_TIES, "")
            if not inside:
                continue  # a refused excerpt was told; without one there is nothing to tie
            figure = inside[-1]
            try:
                if len(inside) > 1:
                    raise MetalworkingError("pair", f"a pair holds {len(inside)} excerpts", _ONE)
                self._tie(div, figure, ties, f"twin-{count}-L")
            except MetalworkingError as problem:
                self._work.page.report(problem, figure.met.where, figure.met)

    def _tie(self, div: Element, figure: Figure, text: str, prefix: str) -> None:
        stashed, html = self._fence(div)
        match = _CODE.search(html)
        assert match is not None
        lines = _LINE_END.sub(r"\1\n", match[2]).removesuffix("\n").split("\n")
        ties = [_read(number, one, figure, len(lines)) for number, one in enumerate(text.split(), 1)]
        if not ties:
            raise MetalworkingError("pair", "a pair ties no lines", _HINT)
        if len(ties) > _MOST:
            raise MetalworkingError(
                "pair", f"a pair has {len(ties)} ties", f"keep {_MOST}, as many as the style lights"
            )
        if figure.quotation.segments is None:
            return  # a card has no lines to tie
        name = figure.quotation.name
        shown = [_fenced(line, number, ties, figure.anchors, prefix, name) for number, line in enumerate(lines, 1)]
        blocks = self._work.md.htmlStash.rawHtmlBlocks
        blocks[stashed] = f"{html[: match.start()]}{match[1]}{''.join(shown)}{match[3]}{html[match.end() :]}"
        self._work.revise(figure, partial(_quoted, ties=ties, anchors=figure.anchors, prefix=prefix))

    def _fence(self, div: Element) -> tuple[int, str]:
        """Return the place and the HTML of the one fence in *div*. Raises MetalworkingError."""
        found: list[tuple[int, str]] = []
        for element in div.iter():
            for place in HTML_PLACEHOLDER_RE.finditer(element.text or ""):
                html = str(self._work.md.htmlStash.rawHtmlBlocks[int(place[1])])
                if int(place[1]) not in self._work.stashed and _CODE.search(html):
                    found.append((int(place[1]), html))
        if len(found) != 1:
            message = f"a pair holds {len(found) or 'no'} fence{'s' if len(found) > 1 else ''} beside its excerpt"
            raise MetalworkingError("pair", message, _ONE)
        return found[0]


_LINE_END = re.compile(r"\n((?:</span>)+)")
"""The end of a line that stands within what is around the line: ``line_spans`` and ``hl_lines`` of Pygments."""


def _read(number: int, text: str, figure: Figure, last: int) -> _Tie:
    """Return one tie. Raises MetalworkingError for one that cannot be read or that ties a line that is not there."""
    match = _TIE.fullmatch(text.removesuffix(","))
    if match is None:
        raise MetalworkingError("pair", f"a tie of a pair cannot be read: {text[:50]!r}", _HINT)
    here = LineRange(int(match[1]), int(match[2] or match[1]))
    there = LineRange(int(match[3]), int(match[4] or match[3]))
    ranges = figure.quotation.ranges
    if not any(here.first in part and (here.last or 0) in part for part in ranges) or (here.last or 0) < here.first:
        raise MetalworkingError(
            "pair", f"tie {here} lies outside the excerpt", f"the excerpt shows {format_ranges(ranges)}"
        )
    if not 1 <= there.first <= (there.last or 0) <= last:
        raise MetalworkingError("pair", f"tie {there} lies outside the fence", f"the fence has L1-{last}")
    return _Tie(number, here, there)


def _mark(tie: _Tie, target: str, label: str) -> str:
    """Return the sign at the first line of a tie, a link to the other side; its number is not copied with the code."""
    name = html_attribute(f"{tie.number}: {label}")
    return f'<span class="mw-tie"><a href="#{target}" data-tie="{tie.number}" aria-label="{name}"></a></span>'


def _names(ties: list[_Tie]) -> str:
    return "".join(f" mw-t{tie.number}" for tie in ties)


def _fenced(html: str, number: int, ties: list[_Tie], anchors: Anchors, prefix: str, name: str) -> str:
    """Return a line of the fence, with its id, its ties and, where one begins, the link to the excerpt."""
    mine = [tie for tie in ties if number in tie.there]
    marks = (
        _mark(tie, anchors.line(tie.here.first), f"{name} {tie.here}") for tie in mine if tie.there.first == number
    )
    return f'<span class="mw-tl{_names(mine)}" id="{prefix}{number}">{"".join(marks)}{html}\n</span>'


def _quoted(html: str, *, ties: list[_Tie], anchors: Anchors, prefix: str) -> str:
    """Return the excerpt's *html* with the ties of its lines."""

    def tied(match: re.Match[str]) -> str:
        number = int(match[2])
        mine = [tie for tie in ties if number in tie.here]
        marks = (_mark(tie, f"{prefix}{tie.there.first}", str(tie.there)) for tie in mine if tie.here.first == number)
        return f"{_names(mine)}{match[1]}{''.join(marks)}"

    line = rf'(" id="{re.escape(anchors.prefix)}([0-9]+){re.escape(anchors.suffix)}"><a [^>]*></a>)'
    return re.sub(line, tied, html)
