"""Which page each conversion of Markdown belongs to: plugins convert more than the pages themselves.

A page is converted once, after *begin* and before *end*. What is converted in between, such as a docstring, is part of
that page and has no callout of its own. What is converted at any other time, such as the first lines of a blog's post
in a list of posts, belongs to no page: its code is finished at once, since nobody would put it in later, and it counts
nowhere. Its problems are kept, so that those which no page has can be told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...glossary.callout import PageMeta
from ...markdown.page import PageContext
from ...quote.diagnostics import Diagnostics


class Conversions:
    """The state of one build. *writing* returns the page that is being written, if any, as messages name it."""

    def __init__(self, writing: Callable[[], str]) -> None:
        self.problems = Diagnostics()
        """What is wrong with text that belongs to no page."""
        self._writing = writing
        self._page: PageContext | None = None
        self._converted = False
        self._inner: list[PageContext] = []
        self._elsewhere = PageContext()

    def begin(self, page: PageContext) -> None:
        """Let the next conversion be that of *page*."""
        self._page, self._converted = page, False
        self._inner.clear()

    def end(self) -> None:
        """The page is converted; what comes now belongs to none."""
        if self._page is not None:
            self._page.met.extend(met for inner in self._inner for met in inner.met)
        self._page = None

    def context(self, source: str | None) -> PageContext:
        """Return what a conversion of *source* that begins now is to know; asked by the extension."""
        if source is None:
            return PageContext()
        if self._page is None:
            return self._foreign()
        if not self._converted:
            self._converted = True
            return self._page
        # The lists are the page's own, so that what is quoted here counts there.
        inner = replace(self._page, meta=PageMeta(), source="")
        self._inner.append(inner)
        return inner

    def _foreign(self) -> PageContext:
        path = self._writing()
        if path != self._elsewhere.path:  # ids are used once on the page that is being written
            self._elsewhere = PageContext(path=path, diagnostics=self.problems)
        return replace(self._elsewhere, meta=PageMeta(), source="", late=None, links=[])
