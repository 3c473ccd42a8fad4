"""Citations in Markdown: each becomes a footnote of Python-Markdown's own footnotes extension."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from ..quote.citations import CITATION, CitedLines, CitedReference, parse_citation
from ..quote.diagnostics import MetalworkingError, printable
from ..quote.permalinks import permalink

if TYPE_CHECKING:
    from .extension import Work

# Python-Markdown's own pattern for code spans: a citation inside one is literal.
CODE_SPAN = re.compile(r"(?<!\\)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_LITERAL = frozenset({"code", "pre", "script", "style"})
# A footnote reference stands right behind its claim; authors write a space there because it reads better.
_SPACED = re.compile(rf"(?:(?<=\S)[ \n]+)?(?P<citation>{CITATION.pattern})")


class CitationProcessor(Treeprocessor):
    """Turns ``[@…]`` into a footnote reference and writes the footnote.

    Priority 55: before the footnotes extension builds its list (50); inline patterns (20) then draw the references.
    """

    PRIORITY = 55

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, root: Element) -> None:
        """Replace the citations of the page and of its footnotes."""
        self._work.locator.rewind()
        footnotes = self._footnotes()
        for element in elements(root):
            if element.text and "[@" in element.text and not isinstance(element.text, AtomicString):
                element.text = self._replace(element.text, footnotes)
            for child in element:
                if child.tail and "[@" in child.tail and not isinstance(child.tail, AtomicString):
                    child.tail = self._replace(child.tail, footnotes)
        for key, text in list(footnotes.footnotes.items()):
            if "[@" in text:
                footnotes.footnotes[key] = self._replace(text, footnotes)

    def _footnotes(self) -> Any:
        # Looked up when used: a page's configuration may load the extension after ours, in its place.
        return self._work.md.inlinePatterns["footnote"].footnotes  # type: ignore[attr-defined]

    def _replace(self, text: str, footnotes: Any) -> str:
        starts, ends = [], []
        for span in CODE_SPAN.finditer(text):
            starts.append(span.start())
            ends.append(span.end())

        def one(match: re.Match[str]) -> str:
            start = match.start("citation")
            before = bisect_right(starts, start) - 1
            if (before >= 0 and start < ends[before]) or text[start - 1 : start] == "\\":
                return match[0]
            return self._cite(match, footnotes)

        return _SPACED.sub(one, text)

    def _cite(self, match: re.Match[str], footnotes: Any) -> str:
        work = self._work
        try:
            citation = parse_citation(match["target"], match["note"] or "")
            cited = work.quoter().cite(citation)
        except MetalworkingError as problem:
            work.page.report(problem, work.locator.text(match["citation"].split("\n")[0]))
            return f" `{match['citation']}`"
        work.page.citations.append(cited)
        html = describe(cited)
        name = "cite-" + hashlib.sha256(html.encode()).hexdigest()[:8]
        if name not in footnotes.footnotes:
            footnotes.setFootnote(name, work.stash(html))
        return f"[^{name}]"


def elements(root: Element) -> Iterator[Element]:
    """Yield what may hold prose, in no order that matters; no recursion: a page may nest deeper than the stack."""
    todo = [root]
    while todo:
        element = todo.pop()
        if element.tag not in _LITERAL:
            yield element
            todo.extend(reversed(element))


def describe(cited: CitedReference | CitedLines) -> str:
    """Return the footnote's HTML: what it is, where it is, and the qualification."""
    return f'<span class="mw-cite">{described(cited)}.</span>'


def described(cited: CitedReference | CitedLines) -> str:
    """Return the same as a part of a sentence."""
    if isinstance(cited, CitedLines):
        key = cited.key
        links = [
            (f"L{r.first}" if r.first == r.last else f"L{r.first}\u2013{r.last}", permalink(key, r))
            for r in cited.ranges or ()
        ]
        path = f'<a href="{_e(permalink(key))}"><code>{_e(key.path)}</code></a>'
        where = ", ".join(f'<a href="{_e(url)}">{_e(text)}</a>' for text, url in links)
        body = f"{_e(key.repo)} at {cited.pin.short}, {path}{', ' + where if where else ''}"
    else:
        body = describe_reference(cited)
    note = f" ({_e(cited.note)})" if cited.note else ""
    return f"{body}{note}"


def describe_reference(cited: CitedReference) -> str:
    """Return author, linked title and date of a reference as HTML."""
    reference = cited.reference
    title = f"<cite>{_e(reference.title)}</cite>"
    if reference.url:
        title = f'<a href="{_e(reference.url)}">{title}</a>'
    return ", ".join(part for part in (_e(reference.author), title, _e(reference.date)) if part)


def _e(text: str) -> str:
    return escape(printable(text))
