"""What the extension is told of the page it is rendering, and what it gives back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..core.citations import CitedLines, CitedReference
from ..core.cuda import PageMeta, split_front_matter
from ..core.diagnostics import Diagnostics, Location, MetalworkingError
from ..core.directive import LINE
from ..core.quotation import Quotation

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})")


@dataclass
class PageContext:
    """One page. ``path`` is shown in messages; ``source`` is the whole file, front matter included."""

    path: str = ""
    source: str | None = None
    meta: PageMeta | None = None
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    quotations: list[Quotation] = field(default_factory=list)
    citations: list[CitedReference | CitedLines] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    """Ids given to lines of code; the host adds them to the page's anchors."""
    links: list[str] = field(default_factory=list)
    """Targets of the links in the text, as the author wrote them."""
    late: dict[str, Callable[[], str]] = field(default_factory=dict)
    """Finished code by key, for a host that swaps it in after its search has read the page."""

    def report(self, problem: MetalworkingError, location: Location) -> None:
        """Record *problem* at *location*."""
        self.diagnostics.add(problem.diagnostic.at(location))


class Locator:
    """Finds the line of the source on which a directive or another text stands.

    Blocks reach a Markdown extension without line numbers. Directives are met in the order of the file, so the n-th
    one with a given text is the n-th such line that is not inside a fence.
    """

    def __init__(self, page: PageContext) -> None:
        self._page = page
        self._lines = page.source.splitlines() if page.source is not None else []
        self._front = split_front_matter(page.source)[1] if page.source is not None else 0
        self._queues: dict[str, list[int]] = {}
        for number, text in self._directives():
            self._queues.setdefault(text, []).append(number)

    def _directives(self) -> Iterator[tuple[int, str]]:
        fence = ""
        fenced: list[tuple[int, str]] = []
        for number, line in enumerate(self._lines, 1):
            mark = _FENCE.match(line)
            if mark and (not fence or mark[1].startswith(fence)):
                fence = "" if fence else mark[1]
            text = line.lstrip("> \t").rstrip()
            if LINE.match(text):
                if fence:
                    fenced.append((number, text))
                else:
                    yield number, text
        yield from fenced

    def directive(self, text: str) -> Location:
        """Return where the next directive with this *text* stands."""
        queue = self._queues.get(text.strip(), [])
        return Location(self._page.path, queue.pop(0) if queue else None)

    def text(self, words: str) -> Location:
        """Return the first line below the front matter that holds *words*, or any line that does."""
        found = [i for i, line in enumerate(self._lines, 1) if words in line]
        body = next((i for i in found if i > self._front), None)
        return Location(self._page.path, body or (found[0] if found else None))
