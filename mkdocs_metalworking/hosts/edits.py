"""What a command writes into a text: spans of it, and what stands there afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from ..quote.directive import Span
from ..quote.lines import LineRange, parse_ranges

Move = Callable[[LineRange], LineRange]
"""Maps old lines to new ones."""
Edit = tuple[Span, str]


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return *text* with every span replaced."""
    parts, end = [], 0
    for (start, stop), new in sorted(edits):
        parts += [text[end:start], new]
        end = stop
    return "".join((*parts, text[end:]))


def moved_label(label: str, move: Move) -> str:
    """Return a list of lines moved, written as it was: with or without L, with the spaces it had."""
    marked = "L" in label

    def one(match: re.Match[str]) -> str:
        (lines,) = parse_ranges(f"L{match[1]}" + (f"-{match[2]}" if match[2] else ""))
        text = str(move(lines))
        return text if marked else text.removeprefix("L")

    return re.sub(r"L?([0-9]+)(?:-L?([0-9]+))?", one, label)
