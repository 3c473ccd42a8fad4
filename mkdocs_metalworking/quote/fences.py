"""Which lines of a page are fenced code: the one pattern for it, as pymdownx.superfences reads them.

Its rules: any indentation, inside quotes too; every line of the fence is indented as its first is; the mark that ends
it is the one that began it, alone; a fence that nothing ends is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_PREFIX = re.compile(r"[> ]*")
_OPENING = re.compile(
    r"(?P<mark>~{3,}|`{3,})(?:[ \t]*\.?[\w#.+-]+(?=[ \t]|$))?"
    r"(?:[ \t]*\{[^\n]*\}|(?:[ \t]*[a-zA-Z][a-zA-Z0-9_]*(?:=(?:\"[^\"]*\"|'[^']*'))?(?=[ \t]|$))+)?[ \t]*$"
)
_TAB = 4
_TICKS = re.compile(r"`+")


@dataclass
class _Open:
    start: int
    mark: str
    width: int
    quotes: int
    blank: bool = False


def longer_ticks(text: str, least: int) -> str:
    """Return *least* backticks, or more where *text* has as many in a row: what stands between two such is code."""
    return "`" * max(least, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))


def fenced_lines(lines: Sequence[str]) -> set[int]:
    """Return the indices of *lines* that lie in a fence, its first and last line included."""
    found: set[int] = set()
    fence: _Open | None = None
    for index, raw in enumerate(lines):
        line = raw.expandtabs(_TAB)  # as Markdown does before it looks for fences
        if fence is None:
            if "```" in line or "~~~" in line:
                fence = _opened(line, index)
            continue
        prefix, content = _inside(line, fence.width)
        if not content.strip() and (not prefix.strip() or fence.quotes):
            fence.blank = True
        elif _leaves(prefix, fence):
            fence = None
        elif content.rstrip(" \t") == fence.mark:
            found.update(range(fence.start, index + 1))
            fence = None
        else:
            fence.blank = False
    return found


def _opened(line: str, index: int) -> _Open | None:
    prefix = _PREFIX.match(line)
    assert prefix is not None
    match = _OPENING.match(line, prefix.end())
    if match is None:
        return None
    return _Open(index, match["mark"], len(prefix[0]), prefix[0].count(">"))


def _leaves(prefix: str, fence: _Open) -> bool:
    """Tell whether a line with this prefix stands outside of what the fence stands in."""
    quotes = prefix.count(">")
    if fence.quotes:
        return quotes > fence.quotes or len(prefix) < fence.width or (fence.blank and quotes < fence.quotes)
    return quotes > 0 or len(prefix) != fence.width


def _inside(line: str, width: int) -> tuple[str, str]:
    """Split off as much of a line's quote marks and white space as the fence's first line had."""
    end = 0
    while end < min(len(line), width) and line[end] in "> ":
        end += 1
    return line[:end], line[end:]
