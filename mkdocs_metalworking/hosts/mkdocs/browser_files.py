"""What a build puts beside the pages for the browser: styles and scripts, and the data that they read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from ...glossary.library import Entry
from ...glossary.lookup import Term, lookup_data, lookup_json, terms_of
from .assets import FOLDER, add_assets, add_file, has_feature, shows_others, used_by
from .code_index import Excerpt, code_json, code_of
from .finishing import searched
from .quantities import add_quantities
from .reading import Reading
from .search_names import add_names, by_page
from .terms_file import SCHEMA, schema_file, terms_file

LOOKUP = f"{FOLDER}/lookup.json"
"""Where the browser finds what the lookup and the link previews show."""
CODE = f"{FOLDER}/code.json"
"""Where the search finds the lines that pages quote."""
TERMS = f"{FOLDER}/terms.json"
"""Where programs find the table of terms."""


def add_browser_files(files: Files, reading: Reading, lookup: Lookup) -> bool:
    """Add what the pages of *reading* use; *lookup* has what earlier builds of the same site found.

    Returns whether every page brings the script and styles: Material's instant navigation brings none with the next
    page, and its previews none with what they show of another.
    """
    config = reading.config
    html = [file.page.content or "" for file in files.documentation_pages() if file.page]
    if reading.asked.parts:
        lookup.add_to(files, reading)
    add_quantities(files, reading)
    if not reading.asked.parts and not any(map(used_by, html)):
        return False
    add_assets(files, config, reading.asked)
    instant = has_feature(config, "navigation.instant")
    return bool(reading.asked.parts) or instant or any(shows_others(config, one) for one in html)


class Lookup:
    """The data of the lookup, of one build or of several for one site, as for several languages."""

    def __init__(self) -> None:
        self._pages: dict[str, Any] = {}
        self._terms: list[Any] = []
        self._code: dict[str, list[Excerpt]] = {}
        self._answers: dict[str, list[Sequence[Any]]] = {}

    def add_to(self, files: Files, reading: Reading) -> None:
        """Put what *reading* found, and what was found before, into *files*; pages behind a password stay out."""
        found, addresses = public_terms(reading, files)
        data = lookup_data(found, addresses, reading.table)
        self._pages |= data["pages"]
        self._terms += [term for term in data["terms"] if term not in self._terms]
        content = lookup_json({"pages": self._pages, "terms": self._terms}, reading.asked)
        add_file(files, File.generated(reading.config, LOOKUP, content=content))
        if "lookup" in reading.asked.parts and searched(reading.config):
            self._answers = by_page(data["terms"])
            self._code |= _code_of(addresses, files, reading)
            add_file(files, File.generated(reading.config, CODE, content=code_json(self._code)))
        if reading.terms.rows:
            told = told_terms(reading, found, {entry.uri: url for entry, url in addresses})
            add_file(files, File.generated(reading.config, TERMS, content=told))
            add_file(files, File.generated(reading.config, f"{FOLDER}/{SCHEMA}", content=schema_file()))

    def name(self, page: Page, config: MkDocsConfig) -> None:
        """Let the search, which has just read *page*, know the names of the terms that it answers."""
        if page.url in self._answers:
            add_names(config, page.url, self._answers[page.url])


def public_terms(reading: Reading, files: Files) -> tuple[list[Term], list[tuple[Entry, str]]]:
    """Return the terms of a site, and its pages with their addresses, as anybody may know them."""
    return terms_of(reading.entries(reading.book), reading.terms), list(_addresses(reading, files))


def told_terms(reading: Reading, found: Iterable[Term], where: Mapping[str, str]) -> bytes:
    """Return terms.json of a site; *where* has the address of each page from the site's root."""
    site, quoter = reading.config.site_url or "", reading.project.quoter
    return terms_file(
        reading.terms, found, lambda u: where.get(u, ""), quoter, reading.asked, site=site, page=reading.table
    )


def _addresses(reading: Reading, files: Files) -> Iterator[tuple[Entry, str]]:
    for entry in reading.entries():
        file = files.get_file_from_path(entry.uri)
        if file is not None and entry.uri not in reading.hidden:
            yield entry, file.url


def _code_of(addresses: Iterable[tuple[Entry, str]], files: Files, reading: Reading) -> dict[str, list[Excerpt]]:
    found: dict[str, list[Excerpt]] = {}
    for entry, url in addresses:
        file, known = files.get_file_from_path(entry.uri), reading.pages.get(entry.uri)
        if file is not None and file.page is not None and known is not None:
            found[url] = code_of(file.page.content or "", known)
    return {url: code for url, code in found.items() if code}
