"""Citations in Markdown: each becomes a footnote of Python-Markdown's own footnotes extension."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, KeysView
from typing import TYPE_CHECKING, Any, cast
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from ..quote.citations import CITATION, Citation, CitedLines, CitedReference
from ..quote.diagnostics import MetalworkingError
from ..quote.mentions import Kind
from ..quote.permalinks import permalink
from .literal import LITERAL
from .tracking import MARK, Met, Outcome
from .visible import html_attribute, html_text

if TYPE_CHECKING:
    from .extension import Work

# Python-Markdown's own pattern for code spans, and raw tags that show code: a citation inside is literal.
CODE_SPAN = re.compile(
    r"(?<!\\)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"
    r"|<(?P<tag>code|kbd|samp|tt|pre)\b[^<>]*>.*?</(?P=tag)\s*>|<!--.*?-->",
    re.DOTALL | re.IGNORECASE,
)


class _Growing(OrderedDict[str, str]):
    """Footnotes that may be defined while they are written: one inside another is written behind it.

    Python-Markdown takes its list while it adds to it, and ends in a RuntimeError unless the outer one is the last.
    """

    def keys(self) -> KeysView[str]:  # type: ignore[override]  # iterated, and asked for nothing else
        """Return the keys, those that are added meanwhile among them."""
        return cast(KeysView[str], _Following(self))


class _Following:
    def __init__(self, footnotes: _Growing) -> None:
        self._footnotes = footnotes

    def __iter__(self) -> Iterator[str]:
        done = 0
        while done < len(self._footnotes):
            for key in list(self._footnotes)[done:]:
                done += 1
                yield key


class CitationProcessor(Treeprocessor):
    """Turns ``[@…]`` into a footnote reference and writes the footnote.

    Priority 55: before the footnotes extension builds its list (50); inline patterns (20) then draw the references.
    """

    PRIORITY = 55

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, root: Element) -> None:
        """Replace the citations of the page and of its footnotes.

        In an element of the class ``mw-cited`` they are written out in their place: it is a list of sources itself.
        """
        if not self._work.tracker.met:
            return
        footnotes = self._footnotes()
        if any("]:" in text for text in footnotes.footnotes.values()):
            footnotes.footnotes = _Growing(footnotes.footnotes)
        for element in elements(root):
            notes = None if element.get("class") == "mw-cited" else footnotes
            if element.text and "\ufdef[@" in element.text and not isinstance(element.text, AtomicString):
                element.text = self._replace(element.text, notes)
            for child in element:
                if child.tail and "\ufdef[@" in child.tail and not isinstance(child.tail, AtomicString):
                    child.tail = self._replace(child.tail, notes)
        for key, text in list(footnotes.footnotes.items()):
            if "\ufdef[@" in text:
                footnotes.footnotes[key] = self._replace(text, footnotes)

    def _footnotes(self) -> Any:
        # Looked up when used: a page's configuration may load the extension after ours, in its place.
        return self._work.md.inlinePatterns["footnote"].footnotes  # type: ignore[attr-defined]

    def _replace(self, text: str, footnotes: Any) -> str:
        starts, ends = [], []
        for span in CODE_SPAN.finditer(text):
            starts.append(span.start())
            ends.append(span.end())
        parts: list[str] = []
        end = 0
        for mark in MARK.finditer(text):
            met, match = self._work.tracker.by(mark), CITATION.match(text, mark.end())
            before = bisect_right(starts, mark.start()) - 1
            literal = before >= 0 and mark.start() < ends[before]
            if met is None or match is None or literal or met.mention.kind is not Kind.CITATION:
                continue
            claim = text[end : mark.start()]
            # A footnote reference stands right behind its claim; authors write a space there because it reads better.
            parts.append(claim.rstrip(" \n") if footnotes is not None and (claim.strip() or parts) else claim)
            parts.append(self._cite(met, mark[0] + match[0], footnotes))
            end = match.end()
        return "".join((*parts, text[end:]))

    def _cite(self, met: Met, text: str, footnotes: Any) -> str:
        work = self._work
        try:
            if met.mention.problem is not None:
                raise met.mention.problem
            assert isinstance(met.mention.what, Citation)
            cited = work.quoter().cite(met.mention.what)
        except MetalworkingError as problem:
            met.outcome = Outcome.REPORTED
            work.page.report(problem, met.where, met)
            return f" {text}"  # with its mark, by which the search for leftovers knows that it was told
        met.outcome, met.shown = Outcome.SHOWN, cited
        work.page.citations.append(cited)
        html = describe(cited)
        if footnotes is None:
            return work.stash(html)
        name = "cite-" + hashlib.sha256(html.encode()).hexdigest()[:8]
        if name not in footnotes.footnotes:
            footnotes.setFootnote(name, work.stash(html))
        return f"[^{name}]"


def elements(root: Element) -> Iterator[Element]:
    """Yield what may hold prose, in no order that matters; no recursion: a page may nest deeper than the stack."""
    todo = [root]
    while todo:
        element = todo.pop()
        if element.tag not in LITERAL:
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
        path = f'<a href="{html_attribute(permalink(key))}"><code>{html_text(key.path)}</code></a>'
        where = ", ".join(f'<a href="{html_attribute(url)}">{html_text(text)}</a>' for text, url in links)
        body = f"{html_text(key.repo)} at {cited.pin.short}, {path}{', ' + where if where else ''}"
    else:
        body = describe_reference(cited)
    note = f" ({html_text(cited.note)})" if cited.note else ""
    return f"{body}{note}"


def describe_reference(cited: CitedReference) -> str:
    """Return author, linked title and date of a reference as HTML."""
    reference = cited.reference
    title = f"<cite>{html_text(reference.title)}</cite>"
    if reference.url:
        title = f'<a href="{html_attribute(reference.url)}">{title}</a>'
    return ", ".join(part for part in (html_text(reference.author), title, html_text(reference.date)) if part)
