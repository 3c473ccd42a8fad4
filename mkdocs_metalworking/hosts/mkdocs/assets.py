"""The styles, scripts and data that the package brings, so that stock Material shows excerpts and callouts well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from ...glossary.library import Entry
from ...glossary.lookup import lookup_data, lookup_json, terms
from .reading import Reading

STYLES = ("metalworking.css",)
SCRIPTS = ("metalworking.js",)
FOLDER = "assets/metalworking"
LOOKUP = f"{FOLDER}/lookup.json"
"""Where the browser finds what the CUDA lookup and the link previews show."""
_HERE = Path(__file__).parents[2] / "assets"


def asset_files(config: MkDocsConfig) -> Iterator[File]:
    """Yield the files to add to the site, and name them in the configuration of the page templates.

    Each has a path of its own, since plugins that sort files by language or project look at it.
    """
    for name in (*STYLES, *SCRIPTS):
        yield File.generated(config, f"{FOLDER}/{name}", abs_src_path=str(_HERE / name))
    for name in STYLES:
        if f"{FOLDER}/{name}" not in config.extra_css:
            config.extra_css.insert(0, f"{FOLDER}/{name}")
    for name in SCRIPTS:
        if f"{FOLDER}/{name}" not in map(str, config.extra_javascript):
            config.extra_javascript.insert(0, f"{FOLDER}/{name}")


class Lookup:
    """The data of the lookup, of one build or of several for one site, as for several languages."""

    def __init__(self) -> None:
        self._pages: dict[str, Any] = {}
        self._terms: list[Any] = []

    def add_to(self, files: Files, reading: Reading) -> None:
        """Put what *reading* found, and what was found before, into *files*; pages behind a password stay out."""
        known = [entry for entry in reading.entries(reading.book) if not _secret(files, entry)]
        data = lookup_data(terms(known, reading.mapping), _addresses(reading.entries(), files))
        self._pages |= data["pages"]
        self._terms += [term for term in data["terms"] if term not in self._terms]
        if (old := files.get_file_from_path(LOOKUP)) is not None:
            files.remove(old)
        content = lookup_json({"pages": self._pages, "terms": self._terms})
        files.append(File.generated(reading.config, LOOKUP, content=content))


def _addresses(entries: Iterable[Entry], files: Files) -> Iterator[tuple[Entry, str]]:
    for entry in entries:
        file = files.get_file_from_path(entry.uri)
        if file is not None and not _secret(files, entry):
            yield entry, file.url


def _secret(files: Files, entry: Entry) -> bool:
    """Tell whether the plugin encryptcontent hides the page."""
    file = files.get_file_from_path(entry.uri)
    page = file.page if file is not None else None
    if page is None:
        return False
    return bool(page.meta.get("password") or page.meta.get("level") or getattr(page, "encryptcontent", None))
