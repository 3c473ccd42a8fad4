"""Code in Markdown whatever is in it: as many backticks around it as it needs."""

from __future__ import annotations

from ...quote.diagnostics import printable
from ...quote.fences import longer_ticks

_LONGEST = 400
"""Characters of code that are shown in a sentence."""


def code(text: str) -> str:
    """Return *text* as code that Markdown cannot take for anything else; of none, that it is nothing."""
    if not text:
        return "nothing"  # two backticks would begin code that somebody else ends
    shown = printable(text)
    more = len(shown) - _LONGEST
    shown = shown[:_LONGEST]
    fence = longer_ticks(shown, 1)
    span = f"{fence} {shown} {fence}" if "`" in shown else f"`{shown}`"
    return f"{span} and {more} characters more" if more > 0 else span
