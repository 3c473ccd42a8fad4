"""Which lines of a page are marks that the plugin replaces, and what their replacements need of Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..quote.fences import fenced_lines

_MARK = re.compile(r"<!-- (az-index|mapping-table|sources) -->[ \t]*")
NEEDS = {
    "az-index": ("md_in_html", "attr_list"),
    "mapping-table": ("md_in_html",),
    "sources": ("md_in_html", "attr_list"),
}
"""The Markdown extensions without which what stands in a mark's place is not read."""


def marks_on(lines: Sequence[str]) -> dict[int, str]:
    """Return the marks of a page by the index of their lines; in a fence they are text."""
    found = {index: match[1] for index, line in enumerate(lines) if (match := _MARK.fullmatch(line))}
    if found:
        for index in fenced_lines(lines) & found.keys():
            del found[index]
    return found
