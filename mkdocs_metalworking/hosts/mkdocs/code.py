"""Finished code and the words that stand for it while a search reads the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial

from ...markdown.page import PageContext

_PLAIN = re.compile(r'<(?P<tag>pre) class="mw-pre" data-mw="(?P<key>[0-9]+)">')


def _replaced(html: str, begin: re.Pattern[str], made: Callable[[re.Match[str], str], str]) -> str:
    """Return *html* with what is *made* of each element whose tag *begin* finds, up to the first end of one like it.

    Where no end follows, none is looked for again: a pattern would look from each beginning to the end of the page.
    """
    parts, end, at = [], 0, 0
    unended = set[str]()
    while (match := begin.search(html, at)) is not None:
        at, ends = match.end(), f"</{match['tag']}>"
        stop = -1 if ends in unended else html.find(ends, at)
        if stop < 0:
            unended.add(ends)
            continue
        at = stop + len(ends)
        parts += [html[end : match.start()], made(match, html[match.start() : at])]
        end = at
    return "".join((*parts, html[end:]))


def finished(html: str, page: PageContext) -> str:
    """Return *html*, text of *page*, with the finished code in the place of its words."""
    late = page.late or {}
    return _replaced(html, _PLAIN, lambda match, words: late[match["key"]]() if match["key"] in late else words)


_LEFT = re.compile(r"-[mM][wW](?<=[dD][aA][tT][aA]-[mM][wW])(?!-)[^<>]{0,60}")
"""What stands for code in a form that is not HTML; between the name and the key may be quotes, escaped and again.

Of all ways to write it the one that begins with a letter in both cases takes ten times as long on a page.
"""
_DIGITS = re.compile(r"[0-9]{10,}")


def finished_of(html: str, pages: Iterable[PageContext]) -> tuple[str, str | None]:
    """Return *html*, in which the words of any of *pages* may stand, with the code in their place.

    Beside it the path of a page whose words stand there in a form that has no place for code, as a filter makes it;
    "" where words stand there that are of none of *pages*, and None where all is in its place.
    """
    if _LEFT.search(html) is None:
        return html, None
    known = {page.seal: page for page in pages}
    size = max(map(len, known), default=0)

    def made(match: re.Match[str], words: str) -> str:
        page = known.get(match["key"][:size])
        return finished(words, page) if page is not None else words

    html = _replaced(html, _PLAIN, made)
    runs = (run[0] for found in _LEFT.finditer(html) for run in _DIGITS.finditer(found[0]))
    seals = (run[at : at + size] for run in runs for at in range(len(run) - size))
    left = next((known[seal].path for seal in seals if seal in known), None)
    return html, "" if left is None and _PLAIN.search(html) is not None else left


_SHOWN = re.compile(r"<!--mw-(?P<key>[0-9]+)-->")


def revealed(html: str, page: PageContext) -> str:
    """Return *html* with the finished code, for whoever reads it before the search does; *concealed* undoes it.

    It is as it can be read where no style sheet of ours is.
    """
    late = page.late or {}

    def shown(match: re.Match[str], words: str) -> str:
        key = match["key"]
        if key not in late:
            return words
        page.words[key] = words
        return f"<!--mw-{key}-->{late[key]()}<!--/mw-{key}-->"

    return without_style(_replaced(html, _PLAIN, shown))


_PRE = re.compile(r'<(?P<tag>pre) class="mw-pre[^<>]*>')
_BLANK = re.compile(r"<[^<>]*>|\n|\t|(?<= ) | (?= )")
_SPELLED = {" ": "&#32;", "\t": "&#9;", "\n": "&#10;"}
_SIGN = re.compile(r'(<span class="mw-(?:ctl|gap)"(?: [\w-]+="[^"<>]*")*? data-text="([^"<>]*)"[^<>]*>)(?=</span>)')
_TOLD = re.compile(r'(<span class="mw-(?:ctl|gap)"[^<>]*>)[^<>]*(?=</span>)')


def without_style(html: str) -> str:
    """Return *html* with the text of marks and gaps as text, and blanks of code that nobody takes for white space."""
    html = _SIGN.sub(lambda m: f"{m[1]}{m[2]}" + ("\n" if 'class="mw-gap"' in m[1] else ""), html)
    return _replaced(html, _PRE, lambda _, pre: _BLANK.sub(lambda m: _SPELLED.get(m[0], m[0]), pre))


def with_style(html: str) -> str:
    """Undo *without_style*."""

    def blanks(_: re.Match[str], found: str) -> str:
        for char, spelled in _SPELLED.items():
            found = found.replace(spelled, char)
        return found

    return _TOLD.sub(r"\1", _replaced(html, _PRE, blanks)) if "mw-pre" in html or "mw-ctl" in html else html


def concealed(html: str, page: PageContext) -> str:
    """Undo *revealed* in what other plugins made of the page; what they changed in the code stays changed."""
    html = with_style(html)
    parts, end = [], 0
    for match in _SHOWN.finditer(html):
        key, ends = match["key"], f"<!--/mw-{match['key']}-->"
        if page.late is None or key not in page.words or match.start() < end:
            continue
        stop = html.find(ends, match.end())
        if stop < 0:
            continue
        page.late[key] = partial(str, html[match.end() : stop])
        parts += [html[end : match.start()], page.words[key]]
        end = stop + len(ends)
    return "".join((*parts, html[end:]))


_ELEMENT = re.compile(r"<(?P<end>/?)(?P<tag>figure|svg)(?P<rest>(?:[\s/][^<>]*)?)>")
_EXCLUDED = ' data-search-exclude=""'


def without_excluded(html: str, page: PageContext) -> str:
    """Return *html* without drawings, whose labels a search would show as prose, and excerpts it shall not read.

    These are taken out whole, with those in their notes: Material's search loses the place of its own attribute where
    one lies in another. *concealed* may have run before, *with_excluded* puts them back.
    """
    page.cut.clear()
    parts, end = [], 0
    for start, stop in _excluded(html):
        parts += [html[end:start], f"<!--mw-cut-{page.seal}-{len(page.cut)}-->"]
        page.cut.append(html[start:stop])
        end = stop
    return "".join((*parts, html[end:]))


def _excluded(html: str) -> list[tuple[int, int]]:
    """Return where each excluded element begins and ends that lies in no other; one without an end is none."""
    found: list[tuple[int, int]] = []
    begun: dict[str, list[tuple[int, bool]]] = {"figure": [], "svg": []}
    for match in _ELEMENT.finditer(html):
        tag, rest = match["tag"], match["rest"]
        if not match["end"]:
            if tag == "figure" or not rest.endswith("/"):
                begun[tag].append((match.start(), tag == "svg" or _EXCLUDED in rest))
            continue
        start, excluded = begun[tag].pop() if begun[tag] else (0, False)
        if excluded:
            while found and found[-1][0] > start:
                found.pop()
            if not found or found[-1][1] <= start:
                found.append((start, match.end()))
    return found


def with_excluded(html: str, page: PageContext) -> str:
    """Undo *without_excluded*."""
    if not page.cut:
        return html
    return re.sub(rf"<!--mw-cut-{page.seal}-([0-9]+)-->", lambda match: page.cut[int(match[1])], html, flags=re.ASCII)
