"""One build of a site: what the pages quoted and cited, what was wrong, and what each page ends with."""

from __future__ import annotations

import logging
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from ...deliver.project import Project
from ...glossary.bibliography import fill_uses, uses
from ...glossary.chapters import Book, Place
from ...glossary.labels import labels_for
from ...glossary.library import Entry, Library, backlinks, book_of, without_callout
from ...glossary.lookup import lookup_json, terms
from ...glossary.mapping import Row, read_mapping
from ...glossary.marks import Marks
from ...markdown.extension import MetalworkingExtension
from ...markdown.leftovers import unread
from ...markdown.page import PageContext
from ...quote.diagnostics import Diagnostic, Diagnostics, Location, Severity
from ...quote.quotation import Quotation
from .assets import add_file, package_files, settings_file, used_by

if TYPE_CHECKING:
    from .plugin import MetalworkingConfig
    from .replay import Replay

LOOKUP = "assets/metalworking/lookup.json"
"""Where the browser finds what the CUDA lookup and the link previews show."""
_PLAIN = re.compile(r'<pre class="mw-pre" data-mw="(?P<key>[0-9]+)">.*?</pre>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Link:
    """A page as another page shows it."""

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
    contents: list[Link] = field(default_factory=list)
    linked_from: list[Link] = field(default_factory=list)
    quoted: list[tuple[str, str]] = field(default_factory=list)


class Build:
    """Collects while pages are rendered, connects them when all are, and finishes each."""

    def __init__(
        self,
        project: Project,
        extension: MetalworkingExtension,
        config: MkDocsConfig,
        options: MetalworkingConfig,
        *,
        library: Library | None = None,
        replay: Replay | None = None,
    ) -> None:
        self.project = project
        self.library = library or Library()
        self.book: Book[str] = Book(())
        self.nav = Navigation([], [])
        self._extension = extension
        self._replay = replay
        self._config = config
        self._options = options
        self._diagnostics = Diagnostics(project.problems)
        self._pages: dict[str, PageContext] = {}
        self._files: Files | None = None
        self._linked_from: dict[str, list[str]] = {}
        self._mapping: list[Row] = []
        self._used: dict[str, dict[str, list[int]]] = {}
        self._templates = Environment(
            loader=PackageLoader("mkdocs_metalworking.hosts.mkdocs"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    @property
    def parts(self) -> set[str]:
        """What of the scripts the site asked for on every page."""
        return {"lookup", "previews"}

    # While pages are read

    def read_book(self, nav: Navigation, files: Files) -> None:
        """Read the front matter of every page and the order of the nav."""
        self.library.read(files, self.label)
        self.book = book_of(nav, self.library)
        self.nav = nav
        self._files = files
        for entry in self.library:
            self._diagnostics.extend(entry.problems)
        if self._options.callouts == "required":
            named = {file.src_uri: self.label(file) for file in files.documentation_pages()}
            self._diagnostics.extend(without_callout(self.book, self.library, named.__getitem__))
        if self._options.mapping:
            path = self.project.settings.root / self._options.mapping
            self._mapping, problems = read_mapping(path, self._options.mapping)
            self._diagnostics.extend(problems)
            self._diagnostics.extend(
                Diagnostic(
                    Severity.WARNING, "mapping", f"there is no page {row.page}", "write it, or mend page:", row.location
                )
                for row in self._mapping
                if row.page and row.page not in self.library.entries
            )

    @cached_property
    def _marks(self) -> Marks:
        """What may be put into pages; made when the first page is read, and the mapping with it."""
        return Marks(
            self.library,
            self._mapping,
            self.project.sources,
            listed=lambda one: one.uri in self.book and one.uri not in self.book.front,
            title=self._title,
        )

    def label(self, file: File) -> str:
        """Return a page's path as messages show it: from the folder of mkdocs.yml."""
        docs = self._config.docs_dir.replace("\\", "/").rstrip("/").rpartition("/")[2]
        return f"{docs}/{file.src_uri}"

    def begin_page(self, markdown: str, page: Page) -> str:
        """Tell the extension of *page*; returns the Markdown, with the index, the table or the list in it."""
        entry = self.library.entries.get(page.file.src_uri)
        context = PageContext(
            path=self.label(page.file),
            source=page.file.content_string,
            meta=entry.meta if entry else None,
        )
        if entry and entry.meta.summary:
            # Escaped, since Material's templates put it into an attribute as it is.
            page.meta.setdefault("description", escape(entry.meta.summary))
        text = self._marks.fill(markdown, page.file.src_uri)
        if self._replay is not None:
            context = self._replay.prepare(page, text) or context
        self._pages[page.file.src_uri] = context
        self._extension.page = context
        return text

    def _title(self, uri: str) -> str:
        """Return a page's title in the nav, when it has one there."""
        file = self._files.get_file_from_path(uri) if self._files else None
        return str(file.page.title) if file and file.page and file.page.title else ""

    def end_page(self, page: Page) -> None:
        """Let MkDocs know the ids of quoted lines, so that links to them are checked."""
        context = self._pages[page.file.src_uri]
        if page.present_anchor_ids is not None:
            page.present_anchor_ids |= context.ids
        if not context.converted and page.content:
            # A notebook, say, whose plugin makes its HTML without Markdown.
            for problem in unread(page.content):
                context.diagnostics.add(problem.diagnostic.at(Location(context.path)))
        if self._replay is not None:
            self._replay.keep(page, context, sound=not context.diagnostics)

    def reveal(self, html: str, page: Page) -> str:
        """Return the page with the finished code in it, for whoever reads it before the search does."""
        context = self._pages[page.file.src_uri]

        def shown(match: re.Match[str]) -> str:
            code = context.late[match["key"]]()
            context.shown[code] = match[0]
            return code

        return _PLAIN.sub(lambda match: shown(match) if match["key"] in context.late else match[0], html)

    def conceal(self, page: Page) -> None:
        """Undo *reveal* in what other plugins made of the page; code that they changed stays."""
        context = self._pages.get(page.file.src_uri)
        if context is not None and page.content is not None:
            for code, plain in context.shown.items():
                page.content = page.content.replace(code, plain, 1)

    # When all pages are rendered

    def connect(self, files: Files) -> None:
        """Find out which page links to which."""
        self._files = files
        order = {uri: index for index, uri in enumerate(self.book)}
        links = {uri: _targets(uri, context.links, files) for uri, context in self._pages.items() if uri in order}
        self._linked_from = backlinks(links, order)
        self._used = uses(self.quotations, self.citations)
        known = [entry for entry in self.library if entry.uri in order]
        addresses = [
            (entry, file.url) for entry in self.library if (file := files.get_file_from_path(entry.uri)) is not None
        ]
        if self.parts:
            add_file(files, self._config, LOOKUP, lookup_json(terms(known, self._mapping), addresses))
        if self.parts or any(used_by(file.page.content or "") for file in files.documentation_pages() if file.page):
            for uri, content in (*package_files(), settings_file(labels_for(), self.parts)):
                add_file(files, self._config, uri, content)

    def finish_page(self, page: Page) -> Ending:
        """Put the coloured code in and add what the whole book knows."""
        context = self._pages.get(page.file.src_uri)
        ending = self._ending(page)
        if context is not None and page.content is not None:
            late = context.late
            page.content = _PLAIN.sub(
                lambda match: late[match["key"]]() if match["key"] in late else match[0], page.content
            )
            if self._replay is None:
                late.clear()  # a build needs it once; serve may show the page again
            if 'class="mw-used"' in page.content:
                page.content = fill_uses(
                    page.content, self._used, list(self.book), lambda uri: self._html_link(uri, page)
                )
            if self._options.chapters and (ending.place or ending.linked_from or ending.contents):
                page.content += self._templates.get_template("ending.html").render(mw=ending, page=page)
        return ending

    def _ending(self, page: Page) -> Ending:
        uri = page.file.src_uri
        place = self.book.place(uri)
        context = self._pages.get(uri)
        ending = Ending(place=place)
        ending.linked_from = [link for other in self._linked_from.get(uri, []) if (link := self.link(other, page))]
        if context is not None:
            ending.quoted = sorted({(q.file.key.repo, q.pin.license or "") for q in context.quotations})
        if place is not None:
            ending.previous = self.link(place.previous, page) if place.previous else None
            ending.next = self.link(place.next, page) if place.next else None
            if place.ends_chapter and place.next is not None:
                following = self.book.place(place.next)
                ending.next_chapter = following.chapter.title if following else ""
            if uri == place.chapter.opening:
                ending.contents = [link for other in place.chapter.pages if (link := self.link(other, page))]
        return ending

    def _html_link(self, uri: str, page: Page) -> str:
        found = self.link(uri, page)
        return f'<a href="{escape(found.url)}">{escape(found.title)}</a>' if found else escape(uri)

    def link(self, uri: str, page: Page) -> Link | None:
        """Return how *page* shows the page at *uri*; None when there is none."""
        file = self._files.get_file_from_path(uri) if self._files else None
        entry = self.library.entries.get(uri)
        if file is None or entry is None:
            return None
        return link_of(entry, get_relative_url(file.url, page.url), file)

    # Reports

    def report_errors(self, log: logging.Logger) -> int:
        """Log every error and warning once; return how many errors there are."""
        for context in self._pages.values():
            self._diagnostics.extend(context.diagnostics)
        self._diagnostics.extend(self.project.resolver.warnings)
        for problem in self._diagnostics.of(Severity.WARNING):
            log.warning(str(problem))
        errors = self._diagnostics.of(Severity.ERROR)
        for problem in errors:
            log.error(str(problem))
        return len(errors)

    def report_summary(self, log: logging.Logger) -> int:
        """Say how many excerpts were quoted, from where, and which are cards; return the number of cards."""
        quotations = [q for context in self._pages.values() for q in context.quotations]
        if not quotations:
            return 0
        shown = [q for q in quotations if q.missing is None]
        via = Counter(self._via(q) for q in shown)
        repos = len({q.pin.repo for q in shown})
        sources = ", ".join(f"{count} from {name}" for name, count in sorted(via.items(), key=lambda item: -item[1]))
        log.info(
            "Quoted %d of %d excerpts, %d repositories%s",
            len(shown),
            len(quotations),
            repos,
            f": {sources}" if sources else "",
        )
        missing = self._diagnostics.of(Severity.UNAVAILABLE)
        if missing:
            log.warning(_cards(missing, [q for q in quotations if q.missing is not None]))
            for problem in missing:
                log.debug(str(problem))
        return len(missing)

    def _via(self, quotation: Quotation) -> str:
        return self.project.resolver.resolve(quotation.file).via

    @property
    def quotations(self) -> dict[str, list[Quotation]]:
        """What each page quotes."""
        return {uri: context.quotations for uri, context in self._pages.items()}

    @property
    def citations(self) -> dict[str, list[Any]]:
        """What each page cites."""
        return {uri: context.citations for uri, context in self._pages.items()}

    def close(self) -> None:
        """Release the project's processes and connections."""
        self.project.close()


def link_of(entry: Entry, url: str, file: File) -> Link:
    """Return *entry* as a link to *url*."""
    cuda = entry.meta.cuda
    title = entry.title or (file.page.title if file.page and file.page.title else entry.uri)
    return Link(
        entry.uri, url, str(title), entry.meta.summary, cuda.term if cuda else "", cuda.verdict.value if cuda else ""
    )


def _targets(uri: str, links: list[str], files: Files) -> set[str]:
    """Return the source paths of the pages that *links*, as written on the page at *uri*, lead to."""
    found = set()
    for link in links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or not parts.path.endswith(".md"):
            continue
        target = normpath(join(dirname(uri), unquote(parts.path)))
        if files.get_file_from_path(target) is not None:
            found.add(target)
    return found


def _cards(problems: list[Diagnostic], cards: list[Quotation]) -> str:
    count = Counter(q.pin.repo for q in cards)
    repos = ", ".join(f"{repo} ({n})" for repo, n in sorted(count.items()))
    words = "1 excerpt is a card" if len(cards) == 1 else f"{len(cards)} excerpts are cards"
    return f"{words}, read at home: {repos}. {problems[0]}. With a network, metalworking fetch brings them."
