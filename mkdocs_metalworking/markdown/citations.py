"""Citations in Markdown: each becomes a footnote of Python-Markdown's own footnotes extension."""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterator, KeysView
from html import unescape
from posixpath import dirname, relpath
from typing import Any, cast
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from ..quote.citations import CITATION, Citation, CitedLines, CitedReference
from ..quote.diagnostics import Location, MetalworkingError
from ..quote.mentions import Kind
from ..quote.permalinks import permalink
from .marked_text import Spans, code_spans, drawn, footnotes_of, replace_in_footnotes, replace_in_tree
from .tracking import MARK, Met, Outcome
from .visible import html_attribute, html_text
from .work import Work

OURS = "cite-"
"""How the names of our footnotes begin; behind it stand eight digits of a hash of what they say."""
SEALED = OURS + "{}-"
_START = "\ufdef[@"
_PAGE_LINK = re.compile(r'<a data-mw-page="(?P<page>[^"]*)">(?P<title>.*?)</a>', re.DOTALL)


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
        footnotes = footnotes_of(self._work.md)
        if any("]:" in text for text in footnotes.footnotes.values()):
            footnotes.footnotes = _Growing(footnotes.footnotes)

        def replace(text: str, element: Element) -> str:
            return self._replace(text, None if element.get("class") == "mw-cited" else footnotes)

        replace_in_tree(root, _START, replace)
        replace_in_footnotes(footnotes, _START, lambda text: self._replace(text, footnotes))

    def _replace(self, text: str, footnotes: Any) -> str:
        in_code, in_drawing = Spans(code_spans(text)), drawn(text)
        parts: list[str] = []
        end = 0
        for mark in MARK.finditer(text):
            met, match = self._work.tracker.by(mark), CITATION.match(text, mark.end())
            if met is None or match is None or met.mention.kind is not Kind.CITATION or in_code.cover(mark.start()):
                continue
            claim = text[end : mark.start()]
            # A footnote reference stands right behind its claim; authors write a space there because it reads better.
            joined = footnotes is not None and (claim.strip() or parts) and not claim.rstrip(" \n").endswith("\\")
            parts.append(claim.rstrip(" \n") if joined else claim)
            parts.append(self._cite(met, mark[0] + match[0], footnotes, in_drawing=in_drawing.cover(mark.start())))
            end = match.end()
        return "".join((*parts, text[end:]))

    def _cite(self, met: Met, text: str, footnotes: Any, *, in_drawing: bool) -> str:
        work = self._work
        try:
            if met.mention.problem is not None:
                raise met.mention.problem
            if in_drawing:
                raise MetalworkingError(
                    "citation", "a drawing has no place for a footnote", "cite in the text around it"
                )
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
            return placed(work, html)
        return footnote(work, html, f" {met.mention.raw}")


def footnote(work: Work, html: str, written: str = "") -> str:
    """Return the reference to a footnote of *html*, which is written where the page has none.

    While the page is made its name has the seal in it, so that no footnote of the author's can stand in its place.
    *written* is what stood here: code of a footnote is known as such only later, and shows it.
    """
    footnotes = footnotes_of(work.md)
    name = f"{SEALED.format(work.page.seal)}{hashlib.sha256(html.encode()).hexdigest()[:8]}"
    if name not in footnotes.footnotes:
        footnotes.setFootnote(name, placed(work, html))
    work.written.setdefault(f"[^{name}]", written)
    return f"[^{name}]"


class FootnoteNameProcessor(Treeprocessor):
    """Gives our footnotes the names that they keep.

    Priority 14: below the footnotes' links back (15), above what takes note of a page's ids (MkDocs, 5).
    """

    PRIORITY = 14

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, root: Element) -> None:
        """Name them; one of the author's that has such a name is an error."""
        if "footnote" not in self._work.md.inlinePatterns:
            return
        page = self._work.page
        sealed, known = SEALED.format(page.seal), footnotes_of(self._work.md).footnotes
        ours = [name.replace(sealed, OURS) for name in known if name.startswith(sealed)]
        if not ours:
            return
        for element in root.iter():
            for key, value in element.items():
                if sealed in value:
                    element.set(key, value.replace(sealed, OURS))
            element.text, element.tail = self._as_written(element.text, sealed), self._as_written(element.tail, sealed)
        blocks = self._work.md.htmlStash.rawHtmlBlocks
        for index, block in enumerate(blocks):  # what no inline pattern reads, such as CDATA
            if isinstance(block, str) and sealed in block:
                blocks[index] = str(self._as_written(block, sealed)).replace(sealed, OURS)
        lines = (page.source or "").split("\n")
        for name in (name for name in ours if name in known):
            line = next((number for number, text in enumerate(lines, 1) if f"[^{name}]:" in text), None)
            message = f"[^{name}] is the name of a citation's own footnote"
            page.report(MetalworkingError("footnote", message, "name it otherwise"), Location(page.path, line))

    def _as_written(self, text: str | None, sealed: str) -> str | None:
        """Return *text*, code of a footnote, with what was written in the place of references to ours."""
        if text is None or sealed not in text:
            return text
        for reference, written in self._work.written.items():
            text = text.replace(reference, written)
        return AtomicString(text)


def placed(work: Work, html: str) -> str:
    """Put the *html* of a footnote aside; links in it to pages of the site become Markdown, which the host resolves."""
    parts, end = [], 0
    for link in _PAGE_LINK.finditer(html):
        parts.append(work.stash(html[end : link.start()]))
        inner, (page, _, anchor) = work.stash(link["title"]), unescape(link["page"]).partition("#")
        where = relpath(page, dirname(work.page.uri) or ".") + (f"#{anchor}" if anchor else "")
        parts.append(f"[{inner}](<{where}>)" if work.page.uri else inner)
        end = link.end()
    return "".join((*parts, work.stash(html[end:])))


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
    if reference.page:
        title = f'<a data-mw-page="{html_attribute(reference.page)}">{title}</a>'
    elif reference.url:
        title = f'<a href="{html_attribute(reference.url)}">{title}</a>'
    return ", ".join(part for part in (html_text(reference.author), title, html_text(reference.date)) if part)
