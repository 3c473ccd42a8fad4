"""One HTML page with all of the book: it needs no other file, and it is what the PDF is printed from."""

from __future__ import annotations

import base64
import mimetypes
import re
from collections.abc import Iterator, Mapping
from html import escape
from importlib import resources
from pathlib import Path

import lxml.html

from . import leaves
from .volume import Leaf, Volume

# What ends a string of CSS, or the element of styles around it.
_TITLE = re.compile(r'["\\\n\r\f<]')


def printable(volume: Volume, pages: Mapping[str, int] | None = None, *, paper: str = "A4") -> str:
    """Return the page. *pages* gives the sheet on which each leaf begins, by its key, for the table of contents."""
    return "".join(_parts(volume, pages or {}, paper))


def _parts(volume: Volume, pages: Mapping[str, int], paper: str) -> Iterator[str]:
    yield f'<!doctype html>\n<html lang="{escape(volume.language)}" dir="{volume.direction}">\n<head>\n'
    yield '<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{escape(volume.title)}</title>\n<style>\n"
    yield from (style.replace("</", r"<\/") + "\n" for style in volume.styles)
    yield resources.files(__package__).joinpath("print.css").read_text(encoding="utf-8")
    yield from _sheets(volume, paper)
    yield '</style>\n</head>\n<body data-md-color-scheme="default">\n'
    yield f'{volume.textures}<main class="md-typeset bk">\n'
    yield '<section class="bk-cover">\n'
    if volume.logo:
        yield f'<img class="bk-logo" src="{_data(Path(volume.logo))}" alt="">\n'
    yield f'<p class="bk-title">{escape(volume.title)}</p>\n'
    yield f'<p class="bk-about">{escape(volume.description)}</p>\n'
    address = f'<a href="{escape(volume.address)}">{escape(volume.address)}</a>' if volume.address else ""
    yield f'<p class="bk-note">{escape(volume.note)}</p>\n<p class="bk-note">{address}</p>\n</section>\n'
    yield from _contents(volume, pages)
    for leaf in volume.leaves:
        yield _section(leaf, volume)
    yield "</main>\n</body>\n</html>\n"


def _sheets(volume: Volume, paper: str) -> Iterator[str]:
    """Yield a page style for each leaf: what stands at the head of its sheets."""
    yield f"@page{{size:{paper}}}\n"
    for index, leaf in enumerate(volume.leaves):
        chapter = f"{leaf.number}  {leaf.chapter}" if leaf.number else volume.title
        title = "" if leaf.opening else leaf.title
        heads = f"@top-left{{content:{_css(chapter)}}}@top-right{{content:{_css(title)}}}"
        yield f"@page bk{index}{{{heads}}}\n.bk-{index}{{page:bk{index}}}\n"


def _css(text: str) -> str:
    return '"' + _TITLE.sub(lambda match: f"\\{ord(match[0]):x} ", text) + '"'


def _contents(volume: Volume, pages: Mapping[str, int]) -> Iterator[str]:
    yield '<nav class="bk-toc" aria-label="Contents">\n<p class="bk-h1">Contents</p>\n<ol>\n'
    inside = False
    for leaf in volume.leaves:
        if leaf.depth != int(inside):
            yield "<ol>\n" if leaf.depth else "</ol>\n"
            inside = bool(leaf.depth)
        number = f'<span class="bk-number">{leaf.number}</span>' if leaf.opening else ""
        sheet = pages.get(leaf.key)
        yield (
            f'<li class="bk-toc{leaf.depth}"><a href="#{escape(leaf.key)}">{number}<span>{escape(leaf.title)}</span>'
            f'<span class="bk-dots"></span><span class="bk-sheet">{sheet or ""}</span></a></li>\n'
        )
    yield ("</ol>\n" if inside else "") + "</ol>\n</nav>\n"


def _section(leaf: Leaf, volume: Volume) -> str:
    root = leaves.tree(leaf)
    leaves.name_ids(root, leaf.key)
    leaves.demote(root, leaf.depth)
    leaves.point_links(root, leaf, volume, lambda found, part: f"#{leaves.id_of(found.key, part)}")
    for element, path in leaves.images(root, leaf, volume):
        element.set("src", _data(Path(path)))
    index = volume.leaves.index(leaf)
    root.tag = "section"
    root.set("id", leaf.key)
    kind = "bk-opening" if leaf.opening else "bk-leaf"
    root.set("class", f"{kind} bk-{index} mw-ch{leaf.number}")
    if leaf.opening:
        root.insert(0, lxml.html.fragment_fromstring(f'<p class="bk-chapter">{leaf.number}</p>'))
    text: str = lxml.html.tostring(root, encoding="unicode")
    return f"{text}\n"


def _data(path: Path) -> str:
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"
