"""The ids of ours on a page: of citations' footnotes, of figures and of lines. Nothing else on it may have one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor

from ..quote.diagnostics import Location, MetalworkingError
from .marked_text import footnotes_of
from .work import Work

_FOOTNOTE = re.compile(r"fn.*?\b(cite-[0-9a-f]{8})", re.DOTALL)
"""The id of a citation's footnote, or of a reference to one."""


class OwnIdProcessor(Treeprocessor):
    """Reports elements of the page that have an id of ours: of two, a browser goes to the first.

    Priority 4.5: below all that gives ids (attr_list, 8, toc, 5), above the end of the page (4).
    """

    PRIORITY = 4.5

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, root: Element) -> None:
        """Report each such id once."""
        page = self._work.page
        if not (page.citations or page.quantities or page.figures):
            return
        known = Counter(_ids(root))
        blocks = self._work.md.htmlStash.rawHtmlBlocks
        for number in range(self._work.before, len(blocks)):
            block: object = blocks[number]
            if number not in self._work.stashed:
                known.update(_ids(block) if isinstance(block, Element) else _raw_ids(str(block)))
        footnotes = footnotes_of(self._work.md).footnotes if "footnote" in self._work.md.inlinePatterns else ()
        lines = (page.source or "").split("\n")
        for name, count in known.items():
            footnote = _FOOTNOTE.fullmatch(name)
            if footnote and footnote[1] in footnotes:
                continue  # one of the author's, by its name: it was told
            # The ids of lines stand in HTML of ours, which was put aside or comes later.
            if not (name in page.names or (count > 1 and (name in page.figures or footnote))):
                continue
            what = "a citation's footnote" if footnote else "quoted code"
            given = re.compile(rf"""(?:\{{[^{{}}]*#|\bid\s*=\s*["']?){re.escape(name)}""", re.IGNORECASE)
            line = next((at for at, text in enumerate(lines, 1) if given.search(text)), None)
            problem = MetalworkingError("id", f"#{name} is the id of {what}", "give the element another id")
            page.report(problem, Location(page.path, line))


def _ids(root: Element) -> Iterator[str]:
    return (name for element in root.iter() if (name := element.get("id")))


class _Tags(HTMLParser):
    """Collects the ids of the tags that are fed to it."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the id of a tag: the first, where it has more."""
        self.ids += [value for name, value in attrs if name == "id" and value][:1]


def _raw_ids(html: str) -> list[str]:
    """Return the ids in *html* that the page brings; most of it has none that could be ours."""
    plain = unescape(html)
    if "cite-" not in plain and "--" not in plain:
        return []
    tags = _Tags()
    tags.feed(html)
    tags.close()
    return tags.ids
