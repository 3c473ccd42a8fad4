"""The Python-Markdown extension: excerpts, line notes, the CUDA callout and citations, on any site generator.

A host that knows more (the MkDocs plugin) sets ``quoter``, ``page`` and ``late``; alone, the extension reads
``sources.yml`` and ``sources.lock`` from the folders given in its configuration.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.extensions.footnotes import FootnoteExtension
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from ..deliver.project import Project, Settings
from ..glossary.asked import Asked
from ..glossary.callout import split_front_matter, with_quantities
from ..glossary.mark_lines import NEEDS, marks_on
from ..quote.diagnostics import Diagnostics, Location, MetalworkingError, Severity
from ..quote.lines import text_lines
from ..quote.quantities import Quantities
from ..quote.quotation import Quoter
from . import highlight
from .callout import CalloutProcessor, FrontMatterPreprocessor
from .citations import CitationProcessor
from .excerpts import EscapeProcessor, ExcerptProcessor
from .highlight import LineCache
from .leftovers import LeftoverProcessor
from .notes import Figure, NotesProcessor
from .page import PageContext
from .quantities import QuantityProcessor
from .tracking import Tracker
from .zensical import rendered_page

_LOG = logging.getLogger("mkdocs_metalworking")
NAMES = frozenset({"mkdocs_metalworking", __name__, f"{__name__}:MetalworkingExtension"})
"""How a configuration may list this extension."""


class QuotationError(Exception):
    """Raised at a page's end, in plain Python-Markdown, for errors that no host collects."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        errors = diagnostics.of(Severity.ERROR) or diagnostics.of(Severity.UNAVAILABLE)
        super().__init__("\n".join(map(str, errors)))
        self.diagnostics = errors


class Work:
    """The state of one conversion, shared by the processors of one ``Markdown`` instance."""

    def __init__(self, md: Markdown, extension: MetalworkingExtension) -> None:
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
        self.stashed: set[int] = set()
        self.search = extension.search
        self.late = extension.late and self.page.late is not None
        self.line_cache = extension.line_cache

    def stash(self, html: str) -> str:
        """Put finished HTML of ours aside; returns what stands for it. It is not searched for anything."""
        self.stashed.add(self.md.htmlStash.html_counter)
        return self.md.htmlStash.store(html)

    @property
    def quantities(self) -> Quantities:
        """The site's quantities; none where it has no quantities.yml, and where its files cannot be found."""
        return self._extension.quantities()

    def quoter(self) -> Quoter:
        """Return the quoter; raises MetalworkingError when sources.yml or the lock cannot be read."""
        return self._extension.quoter()

    def finish(self) -> None:
        """Raise the page's errors and tell of its cards, unless a host collects them; a card is fatal when strict."""
        if self._extension.page is not None or self._extension.conversions is not None:
            return
        problems, cards = self.page.diagnostics, self.page.diagnostics.of(Severity.UNAVAILABLE)
        if problems.of(Severity.ERROR) or (cards and self._extension.getConfig("strict")):
            raise QuotationError(problems)
        for problem in cards:
            _LOG.warning("%s", problem)


class _BeginPreprocessor(Preprocessor):
    """Starts the page and marks what is on it, before anything else reads it (priority 100)."""

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, lines: list[str]) -> list[str]:
        text = "\n".join(lines)
        self._work.begin(text)
        page = self._work.page
        self._check_needs(page)
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


class _BroughtPreprocessor(Preprocessor):
    """Marks what other preprocessors have brought into the page.

    Priority 29: below snippets (32) and white space (30), above fences (25) and raw HTML (20).
    """

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, lines: list[str]) -> list[str]:
        text = "\n".join(lines)
        marked = self._work.tracker.brought(text)
        return lines if marked is text else marked.split("\n")


class _EndProcessor(Treeprocessor):
    """The record of the page's links, then the end of the page (priority 4)."""

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, root: Element) -> None:
        self._work.page.links.extend(link.get("href", "") for link in root.iter("a"))
        self._work.finish()


class MetalworkingExtension(Extension):
    """Configuration of the extension; the same names as the plugin's where they mean the same."""

    def __init__(self, *, project: Project | None = None, **kwargs: Any) -> None:
        self.config = {
            "root": [".", "Folder of sources.yml and sources.lock"],
            "sources": ["sources.yml", "The sources file, from root"],
            "lock": ["sources.lock", "The lock file, from root"],
            "quantities": ["quantities.yml", "The file of quantities, from root"],
            "code": ["code", "Folder of cloned repositories, from root"],
            "store": ["", "Folder of the store of verified files; empty for the user's cache"],
            "transports": [["checkout", "package", "raw"], "Ways to get bytes, in order"],
            "offline": [False, "Never use the network"],
            "search": [True, "Whether code may be searched"],
            "citations": [False, "Whether [@key] is a citation"],
            "callouts": [{}, "From what to what the callouts speak, and under which key of the front matter"],
            "language": ["en", "Language of the labels, by Material's code"],
            "labels": [{}, "Labels of the site's own, by key"],
            "strict": [False, "Where no host collects problems: raise for code that cannot be had, too"],
            "page": ["", "Name of the page in messages, where no host tells it"],
        }
        super().__init__(**kwargs)
        self.page: PageContext | None = None
        self.conversions: Callable[[str | None], PageContext] | None = None
        """Tells to which page a text that is to be converted belongs, where a host knows; no text, no page."""
        self.late = False
        self.search: bool = self.getConfig("search")
        self.asked: Asked | None = None
        """What the site asks for, when a host tells; else the configuration does."""
        self.line_cache: LineCache = highlight.no_cache
        self.base: Path | None = None
        """Where relative paths start, when the host tells: else the working directory."""
        self.home = ""
        """The name of the repository that the site lies in, when a host without plugins tells it."""
        self._project = project
        self._alone = project is None

    def begin(self) -> None:
        """Look at the site's files again, where no host has given the project: a page begins."""
        if self._alone:
            self._project = None

    def wishes(self, base: Path | None) -> Asked:
        """Return what the site asks for; its files start at *base*, or ``root``. Raises MetalworkingError."""
        if self.asked is not None:
            return self.asked
        return Asked.of(self.getConfigs(), (base or Path()).joinpath(self.getConfig("root") or "."))

    def quoter(self) -> Quoter:
        """Return the quoter of this site, made at first use. Raises MetalworkingError."""
        project = self._loaded()
        # What is wrong with a quantity is told where it is asked for, and bars nobody from quoting.
        wrong = (one for one in project.problems if one.location.path != project.settings.quantities.name)
        if (problem := next(wrong, None)) is not None:
            raise MetalworkingError(problem.code, problem.message, problem.hint, problem.location)
        project.quoter.home = project.quoter.home or self.home
        return project.quoter

    def quantities(self) -> Quantities:
        """Return the quantities of this site."""
        try:
            return self._loaded().quantities
        except MetalworkingError:
            return Quantities()  # who asks for the quoter tells it

    def _loaded(self) -> Project:
        if self._project is None:
            settings = Settings.of(self.getConfigs(), base=self.base)
            files = (settings.sources, settings.lock, settings.quantities, *sorted(settings.code.glob("*/*")))
            self._project = _shared(settings, *map(_stamp, files))
        return self._project

    def extendMarkdown(self, md: Markdown) -> None:
        """Register the processors; each class says why it has its priority."""
        cites = self.asked.citations if self.asked is not None else bool(self.getConfig("citations"))
        # A quantity shows its source in a footnote too.
        if (cites or self.quantities()) and "footnote" not in md.inlinePatterns:
            md.registerExtensions([FootnoteExtension()], {})
        work = Work(md, self)
        md.preprocessors.register(_BeginPreprocessor(work), "metalworking_begin", 100)
        md.preprocessors.register(
            FrontMatterPreprocessor(work), "metalworking_front_matter", FrontMatterPreprocessor.PRIORITY
        )
        md.preprocessors.register(_BroughtPreprocessor(work), "metalworking_brought", 29)
        md.parser.blockprocessors.register(
            ExcerptProcessor(md.parser, work), "metalworking_excerpt", ExcerptProcessor.PRIORITY
        )
        md.parser.blockprocessors.register(
            ExcerptProcessor(md.parser, work, below_text=True),
            "metalworking_excerpt_below",
            ExcerptProcessor.BELOW_TEXT,
        )
        md.inlinePatterns.register(EscapeProcessor(work), "metalworking_escape", EscapeProcessor.PRIORITY)
        md.treeprocessors.register(CalloutProcessor(work), "metalworking_callout", CalloutProcessor.PRIORITY)
        md.treeprocessors.register(QuantityProcessor(work), "metalworking_quantities", QuantityProcessor.PRIORITY)
        if cites:
            md.treeprocessors.register(CitationProcessor(work), "metalworking_citations", CitationProcessor.PRIORITY)
        md.treeprocessors.register(NotesProcessor(work), "metalworking_notes", NotesProcessor.PRIORITY)
        md.treeprocessors.register(LeftoverProcessor(work), "metalworking_leftovers", LeftoverProcessor.PRIORITY)
        md.treeprocessors.register(_EndProcessor(work), "metalworking_end", 4)


@lru_cache(maxsize=2)
def _shared(settings: Settings, *_stamps: tuple[int, int]) -> Project:
    """Return one project for all pages of a site: a host that knows only names makes an extension for every page."""
    project = Project.load(settings)
    weakref.finalize(project, project.resolver.close)  # nobody tells an extension that it is done
    return project


def _stamp(path: Path) -> tuple[int, int]:
    """Return what changes when a file is written anew."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def makeExtension(**kwargs: Any) -> MetalworkingExtension:
    """Return the extension; the name is Python-Markdown's."""
    return MetalworkingExtension(**kwargs)
