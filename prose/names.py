"""The rule on links: a page that names another page's subject, or a repository to work through, leads there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from posixpath import dirname, join, normpath

import yaml

from .page import Kind, Piece
from .shape import Hit

PLAIN = {"Numbers", "Reduction", "Failures", "Profiling", "Disassembly", "Sources"}
"""Titles that are also everyday words."""
EXERCISES = {"Metal-Puzzles": "abeleinin/Metal-Puzzles", "m5-gemm": "yaroslavvb/m5-gemm"}
"""Repositories of Hands-on: a page that names one links to it or to Hands-on."""


class _Loader(yaml.SafeLoader):
    """Reads mkdocs.yml without the objects that its tags stand for."""


_Loader.add_multi_constructor("", lambda *_: None)


def subjects(config: Path) -> dict[str, str]:
    """Return title to page, for the pages in the chapters of the nav in *config*; titles go without their article."""
    nav = yaml.load(config.read_text(encoding="utf-8"), Loader=_Loader)["nav"]
    chapters = [pages for item in nav for pages in item.values() if isinstance(pages, list)]
    titled = [entry for pages in chapters for entry in pages if isinstance(entry, dict)]
    found = {re.sub(r"^(?:The|A|An) ", "", title): page for entry in titled for title, page in entry.items()}
    return {
        title: page for title, page in found.items() if isinstance(page, str) and "/" in page and title not in PLAIN
    }


def hits(pieces: Iterable[Piece], here: str, titles: Mapping[str, str]) -> Iterator[Hit]:
    """Yield the first mention of each of *titles* that the page *here* never links to. Paths are of the docs folder."""
    told = [piece for piece in pieces if piece.kind in {Kind.PARAGRAPH, Kind.ITEM}]
    linked = {normpath(join(dirname(here), link.partition("#")[0])) for piece in told for link in piece.links}
    for title, page in titles.items():
        if page not in linked and page != here:
            named = rf"(?<![\w-]){re.escape(title)}s?(?![\w-])"
            yield from _first(told, re.compile(named, 0 if title.isupper() else re.IGNORECASE), page)
    for name, repo in EXERCISES.items() if titles else ():
        if not any(repo in link or "hands-on.md" in link for piece in told for link in piece.links):
            yield from _first(told, re.compile(re.escape(name)), f"github.com/{repo}, or hands-on.md")


def _first(told: Iterable[Piece], named: re.Pattern[str], where: str) -> Iterator[Hit]:
    for piece in told:
        if found := named.search(piece.text):
            line = piece.line + piece.text.count("\n", 0, found.start())
            yield Hit(line, "house.unlinked", f'"{found[0]}" is told elsewhere ({where}), and nothing here leads there')
            break
