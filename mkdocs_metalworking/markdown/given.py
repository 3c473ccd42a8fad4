"""The ids and classes that finished HTML may give to something, whoever parses it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

_TOKEN = re.compile(
    r"""<(?=[a-z_:.])|>"""
    r"""|(?<![\w-])(?P<name>class|id)[\s=]*=\s*(?P<after>["'])?"""
    r"""|(?P<equals>=\s*)?(?P<quote>["'])""",
    re.IGNORECASE,
)
_BEFORE = 200
_PLAINLY = re.compile(
    r"[^= \t\n\r\f][ \t\n\r\f]+[a-z_:][a-z0-9_:.-]*[ \t\n\r\f]*=[ \t\n\r\f]*\Z", re.IGNORECASE | re.ASCII
)
"""How an attribute begins that everybody reads as one: behind white space, and not as the value of another.

White space is HTML's. A vertical tab is none there, and some to other programs.
"""
_UNQUOTED = re.compile(r"[^\s>]{0,200}(?![^\s>])")
"""A value of no more letters than a name of ours has: one may begin within another, and all of them would be kept."""
_TAG = re.compile(r"<(?=[a-z_:.])", re.IGNORECASE)
_PLAIN = re.compile(r"""<[a-z][a-z0-9]*(?P<given>(?: [a-z][a-z0-9-]{0,50}="[^"<]*")*) ?/?>""", re.IGNORECASE | re.ASCII)
"""A tag in which everybody reads the same, as nearly all are."""
_ATTRIBUTE = re.compile(r' ([^ ="]*)="([^"]*)"')
"""One of a plain tag's: all of them are looked at, since a value may hold what looks like another."""


def given_in(html: str) -> Iterator[tuple[str, str]]:
    """Yield ``id`` or ``class`` and its value, for each place of *html* where one may stand, in one pass.

    Browsers, readers of EPUB and the libraries that make the other forms do not agree on what is a tag: in a comment,
    in a style within a drawing, behind a quotation mark that nothing ends, of two attributes of one name. So no one
    of them is asked. What any of them might take for an attribute is one: behind each ``<letter``, wherever it stands,
    up to the next ``>`` that is in no value, in each way to read the quotation marks between.
    """
    in_tag = False
    in_value = dict.fromkeys("\"'", False)
    at = 0
    while True:
        if not in_tag and not any(in_value.values()):
            # Up to the next tag nothing counts, and behind a plain one all is as before it.
            tag = _TAG.search(html, at)
            if tag is None:
                return
            at = tag.start()
            if plain := _PLAIN.match(html, at):
                at = plain.end()
                for name, value in _ATTRIBUTE.findall(plain["given"]):
                    if (given := name.lower()) in ("class", "id"):
                        yield given, unescape(value)
                continue
        token = _TOKEN.search(html, at)
        if token is None:
            return
        at = token.end()
        if token[0] in ("<", ">"):
            in_tag = token[0] == "<"
            continue
        quote = token["after"] or token["quote"]
        if in_tag and token["name"]:
            yield token["name"].lower(), _value(html, at, token["after"])
        if quote:
            opens = in_tag and (token["name"] or token["equals"]) is not None
            before = html[max(0, at - _BEFORE) : at - 1]
            stays = in_tag and not (opens and _PLAINLY.search(before))
            in_tag, in_value[quote] = stays or in_value[quote], opens


def _value(html: str, start: int, quote: str | None) -> str:
    if quote:
        end = html.find(quote, start)
        return unescape(html[start : end if end >= 0 else len(html)])
    found = _UNQUOTED.match(html, start)
    return unescape(found[0] if found is not None else "")
