"""A page on its way to the template: as a search shall read it, then as readers shall."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

from ...markdown.page import PageContext
from .code import concealed, finished, with_excluded, without_excluded
from .endings import Ending, Endings


def searched(config: MkDocsConfig) -> bool:
    """Tell whether the site has a search that reads pages."""
    return "material/search" in config.plugins or "search" in config.plugins


def prepare_search(page: Page, known: PageContext | None, config: MkDocsConfig, *, ours: bool) -> None:
    """Put words in the place of code, and nothing in that of drawings and of code which no search shall read.

    A page that is not *ours*, of a site that asks for nothing and with nothing of ours on it, is searched as it was.
    """
    if known is None or page.content is None or not ours:
        return
    page.content = concealed(page.content, known)
    material = "material/search" in config.plugins or config.theme.name == "material"
    page.content = without_excluded(page.content, known, figures=not material)


def finish(page: Page, known: PageContext | None, endings: Endings, *, chapters: bool, again: bool) -> Ending:
    """Put the coloured code in and add what the whole book knows; *again* when the page may be shown once more."""
    ending = endings.of(page)
    if known is not None and page.content is not None:
        page.content = finished(with_excluded(page.content, known), known)
        if known.late and not again:
            known.late.clear()
        page.content = endings.fill(page.content, page)
        if chapters:
            page.content += endings.html(ending, page)
    return ending
