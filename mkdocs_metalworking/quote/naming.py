"""A name for lines that somebody counted: the symbol that they are, or the words of their first and last line."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from .diagnostics import MetalworkingError
from .lines import LineRange
from .selection import Selection
from .symbols import symbols_of

_WORDS = 60
"""Characters of a line that are enough to know it by."""


def name_lines(lines: Sequence[str], part: LineRange, path: str) -> Selection:
    """Return what names lines *part*, a closed range of *lines*, and nothing else in the file.

    Raises MetalworkingError (``range``) when nothing does.
    """
    for one in _candidates(lines, part, path):
        with contextlib.suppress(MetalworkingError):
            if one.find(lines, path) == (part,):
                return one
    hint = "mark a region around them, or take lines whose first and last stand nowhere else"
    raise MetalworkingError("range", f"{part} of {path} cannot be told by a symbol or by their words", hint)


def _candidates(lines: Sequence[str], part: LineRange, path: str) -> list[Selection]:
    found: list[Selection] = []
    with contextlib.suppress(MetalworkingError):
        for symbol in symbols_of(lines, path):
            if symbol.lines == part:
                found += [Selection("symbol", symbol.name.rpartition(".")[2]), Selection("symbol", symbol.name)]
    first, last = lines[part.first - 1].strip(), lines[(part.last or part.first) - 1].strip()
    if first and last:
        found.append(Selection("guards", first[:_WORDS].strip(), last[:_WORDS].strip()))
        found.append(Selection("guards", first, last))
    return found
