"""The book for programs that read: a twin of each page, ``llms.txt`` as their list, and all in one file or in parts."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from posixpath import dirname
from urllib.parse import quote

from ...git.links import place_of
from ...git.places import Premises
from ...quote.diagnostics import MetalworkingError
from ..files import write_made
from ..mkdocs.browser_files import TERMS
from ..mkdocs.terms_file import SCHEMA
from .fences import QUOTED_WORD
from .markdown import as_text, to_markdown, twin_of
from .volume import Leaf, Volume
from .works import Works

PART = 700_000
"""Bytes of a part of ``llms-full.txt``."""
_ABOUT = 2_000
"""Of these for what stands before the pages."""
_OURS = re.compile(
    rf"llms(?:(?:-full|\.)[^/]*)?\.txt|{re.escape(TERMS)}|{re.escape(dirname(TERMS))}/{re.escape(SCHEMA)}",
    re.IGNORECASE,
)
"""Names of files that are written beside the pages."""
_OTHERS = "\n## In other languages\n\n"


def write_markdown(
    volume: Volume,
    folder: Path,
    site: Path,
    premises: Premises | None = None,
    most: int = PART,
    others: Sequence[str] = (),
) -> int:
    """Write the twins, ``llms.txt`` and the parts of ``llms-full.txt`` into *folder*; return the number of pages.

    A part has at most *most* bytes. Of a site in several languages *others* are those behind the first, up to this one,
    whose lists have its tag in their names, as ``llms.fr.txt``, and are named in ``llms.txt``. The terms of the built
    *site*, when it has them, are copied beside and listed too. Raises MetalworkingError (``not-written``) when one
    cannot be written, or a link on the way may be somebody else's: *premises* are those of the sources.
    """
    folder = place_of(folder, premises)
    write = partial(write_made, premises=premises)
    pages = [leaf for leaf in volume.leaves if not leaf.url.startswith("#")]
    for leaf in pages:
        if taken := next((part for part in (twin_of(leaf), *_folders(twin_of(leaf))) if _OURS.fullmatch(part)), ""):
            message = f"{leaf.uri}: the name of its Markdown, {twin_of(leaf)}, takes that of {taken}"
            raise MetalworkingError("not-written", message, "call the page otherwise")
    for leaf in pages:
        write(folder / twin_of(leaf), to_markdown(leaf.html, leaf, volume).encode())
    for old in () if others else folder.glob("llms-full*.txt"):
        if old.is_file():
            old.unlink()
    ending = f".{others[-1]}.txt" if others else ".txt"
    listed = [*_list(volume, pages), "\n## All in one\n\n"]
    parts = list(parts_of(volume, pages, most))
    for number, part in enumerate(parts, 1):
        name = f"llms-full{'' if number == 1 else f'-{number}'}{ending}"
        told = "every page" if len(parts) == 1 else f"part {number} of {len(parts)}: {', '.join(part.chapters)}"
        write(folder / name, part.text(told if len(parts) > 1 else "").encode())
        listed.append(f"- [{name}]({name}): {as_text(told)}\n")
    listed += _data(folder, site, write)
    write(folder / f"llms{ending}", "".join(listed).encode())
    if others:
        first = (folder / "llms.txt").read_text(encoding="utf-8").partition(_OTHERS)[0]
        links = "".join(f"- [{one}](llms.{one}.txt)\n" for one in others)
        write(folder / "llms.txt", f"{first}{_OTHERS}{links}".encode())
    return len(pages)


def _folders(path: str) -> Iterator[str]:
    """Yield the folders that *path* lies in, below the book's."""
    while path := dirname(path):
        yield path


@dataclass(frozen=True)
class Part:
    """Pages in one file, each work that they cite told once, at its end. ``size`` is in bytes."""

    head: str
    pages: tuple[str, ...] = ()
    chapters: tuple[str, ...] = ()
    works: Works = field(default_factory=Works)
    cited: tuple[str, ...] = ()
    size: int = 0

    def with_pages(self, leaves: Iterable[Leaf], volume: Volume) -> Part:
        """Return the part with *leaves* behind what it has."""
        works = copy.deepcopy(self.works)
        made, chapters = [], dict.fromkeys(self.chapters)
        for leaf in leaves:
            name = twin_of(leaf).replace("--", "")
            made.append(f"\n<!-- {name} -->\n\n{to_markdown(leaf.html, leaf, volume, works)}")
            chapters[leaf.chapter or leaf.title] = None
        cited = [f"{number}. {as_text(name)}\n" for name, number in islice(works, len(self.cited), None)]
        size = self.size + sum(len(text.encode()) for text in (*made, *cited))
        return Part(self.head, (*self.pages, *made), tuple(chapters), works, (*self.cited, *cited), size)

    def text(self, told: str = "") -> str:
        """Return the file; *told* says which part it is."""
        which = f"\n{as_text(told)}\n" if told else ""
        return "".join((self.head, which, *self.pages, *(("\n# Works cited\n\n", *self.cited) if self.cited else ())))


def parts_of(volume: Volume, pages: list[Leaf], most: int = PART) -> Iterator[Part]:
    """Yield *pages* in parts of at most *most* bytes: cut between chapters, and in one that is larger by itself.

    A page that is larger by itself makes a larger part.
    """
    part = empty = Part("".join(_head(volume)))
    runs = [list(run) for _, run in groupby(pages, lambda leaf: leaf.chapter or leaf.uri)]
    while runs:
        run = runs.pop(0)
        longer = part.with_pages(run, volume)
        if longer.size <= most - _ABOUT:
            part = longer
            continue
        alone = empty.with_pages(run, volume) if part.pages else longer
        if alone.size > most - _ABOUT and len(run) > 1:
            runs[:0] = [[leaf] for leaf in run]
            continue
        if part.pages:
            yield part
        part = alone
    yield part


def _list(volume: Volume, pages: list[Leaf]) -> Iterator[str]:
    """Yield llms.txt: https://llmstxt.org."""
    yield from _head(volume)
    chapters: dict[str, list[Leaf]] = {}
    for leaf in pages:
        chapters.setdefault(leaf.chapter or volume.title, []).append(leaf)
    for name, found in chapters.items():
        yield f"\n## {as_text(name)}\n\n"
        for leaf in found:
            summary = f": {as_text(leaf.summary)}" if leaf.summary else ""
            yield f"- [{as_text(leaf.title)}]({quote(twin_of(leaf))}){summary}\n"


def _data(folder: Path, site: Path, write: Callable[[Path, bytes], None]) -> Iterator[str]:
    """Yield what programs may read beside the pages, and put it there."""
    if (site / TERMS).is_file():
        for name in (TERMS, f"{dirname(TERMS)}/{SCHEMA}"):
            write(folder / name, (site / name).read_bytes())
        yield "\n## Data\n\n"
        yield f"- [terms.json]({TERMS}): every term with its verdict, code, sources and pages\n"
        yield f"- [{SCHEMA}]({dirname(TERMS)}/{SCHEMA}): its JSON Schema\n"


def _head(volume: Volume) -> Iterator[str]:
    yield f"# {as_text(volume.title)}\n"
    if volume.description:
        yield f"\n> {as_text(volume.description)}\n"
    yield f"\nLines in a fence marked `{QUOTED_WORD}` are those of the commit that is named above them, compared with "
    yield "it; other code is the authors' own.\n"
