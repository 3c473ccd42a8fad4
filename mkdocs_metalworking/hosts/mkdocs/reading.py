"""The one reading of a site: its pages in order, what each says of itself, quotes, cites and links to.

A build asks for it hook by hook; the commands go through the same steps by themselves (``site.py``).
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.meta import get_data

from ...deliver.project import Project
from ...glossary.agreement import disagreements
from ...glossary.callout import PageMeta
from ...glossary.chapters import Book
from ...glossary.library import Entry, Library, without_callout
from ...glossary.mark_lines import marks_on
from ...glossary.marks import Marks
from ...glossary.terms import Terms, read_rows, with_quantities
from ...markdown.extension import MetalworkingExtension
from ...markdown.leftovers import unread
from ...markdown.page import PageContext
from ...quote.diagnostics import Diagnostic, Diagnostics, Location, Severity, reason_of
from ...quote.lines import text_lines
from ...quote.texts import hold_plain
from .conversions import Conversions
from .docs_folder import docs_label
from .metadata import meta_of_plugins
from .nav import book_of, named_twice, title_ahead, title_of
from .options import MetalworkingConfig, asked
from .outside import include_nothing_outside, leave_outside, premises_of
from .page_anchors import PageAnchors

_NOTHING = PageMeta()


class Reading:
    """One round over the pages: *start*, then *begin* and *end* for each page, then *finish*.

    A page may be read again when its text has changed, and *finish* called again then.
    """

    def __init__(
        self,
        config: MkDocsConfig,
        options: MetalworkingConfig,
        project: Project,
        extension: MetalworkingExtension,
        *,
        library: Library | None = None,
        serving: bool = False,
    ) -> None:
        self.config = config
        self.project = project
        self.asked = asked(options, config, project.settings)
        self.library = library if library is not None and library.asked == self.asked else Library(self.asked)
        self._begun = Diagnostics(project.problems)
        self.diagnostics = self._begun
        """What is wrong: with the files until *finish*, then with all of the site."""
        self.files = Files([])
        self.nav = Navigation([], [])
        self.book: Book[str] = Book(())
        self.terms = Terms()
        self.table = ""
        """The page on which the table of terms stands."""
        self.pages: dict[str, PageContext] = {}
        self.hidden: set[str] = set()
        """The pages behind a password: no other page, no list and no file tells of one what it says of itself."""
        self.texts: dict[str, str] = {}
        """The Markdown of each page as it was converted."""
        self.conversions = Conversions(lambda: self._writing())
        self._options = options
        self._extension = extension
        self._inclusion = InclusionLevel.is_in_serve if serving else InclusionLevel.is_included
        self._docs = docs_label(config)
        self._marks = Marks(self._listed, self.title, self.terms, project.sources, self.asked)
        extension.conversions = self.conversions.context
        extension.asked = self.asked

    def start(self, nav: Navigation, files: Files, drafts: dict[Path, str] | None = None) -> None:
        """Read the front matter of every page, *drafts* in the place of files, and the order of the nav."""
        self.nav, self.files = nav, files
        outside = leave_outside(files, self.label, premises_of(self.config))
        self._begun.extend(include_nothing_outside(self.config, outside))
        told = ((file.src_uri, self._text(file), self.label(file)) for file in self.documents())
        self.library.read(told, self.project.quantities)
        self._read_terms(drafts or {})
        self._order_of_reading()
        self._marks = Marks(self._listed, self.title, self.terms, self.project.sources, self.asked, self.table)
        self._reckon()

    def documents(self) -> list[File]:
        """Return the pages that this build shows, in the order in which they are read."""
        return list(self.files.documentation_pages(inclusion=self._inclusion))

    def _text(self, file: File) -> str:
        """Return a page's text. One that cannot be read is an error, told with the others; its text says so then."""
        try:
            if file.abs_src_path is not None:
                hold_plain(Path(file.abs_src_path))
            return file.content_string
        except (OSError, UnicodeDecodeError) as error:
            encoding = isinstance(error, UnicodeDecodeError)
            problem, hint = reason_of(error), "save the page as UTF-8" if encoding else "a plugin or a link names it"
            where = Location(self.label(file))
            self._begun.add(Diagnostic(Severity.ERROR, "files", f"cannot be read: {problem}", hint, where))
            file.content_string = f"# {file.name}\n\nThis page cannot be read: {problem}.\n"
            return file.content_string

    def _read_terms(self, drafts: dict[Path, str]) -> None:
        if not self._options.mapping:
            return
        settings, label = self.project.settings, self._options.mapping
        path = settings.path(label)
        rows, problems = read_rows(path, label, drafts.get(path), settings.text)
        rows, wrong = with_quantities(rows, self.project.quantities)
        self.terms = Terms(rows)
        self._begun.extend((*problems, *wrong))
        for row in rows:
            if row.page and row.page not in self.library.entries:
                hint = "write it, or mend page:"
                problem = f"there is no page {row.page}"
                self._begun.add(Diagnostic(Severity.WARNING, "mapping", problem, hint, row.location))

    def _order_of_reading(self) -> None:
        """Put the pages with marks last: what a mark stands for shows the titles of the others."""
        marked = [(_marks(file.content_string), file) for file in self.documents()]
        found = [("az-index" in marks.values(), file) for marks, file in marked if marks]
        self.table = next((file.src_uri for marks, file in marked if "mapping-table" in marks.values()), "")
        for _, file in sorted(found, key=lambda item: item[0]):
            self.files.remove(file)
            self.files.append(file)

    def _reckon(self) -> None:
        self.book = book_of(self.nav, self.library, lambda file: self._inclusion(file.inclusion))

    # Page by page

    def read(self, file: File, *, fill: bool = True) -> None:
        """Convert a page from its text as it is now, with no plugin of the site at work.

        Without *fill* nothing is put in the place of its marks, and nothing is known of what would stand there.
        """
        self.renew(file)
        page = file.page or Page(None, file, self.config)
        markdown, page.meta = get_data(file.content_string)
        page.markdown, context = self.begin(page, markdown, fill=fill)
        self.convert_next(page, context)
        page.render(self.config, self.files)
        self.end(page)

    def renew(self, file: File) -> None:
        """Learn what a page whose text may have changed says of itself."""
        self.library.renew(file.src_uri, self._text(file), self.label(file))

    def begin(self, page: Page, markdown: str, *, fill: bool = True) -> tuple[str, PageContext]:
        """Take *page* with its Markdown as all plugins left it; return what to convert and what is known of it."""
        uri = page.file.src_uri
        entry = self._told_by_plugins(page)
        text = self._marks.fill(markdown, uri) if fill else markdown
        context = PageContext(self.label(page.file), uri, page.file.content_string, entry.meta)
        # The plugin encryptcontent tells it before this, and forgets it when the page is written.
        hidden = bool(getattr(page, "encryptcontent", None))
        (self.hidden.add if hidden else self.hidden.discard)(uri)
        if entry.meta.summary and not hidden:
            # Escaped, since Material's templates put it into an attribute as it is.
            page.meta.setdefault("description", escape(entry.meta.summary))
        self.texts[uri] = text
        return text, context

    def convert_next(self, page: Page, context: PageContext) -> None:
        """Let the next conversion be that of *page*, with *context* to fill."""
        self.pages[page.file.src_uri] = context
        self._extension.page = context
        self.conversions.begin(context)

    def end(self, page: Page) -> PageContext:
        """The page is converted: let MkDocs know the ids of quoted lines, so that links to them are checked."""
        self.conversions.end()
        context = self.pages[page.file.src_uri]
        if page.present_anchor_ids is not None:
            page.present_anchor_ids = PageAnchors(page.present_anchor_ids, context.names)
        context.names.rest()
        context.made.clear()
        if not context.converted and page.content:
            # A notebook, say, whose plugin makes its HTML without Markdown.
            for problem in unread(page.content):
                context.diagnostics.add(problem.diagnostic.at(Location(context.path)))
        return context

    def _told_by_plugins(self, page: Page) -> Entry:
        """Return what is known of *page*, with what plugins such as Material's meta added to its front matter."""
        uri = page.file.src_uri
        entry = self.library.entries.get(uri) or Entry(uri, _NOTHING)
        label, quantities = self.label(page.file), self.project.quantities
        told = meta_of_plugins(entry, page.meta, label, self.asked, quantities)
        if told is not entry:
            self.library.put(told)
        return told

    # When all pages are read

    def finish(self) -> None:
        """All pages are read: what plugins told of them counts for the book too."""
        self._reckon()
        self.diagnostics = Diagnostics(self._begun)
        for entry in self.library:
            self.diagnostics.extend(entry.problems)
        for context in self.pages.values():
            self.diagnostics.extend(context.diagnostics)
        self.diagnostics.extend(self.project.resolver.warnings)
        known = self.library.entries
        told = ((known[file.src_uri], self.label(file), file.content_string) for file in self.documents())
        self.diagnostics.extend(disagreements(told, self.terms))
        if self.asked.chapters:
            self.diagnostics.extend(named_twice(self.nav, self.book, self.config))
        callouts = self.asked.callouts
        if callouts is not None and callouts.required:
            named = {file.src_uri: self.label(file) for file in self.documents()}
            self.diagnostics.extend(without_callout(self.book, self.library, callouts.key, named.__getitem__))

    def entries(self, uris: Iterable[str] | None = None) -> list[Entry]:
        """Return what is known of all pages, or of *uris*, with their titles."""
        chosen = self.library.entries if uris is None else uris
        found = (self.entry(uri) for uri in chosen)
        return [entry for entry in found if entry is not None]

    def entry(self, uri: str) -> Entry | None:
        """Return what may be told of a page elsewhere, with its title; None when there is no such page."""
        found = self.library.entries.get(uri)
        if found is None:
            return None
        meta = _NOTHING if uri in self.hidden else found.meta
        return Entry(uri, meta, found.problems, self.title(uri) or uri)

    def title(self, uri: str) -> str:
        """Return the title that MkDocs gives the page, as plain text; "" when there is no such page."""
        file = self.files.get_file_from_path(uri)
        if file is None or uri not in self.library.entries:
            return ""
        if file.page is None:
            return file.name
        if file.page.content is None and file.page.title is None:
            return title_ahead(file.page, self.config, self.files)
        return title_of(file.page)

    def _listed(self) -> list[Entry]:
        return self.entries(uri for uri in self.book if uri not in self.book.front)

    def label(self, file: File) -> str:
        """Return a page's path as a person would type it: from the folder of mkdocs.yml."""
        return f"{self._docs}{file.src_uri}"

    def _writing(self) -> str:
        page = getattr(self.config, "_current_page", None)
        return self.label(page.file) if isinstance(page, Page) else ""


def _marks(text: str) -> dict[int, str]:
    return marks_on(text_lines(text)) if "<!-- " in text else {}
