"""What the extension is told of the page it is rendering, and what it gives back."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from ..glossary.callout import PageMeta, split_front_matter
from ..quote.citations import CitedLines, CitedReference
from ..quote.diagnostics import Diagnostics, Location, MetalworkingError
from ..quote.directive import LINE
from ..quote.quotation import Quotation

_NEWLINE = re.compile(r"\r\n|\n|\r")
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
    quantities: list[str] = field(default_factory=list)
    """Keys of the quantities that the page shows, as often as it does."""
    ids: set[str] = field(default_factory=set)
    """Ids given to lines of code; the host adds them to the page's anchors."""
    copies: dict[str, int] = field(default_factory=dict)
    """How often a line of code was given an id, so that a page may quote it ten thousand times."""
    links: list[str] = field(default_factory=list)
    """Targets of the links in the text, as the author wrote them."""
    late: dict[str, Callable[[], str]] = field(default_factory=dict)
    """Finished code by key, for a host that swaps it in after its search has read the page."""
    shown: dict[str, str] = field(default_factory=dict)
    """Finished code that stands on the page already, and what the search reads in its place."""

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
        self._lines = _NEWLINE.split(page.source) if page.source is not None else []
        self._text = "\n".join(self._lines)
        self._starts = list(accumulate((len(line) + 1 for line in self._lines), initial=0))
        self._front = split_front_matter(page.source)[1] if page.source is not None else 0
        self._cursor = 0
        self._queues: dict[str, deque[int]] = {}
        for number, text in self._directives():
            self._queues.setdefault(text, deque()).append(number)

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
        queue = self._queues.get(text.strip())
        return Location(self._page.path, queue.popleft() if queue else None)

    def text(self, words: str) -> Location:
        """Return the next line below the front matter that holds *words*, or the first that does.

        Problems come in the order of the page, more or less; so the search goes on where the last one ended.
        """
        body = self._starts[min(self._front, len(self._lines))]
        for start in (max(body, self._cursor), body, 0):
            at = self._text.find(words, start)
            if at >= 0:
                self._cursor = at + 1
                return Location(self._page.path, bisect_right(self._starts, at))
        return Location(self._page.path)

    def rewind(self) -> None:
        """Search from the top again; called before another round over the page."""
        self._cursor = 0
