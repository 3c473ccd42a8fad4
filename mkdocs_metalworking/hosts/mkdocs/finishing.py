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


def finish(
    page: Page, known: PageContext | None, endings: Endings, *, chapters: bool, late: bool, again: bool
) -> Ending:
    """Add what the whole book knows, and put the coloured code in, unless that is for *join*: then it comes *late*.

    *again* when the page may be shown once more.
    """
    ending = endings.of(page)
    if known is not None and page.content is not None:
        page.content = with_excluded(page.content, known)
        if not late:
            page.content = finished(page.content, known)
            if known.late and not again:
                known.late.clear()
        page.content = endings.fill(page.content, page)
        if chapters:
            page.content += endings.html(ending, page)
    return ending


def join(output: str, known: PageContext | None) -> str:
    """Put the coloured code into a page that its template has made; no page is joined again.

    What comes so late, the template need not copy, and MkDocs, which keeps the content of all pages, does not hold it.
    """
    if known is None or not known.late:
        return output
    output = finished(output, known)
    known.late.clear()
    return output
