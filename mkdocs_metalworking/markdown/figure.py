"""The HTML of an excerpt: caption, lines with their true numbers, gaps, card and error.

All of it is finished HTML in one piece, so that it costs the Markdown pipeline one element; only the figure itself,
whose id other extensions should see, and the author's line notes are elements.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from xml.etree.ElementTree import Element, SubElement

from markdown.util import AtomicString
from pygments.lexer import Lexer

from ..glossary.labels import Labels
from ..quote.blob import FileKey
from ..quote.diagnostics import Diagnostic, printable
from ..quote.lines import LineRange, Ranges, format_ranges
from ..quote.permalinks import permalink
from ..quote.quotation import Quotation
from ..quote.repo import Repo
from ..quote.sources import Pin
from . import highlight
from .anchors import Anchors
from .coloring import colored, lexer_of, parts
from .highlight import LineCache
from .left_out import left_out
from .visible import html_attribute, html_text, in_order

_IDENTIFIER = re.compile(r"[^\W\d]\w{2,}")
_NUMBER = re.compile(r"\([0-9]+\)")
_TAG_OR_NUMBER = re.compile(r"<[^<>]*>|\((?=[0-9]+\))")


def figure(quotation: Quotation, anchors: Anchors, *, searchable: bool) -> Element:
    """Return the figure; its content is for the caller to put in."""
    classes = "mw-excerpt" if quotation.segments is not None else "mw-excerpt mw-card"
    element = Element("figure", {"class": classes, "id": anchors.figure})
    if not searchable:
        # On a figure the exclusion holds to its end; on a div, Material's search loses it at the first nested div.
        element.set("data-search-exclude", "")
    return element


def content(quotation: Quotation, anchors: Anchors, labels: Labels, cache: LineCache = highlight.no_cache) -> str:
    """Return what stands in the figure: the caption, then the code, folded if asked for, or the card's sentence."""
    if quotation.segments is None:
        body = _home(quotation, labels)
    else:
        body = f'<div class="mw-code-block">{code(quotation, anchors, labels, cache)}</div>'
        if quotation.directive.collapse:
            summary = html_text(labels.counted("show_line", _count(quotation.ranges)))
            body = f'<details class="mw-fold">\n<summary>{summary}</summary>\n{body}\n</details>'
    return _without_annotations(f"\n{_caption(quotation, labels)}\n{body}\n")


def _without_annotations(html: str) -> str:
    """Return *html* with an empty element within each ``(1)`` of its text.

    Below something of class ``annotate`` Material puts an annotation in the place of each that it finds in a text node.
    """
    if not _NUMBER.search(html):
        return html
    return _TAG_OR_NUMBER.sub(lambda match: match[0] if match[0] != "(" else "(<span></span>", html)


def _caption(quotation: Quotation, labels: Labels) -> str:
    key, pin = quotation.file.key, quotation.pin
    files = []
    for index, part in enumerate(quotation.ranges):
        # As a reference: one character outside Latin-1 would double the memory that the page's HTML takes.
        label = format_ranges([part]).removeprefix("L").replace("-", "&#8211;")
        text = f"{in_order(html_text(quotation.name))}:{label}" if index == 0 else f", {label}"
        url = permalink(quotation.public, part) if quotation.public else ""
        files.append(_link("mw-file", text, url, key.path, html=True))
    parts = [f'<span class="mw-where">{"".join(files)}</span>']
    if quotation.directive.title:
        parts.insert(0, f'<span class="mw-title">{html_text(quotation.directive.title)}</span>')
    if quotation.abridged:
        parts.append(f'<span class="mw-abridged">{html_text(labels["abridged"])}</span>')
    if quotation.indent:
        n = len(quotation.indent)
        title, mark = html_attribute(labels["dedented_by"].format(n=n)), html_text(labels["dedented"].format(n=n))
        space = quotation.indent.replace("\t", "&#9;")
        parts.append(f'<span class="mw-dedented" title="{title}" data-indent="{space}">{mark}</span>')
    commit = quotation.commit or pin.commit
    origin = _origin(quotation.public, pin, commit, quotation.license_file, key.path)
    parts.append(origin or _uncommitted(quotation, labels))
    return f'<figcaption class="mw-caption">{" ".join(parts)}</figcaption>'


@lru_cache(maxsize=1024)
def _origin(key: FileKey | None, pin: Pin, commit: str, terms: str, path: str) -> str:
    """Return repository, commit and license of what is published, and "" of what is in no commit.

    A license without a file, and a commit of one's own that nobody told the home of, are told and not linked.
    """
    commit = key.commit if key else commit
    if not commit:
        return ""
    short = pin.short or commit[:7]
    origin = [
        _link("mw-repo", key.repo, Repo.named(key.repo).page) if key else "",
        _link("mw-commit", short, permalink(key) if key else "", f"{path} at {commit}"),
    ]
    if pin.license or terms:
        url = permalink(FileKey(key.repo, key.commit, terms)) if key and terms else ""
        origin.append(_link("mw-license", pin.license or terms, url))
    return f'<span class="mw-origin">{" ".join(filter(None, origin))}</span>'


def _uncommitted(quotation: Quotation, labels: Labels) -> str:
    """Return what stands in the place of links to lines that are in no commit."""
    terms = f' <span class="mw-license">{html_text(quotation.pin.license)}</span>' if quotation.pin.license else ""
    word = f'<span class="mw-uncommitted">{html_text(labels["uncommitted"])}</span>'
    return f'<span class="mw-origin">{word}{terms}</span>'


def _link(name: str, text: str, url: str, title: str = "", *, html: bool = False) -> str:
    tip = f' title="{html_attribute(title)}"' if title else ""
    if not url:
        return f'<span class="{name}"{tip}>{text if html else html_text(text)}</span>'
    return f'<a class="{name}" href="{html_attribute(url)}"{tip}>{text if html else html_text(text)}</a>'


def search_text(quotation: Quotation, key: str) -> str:
    """Return what a search reads in place of the content: title, file name, and each identifier of the code once.

    A search index finds words, not lines; all of the code and its caption would only make it larger and its results
    longer. *key* lets the content be put in later.
    """
    return f'<pre class="mw-pre" data-mw="{key}">{search_words(quotation)}</pre>'


def excluded(html: str) -> str:
    """Return the content *html* with caption and code out of a search that reads it; line notes stay."""
    for begin in ('<figcaption class="mw-caption"', '<div class="mw-code-block"'):
        html = html.replace(begin, f'{begin} data-search-exclude=""', 1)
    return html


def search_words(quotation: Quotation) -> str:
    """Return the same as HTML of one line, where a search reads the content too and shall not."""
    lines = (line for segment in quotation.segments or () for line in segment.lines)
    words = dict.fromkeys(_IDENTIFIER.findall("\n".join(lines)))
    text = html_attribute(f"{quotation.directive.title} {quotation.name}".strip())
    return f"{text} {' '.join(words)}"


def code(quotation: Quotation, anchors: Anchors, labels: Labels, cache: LineCache = highlight.no_cache) -> str:
    """Return the code with numbers, highlights, gap marks and colours."""
    shown: list[str] = []
    previous = 0
    for part in parts(quotation):
        segment = part.segment
        if previous:
            shown.append(_gap(previous, segment.first, labels, lexer_of(quotation)))
        shown.extend(_numbered(colored(part, cache), segment.first, anchors, quotation.hl))
        previous = segment.last
    digits = len(str(quotation.ranges[-1].last))
    lines_shown = format_ranges(quotation.ranges).replace("L", "")
    label = labels["region"].format(name=quotation.name, lines=lines_shown)
    if anchors.suffix:  # no two regions of a page have one name
        label += f" ({anchors.suffix[1:]})"
    # MkDocs' own themes bring highlight.js, which would put plain text, colored anew, in the place of lines and marks.
    return (
        f'<pre class="mw-pre mw-d{digits}" dir="ltr" tabindex="0" role="region" aria-label="{html_attribute(label)}">'
        f'<span class="mw-code highlight nohighlight"><code>{"".join(shown)}</code></span></pre>'
    )


def _numbered(lines: Sequence[str], first: int, anchors: Anchors, lit: frozenset[int]) -> list[str]:
    """Return each line with its id and its number, which is a link to itself."""
    before, after = anchors.prefix, anchors.suffix
    return [
        f'<span class="{"mw-l mw-hl" if n in lit else "mw-l"}" id="{before}{n}{after}">'
        f'<a href="#{before}{n}{after}" data-n="{n}" tabindex="-1" aria-hidden="true"></a>{in_order(html)}\n</span>'
        for n, html in enumerate(lines, first)
    ]


def _gap(last: int, first: int, labels: Labels, lexer: Lexer) -> str:
    count = first - last - 1
    label = html_attribute(labels.counted("gap_line", count))
    lines = format_ranges([LineRange(last + 1, first - 1)]).removeprefix("L")
    words = labels["left_out_line" if count == 1 else "left_out_lines"].format(lines=lines)
    copied = html_attribute(left_out(words, lexer))
    return (
        f'<span class="mw-gap" data-text="&#8943; {label}" data-copy="{copied}" role="separator"'
        f' aria-label="{label}"></span>'
    )


def _home(quotation: Quotation, labels: Labels) -> str:
    """Return the card's sentence: where the code can be read, and that its bytes could not be had."""
    key, count = quotation.file.key, _count(quotation.ranges)
    where = html_text(f"{quotation.name}, {labels.counted('line', count)}")
    sentence = html_text(labels["card_line" if count == 1 else "card_lines"])
    if quotation.public is not None:
        url = html_attribute(permalink(quotation.public, quotation.ranges[0]))
        where = f'<a href="{url}">{where}</a>'
    words = sentence.format(link=where, repo=html_text((quotation.public or key).repo))
    return f'<p class="mw-home">{words} {html_text(labels["card_end"])}</p>'


def _count(ranges: Ranges) -> int:
    return sum((r.last or 0) - r.first + 1 for r in ranges)


def error(problem: Diagnostic, labels: Labels, difference: Sequence[str] = ()) -> Element:
    """Return what ``serve`` shows where the excerpt would stand; *difference* is that of lines to be accepted."""
    element = Element("div", {"class": "mw-error", "role": "alert"})
    strong = SubElement(element, "strong")
    strong.text, strong.tail = AtomicString(labels["not_shown"]), AtomicString(f" {problem.location}")
    SubElement(element, "p").text = AtomicString(printable(problem.message))
    if problem.hint:
        SubElement(element, "p", {"class": "mw-hint"}).text = AtomicString(printable(problem.hint))
    if difference:
        pre = SubElement(element, "pre", {"class": "mw-difference", "tabindex": "0"})
        for line in difference:
            name = {"+": "ins", "-": "del"}.get(line[:1], "span")
            SubElement(pre, name).text = AtomicString(printable(line.replace("\t", "    ")) + "\n")
    return element
