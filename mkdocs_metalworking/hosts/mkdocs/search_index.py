"""The index that Material's search makes, for what is put into it and for what is kept of it."""

from __future__ import annotations

from typing import Any

from mkdocs.config.defaults import MkDocsConfig


def index_of(config: MkDocsConfig) -> Any:
    """Return the index of the site's search, whose ``entries`` are a list; None where the search is another one."""
    index = getattr(config.plugins.get("material/search") or config.plugins.get("search"), "search_index", None)
    return index if isinstance(getattr(index, "entries", None), list) else None
