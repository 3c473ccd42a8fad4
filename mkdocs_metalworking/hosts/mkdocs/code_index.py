"""code.json: the lines that the pages quote, by which a result of the search names the line that it found."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from ...markdown.page import PageContext
from ...quote.quotation import Quotation

Excerpt = tuple[str, str, str, list[tuple[int, list[str]]]]
"""The file's name, what stands in the id of a line before its number and behind it, and the lines with their first."""
_FIGURE = re.compile(
    r'<figure class="mw-excerpt" id="excerpt(?P<head>--(?P<blob>[0-9a-f]{7})-L)(?P<first>[0-9]+)(?P<tail>(?:-[0-9]+)?)"'
    r'(?P<excluded> data-search-exclude="")?'
)


def code_of(html: str, page: PageContext) -> list[Excerpt]:
    """Return the excerpts on a page that a search may read, in their order; *html* has their ids."""
    quoted: defaultdict[tuple[str, int], list[Quotation]] = defaultdict(list)
    for quotation in page.quotations:
        quoted[quotation.file.blob[:7], quotation.ranges[0].first].append(quotation)
    return list(_excerpts(_FIGURE.finditer(html), quoted))


def _excerpts(figures: Iterable[re.Match[str]], quoted: dict[tuple[str, int], list[Quotation]]) -> Iterator[Excerpt]:
    for figure in figures:
        found = quoted.get((figure["blob"], int(figure["first"])))
        if found:
            quotation = found.pop(0) if len(found) > 1 else found[0]
            if not figure["excluded"]:
                parts = [(one.first, list(one.lines)) for one in quotation.segments or ()]
                yield quotation.name, figure["head"], figure["tail"], parts


def code_json(pages: dict[str, list[Excerpt]]) -> bytes:
    """Return code.json; *pages* is by address."""
    return json.dumps(pages, ensure_ascii=False, separators=(",", ":")).encode()
