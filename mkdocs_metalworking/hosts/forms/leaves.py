"""The pages of the book as trees: what only a screen needs is gone, and links lead to where they lead in a book."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import lxml.etree
import lxml.html

Tree = Any
"""An element of lxml."""

_SITE = "http://site.invalid/"
"""Stands for the site's root while a page's links are resolved."""
_SCREEN_ONLY = (
    "mw-place",
    "mw-linked-from",
    "mw-filter",
    "mw-empty",
    "mw-jump",
    "mw-anchor",
    "mw-other",
    "mw-az-jump",
    "mw-lookup",
    "mw-copy",
    "headerlink",
    "md-content__button",
)
_WIDE = 5
"""Columns; a table with more is set smaller."""
_URL = re.compile(r"url\(#([^)]+)\)")
_LISTS = ("aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "for", "headers")


@dataclass
class Leaf:
    """A page of the book. ``number`` is its chapter's; 0 stands before, between or behind the chapters."""

    uri: str
    url: str
    title: str
    html: str
    chapter: str = ""
    number: int = 0
    opening: bool = False
    summary: str = ""
    heading: str = ""
    """What stands in the place of the page's own heading, when it is not to stay."""
    number_of_key: int = 1
    """Which of the leaves with the same name it is."""

    @property
    def key(self) -> str:
        """A name for ids and files: ``machine/gpu-core.md`` is ``machine.gpu-core``."""
        name = self.uri.removesuffix(".md").replace("/", ".")
        return name if self.number_of_key == 1 else f"{name}.{self.number_of_key}"

    @property
    def depth(self) -> int:
        """1 for the pages of a chapter, 0 for those that stand by themselves or open one."""
        return 1 if self.number and not self.opening else 0


@dataclass
class Volume:
    """All leaves in order, and what the title page says."""

    title: str
    description: str = ""
    note: str = ""
    address: str = ""
    language: str = "en"
    logo: str = ""
    """Where the picture for the title page lies."""
    leaves: list[Leaf] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    files: Mapping[str, str] = field(default_factory=dict)
    """Addresses of other files of the site, such as images, and where they lie."""

    @property
    def by_url(self) -> dict[str, Leaf]:
        """The leaves by their address from the site's root."""
        return {leaf.url: leaf for leaf in self.leaves}


_TAKEN = ("cover", "nav")
"""Names that an EPUB has for pages of its own."""


def tell_apart(leaves: Iterable[Leaf]) -> None:
    """Give each of *leaves* a key of its own: ``a/b.md`` and ``a.b.md`` have one name, ``nav.md`` has one of ours."""
    taken = set(_TAKEN)
    for leaf in leaves:
        while leaf.key in taken:
            leaf.number_of_key += 1
        taken.add(leaf.key)


def tree(leaf: Leaf) -> Tree:
    """Return the page as a tree that a book can hold; links are as they were."""
    root = lxml.html.fragment_fromstring(leaf.html, create_parent="div")
    for name in _SCREEN_ONLY:
        for element in root.find_class(name):
            element.drop_tree()
    for element in list(root.iter("script", "input", "button", "output")):
        element.drop_tree()
    for comment in list(root.iter(lxml.etree.Comment)):
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
    """Put each tab's label above its content: paper has no tabs."""
    for tabs in root.find_class("tabbed-set"):
        labels = [label.text_content() for holder in tabs.find_class("tabbed-labels") for label in holder.iter("label")]
        for holder in tabs.find_class("tabbed-labels"):
            holder.drop_tree()
        for label, block in zip(labels, tabs.find_class("tabbed-block"), strict=False):
            title = lxml.html.fragment_fromstring(f'<p class="bk-tab">{escape(label)}</p>')
            block.insert(0, title)


def demote(root: Tree, by: int) -> None:
    """Make every heading *by* levels smaller, and note the level it had."""
    for level in range(6, 0, -1):
        for heading in list(root.iter(f"h{level}")):
            heading.tag = f"h{min(6, level + by)}"
            heading.set("class", f"bk-h{level} {heading.get('class') or ''}".strip())


def name_ids(root: Tree, key: str) -> None:
    """Begin every id of a page, and every mention of one, with *key*, so that pages can stand in one document."""
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        for name, value in element.items():
            if name == "id":
                element.set(name, f"{key}.{value}")
            elif name in _LISTS:
                element.set(name, " ".join(f"{key}.{one}" for one in value.split()))
            elif "url(#" in value:
                element.set(name, _URL.sub(lambda match: f"url(#{key}.{match[1]})", value))


def point_links(root: Tree, leaf: Leaf, volume: Volume, place: Callable[[Leaf, str], str]) -> None:
    """Let every link lead within the book where its page is in it (*place* says how), else to the site."""
    known = volume.by_url
    for element in root.iter("a"):
        href = element.get("href")
        if href is None or urlsplit(href).scheme:
            continue
        parts = urlsplit(urljoin(f"{_SITE}{leaf.url}", href))
        path = unquote(parts.path).lstrip("/")
        found = known.get(path)
        if found is None:
            if volume.address:
                element.set("href", urljoin(volume.address, path))
            else:
                del element.attrib["href"]  # nobody knows where the site is
        else:
            element.set("href", place(found, unquote(parts.fragment)))


def images(root: Tree, leaf: Leaf, volume: Volume) -> Iterator[tuple[Tree, str]]:
    """Yield each image whose file is in the site, and where the file lies."""
    for element in root.iter("img"):
        path = unquote(urlsplit(urljoin(f"{_SITE}{leaf.url}", element.get("src") or "")).path).lstrip("/")
        if path in volume.files:
            yield element, volume.files[path]
