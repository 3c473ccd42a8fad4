"""The HTML of an excerpt: caption, lines with their true numbers, gaps, card and error.

Captions and notes are real elements, so that MkDocs and other extensions see their links; the code is finished HTML.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from xml.etree.ElementTree import Element, SubElement

from markdown.util import AtomicString
from pygments.lexer import Lexer

from ..core.blob import FileKey
from ..core.diagnostics import Diagnostic, printable
from ..core.lines import LineRange, format_ranges
from ..core.permalinks import permalink, repo_url
from ..core.quotation import Quotation
from . import highlight
from .highlight import LineCache


@dataclass(frozen=True, slots=True)
class Anchors:
    """The ids of a figure and of its lines. They come from the quotation, so they survive edits around it."""

    prefix: str
    suffix: str

    @classmethod
    def of(cls, quotation: Quotation, taken: set[str]) -> Anchors:
        """Choose ids that *taken* does not hold yet, and enter them there."""
        prefix = f"--{quotation.file.blob[:7]}-L"
        numbers = [n for r in quotation.ranges for n in range(r.first, (r.last or 0) + 1)]
        count = 1
        while True:
            anchors = cls(prefix, "" if count == 1 else f"-{count}")
            ids = {anchors.line(n) for n in numbers}
            if ids.isdisjoint(taken):
                taken |= ids
                return anchors
            count += 1

    def line(self, number: int) -> str:
        """Return the id of a source line."""
        return f"{self.prefix}{number}{self.suffix}"


def _text(parent: Element, tag: str, text: str, **attributes: str) -> Element:
    element = SubElement(parent, tag, {k.rstrip("_").replace("_", "-"): v for k, v in attributes.items()})
    element.text = AtomicString(printable(text))
    return element


def figure(quotation: Quotation, anchors: Anchors, *, searchable: bool) -> Element:
    """Return the figure with its caption; the code or the card's sentence is for the caller to put in."""
    classes = "mw-excerpt" if quotation.segments is not None else "mw-excerpt mw-card"
    element = Element("figure", {"class": classes, "id": f"excerpt{anchors.line(quotation.ranges[0].first)}"})
    if not searchable:
        # On a figure the exclusion holds to its end; on a div, Material's search loses it at the first nested div.
        element.set("data-search-exclude", "")
    _caption(element, quotation)
    return element


def _caption(parent: Element, quotation: Quotation) -> None:
    key, pin = quotation.file.key, quotation.pin
    caption = SubElement(parent, "figcaption", {"class": "mw-caption"})
    if quotation.directive.title:
        _text(caption, "span", quotation.directive.title, class_="mw-title").tail = " "
    where = SubElement(caption, "span", {"class": "mw-where"})
    where.tail = " "
    for index, part in enumerate(quotation.ranges):
        label = format_ranges([part]).removeprefix("L").replace("-", "\u2013")
        text = f"{quotation.name}:{label}" if index == 0 else f", {label}"
        _text(where, "a", text, class_="mw-file", href=permalink(key, part), title=key.path)
    if quotation.abridged:
        _text(caption, "span", "abridged", class_="mw-abridged").tail = " "
    origin = SubElement(caption, "span", {"class": "mw-origin"})
    _text(origin, "a", key.repo, class_="mw-repo", href=repo_url(key.repo)).tail = " "
    _text(
        origin, "a", pin.short, class_="mw-commit", href=permalink(key), title=f"{key.path} at {key.commit}"
    ).tail = " "
    terms = permalink(FileKey(key.repo, key.commit, pin.license_file))
    _text(origin, "a", pin.license or "", class_="mw-license", href=terms)


def code_key(quotation: Quotation, anchors: Anchors) -> str:
    """Return a name for the finished HTML of this code on this page."""
    parts = (
        highlight.FORMAT,
        quotation.file.sha256,
        format_ranges(quotation.ranges),
        str(quotation.directive.dedent),
        quotation.directive.lang,
        quotation.file.key.path,
        ",".join(map(str, sorted(quotation.hl))),
        anchors.suffix,
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def plain_code(quotation: Quotation, key: str) -> str:
    """Return the code without numbers or colours, small enough for a search index; *key* lets it be swapped later."""
    lines = [line for segment in quotation.segments or () for line in highlight.plain_lines(segment.lines)]
    return (
        f'<pre class="mw-pre" data-mw="{key}"><span class="mw-code"><code>'
        + "\n".join(lines)
        + "\n</code></span></pre>"
    )


def code(quotation: Quotation, anchors: Anchors, cache: LineCache = highlight.no_cache) -> str:
    """Return the code with numbers, highlights, gap marks and colours."""
    parts: list[str] = []
    lexer: Lexer | None = None
    previous = 0
    for segment, before in zip(quotation.segments or (), quotation.before, strict=True):
        if previous:
            parts.append(_gap(previous, segment.first))
        if lexer is None:
            directive, path = quotation.directive, quotation.file.key.path
            whole = (*before, *segment.lines)
            lexer = highlight.lexer_named(directive.lang) if directive.lang else highlight.lexer_for(path, whole)
        part = f"{quotation.file.sha256}:{segment.first}-{segment.last}:{quotation.directive.dedent}"
        name = f"{highlight.FORMAT}:{part}:{lexer.name}"
        lead = highlight.opening_comment(before, quotation.file.key.path)
        lines = cache(name, lambda s=segment, x=lexer, b=lead: highlight.highlight_lines(s.lines, x, lead=b))  # type: ignore[misc]
        parts.extend(_line(html, n, anchors, n in quotation.hl) for n, html in enumerate(lines, segment.first))
        previous = segment.last
    digits = len(str(quotation.ranges[-1].last))
    label = f"{quotation.name}, lines {format_ranges(quotation.ranges).replace('L', '')}"
    return (
        f'<pre class="mw-pre mw-d{digits}" tabindex="0" role="region" aria-label="{_attr(label)}">'
        f'<span class="mw-code highlight"><code>{"".join(parts)}</code></span></pre>'
    )


def _attr(text: str) -> str:
    return escape(printable(text))


def _line(html: str, number: int, anchors: Anchors, lit: bool) -> str:
    name = anchors.line(number)
    classes = "mw-l mw-hl" if lit else "mw-l"
    return (
        f'<span class="{classes}" id="{name}"><a href="#{name}" data-n="{number}" tabindex="-1" aria-hidden="true"></a>'
        f"{html}\n</span>"
    )


def _gap(last: int, first: int) -> str:
    left = first - last - 1
    words = "1 line" if left == 1 else f"{left} lines"
    label = f"{words} left out"
    return f'<span class="mw-gap" data-text="\u22ef {label}" role="separator" aria-label="{label}"></span>'


def card_text(parent: Element, quotation: Quotation) -> None:
    """Say that the code is read at its home."""
    key = quotation.file.key
    count = sum((r.last or 0) - r.first + 1 for r in quotation.ranges)
    paragraph = SubElement(parent, "p", {"class": "mw-home"})
    paragraph.text = AtomicString("This code is read at its home: " if count > 1 else "This line is read at its home: ")
    link = _text(paragraph, "a", f"{quotation.name}, {_lines(count)}", href=permalink(key, quotation.ranges[0]))
    link.tail = AtomicString(f" of {key.repo}. Its bytes could not be had when this page was built.")


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def error(problem: Diagnostic) -> Element:
    """Return what ``serve`` shows where the excerpt would stand."""
    element = Element("div", {"class": "mw-error", "role": "alert"})
    _text(element, "strong", "Excerpt not shown").tail = AtomicString(f" {problem.location}")
    _text(element, "p", problem.message)
    if problem.hint:
        _text(element, "p", problem.hint, class_="mw-hint")
    return element


def fold(parent: Element, ranges: Iterable[LineRange]) -> Element:
    """Return a closed ``details`` inside *parent* for a long excerpt."""
    count = sum((r.last or 0) - r.first + 1 for r in ranges)
    details = SubElement(parent, "details", {"class": "mw-fold"})
    _text(details, "summary", f"Show {_lines(count)}")
    return details
