"""The EPUB: one XHTML file a page, with code, diagrams and links in a form that plain readers understand."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import lxml.etree
import lxml.html
from ebooklib import epub

from . import leaves
from .leaves import Tree
from .names import as_xml, name_for_xml, refuse_no_xml
from .volume import Leaf, Volume

_STYLE = "style.css"
_RULE = re.compile(r"([^{}@;]+)\{([^{}@]*)\}")
_DRAWING = re.compile(r"\.mw-svg\b|\.mw-diagram\b")
_IS = re.compile(r":(?:is|where)\(([^()]*)\)")
_VARIABLE = re.compile(r"(--[\w-]+)\s*:\s*([^;{}]+)")
_VAR = re.compile(r"var\((--[\w-]+)(?:,([^()]*(?:\([^()]*\))?[^()]*))?\)")
_EVERYWHERE = re.compile(
    r"(?<![\w.#-])(?:(?:html|body)?\[data-md-color-scheme(?:=[\"']?default[\"']?)?\]|:root|html|body)\s*\{([^{}]*)\}"
)
"""Where a site sets its variables."""
_SLATE = re.compile(r"[^{};]*\[data-md-color-scheme=[\"']?slate[\"']?\]\s*\{[^{}]*\}")
_MEDIA = re.compile(r"@media\b[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_UNKNOWN = "\ufffd"
_UNKNOWN_IN = re.compile(rf"[^;{{}}]*{_UNKNOWN}[^;{{}}]*;?")
_TEXTURE = re.compile(r"url\(#[^)]*\)\s+(?=[#\w])")
_ENDING = re.compile(r"\.\w+", re.ASCII)
_ROLES = ("region", "separator")


class _Page(epub.EpubHtml):  # type: ignore[misc]  # EbookLib has no types
    """A page whose text is written as it is: EbookLib would parse it as HTML and lose the names of SVG."""

    def get_content(self, default: object = None) -> bytes:  # noqa: ARG002  # EbookLib's own signature
        """Return the text."""
        content: bytes = self.content
        return content


def write_epub(volume: Volume, target: Path) -> None:
    """Write *volume* to *target*. The same pages make the same file name, ids and order; only the date differs."""
    book: Any = epub.EpubBook()
    book.set_identifier(f"urn:uuid:{uuid5(NAMESPACE_URL, volume.address or volume.title)}")
    book.set_title(as_xml(volume.title))
    book.set_language(volume.language)
    if volume.direction == "rtl":
        book.set_direction(volume.direction)
    book.add_metadata("DC", "description", as_xml(volume.description))
    if volume.note:
        book.add_metadata("DC", "rights", as_xml(volume.note))
    book.add_item(epub.EpubItem("style", _STYLE, "text/css", stylesheet(volume).encode()))
    cover = _item(book, "cover", volume.title, _cover(book, volume), volume)
    pages = [_leaf(book, leaf, volume) for leaf in volume.leaves]
    book.toc = list(_toc(volume))
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav(title="Contents"))
    book.spine = [cover, "nav", *pages]
    epub.write_epub(str(target), book, {"epub3_pages": False})


def stylesheet(volume: Volume) -> str:
    """Return the style sheet: ours and what the site says of its diagrams, without variables, for plain readers."""
    site = "\n".join(volume.styles)
    ours = resources.files(__package__).joinpath("epub.css").read_text(encoding="utf-8")
    light = _SLATE.sub("", re.sub(r"/\*.*?\*/", "", site, flags=re.DOTALL))
    values: dict[str, str] = {}
    for block in _EVERYWHERE.findall(f"{ours}\n{_MEDIA.sub('', light)}"):
        for name, value in _VARIABLE.findall(block):
            values[name] = value.strip()
    drawings = [
        f"{','.join(_plain(selector))}{{{body}}}"
        for selector, body in _RULE.findall(light)
        if _DRAWING.search(selector)
    ]
    # Without textures: an address in a style sheet is one of its own file, where no pattern is.
    return _TEXTURE.sub("", _resolve("\n".join([*drawings, _EVERYWHERE.sub("", ours, count=1)]), values))


def _plain(selector: str) -> Iterator[str]:
    """Yield *selector* without ``:is()``, which older readers drop with the whole rule."""
    match = _IS.search(selector)
    if match is None:
        yield selector.strip()
        return
    for one in match[1].split(","):
        yield from _plain(selector[: match.start()] + one.strip() + selector[match.end() :])


def _resolve(css: str, values: dict[str, str]) -> str:
    """Return *css* with the *values* of its variables; a declaration with one that nobody knows is left out."""
    for _ in range(8):
        new = _VAR.sub(lambda match: values.get(match[1], match[2] or _UNKNOWN), css)
        if new == css:
            break
        css = new
    return _UNKNOWN_IN.sub("", _VAR.sub(_UNKNOWN, css))


def _leaf(book: Any, leaf: Leaf, volume: Volume) -> Any:
    root = leaves.tree(leaf)
    leaves.point_links(root, leaf, volume, lambda found, part: f"{found.key}.xhtml{f'#{part}' if part else ''}")
    for element, path in leaves.images(root, leaf, volume):
        element.set("src", _image(book, Path(path)))
    _for_readers(root)
    if leaf.opening:
        root.insert(0, lxml.html.fragment_fromstring(f'<p class="bk-chapter">{leaf.number}</p>'))
    kinds = [name for tag, name in (("svg", "svg"), ("math", "mathml")) if next(root.iter(tag), None) is not None]
    item = _item(book, leaf.key, leaf.title, xhtml(root), volume, kinds)
    refuse_no_xml(item.content, leaf.uri)
    return item


def _for_readers(root: Tree) -> None:
    """Write out what style sheets and scripts would show: line numbers, gaps, marks; unfold what is folded."""
    for link in list(root.iter("a")):
        number = link.get("data-n")
        if number is not None:
            link.tag = "span"
            link.attrib.clear()
            link.set("class", "mw-n")
            link.text = number
    for sign in (*root.find_class("mw-gap"), *root.find_class("mw-ctl")):
        sign.text = sign.get("data-text", sign.text)
    for details in list(root.iter("details")):
        for summary in list(details.iter("summary")):
            if "mw-fold" in (details.get("class") or ""):
                summary.drop_tree()
            else:
                summary.tag = "p"
                summary.set("class", "admonition-title")
        details.tag = "div"
        details.attrib.pop("open", None)
    for element in root.iter():
        if isinstance(element.tag, str):
            for name in ("tabindex", "data-search-exclude", "align", "aria-hidden", "markdown"):
                element.attrib.pop(name, None)
            if element.get("role") in _ROLES:
                element.attrib.pop("role")
                element.attrib.pop("aria-label", None)


def xhtml(root: Tree) -> str:
    """Return the tree as XHTML, with the names of SVG as XML wants them."""
    name_for_xml(root)
    text: str = lxml.etree.tostring(root, encoding="unicode", method="xml")
    return text


def _item(book: Any, key: str, title: str, body: str, volume: Volume, kinds: Iterable[str] = ()) -> Any:
    item = _Page(uid=f"p-{key}", title=as_xml(title), file_name=f"{key}.xhtml", lang=volume.language)
    item.content = as_xml(
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        f'<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
        f' lang="{escape(volume.language)}" xml:lang="{escape(volume.language)}" dir="{volume.direction}">\n'
        f'<head><title>{escape(title)}</title><link rel="stylesheet" type="text/css" href="{_STYLE}"/></head>\n'
        f"<body>{body}</body>\n</html>\n"
    ).encode()
    item.properties.extend(kinds)
    book.add_item(item)
    return item


def _cover(book: Any, volume: Volume) -> str:
    link = f'<p class="bk-note"><a href="{escape(volume.address)}">{escape(volume.address)}</a></p>'
    logo = f'<p><img class="bk-logo" src="{_image(book, Path(volume.logo))}" alt=""/></p>' if volume.logo else ""
    return (
        f'<div class="bk-cover">{logo}<p class="bk-title">{escape(volume.title)}</p>'
        f'<p class="bk-about">{escape(volume.description)}</p><p class="bk-note">{escape(volume.note)}</p>'
        f"{link if volume.address else ''}</div>"
    )


def _image(book: Any, path: Path) -> str:
    data = path.read_bytes()
    ending = path.suffix if _ENDING.fullmatch(path.suffix) else ""
    name = f"images/{sha256(data).hexdigest()[:12]}{ending}"
    if book.get_item_with_href(name) is None:
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        book.add_item(epub.EpubItem(f"i-{sha256(data).hexdigest()[:12]}", name, kind, data))
    return name


def _toc(volume: Volume) -> Iterator[Any]:
    chapter: tuple[Any, list[Any]] | None = None
    for leaf in volume.leaves:
        link = epub.Link(f"{leaf.key}.xhtml", as_xml(leaf.title), f"t-{leaf.key}")
        if leaf.depth and chapter is not None:
            chapter[1].append(link)
            continue
        if chapter is not None:
            yield chapter
            chapter = None
        if leaf.opening:
            chapter = (epub.Section(as_xml(f"{leaf.number}  {leaf.title}"), f"{leaf.key}.xhtml"), [])
        else:
            yield link
    if chapter is not None:
        yield chapter
