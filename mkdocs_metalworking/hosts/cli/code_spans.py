"""Code in Markdown whatever is in it: as many backticks around it as it needs."""

from __future__ import annotations

from ...quote.diagnostics import printable


def ticks(text: str) -> int:
    """Return the length of the longest run of backticks in *text*."""
    return max((len(run) for run in "".join(ch if ch == "`" else " " for ch in text).split()), default=0)


def code(text: str) -> str:
    """Return *text* as code that Markdown cannot take for anything else; of none, that it is nothing."""
    if not text:
        return "nothing"  # two backticks would begin code that somebody else ends
    shown = printable(text)
    fence = "`" * (ticks(shown) + 1)
    return f"{fence} {shown} {fence}" if "`" in shown else f"`{shown}`"
