"""code.json: the lines that the pages quote, by which a result of the search names the line that it found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from ...markdown.page import PageContext
from ...markdown.visible import named
from ...quote.quotation import Quotation

Excerpt = tuple[str, str, str, list[tuple[int, list[str]]]]
"""The file's name, what stands in the id of a line before its number and behind it, and the lines with their first."""
_FIGURE = re.compile(r'<figure\b[^>]* id="(?P<id>excerpt(?P<head>--[0-9a-f]{7}-L)[0-9]+(?P<tail>(?:-[0-9]+)?))"[^>]*>')
_EXCLUDED = " data-search-exclude"


def code_of(html: str, page: PageContext) -> list[Excerpt]:
    """Return the excerpts on a page that a search may read, in their order; *html* has their ids.

    What nobody sees in a line is named in its place: a result is text.
    """
    return list(_excerpts(_FIGURE.finditer(html), page.figures))


def _excerpts(found: Iterable[re.Match[str]], figures: Mapping[str, Quotation]) -> Iterator[Excerpt]:
    for figure in found:
        quotation = figures.get(figure["id"])
        if quotation is not None and _EXCLUDED not in figure[0]:
            parts = [(one.first, [named(line) for line in one.lines]) for one in quotation.segments or ()]
            yield named(quotation.name), figure["head"], figure["tail"], parts


def code_json(pages: dict[str, list[Excerpt]]) -> bytes:
    """Return code.json; *pages* is by address."""
    return json.dumps(pages, ensure_ascii=False, separators=(",", ":")).encode()
