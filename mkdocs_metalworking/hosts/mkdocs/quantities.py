"""What the browser is told of quantities: for the hover on a page, and for a site's own scripts that compute."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from mkdocs.structure.files import File, Files

from ...markdown.visible import named
from ...quote.quantities import Quantities
from ...quote.quantity_mentions import mentioned_keys
from .assets import add_file
from .reading import Reading

DATA = "assets/metalworking/quantities.json"
"""An object by key: ``value`` (a number, or lowest and highest), ``text``, ``about``, ``uses`` (title and address)."""


def add_quantities(files: Files, reading: Reading) -> None:
    """Put the data of a site's quantities among *files*, once all its pages are read; a site without any has none."""
    quantities = reading.project.quantities
    if not quantities:
        return
    known = reading.pages.keys() - reading.hidden
    pages = {uri: reading.pages[uri] for uri in (*reading.book, *reading.pages) if uri in known}
    shown: dict[str, list[str]] = {uri: list(context.quantities) for uri, context in pages.items()}
    shown.get(reading.table, []).extend(key for row in reading.terms.rows for key in row.quantities)
    texts = {uri: context.source or "" for uri, context in pages.items()}
    found = ((uri, reading.files.get_file_from_path(uri)) for uri in pages)
    links = {uri: (reading.title(uri) or uri, file.url) for uri, file in found if file is not None}
    content = quantities_json(quantities, uses_of(texts, shown), links)
    add_file(files, File.generated(reading.config, DATA, content=content))


def uses_of(texts: Mapping[str, str], shown: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return the pages that use each key, in the order of *shown*: what they show, and what their front matter has."""
    found: dict[str, list[str]] = {}
    for uri, keys in shown.items():
        for key in dict.fromkeys((*keys, *mentioned_keys(texts.get(uri, "")))):
            found.setdefault(key, []).append(uri)
    return found


def quantities_json(
    quantities: Quantities, uses: Mapping[str, list[str]], links: Mapping[str, tuple[str, str]]
) -> bytes:
    """Return the data of every quantity. *links* has the title and the address, from the site's root, of each page."""
    told = {
        key: {
            "value": one.low if one.low == one.high else [one.low, one.high],
            "text": named(one.text()),
            "about": named(one.about()),
            "uses": [links[uri] for uri in uses.get(key, ()) if uri in links],
        }
        for key, one in quantities.by_key.items()
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()
