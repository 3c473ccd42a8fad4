"""Where marked mentions stand in a page's tree: in text that may hold prose, and in the footnotes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.util import AtomicString

from ..quote.directive import Span
from .literal import LITERAL

_CODE = ("code", "kbd", "samp", "tt", "pre", "script", "style", "textarea", "option")
"""Raw tags that show code, or in which no tag is read: a mention inside is literal."""
_DRAWN = ("svg", "math")


class Spans:
    """Places of a text, one behind the other."""

    def __init__(self, found: Iterable[Span]) -> None:
        spans = list(found)
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    def cover(self, at: int) -> bool:
        """Tell whether *at* lies in one of them."""
        before = bisect_right(self._starts, at) - 1
        return before >= 0 and at < self._ends[before]


def code_spans(text: str) -> Iterator[Span]:
    """Yield where *text* shows code or nothing: spans in backticks as Python-Markdown reads them, tags, comments."""
    return _literal(text, _CODE, ticks=True)


def literal_html(text: str, tags: Iterable[str]) -> Iterator[Span]:
    """Yield what stands within *tags*, and comments."""
    return _literal(text, tags, ticks=False)


def drawn(text: str) -> Spans:
    """Return the places of *text* that are drawings, in which HTML is none: an element of ours would end one."""
    return Spans(_literal(text, _DRAWN, ticks=False))


def _literal(text: str, tags: Iterable[str], *, ticks: bool) -> Iterator[Span]:
    """Yield each place from its beginning to its end. What has none is no such place, and is not looked for again.

    A pattern would look from each beginning to the end of the text.
    """
    if "<" not in text and not (ticks and "`" in text):  # most texts, and a pattern made for nothing
        return
    named = "|".join(tags)
    begin = re.compile(rf"<(?P<tag>{named})\b[^<>]*>|<!--{'|`+' if ticks else ''}", re.IGNORECASE)
    ends: defaultdict[str, list[int]] = defaultdict(list)
    for end in re.finditer(rf"</(?P<tag>{named})\s*>|-->", text, re.IGNORECASE):
        ends[(end["tag"] or "-->").lower()].append(end.end())
    runs: defaultdict[int, list[int]] = defaultdict(list)
    for run in re.finditer("`+", text) if ticks else ():
        runs[len(run[0])].append(run.end())
    at = 0
    while (match := begin.search(text, at)) is not None:
        at = match.end()
        if match[0][0] == "`":
            escaped = match.start() > 0 and text[match.start() - 1] == "\\"
            lengths = range(len(match[0]) - escaped, 0, -1)
            closed = ((at - length, _behind(runs.get(length, ()), at)) for length in lengths)
            start, last = next((one for one in closed if one[1]), (0, 0))
        else:
            name = (match["tag"] or "-->").lower()
            start, last = match.start(), _behind(ends.get(name, ()), at + 2)  # `<!-->` ends nothing
        if last:
            yield start, last
            at = last


def _behind(ends: Sequence[int], at: int) -> int:
    """Return the first of *ends* behind *at*; 0 for none."""
    index = bisect_right(ends, at)
    return ends[index] if index < len(ends) else 0


def elements(root: Element) -> Iterator[Element]:
    """Yield what may hold prose, in no order that matters; no recursion: a page may nest deeper than the stack."""
    todo = [root]
    while todo:
        element = todo.pop()
        if element.tag not in LITERAL:
            yield element
            todo.extend(reversed(element))


def replace_in_tree(root: Element, start: str, replace: Callable[[str, Element], str]) -> None:
    """Put what *replace* makes of them in the place of the texts that hold *start*; it is given the element too."""
    for element in elements(root):
        if element.text and start in element.text and not isinstance(element.text, AtomicString):
            element.text = replace(element.text, element)
        for child in element:
            if child.tail and start in child.tail and not isinstance(child.tail, AtomicString):
                child.tail = replace(child.tail, element)


def replace_in_footnotes(footnotes: Any, start: str, replace: Callable[[str], str]) -> None:
    """Do the same in the texts of the footnotes."""
    for key, text in list(footnotes.footnotes.items()):
        if start in text:
            footnotes.footnotes[key] = replace(text)


def footnotes_of(md: Markdown) -> Any:
    """Return the footnotes extension, looked up when used: a configuration may load it after ours, in its place."""
    return md.inlinePatterns["footnote"].footnotes  # type: ignore[attr-defined]
