"""Under ``serve``: Material's search is not given a page to read again that is as it was; its entries are kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

from .search_index import index_of

_ASKED = ("search", "tags", "title")
"""What Material's search looks at in the front matter of a page."""
_PASSED_OVER = {"exclude": True}


def headings_of(page: Page) -> list[tuple[int, str, str]]:
    """Return the page's table of contents, whose words need not stand on the page: ``data-toc-label`` is taken off."""
    found: list[tuple[int, str, str]] = []
    todo = list(page.toc)[::-1]
    while todo:
        one = todo.pop()
        found.append((one.level, one.id, one.title))
        todo.extend(one.children[::-1])
    return found


@dataclass
class SearchedPages:
    """The entries of each page, between the builds of one ``serve``.

    The search reads a page between *before* and *after*. A page that it need not read is excluded for that time, which
    is what the front matter ``search: {exclude: true}`` is for.
    """

    _entries: dict[str, tuple[str, list[dict[str, Any]]]] = field(default_factory=dict)
    _key: str = ""
    _start: int = 0
    _meta: Any = None
    kept: int = 0
    """Pages of the last build that were not read again."""

    def begin(self) -> None:
        """Start a build."""
        self.kept = 0

    def before(self, page: Page, config: MkDocsConfig) -> None:
        """Keep *page* from the search when it was read before as it is."""
        index = index_of(config)
        if index is None:
            return
        self._start = len(index.entries)
        facts = (page.url, page.title, [page.meta.get(name) for name in _ASKED], headings_of(page))
        self._key = hashlib.sha256(f"{facts!r}\0{page.content}".encode()).hexdigest()
        if self._known(page) is not None:
            self._meta = page.meta.get("search")
            page.meta["search"] = _PASSED_OVER

    def after(self, page: Page, config: MkDocsConfig) -> None:
        """Give the search what it made of *page* before, or remember what it makes now."""
        index = index_of(config)
        if index is None:
            return
        known = self._known(page)
        if known is None:
            self._entries[page.file.src_uri] = (self._key, [dict(entry) for entry in index.entries[self._start :]])
            return
        if self._meta is None:
            del page.meta["search"]
        else:
            page.meta["search"] = self._meta
        index.entries.extend(dict(entry) for entry in known)
        self.kept += 1

    def _known(self, page: Page) -> list[dict[str, Any]] | None:
        key, entries = self._entries.get(page.file.src_uri, ("", []))
        return entries if key == self._key else None
