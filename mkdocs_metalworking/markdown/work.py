"""The state of one conversion: the page, what is found on it, and the HTML of ours."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown import Markdown

from ..glossary.callout import with_quantities
from ..quote.diagnostics import Diagnostics, Severity
from ..quote.quantities import Quantities
from ..quote.quotation import Quotation
from ..quote.quoter import Quoter
from .anchors import Anchors
from .page import PageContext
from .site import SiteExtension
from .tracking import Met, Tracker
from .zensical import rendered_page

_LOG = logging.getLogger(__name__)


class QuotationError(Exception):
    """Raised at a page's end, in plain Python-Markdown, for errors that no host collects."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        errors = diagnostics.of(Severity.ERROR) or diagnostics.of(Severity.UNAVAILABLE)
        super().__init__("\n".join(map(str, errors)))
        self.diagnostics = errors


@dataclass(frozen=True, slots=True)
class Figure:
    """An excerpt in the tree."""

    element: Element
    quotation: Quotation
    anchors: Anchors
    met: Met
    stashed: int
    """Where its content was put aside."""
    late: str
    """Under which key it will be made; "" when it is made."""


class Work:
    """The state of one conversion, shared by the processors of one ``Markdown`` instance."""

    def __init__(self, md: Markdown, extension: SiteExtension) -> None:
        self.md = md
        self._extension = extension
        self.begin(None)

    def begin(self, source: str | None) -> None:
        """Start a page; *source* is its text when no host has told."""
        extension = self._extension
        extension.begin()
        rendered = rendered_page(self.md, extension.wishes) if extension.page is None else None
        if extension.conversions is not None:
            self.page = extension.conversions(source)
        elif rendered is not None:
            self.page, extension.base, extension.home = rendered
        else:
            self.page = extension.page or PageContext(path=extension.getConfig("page") or "", source=source)
        if self.page.source is None:
            self.page.source = source
        if rendered is not None and self.page.meta is not None:
            self.page.meta, more = with_quantities(
                self.page.meta, extension.quantities(), self.page.source or "", self.page.path
            )
            self.page.diagnostics.extend(more)
        self.page.converted = True
        self.asked = extension.wishes(extension.base)
        self.labels = self.asked.labels
        counts = bool(self.quantities)
        self.tracker = Tracker(self.page.path, self.page.source, cites=self.asked.citations, counts=counts)
        self.page.met = self.tracker.met
        self.figures: list[Figure] = []
        self.written: dict[str, str] = {}
        """What stood in the place of each reference to a footnote of ours."""
        self.stashed: set[int] = set()
        self.laid_out = False
        """Whether the tree of the page is done: until then a heading, say, is finished by itself."""
        self.search = extension.search
        self.indexes = rendered is not None
        """Whether the host's search reads the page as it is made here: marks and gaps, and lines, are nothing to it."""
        self.late = extension.late and self.page.late is not None
        self.line_cache = extension.line_cache

    def stash(self, html: str) -> str:
        """Put finished HTML of ours aside; returns what stands for it. It is not searched for anything."""
        self.stashed.add(self.md.htmlStash.html_counter)
        return self.md.htmlStash.store(html)

    def revise(self, figure: Figure, change: Callable[[str], str]) -> None:
        """Let *change* rewrite the content of *figure*, which may be made only later."""
        late = self.page.late
        if figure.late and late is not None:
            make = late[figure.late]
            late[figure.late] = lambda: change(make())
        else:
            blocks = self.md.htmlStash.rawHtmlBlocks
            blocks[figure.stashed] = change(str(blocks[figure.stashed]))

    def made(self) -> dict[str, str]:
        """Return the content of each figure as it stands on the page, by the id that the figure was given."""
        blocks = self.md.htmlStash.rawHtmlBlocks
        return {one.anchors.figure: str(blocks[one.stashed]) for one in self.figures}

    @property
    def quantities(self) -> Quantities:
        """The site's quantities; none where it has no quantities.yml, and where its files cannot be found."""
        return self._extension.quantities()

    def quoter(self) -> Quoter:
        """Return the quoter; raises MetalworkingError when sources.yml or the lock cannot be read."""
        return self._extension.quoter()

    def inside(self, path: Path) -> Path:
        """Return *path*, of a file that is read; raises MetalworkingError behind somebody's link that leads out."""
        told = [extension.getConfigs() for extension in self.md.registeredExtensions]
        return self._extension.settings().inside(path, told)

    def finish(self) -> None:
        """Raise the page's errors and tell of its cards, unless a host collects them; a card is fatal when strict."""
        if self._extension.page is not None or self._extension.conversions is not None:
            return
        problems, cards = self.page.diagnostics, self.page.diagnostics.of(Severity.UNAVAILABLE)
        if problems.of(Severity.ERROR) or (cards and self._extension.getConfig("strict")):
            raise QuotationError(problems)
        for problem in cards:
            _LOG.warning("%s", problem)
