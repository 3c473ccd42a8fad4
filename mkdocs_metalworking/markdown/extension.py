"""The Python-Markdown extension: excerpts, line notes, the callout and citations, on any site generator.

A host that knows more (the MkDocs plugin) sets ``quoter``, ``page`` and ``late``; alone, the extension reads
``sources.yml`` and ``sources.lock`` from the folders given in its configuration.
"""

from __future__ import annotations

from typing import Any

from markdown import Markdown
from markdown.extensions.footnotes import FootnoteExtension

from .callout import CalloutProcessor, FrontMatterPreprocessor
from .citations import CitationProcessor, FootnoteNameProcessor
from .excerpts import EscapeProcessor, ExcerptProcessor
from .leftovers import LeftoverProcessor
from .notes import NotesProcessor
from .own_names import OwnNamePostprocessor
from .pairs import PairProcessor
from .quantities import QuantityProcessor
from .site import SiteExtension
from .stages import BeginPreprocessor, BroughtPreprocessor, LinksProcessor
from .work import QuotationError as QuotationError  # what a page raises, beside the extension that raises it
from .work import Work

NAMES = frozenset({"mkdocs_metalworking", __name__, f"{__name__}:MetalworkingExtension"})
"""How a configuration may list this extension."""


class MetalworkingExtension(SiteExtension):
    """Puts the processors of a page in; what they work with is in SiteExtension."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Register the processors; each class says why it has its priority."""
        cites = self.asked.citations if self.asked is not None else bool(self.getConfig("citations"))
        # A quantity shows its source in a footnote too.
        if (cites or self.quantities()) and "footnote" not in md.inlinePatterns:
            md.registerExtensions([FootnoteExtension()], {})
        work = Work(md, self)
        md.preprocessors.register(BeginPreprocessor(work), "metalworking_begin", 100)
        md.preprocessors.register(
            FrontMatterPreprocessor(work), "metalworking_front_matter", FrontMatterPreprocessor.PRIORITY
        )
        md.preprocessors.register(BroughtPreprocessor(work), "metalworking_brought", 29)
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
        md.treeprocessors.register(PairProcessor(work), "metalworking_pairs", PairProcessor.PRIORITY)
        md.treeprocessors.register(LeftoverProcessor(work), "metalworking_leftovers", LeftoverProcessor.PRIORITY)
        md.treeprocessors.register(
            FootnoteNameProcessor(work), "metalworking_footnotes", FootnoteNameProcessor.PRIORITY
        )
        md.treeprocessors.register(LinksProcessor(work), "metalworking_links", LinksProcessor.PRIORITY)
        md.postprocessors.register(OwnNamePostprocessor(work), "metalworking_names", OwnNamePostprocessor.PRIORITY)


def makeExtension(**kwargs: Any) -> MetalworkingExtension:
    """Return the extension; the name is Python-Markdown's."""
    return MetalworkingExtension(**kwargs)
