"""What the extension is told of the page it is rendering, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ..glossary.callout import PageMeta
from ..quote.citations import CitedLines, CitedReference
from ..quote.diagnostics import Diagnostic, Diagnostics, Location, MetalworkingError
from ..quote.quotation import Quotation
from .anchors import LineNames
from .tracking import Met, new_seal


@dataclass
class PageContext:
    """One page. ``path`` is shown in messages; ``source`` is the whole file, front matter included.

    ``uri`` is its path from the docs folder, where a host tells it; without it a page links to no other.
    """

    path: str = ""
    uri: str = ""
    source: str | None = None
    meta: PageMeta | None = None
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    quotations: list[Quotation] = field(default_factory=list)
    figures: dict[str, Quotation] = field(default_factory=dict)
    """The quotations by the ids of their figures."""
    made: dict[str, str] = field(default_factory=dict)
    """What was made for the figures by their ids, while the page is converted; it may be in several conversions."""
    citations: list[CitedReference | CitedLines] = field(default_factory=list)
    quantities: list[str] = field(default_factory=list)
    """Keys of the quantities that the page shows, as often as it does."""
    converted: bool = False
    """Whether the extension has seen the page."""
    met: list[Met] = field(default_factory=list)
    """Every mention on the page, and what became of it."""
    reported: dict[Diagnostic, list[Met]] = field(default_factory=dict)
    """The mentions that a problem is about; more than one where several on a line have the same."""
    names: LineNames = field(default_factory=LineNames)
    """Ids given to lines of code; the host adds them to the page's anchors."""
    lines: int = 0
    """How many lines of code the page shows."""
    links: list[str] = field(default_factory=list)
    """Targets of the links in the text, as the author wrote them."""
    late: dict[str, Callable[[], str]] | None = field(default_factory=dict)
    """Finished code by key, for a host that swaps it in after its search has read the page; None where none will."""
    seal: str = field(default_factory=new_seal)
    """Stands in what takes the place of finished code and of drawings: no text of the page can be taken for one."""
    words: dict[str, str] = field(default_factory=dict)
    """What a search reads in the place of finished code that stands on the page already, by key."""
    cut: list[str] = field(default_factory=list)
    """Excerpts that are taken out while a search reads the page."""

    def report(self, problem: MetalworkingError, location: Location, met: Met | None = None) -> None:
        """Record *problem* at *location*; one without a line is of text that is not in the page's file.

        *met* is the mention that it is about.
        """
        told = problem.diagnostic
        if location.line is None and not told.location.path:
            told = replace(told, message=f"{told.message}, in text that is not in the page's file")
        placed = told.at(location)
        self.diagnostics.add(placed)
        if met is not None:
            self.reported.setdefault(placed, []).append(met)
