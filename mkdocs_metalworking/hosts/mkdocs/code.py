"""Finished code and the words that stand for it while a search reads the page."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...markdown.page import PageContext

_PLAIN = re.compile(r'<pre class="mw-pre" data-mw="(?P<key>[0-9]+)">.*?</pre>', re.DOTALL)


def finished(html: str, page: PageContext) -> str:
    """Return *html*, text of *page*, with the finished code in the place of its words."""
    late = page.late or {}
    return _PLAIN.sub(lambda match: late[match["key"]]() if match["key"] in late else match[0], html)


_LEFT = re.compile(r"""data-mw(?:=|%3D)(?:\\?["']|\\u0022|&quot;|&#34;|%22)(?P<key>[0-9]+)""")


def finished_of(html: str, pages: Iterable[PageContext]) -> tuple[str, str]:
    """Return *html*, in which the words of any of *pages* may stand, with the code in their place.

    Beside it the path of a page whose words stand there in a form that has no place for code, as a filter makes it.
    """
    if "data-mw" not in html:
        return html, ""
    known = {page.seal: page for page in pages}
    size = max(map(len, known), default=0)

    def made(match: re.Match[str]) -> str:
        page = known.get(match["key"][:size])
        return finished(match[0], page) if page is not None else match[0]

    html = _PLAIN.sub(made, html)
    left = (known.get(match["key"][:size]) for match in _LEFT.finditer(html))
    return html, next((page.path for page in left if page is not None), "")


_SHOWN = re.compile(r"<!--mw-(?P<key>[0-9]+)-->(?P<code>.*?)<!--/mw-(?P=key)-->", re.DOTALL)


def revealed(html: str, page: PageContext) -> str:
    """Return *html* with the finished code, for whoever reads it before the search does; *concealed* undoes it.

    It is as it can be read where no style sheet of ours is.
    """
    late = page.late or {}

    def shown(match: re.Match[str]) -> str:
        key = match["key"]
        if key not in late:
            return match[0]
        page.words[key] = match[0]
        return f"<!--mw-{key}-->{late[key]()}<!--/mw-{key}-->"

    return _without_style(_PLAIN.sub(shown, html))


_PRE = re.compile(r'<pre class="mw-pre[^>]*>.*?</pre>', re.DOTALL)
_BLANK = re.compile(r"<[^<>]*>|\n|\t|(?<= ) | (?= )")
_SPELLED = {" ": "&#32;", "\t": "&#9;", "\n": "&#10;"}
_SIGN = re.compile(r'(<span class="mw-(?:ctl|gap)"(?: [\w-]+="[^"]*")*? data-text="([^"]*)"[^>]*>)(?=</span>)')
_TOLD = re.compile(r'(<span class="mw-(?:ctl|gap)"[^>]*>)[^<>]*(?=</span>)')


def _without_style(html: str) -> str:
    """Return *html* with the text of marks and gaps as text, and blanks of code that nobody takes for white space."""
    html = _SIGN.sub(lambda m: f"{m[1]}{m[2]}" + ("\n" if 'class="mw-gap"' in m[1] else ""), html)
    return _PRE.sub(lambda pre: _BLANK.sub(lambda m: _SPELLED.get(m[0], m[0]), pre[0]), html)


def with_style(html: str) -> str:
    """Undo *_without_style*."""

    def blanks(pre: re.Match[str]) -> str:
        found = pre[0]
        for char, spelled in _SPELLED.items():
            found = found.replace(spelled, char)
        return found

    return _TOLD.sub(r"\1", _PRE.sub(blanks, html)) if "mw-pre" in html or "mw-ctl" in html else html


def concealed(html: str, page: PageContext) -> str:
    """Undo *revealed* in what other plugins made of the page; what they changed in the code stays changed."""

    def hidden(match: re.Match[str]) -> str:
        key, code = match["key"], match["code"]
        if page.late is None or key not in page.words:
            return match[0]
        page.late[key] = lambda: code
        return page.words[key]

    return _SHOWN.sub(hidden, with_style(html))


_DRAWN = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_EXCLUDED = re.compile(rf'<figure\b[^>]* data-search-exclude="".*?</figure>|{_DRAWN.pattern}', re.DOTALL)


def without_excluded(html: str, page: PageContext, *, figures: bool) -> str:
    """Return *html* without drawings, whose labels a search would show as prose.

    With *figures* also without excerpts that no search shall read, for a search that does not know Material's
    attribute. *concealed* may have run before, *with_excluded* puts them back.
    """

    def cut(match: re.Match[str]) -> str:
        page.cut.append(match[0])
        return f"<!--mw-cut-{page.seal}-{len(page.cut) - 1}-->"

    page.cut.clear()
    return (_EXCLUDED if figures else _DRAWN).sub(cut, html)


def with_excluded(html: str, page: PageContext) -> str:
    """Undo *without_excluded*."""
    for number, figure in enumerate(page.cut):
        html = html.replace(f"<!--mw-cut-{page.seal}-{number}-->", figure, 1)
    return html
