"""Names of ours on a page: the ids of citations' footnotes, of figures and of lines, the classes of quoted code.

Nothing else on it may have one: a reader, and every other form of the page, goes by them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape
from html.parser import HTMLParser
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor

from ..quote.diagnostics import Location, MetalworkingError
from .marked_text import footnotes_of
from .work import Work

_PARTS = (
    *("excerpt", "caption", "where", "title", "file", "origin", "repo", "commit", "license", "uncommitted", "home"),
    *("abridged", "dedented", "code-block", "pre", "code", "l", "gap", "ctl"),
)
_CLASSES = frozenset(f"mw-{part}" for part in _PARTS)
"""Classes of a quotation's figure and of all that stands in it but its notes."""
_FOOTNOTE = re.compile(r"fn.*?\b(cite-[0-9a-f]{8})", re.DOTALL)
"""The id of a citation's footnote, or of a reference to one."""


_GIVEN = re.compile(r"""(?P<braces>\{[^{}]*\})|\bid\s*=\s*["']?(?P<id>[^\s"'<>{}]+)""")
_Names = tuple[str, frozenset[str]]


class OwnNameProcessor(Treeprocessor):
    """Reports elements of the page that have a name of ours: of two ids, a browser goes to the first.

    Priority 4.5: below all that gives ids (attr_list, 8, toc, 5), above the end of the page (4).
    """

    PRIORITY = 4.5

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work
        self._lines: dict[tuple[str, str], int] | None = None
        """Lines of the page's names, of which there may be thousands; looked for when one is to be reported."""

    def run(self, root: Element) -> None:
        """Report each such name once."""
        page, self._lines = self._work.page, None
        elements = [*_in_tree(root)]
        blocks = self._work.md.htmlStash.rawHtmlBlocks
        for number in range(self._work.before, len(blocks)):
            block: object = blocks[number]
            if number not in self._work.stashed:
                elements += _in_tree(block) if isinstance(block, Element) else _raw(str(block), tuple(page.figures))
        for name in sorted({name for given, classes in elements for name in classes if given not in page.figures}):
            self._report(f"{name} is a class of quoted code", name, "class")
        if page.citations or page.quantities or page.figures:
            self._ids(Counter(given for given, _ in elements if given))

    def _ids(self, known: Counter[str]) -> None:
        page = self._work.page
        footnotes = footnotes_of(self._work.md).footnotes if "footnote" in self._work.md.inlinePatterns else ()
        for name, count in known.items():
            footnote = _FOOTNOTE.fullmatch(name)
            if footnote and footnote[1] in footnotes:
                continue  # one of the author's, by its name: it was told
            # The ids of lines stand in HTML of ours, which was put aside or comes later.
            if not (name in page.names or (count > 1 and (name in page.figures or footnote))):
                continue
            what = "a citation's footnote" if footnote else "quoted code"
            self._report(f"#{name} is the id of {what}", name, "id")

    def _report(self, message: str, name: str, kind: str) -> None:
        """Report *name* where the page first has it, as far as it is written there."""
        page = self._work.page
        if self._lines is None:
            self._lines = dict(_given((page.source or "").split("\n")))
        where = Location(page.path, self._lines.get((kind, name.lower())))
        page.report(MetalworkingError("id", message, f"give the element another {kind}"), where)


def _given(lines: Sequence[str]) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield each id and class of ours with its line, the last line first."""
    for number in range(len(lines), 0, -1):
        for match in _GIVEN.finditer(lines[number - 1].lower()):
            for name in re.findall(r"#([^\s#{}]+)", match["braces"] or "") or filter(None, (match["id"],)):
                yield ("id", name), number
        for name in re.findall(r"(?<![\w-])mw-[a-z-]+", lines[number - 1].lower()):
            yield ("class", name), number


def _in_tree(root: Element) -> Iterator[_Names]:
    """Yield the id of every element and its classes of ours, where it has some."""
    for element in root.iter():
        name, classes = element.get("id", ""), element.get("class", "")
        if name or "mw-" in classes:
            yield name, _CLASSES.intersection(classes.split())


class _Tags(HTMLParser):
    """Collects the names of the tags that are fed to it, but for classes in *figures*.

    A plugin may convert a docstring by itself, put a prefix before its ids, and bring all of it as HTML.
    """

    def __init__(self, figures: tuple[str, ...]) -> None:
        super().__init__()
        self.found: list[_Names] = []
        self._figures = figures
        self._inside = 0
        """How many figures are open, from one of *figures* on."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the id and the classes of a tag: the first, where it has more."""
        first = dict(reversed(attrs))
        name, classes = first.get("id") or "", _CLASSES.intersection((first.get("class") or "").split())
        if tag == "figure" and (self._inside or ("mw-excerpt" in classes and name.endswith(self._figures))):
            self._inside += 1
        self.found.append((name, frozenset() if self._inside else classes))

    def handle_endtag(self, tag: str) -> None:
        """Leave a figure."""
        if tag == "figure" and self._inside:
            self._inside -= 1


def _raw(html: str, figures: tuple[str, ...]) -> list[_Names]:
    """Return the names of *html* that the page brings; most of it has none that could be ours."""
    plain = unescape(html)
    if not any(sign in plain for sign in ("cite-", "--", "mw-")):
        return []
    tags = _Tags(figures)
    tags.feed(html)
    tags.close()
    return tags.found
