"""What the whole book adds to a page: its place, its neighbours, who links to it, and who uses a source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url, is_markdown_file

from ...glossary.bibliography import fill_uses, uses
from ...glossary.chapters import Place
from ...glossary.library import Entry, backlinks
from .reading import Reading


@dataclass(frozen=True, slots=True)
class Link:
    """A page as another page shows it. ``title`` is plain text."""

    uri: str
    url: str
    title: str
    summary: str = ""
    term: str = ""
    verdict: str = ""


@dataclass
class Ending:
    """What the whole book adds to a page; given to templates as ``metalworking``."""

    place: Place[str] | None = None
    previous: Link | None = None
    next: Link | None = None
    next_chapter: str = ""
    """The title of the chapter that *next* opens, on a page that is not in it."""
    next_chapter_number: int = 0
    contents: list[Link] = field(default_factory=list)
    linked_from: list[Link] = field(default_factory=list)
    quoted: list[tuple[str, str]] = field(default_factory=list)


def address(file: File, page: Page) -> str:
    """Return where *file* is, as seen from *page* on the site."""
    return get_relative_url(file.url, page.url)


class Endings:
    """The connections between the pages of a reading that is finished; *where* says how pages link to each other."""

    def __init__(self, reading: Reading, *, where: Callable[[File, Page], str] = address) -> None:
        self._reading = reading
        self._where = where
        order = {uri: index for index, uri in enumerate(reading.book)}
        links = {
            uri: _targets(uri, context.links, reading.files) for uri, context in reading.pages.items() if uri in order
        }
        self._linked_from = backlinks(links, order)
        known = {uri: context for uri, context in reading.pages.items() if uri not in reading.hidden}
        self._used = uses(
            {uri: context.quotations for uri, context in known.items()},
            {uri: context.citations for uri, context in known.items()},
        )
        self._templates = Environment(
            loader=PackageLoader("mkdocs_metalworking.hosts.mkdocs"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def of(self, page: Page) -> Ending:
        """Return what the book adds to *page*."""
        uri, book = page.file.src_uri, self._reading.book
        place = book.place(uri)
        ending = Ending(place=place)
        ending.linked_from = [link for other in self._linked_from.get(uri, []) if (link := self.link(other, page))]
        context = self._reading.pages.get(uri)
        if context is not None:
            ending.quoted = sorted({((q.public or q.file.key).repo, q.pin.license or "") for q in context.quotations})
        if place is not None:
            ending.previous = self.link(place.previous, page) if place.previous else None
            ending.next = self.link(place.next, page) if place.next else None
            following = book.place(place.next) if place.next is not None else None
            if following is not None and following.chapter is not place.chapter:
                ending.next_chapter, ending.next_chapter_number = following.chapter.title, following.chapter_number
            if uri == place.chapter.opening:
                ending.contents = [link for other in place.chapter.pages if (link := self.link(other, page))]
        return ending

    def html(self, ending: Ending, page: Page) -> str:
        """Return what stands at the end of *page*; nothing where the book has nothing to say."""
        if not (ending.place or ending.linked_from or ending.contents):
            return ""
        return self._templates.get_template("ending.html").render(
            mw=ending, page=page, labels=self._reading.asked.labels
        )

    def fill(self, html: str, page: Page) -> str:
        """Return *html* with the pages that use each source of the list of sources."""
        if 'class="mw-used"' not in html:
            return html
        return fill_uses(html, self._used, list(self._reading.book), lambda uri: self._html_link(uri, page))

    def _html_link(self, uri: str, page: Page) -> str:
        found = self.link(uri, page)
        return f'<a href="{escape(found.url)}">{escape(found.title)}</a>' if found else escape(uri)

    def link(self, uri: str, page: Page) -> Link | None:
        """Return how *page* shows the page at *uri*; None when there is none."""
        file = self._reading.files.get_file_from_path(uri)
        entry = self._reading.entry(uri)
        return link_of(entry, self._where(file, page)) if file is not None and entry is not None else None


def link_of(entry: Entry, url: str) -> Link:
    """Return *entry* as a link to *url*."""
    callout = entry.meta.callout
    term, verdict = (callout.term, callout.verdict.value) if callout else ("", "")
    return Link(entry.uri, url, entry.title, entry.meta.summary, term, verdict)


def _targets(uri: str, links: list[str], files: Files) -> set[str]:
    """Return the source paths of the pages that *links*, as written on the page at *uri*, lead to."""
    found = set()
    for link in links:
        try:
            parts = urlsplit(link)
        except ValueError:  # an address such as http://[x: MkDocs warns of it
            continue
        if parts.scheme or parts.netloc or not is_markdown_file(parts.path):
            continue
        target = normpath(join(dirname(uri), unquote(parts.path)))
        if files.get_file_from_path(target) is not None:
            found.add(target)
    return found
