"""All rules over a page, and what they find in the order of the lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping

from . import names, shape, words
from .page import Kind, Piece, read
from .shape import Hit

_BETWEEN = "\n¶\n"
"""Keeps a phrase from running on from one piece to the next."""

_QUOTED = re.compile(r'"[^"]*"|“[^”]*”')
"""Somebody else's words, or an example."""


def lint(source: str, *, here: str = "", titles: Mapping[str, str] | None = None) -> list[Hit]:
    """Return what the rules find on the page *source*.

    *titles* are what :func:`names.subjects` returns, and *here* is where the page stands among them.
    """
    pieces = read(source)
    found = {*shape.hits(pieces), *_words(pieces), *names.hits(pieces, here, titles or {})}
    return sorted(found, key=lambda hit: (hit.line, hit.rule, hit.message))


def _words(pieces: list[Piece]) -> list[Hit]:
    starts, text = [], ""
    for piece in pieces:
        starts.append(len(text))
        text += piece.text + _BETWEEN
    found = []
    for hit in words.hits(text):
        at = bisect_right(starts, hit.span[0]) - 1
        piece = pieces[at]
        if any(quote.start() < hit.span[0] - starts[at] < quote.end() for quote in _QUOTED.finditer(piece.text)):
            continue
        below = 0 if piece.kind is Kind.FRONT else piece.text.count("\n", 0, hit.span[0] - starts[at])
        found.append(Hit(piece.line + below, hit.check_path, " ".join(hit.message.split())))
    return found
