"""MkDocs' nav as a book, and what is wrong with a nav."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page
from mkdocs.utils import is_markdown_file
from mkdocs.utils.meta import get_data

from ...glossary.chapters import Book, Chapter
from ...glossary.library import Library
from ...glossary.mark_lines import marks_on
from ...quote.diagnostics import Diagnostic, Location, Severity
from ...quote.lines import text_lines

_INDEX = ("index.md", "README.md")
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)


def book_of(nav: Navigation, library: Library, shown: Callable[[File], bool] = lambda _: True) -> Book[str]:
    """Return the book that *nav* describes: its top sections are the chapters, the first page stands in front.

    A section whose first page says ``chapter: false`` is left out, as are pages that are not *shown*, such as drafts,
    and a page that stands in the book already. A page outside sections is in the book if it says ``chapter: true``. A
    section that is a page itself, as the plugin section-index makes them, opens with that page.
    """
    chapters: list[Chapter[str]] = []
    front: list[str] = []
    seen: set[str] = set()

    def new(page: Page) -> bool:
        uri = page.file.src_uri
        found = uri not in seen and shown(page.file)
        seen.add(uri)
        return found

    def says(uri: str) -> bool | None:
        entry = library.entries.get(uri)
        return entry.meta.chapter if entry is not None else None

    for item in nav.items:
        if not isinstance(item, Section):
            if isinstance(item, Page) and not front and new(item):
                front.append(item.file.src_uri)
            elif isinstance(item, Page) and says(item.file.src_uri) and new(item):
                chapters.append(Chapter("", None, (item.file.src_uri,), alone=True))
            continue
        pages = [page.file.src_uri for page in pages_of(item) if shown(page.file)]
        if pages and says(pages[0]) is False:
            continue
        fresh = [page.file.src_uri for page in pages_of(item) if new(page)]
        opens = fresh[:1] == pages[:1] and (isinstance(item, Page) or (pages and pages[0].endswith(_INDEX)))
        opening = fresh[0] if fresh and opens else None
        chapters.append(Chapter(str(item.title), opening, tuple(uri for uri in fresh if uri != opening)))
    return Book(chapters, before=front)


def pages_of(section: Section) -> Iterator[Page]:
    """Yield the pages of *section* and of the sections in it, in order."""
    if isinstance(section, Page):
        yield section
    for item in section.children:
        if isinstance(item, Section):
            yield from pages_of(item)
        elif isinstance(item, Page):
            yield item


def title_of(page: Page) -> str:
    """Return the title that MkDocs shows for *page*, as plain text; "" for one that was not read yet.

    MkDocs writes titles into pages as HTML, so that tags in one are not seen.
    """
    title = page.title
    return " ".join(unescape(_TAG.sub("", str(title))).split()) if title else ""


def title_ahead(page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the title of a page that is read later, from a conversion of its own without its marks."""
    ahead = copy.copy(page)
    lines = text_lines(page.file.content_string)
    marks = marks_on(lines)
    ahead.markdown, ahead.meta = get_data("\n".join(line for i, line in enumerate(lines) if i not in marks))
    ahead.render(config, files)
    return title_of(ahead)


def named_twice(nav: Navigation, book: Book[str], config: MkDocsConfig) -> Iterator[Diagnostic]:
    """Yield a warning for each page of the book that the nav names more than once: readers can be in one place only."""
    where = Location(Path(config.config_file_path or "mkdocs.yml").name)
    seen: set[str] = set()
    told: set[str] = set()
    for item in nav.items:
        for page in pages_of(item) if isinstance(item, Section) else [item] if isinstance(item, Page) else []:
            uri = page.file.src_uri
            if uri in seen and uri not in told and book.place(uri) is not None:
                told.add(uri)
                hint = "its first place counts; link to it from the other one"
                yield Diagnostic(Severity.WARNING, "nav", f"the nav names {uri} more than once", hint, where)
            seen.add(uri)


def nav_problems(config: MkDocsConfig, files: Files, label: Callable[[File], str]) -> Iterator[Diagnostic]:
    """Yield what MkDocs would say of the nav: pages that it names and that are not there, pages that it leaves out."""
    if config.nav is None:
        return
    where = Location(Path(config.config_file_path or "mkdocs.yml").name)
    listed = set(_uris(config.nav))
    for uri in dict.fromkeys(_uris(config.nav)):
        if files.get_file_from_path(uri) is None:
            problem = f"the nav names {uri}, which does not exist"
            yield Diagnostic(Severity.ERROR, "nav", problem, "write it or take it out", where)
    for file in files.documentation_pages():
        if file.src_uri not in listed and file.inclusion.is_in_nav() and not file.inclusion.is_not_in_nav():
            hint = "add it, or list it under not_in_nav:"
            yield Diagnostic(Severity.WARNING, "nav", "this page is not in the nav", hint, Location(label(file)))


def _uris(item: object) -> Iterator[str]:
    if isinstance(item, str):
        if is_markdown_file(item) and "://" not in item:
            yield item
    elif isinstance(item, dict):
        for value in item.values():
            yield from _uris(value)
    elif isinstance(item, list):
        for value in item:
            yield from _uris(value)
