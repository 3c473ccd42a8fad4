"""The pages of the book as trees: what only a screen needs is gone, and links lead to where they lead in a book."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import Any
from unicodedata import normalize
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

import lxml.etree
import lxml.html

from ...quote.diagnostics import MetalworkingError
from .names import NOT_IN_XML, fit
from .screen_only import SCREEN_ONLY, ticked
from .volume import Leaf, Volume

Tree = Any
"""An element of lxml."""

_SITE = "http://site.invalid/"
"""Stands for the site's root while a page's links are resolved."""
_WIDE = 5
"""Columns; a table with more is set smaller."""
_AROUND = re.compile(r"</?(?:html|head|body|frameset)\b[^<>]*>", re.IGNORECASE)
"""A tag of what stands around a page. Browsers pass over one within, and the parser would lose what follows: the end
of what never ends takes its place, over which both pass."""
_ID = re.compile(r"""\bid=["']?([^"'\s>]+)""")
_URL = re.compile(r"url\(#([^)]+)\)")
_LISTS = ("aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-details", "for", "headers")
_WITHIN = ("href", "xlink:href")
"""What names a part of a drawing."""


_TAKEN = ("cover", "nav")
"""Names that an EPUB has for pages of its own."""


def tell_apart(leaves: Iterable[Leaf], textures: str = "") -> None:
    """Give each of *leaves* a key of its own: ``a/b.md`` and ``a.b.md`` have one name, ``NAV.md`` has one of ours.

    In the one page it is an id beside those of the *textures*, an element of the site's template.
    The files of an EPUB may lie on a disk that does not tell small letters from capitals.
    """
    taken = {*_TAKEN, *(name.casefold() for name in _ID.findall(textures))}
    for leaf in leaves:
        while (key := normalize("NFC", leaf.key.casefold())) in taken:
            leaf.number_of_key += 1
        taken.add(key)


def too_deep(leaf: Leaf) -> MetalworkingError:
    """Return what is wrong with a page that no form can hold whole."""
    hint = "write it with fewer elements, lists or quotations around each other"
    return MetalworkingError("depth", f"{leaf.uri} is nested too deep for a book", hint)


def tree(leaf: Leaf) -> Tree:
    """Return the page as a tree that a book can hold; links are as they were.

    Raises MetalworkingError (``depth``) where the parser would lose what stands behind elements nested too deep.
    """
    parser = lxml.html.HTMLParser(huge_tree=True)
    text = f"<html><body>{_AROUND.sub('</wbr>', leaf.html)}</body></html>"
    root = lxml.html.document_fromstring(text, parser=parser).find("body")
    if parser.error_log.filter_from_fatals():
        raise too_deep(leaf)
    root.tag = "div"
    root.attrib.clear()
    root.tail = None
    fit(root)
    for name, tag in SCREEN_ONLY.items():
        for element in root.find_class(name):
            if element.tag == tag and not element.find_class("mw-excerpt"):
                element.drop_tree()
    for box in root.xpath(".//li//input[@type='checkbox']"):
        box.tag, box.text = "span", ticked("checked" in box.attrib)
        box.attrib.clear()
    for element in list(root.iter("script", "input", "button", "output")):
        if element.find_class("mw-excerpt"):
            element.tag = "div"
        else:
            element.drop_tree()
    for number in root.xpath(".//pre//span[contains(concat(' ', @class, ' '), ' linenos ')]"):
        if (number.text or "").strip().isdecimal():  # a style sheet of the site would hold it off the code
            number.text = f"{number.text.rstrip()} "
    for comment in list(root.iter(lxml.etree.Comment, lxml.etree.ProcessingInstruction)):
        comment.drop_tree()
    for table in root.iter("table"):
        if max((len(row) for row in table.iter("tr")), default=0) > _WIDE and not table.get("class"):
            table.set("class", "bk-wide")
    for mark in root.iter("sup"):
        before = mark.getprevious()
        if before is not None and before.tag == "sup" and not (before.tail or "").strip():
            mark.set("class", "bk-more")  # two numbers side by side would read as one
    for details in root.iter("details"):
        details.set("open", "")
    _lay_out_tabs(root)
    first = next(root.iter("h1"), None)
    if leaf.heading and first is not None:
        for part in list(first):
            part.drop_tree()
        first.text = leaf.heading
    return root


def _lay_out_tabs(root: Tree) -> None:
    """Put each tab's label above its content: paper has no tabs. Within a tab others may stand."""
    for tabs in root.find_class("tabbed-set"):
        holders = _own(tabs, "tabbed-labels")
        labels = [label.text_content() for holder in holders for label in holder.iter("label")]
        for holder in holders:
            holder.drop_tree()
        blocks = [block for part in _own(tabs, "tabbed-content") for block in _own(part, "tabbed-block")]
        for label, block in zip(labels, blocks, strict=False):
            title = lxml.html.fragment_fromstring(f'<p class="bk-tab">{escape(label)}</p>')
            block.insert(0, title)


def _own(parent: Tree, name: str) -> list[Tree]:
    """Return the children of *parent* of the class *name*."""
    return [child for child in parent if name in (child.get("class") or "").split()]


def demote(root: Tree, by: int) -> None:
    """Make every heading *by* levels smaller, and note the level it had."""
    for level in range(6, 0, -1):
        for heading in list(root.iter(f"h{level}")):
            heading.tag = f"h{min(6, level + by)}"
            heading.set("class", f"bk-h{level} {heading.get('class') or ''}".strip())


def id_of(key: str, part: str) -> str:
    """Return the id that *part* of the page *key* has where all pages stand in one document; no key has a colon."""
    return f"{key}:{part}" if part else key


def name_ids(root: Tree, key: str) -> None:
    """Let every id of a page, and every mention of one but in a link, be one of the page *key* alone (`id_of`)."""
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        for name, value in element.items():
            if name == "id" or (name == "name" and element.tag in ("a", "map")):
                element.set(name, id_of(key, value))
            elif name in _LISTS:
                element.set(name, " ".join(id_of(key, one) for one in value.split()))
            elif value.startswith("#") and (name == "usemap" or (name in _WITHIN and element.tag != "a")):
                element.set(name, f"#{id_of(key, value[1:])}")
            elif "url(#" in value:
                element.set(name, _URL.sub(lambda match: f"url(#{id_of(key, match[1])})", value))


def point_links(root: Tree, leaf: Leaf, volume: Volume, place: Callable[[Leaf, str], str]) -> None:
    """Let every link lead within the book where its page is in it (*place* says how), else to the site."""
    for element in root.iter("a"):
        href = element.get("href")
        parts = within(href, leaf, volume) if href is not None else None
        if parts is None:
            continue
        found = volume.by_url.get(unquote(parts.path))
        if found is not None:
            part = NOT_IN_XML.sub(lambda match: quote(match[0]), unquote(parts.fragment))
            element.set("href", place(found, part))
        elif volume.address:
            element.set("href", on_site(parts, volume))
        else:
            del element.attrib["href"]  # nobody knows where the site is


def within(address: str, leaf: Leaf, volume: Volume) -> SplitResult | None:
    """Return where *address*, as it stands on *leaf*, leads from the site's root; None for what leads elsewhere.

    The site may be one folder of its server: what lies outside of that begins with ``../``.
    """
    root = urlsplit(volume.address).path.rpartition("/")[0].lstrip("/")
    root = f"{root}/" if root else ""
    try:
        parts = urlsplit(urljoin(f"{_SITE}{root}{leaf.url}", address))
    except ValueError:  # an address such as http://[x
        return None
    if f"{parts.scheme}://{parts.netloc}/" != _SITE:
        return None
    path = parts.path.lstrip("/")
    inside = f"{path}/".startswith(root)
    path = path[len(root) :] if inside else f"{'../' * root.count('/')}{path}"
    return parts._replace(scheme="", netloc="", path=path)


def on_site(place: SplitResult, volume: Volume) -> str:
    """Return the address of *place*, which begins at the site's root."""
    return urljoin(volume.address, place._replace(path=f"./{place.path}").geturl())


def images(root: Tree, leaf: Leaf, volume: Volume) -> Iterator[tuple[Tree, str]]:
    """Yield each image whose file is in the site, and where the file lies."""
    for element in root.iter("img"):
        parts = within(element.get("src") or "", leaf, volume)
        path = unquote(parts.path) if parts is not None else ""
        if path in volume.files:
            yield element, volume.files[path]
