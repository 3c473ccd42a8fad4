"""The files of a site while somebody writes them: which are read, when they changed, and what a text stands for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from mkdocs.utils import is_markdown_file

from ...quote.lines import text_lines
from .site import Site


def leaned_on(site: Site) -> Iterator[Path]:
    """Yield the files beside the pages that every page may depend on."""
    settings, mapping = site.settings(offline=True), site.options.mapping
    yield from (settings.sources, settings.lock, settings.quantities)
    if mapping:
        yield settings.path(mapping)
    yield Path(site.config.config_file_path or site.root / "mkdocs.yml")


def read_by(site: Site) -> Iterator[Path]:
    """Yield the files that all pages lean on, and the pages below docs."""
    yield from leaned_on(site)
    for folder, _, names in os.walk(site.config.docs_dir):
        yield from (Path(folder, name) for name in names if is_markdown_file(name))


def stamp(path: Path) -> tuple[int, int] | None:
    """Return when a file was last written, and its size; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


_HALF = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def plain_text(text: str) -> str:
    """Return *text* as a build reads it: LF ends lines, no byte order mark, and no half of a surrogate pair."""
    return "\n".join(text_lines(text.removeprefix("\ufeff").translate(_HALF)))
