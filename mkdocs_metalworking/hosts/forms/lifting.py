"""Code out of what Markdown writes in one line: out of cells, headings and words, whole and behind it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_CELLS = frozenset({"td", "th", "caption"})
_ONE_LINE = _CELLS | {
    *("h1", "h2", "h3", "h4", "h5", "h6", "dt", "a", "q", "code", "kbd", "samp"),
    *("b", "strong", "i", "em", "del", "s", "sub", "sup"),
}


def lift_code(soup: BeautifulSoup, excerpts: list[Tag]) -> None:
    """Put every block of code that stands in one line, and each of *excerpts* that does, behind that line.

    In its place are words with its number. A block of one line, without blanks that a sentence would lose, may stay.
    """
    numbers: Counter[int] = Counter()
    last: dict[int, Tag] = {}
    known = {id(excerpt) for excerpt in excerpts}
    for block in soup(["div", "pre"]):
        if id(block) not in known and not (block.name == "pre" and _longer(block, known)):
            continue
        line = _line(block)
        if line is None:
            continue
        numbers[id(line)] += 1
        name = f"code {numbers[id(line)]}"
        block.replace_with(f"({name} below)")
        label = soup.new_tag("p")
        label.string = f"{name.capitalize()}:"
        last.get(id(line), line).insert_after(label)
        label.insert_after(block)
        last[id(line)] = block


def _longer(pre: Tag, excerpts: set[int]) -> bool:
    """Tell whether *pre*, in none of *excerpts*, is more than a span of code."""
    text = pre.get_text().removesuffix("\n")
    return " ".join(text.split()) != text and not any(id(parent) in excerpts for parent in pre.parents)


def _line(block: Tag) -> Tag | None:
    """Return the outermost element around *block* that is one line; the table for a cell."""
    outer = next((one for one in reversed(list(block.parents)) if one.name in _ONE_LINE), None)
    return outer.find_parent("table") or outer if outer is not None and outer.name in _CELLS else outer
