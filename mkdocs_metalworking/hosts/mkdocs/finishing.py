"""A page on its way to the template: as a search shall read it, then as readers shall."""

from __future__ import annotations

from urllib.parse import urlsplit

from mkdocs.commands.build import _populate_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url, is_error_template

from ...markdown.page import PageContext
from ...quote.diagnostics import Location, MetalworkingError
from .assets import linked, used_by
from .code import concealed, finished, finished_of, with_excluded, without_excluded, without_style
from .endings import Ending, Endings
from .reading import Reading


def populate(reading: Reading, config: MkDocsConfig, files: Files) -> None:
    """Read the pages that a dirty build passed over; those that show lines or numbers are written too.

    What these are may have changed in the lock, in the working tree or in ``quantities.yml``, and no page with it.
    """
    for file in reading.documents():
        if file.page is not None and file.page.content is None:
            _populate_page(file.page, config, files, dirty=False)
            shown = reading.pages.get(file.src_uri)
            if shown is not None and (shown.quotations or shown.citations or shown.quantities):
                file.is_modified = _modified  # type: ignore[method-assign]


def _modified() -> bool:
    return True


def searched(config: MkDocsConfig) -> bool:
    """Tell whether the site has a search that reads pages."""
    return "material/search" in config.plugins or "search" in config.plugins


def prepare_search(page: Page, reading: Reading) -> None:
    """Put words in the place of code, and nothing in that of drawings and of code which no search shall read.

    A page with nothing of ours on it, of a site that asks for nothing, is searched as it was.
    """
    known = reading.pages.get(page.file.src_uri)
    if known is None or page.content is None or not (reading.asked.parts or used_by(page.content)):
        return
    page.content = concealed(page.content, known)
    page.content = without_excluded(page.content, known)


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


def join_page(output: str, page: Page, reading: Reading, *, late: bool) -> str:
    """Put the coloured code into a page that its template has made, where it comes *late*, and do what *join* does.

    What comes so late, the template need not copy, and MkDocs, which keeps the content of all pages, does not hold it.
    """
    known = reading.pages.get(page.file.src_uri) if late else None
    output = finished(output, known) if known is not None else output
    return _join(output, reading, reading.label(page.file), get_relative_url(".", page.url))


def join_template(output: str, name: str, reading: Reading) -> str:
    """Put the code into what the template called *name* shows of pages."""
    # MkDocs shows an error at any address, so its links begin at the server's root.
    root = urlsplit(reading.config.site_url or "/").path
    return _join(output, reading, name, root if is_error_template(name) else get_relative_url(".", name))


def _join(output: str, reading: Reading, where: str, base: str) -> str:
    """Put the code into what a template, or the page *where*, shows of other pages; *base* leads to the site's root.

    What it shows of a page in another form than HTML is a problem of *reading*. What has no place for a style sheet,
    such as a feed, gets the code as it can be read without.
    """
    output, left = finished_of(output, reading.pages.values())
    if left is not None:
        message = f"the content of {left} is shown in a form that has no place for its quoted code"
        problem = MetalworkingError("template", message, "show page.content as it is, without a filter")
        if not left:
            message = "the content of a page is shown as it was in an earlier build, without its quoted code"
            problem = MetalworkingError("template", message, "show page.content as it is in this one")
        reading.conversions.problems.add(problem.diagnostic.at(Location(where)))
    output, styled = linked(output, base)
    return output if styled else without_style(output)
