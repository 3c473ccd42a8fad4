"""The styles and scripts that the package brings: copied when a page uses them, and named on those pages alone."""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from mkdocs.config.config_options import ExtraScriptValue
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from ...glossary.asked import Asked
from ...glossary.labels import SCRIPT
from ...glossary.library import Entry
from ...glossary.lookup import Term, lookup_data, lookup_json, terms_of
from .reading import Reading
from .terms_file import SCHEMA, schema_file, terms_file

FOLDER = "assets/metalworking"
STYLE = f"{FOLDER}/metalworking.css"
TABLE_STYLE = f"{FOLDER}/terms.css"
"""The style of the table of terms, for the page that has it."""
ENTRY = f"{FOLDER}/metalworking.js"
LOOKUP = f"{FOLDER}/lookup.json"
"""Where the browser finds what the CUDA lookup and the link previews show."""
TERMS = f"{FOLDER}/terms.json"
"""Where programs find the table of terms."""
_OURS = (' class="mw-', " data-mw-")
_HERE = Path(__file__).parents[2] / "assets"


def settings_file(asked: Asked) -> tuple[str, bytes]:
    """Return the module that tells the scripts the site's words, and what it asked for on every page."""
    callouts = asked.callouts
    names = {"source": callouts.source if callouts else "", "target": callouts.target if callouts else "", "n": "{n}"}
    told = {"labels": {key: asked.labels[key].format(**names) for key in SCRIPT}, "parts": sorted(asked.parts)}
    return f"{FOLDER}/settings.js", f"export default {json.dumps(told, ensure_ascii=False, indent=1)};\n".encode()


def add_file(files: Files, file: File) -> None:
    """Put *file* among the *files* of the site, in the place of one of an earlier build."""
    if (old := files.get_file_from_path(file.src_uri)) is not None:
        files.remove(old)
    files.append(file)


def add_assets(files: Files, config: MkDocsConfig, asked: Asked) -> None:
    """Put every style and script among *files*.

    What lies in the package has its path: plugins that sort files by language or project look at it.
    """
    for path in sorted(_HERE.iterdir(), key=lambda one: one.name):
        add_file(files, File.generated(config, f"{FOLDER}/{path.name}", abs_src_path=str(path)))
    uri, content = settings_file(asked)
    add_file(files, File.generated(config, uri, content=content))


class Lookup:
    """The data of the lookup, of one build or of several for one site, as for several languages."""

    def __init__(self) -> None:
        self._pages: dict[str, Any] = {}
        self._terms: list[Any] = []

    def add_to(self, files: Files, reading: Reading) -> None:
        """Put what *reading* found, and what was found before, into *files*; pages behind a password stay out."""
        found, addresses = public_terms(reading, files)
        data = lookup_data(found, addresses, reading.table)
        self._pages |= data["pages"]
        self._terms += [term for term in data["terms"] if term not in self._terms]
        content = lookup_json({"pages": self._pages, "terms": self._terms}, reading.asked)
        add_file(files, File.generated(reading.config, LOOKUP, content=content))
        if reading.terms.rows:
            told = told_terms(reading, found, {entry.uri: url for entry, url in addresses})
            add_file(files, File.generated(reading.config, TERMS, content=told))
            add_file(files, File.generated(reading.config, f"{FOLDER}/{SCHEMA}", content=schema_file()))


def public_terms(reading: Reading, files: Files) -> tuple[list[Term], list[tuple[Entry, str]]]:
    """Return the terms of a site, and its pages with their addresses, as anybody may know them."""
    known = [entry for entry in reading.entries(reading.book) if not _secret(files, entry)]
    return terms_of(known, reading.terms), list(_addresses(reading.entries(), files))


def told_terms(reading: Reading, found: Iterable[Term], where: Mapping[str, str]) -> bytes:
    """Return terms.json of a site; *where* has the address of each page from the site's root."""
    site, quoter = reading.config.site_url or "", reading.project.quoter
    return terms_file(
        reading.terms, found, lambda u: where.get(u, ""), quoter, reading.asked, site=site, page=reading.table
    )


def _addresses(entries: Iterable[Entry], files: Files) -> Iterator[tuple[Entry, str]]:
    for entry in entries:
        file = files.get_file_from_path(entry.uri)
        if file is not None and not _secret(files, entry):
            yield entry, file.url


def _secret(files: Files, entry: Entry) -> bool:
    """Tell whether the plugin encryptcontent hides the page."""
    file = files.get_file_from_path(entry.uri)
    return file is not None and bool(getattr(file.page, "encryptcontent", None))


def used_by(html: str) -> bool:
    """Say whether *html* holds an element of ours."""
    return any(mark in html for mark in _OURS)


def with_assets(config: MkDocsConfig, html: str = "") -> MkDocsConfig:
    """Return *config* as the template of one page shall see it: our styles before the site's own, our script too.

    *html* is the page: the table of terms has a style of its own.
    """
    styles = [STYLE, TABLE_STYLE] if 'class="mw-terms"' in html else [STYLE]
    script = ExtraScriptValue(ENTRY)
    script.type = "module"
    ours: dict[str, Any] = {
        "extra_css": [*styles, *config.extra_css],
        "extra_javascript": [script, *config.extra_javascript],
    }
    return cast(MkDocsConfig, ChainMap(ours, config))  # a template reads options, by name
