"""Where marked mentions stand in a page's tree: in text that may hold prose, and in the footnotes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.util import AtomicString

from .literal import LITERAL

# Python-Markdown's own pattern for code spans, and raw tags that show code: a mention inside is literal.
CODE_SPAN = re.compile(
    r"(?<!\\)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"
    r"|<(?P<tag>code|kbd|samp|tt|pre)\b[^<>]*>.*?</(?P=tag)\s*>|<!--.*?-->",
    re.DOTALL | re.IGNORECASE,
)


class Spans:
    """The places of a text that a pattern finds."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        found = [match.span() for match in pattern.finditer(text)]
        self._starts = [start for start, _ in found]
        self._ends = [end for _, end in found]

    def cover(self, at: int) -> bool:
        """Tell whether *at* lies in one of them."""
        before = bisect_right(self._starts, at) - 1
        return before >= 0 and at < self._ends[before]


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
