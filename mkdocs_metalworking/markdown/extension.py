"""The Python-Markdown extension: excerpts, line notes, the CUDA callout and citations, on any site generator.

A host that knows more (the MkDocs plugin) sets ``quoter``, ``page`` and ``late``; alone, the extension reads
``sources.yml`` and ``sources.lock`` from the folders given in its configuration.
"""

from __future__ import annotations

import weakref
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.extensions.footnotes import FootnoteExtension
from markdown.preprocessors import Preprocessor

from ..core.diagnostics import Diagnostics, Location, MetalworkingError, Severity
from ..core.project import Project, Settings
from ..core.quotation import Quotation, Quoter
from . import highlight
from .callout import CalloutProcessor, FrontMatterPreprocessor
from .cite import CitationProcessor
from .excerpts import EscapeProcessor, ExcerptProcessor, LeftoverProcessor, NotesProcessor
from .figure import Anchors
from .highlight import LineCache
from .page import Locator, PageContext


class QuotationError(Exception):
    """Raised at a page's end, in plain Python-Markdown, for errors that no host collects."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        errors = diagnostics.of(Severity.ERROR)
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
        self.page = extension.page or PageContext(path=extension.getConfig("page") or "", source=source)
        if self.page.source is None:
            self.page.source = source
        self.locator = Locator(self.page)
        self.figures: list[tuple[Element, Quotation, Anchors, Location]] = []
        self.search = extension.search
        self.late = extension.late
        self.line_cache = extension.line_cache

    def quoter(self) -> Quoter:
        """Return the quoter; raises MetalworkingError when sources.yml or the lock cannot be read."""
        return self._extension.quoter()

    def finish(self) -> None:
        """Raise the page's errors, unless a host collects them."""
        if self._extension.page is None and self.page.diagnostics.of(Severity.ERROR):
            raise QuotationError(self.page.diagnostics)


class _BeginPreprocessor(Preprocessor):
    """Starts the page before anything else reads it (priority 100)."""

    def __init__(self, work: Work) -> None:
        super().__init__(work.md)
        self._work = work

    def run(self, lines: list[str]) -> list[str]:
        self._work.begin("\n".join(lines))
        return lines


class _LastProcessor(LeftoverProcessor):
    """The search for leftovers, the record of the page's links, then the end of the page."""

    def run(self, root: Element) -> None:
        super().run(root)
        self._work.page.links.extend(link.get("href", "") for link in root.iter("a"))
        self._work.finish()


class MetalworkingExtension(Extension):
    """Configuration of the extension; the same names as the plugin's where they mean the same."""

    def __init__(self, *, project: Project | None = None, **kwargs: Any) -> None:
        self.config = {
            "root": [".", "Folder of sources.yml and sources.lock"],
            "sources": ["sources.yml", "The sources file, from root"],
            "lock": ["sources.lock", "The lock file, from root"],
            "code": ["code", "Folder of cloned repositories, from root"],
            "store": ["", "Folder of the store of verified files; empty for the user's cache"],
            "transports": [["checkout", "package", "raw"], "Ways to get bytes, in order"],
            "offline": [False, "Never use the network"],
            "search": [True, "Whether code may be searched"],
            "page": ["", "Name of the page in messages, where no host tells it"],
        }
        super().__init__(**kwargs)
        self.page: PageContext | None = None
        self.late = False
        self.search: bool = self.getConfig("search")
        self.line_cache: LineCache = highlight.no_cache
        self._project = project

    def quoter(self) -> Quoter:
        """Return the quoter of this site, made at first use. Raises MetalworkingError."""
        if self._project is None:
            self._project = Project.load(Settings.of(self.getConfigs()))
            weakref.finalize(self, self._project.close)  # nobody tells an extension that it is done
        if self._project.problems:
            problem = self._project.problems[0]
            raise MetalworkingError(problem.code, problem.message, problem.hint, problem.location)
        return self._project.quoter

    def extendMarkdown(self, md: Markdown) -> None:
        """Register the processors; each class says why it has its priority."""
        if "footnote" not in md.inlinePatterns:
            md.registerExtensions([FootnoteExtension()], {})
        work = Work(md, self)
        md.preprocessors.register(_BeginPreprocessor(work), "metalworking_begin", 100)
        md.preprocessors.register(
            FrontMatterPreprocessor(work), "metalworking_front_matter", FrontMatterPreprocessor.PRIORITY
        )
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
        md.treeprocessors.register(CitationProcessor(work), "metalworking_citations", CitationProcessor.PRIORITY)
        md.treeprocessors.register(NotesProcessor(work), "metalworking_notes", NotesProcessor.PRIORITY)
        md.treeprocessors.register(_LastProcessor(work), "metalworking_leftovers", LeftoverProcessor.PRIORITY)


def makeExtension(**kwargs: Any) -> MetalworkingExtension:
    """Return the extension; the name is Python-Markdown's."""
    return MetalworkingExtension(**kwargs)
