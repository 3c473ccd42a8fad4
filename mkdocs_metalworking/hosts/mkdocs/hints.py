"""What an author may want to know of numbers, and no build minds: quantities nobody uses, numbers that one could be."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from ...glossary.terms import Row
from ...markdown.page import PageContext
from ...quote.diagnostics import Diagnostic, Location, Severity
from ...quote.quantities import Quantities
from ...quote.quantity_candidates import Candidate, candidates
from ...quote.quantity_mentions import mentioned_keys
from .readers import reader_files

_QUOTED = re.compile(r"[\"'`]([a-z][a-z0-9.-]*)[\"'`]")


class Hints:
    """The hints of a site; a page is read again only when its text changed."""

    def __init__(self, quantities: Quantities, root: Path) -> None:
        self._quantities = quantities
        self._root = root
        self._in_files: set[str] | None = None
        self._pages: dict[str, tuple[str, list[str], dict[Diagnostic, Candidate]]] = {}

    def of(self, pages: Mapping[str, PageContext], rows: Iterable[Row] = ()) -> dict[Diagnostic, Candidate | None]:
        """Return the hints for *pages*, all that were read, each with the number that it is about, if any.

        The *rows* of the table of terms use quantities too. A site without quantities gets none.
        """
        if not self._quantities:
            return {}
        if self._in_files is None:
            self._in_files = set(keys_in_files(self._quantities.readers, self._root))
        used = {*self._in_files, *(key for row in rows for key in row.quantities)}
        found: dict[Diagnostic, Candidate | None] = {}
        for page in pages.values():
            _, named, told = self._page(page)
            used.update(page.quantities, named)
            found.update(told)
        return {**dict.fromkeys(self._quantities.unused(used)), **found}

    def _page(self, page: PageContext) -> tuple[str, list[str], dict[Diagnostic, Candidate]]:
        source = page.source or ""
        known = self._pages.get(page.path)
        if known is None or known[0] != source:
            told = {_hint(one, page.path): one for one in candidates(source, self._quantities)}
            known = self._pages[page.path] = (source, mentioned_keys(source), told)
        return known


def _hint(one: Candidate, path: str) -> Diagnostic:
    hint = f"write [={one.key}], when it is the same number"
    message = f"{one.text.strip()} may be {one.key}"
    return Diagnostic(Severity.HINT, "candidate", message, hint, Location(path, one.line))


def keys_in_files(patterns: Iterable[str], root: Path) -> Iterable[str]:
    """Yield what stands in quotes in the files that the glob *patterns* name, from *root*."""
    for path in reader_files(patterns, root):
        with contextlib.suppress(OSError):
            yield from _QUOTED.findall(path.read_text(encoding="utf-8", errors="replace"))
