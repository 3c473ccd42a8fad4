"""The first and the last thing that happens to a page, and what other extensions bring into it between."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from ..glossary.callout import split_front_matter
from ..glossary.mark_lines import NEEDS, marks_on
from ..quote.diagnostics import Location, MetalworkingError
from ..quote.lines import text_lines
from .included import hold_includes
from .page import PageContext
from .work import Work


class BeginPreprocessor(Preprocessor):
    """Starts the page and marks what is on it, before anything else reads it (priority 100)."""

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, lines: list[str]) -> list[str]:
        """Return the lines with their marks."""
        text = "\n".join(lines)
        self._work.begin(text)
        page = self._work.page
        self._check_needs(page)
        hold_includes(self._work)
        # Where a host has read the front matter, none stands here.
        first = split_front_matter(text)[1] if page.meta is None else 0
        return self._work.tracker.page(text_lines(text), first)

    def _check_needs(self, page: PageContext) -> None:
        """Report marks whose lists the configured extensions would print raw."""
        if not page.source or "<!-- " not in page.source:
            return
        md = self._work.md
        loaded = {
            "md_in_html": "markdown_block" in md.parser.blockprocessors,
            "attr_list": "attr_list" in md.treeprocessors,
        }
        for index, mark in marks_on(text_lines(page.source)).items():
            if lacking := [name for name in NEEDS[mark] if not loaded[name]]:
                problem = MetalworkingError(
                    "extensions",
                    f"<!-- {mark} --> needs {' and '.join(lacking)}",
                    f"add to markdown_extensions: {', '.join(f'- {name}' for name in lacking)}",
                )
                page.report(problem, Location(page.path, index + 1))


class BroughtPreprocessor(Preprocessor):
    """Marks what other preprocessors have brought into the page.

    Priority 29: below snippets (32) and white space (30), above fences (25) and raw HTML (20).
    """

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, lines: list[str]) -> list[str]:
        """Return the lines, with marks on those that are not of the page's file."""
        text = "\n".join(lines)
        marked = self._work.tracker.brought(text)
        return lines if marked is text else marked.split("\n")


class LinksProcessor(Treeprocessor):
    """Keeps the targets of the page's links."""

    PRIORITY = 4

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, root: Element) -> None:
        """Record them as the author wrote them; the tree is done."""
        self._work.laid_out = True
        self._work.page.links.extend(link.get("href", "") for link in root.iter("a"))
