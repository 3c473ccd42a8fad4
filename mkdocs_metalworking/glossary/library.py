"""The pages of a site before any is rendered: title, summary and CUDA data of each, read from its file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

from ..quote.diagnostics import Diagnostic, Location, MetalworkingError, Severity
from ..quote.lines import text_lines
from .callout import PageMeta, read_front_matter, split_front_matter
from .chapters import Book, Chapter

_FENCED = re.compile(r"^(`{3,}|~{3,}).*?^\1", re.DOTALL | re.MULTILINE)
_H1 = re.compile(r"^#[ \t]+(?P<title>.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_MARKUP = re.compile(r"[`*]|\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a page from its source alone."""

    uri: str
    title: str
    meta: PageMeta
    problems: tuple[Diagnostic, ...] = ()


@dataclass
class Library:
    """Entries by source path; an entry is read again only when the file's text changed."""

    entries: dict[str, Entry] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)

    def read(self, files: Files, label: Callable[[File], str]) -> None:
        """Read the front matter of every page in *files*; *label* gives the path shown in messages."""
        uris = set()
        for file in files.documentation_pages():
            uris.add(file.src_uri)
            text = file.content_string
            if self._texts.get(file.src_uri) != text:
                self.entries[file.src_uri] = read_entry(file.src_uri, text, label(file))
                self._texts[file.src_uri] = text
        for gone in self.entries.keys() - uris:
            del self.entries[gone], self._texts[gone]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())


def read_entry(uri: str, text: str, label: str) -> Entry:
    """Read one page; problems are kept, not raised."""
    try:
        meta, problems = read_front_matter(text, label)
    except MetalworkingError as problem:
        meta, problems = PageMeta(), [problem.diagnostic]
    body = "\n".join(text_lines(text)[split_front_matter(text)[1] :])
    found = _H1.search(_FENCED.sub("", body))
    title = _MARKUP.sub(lambda m: m[1] or "", found["title"]) if found else ""
    return Entry(uri, title, meta, tuple(problems))


def book_of(nav: Navigation, library: Library) -> Book[str]:
    """Return the book that *nav* describes: its top sections are the chapters, the first page stands in front.

    A section whose first page says ``chapter: false`` is left out, as are pages outside sections.
    """
    chapters: list[Chapter[str]] = []
    front: list[str] = []
    for item in nav.items:
        if isinstance(item, Section):
            pages = [page.file.src_uri for page in _pages(item)]
            if pages and (entry := library.entries.get(pages[0])) is not None and not entry.meta.chapter:
                continue
            opening = next((uri for uri in pages[:1] if uri.endswith(("index.md", "README.md"))), None)
            chapters.append(Chapter(item.title, opening, tuple(uri for uri in pages if uri != opening)))
        elif isinstance(item, Page):
            front.append(item.file.src_uri)
    return Book(chapters, before=front[:1])


def without_callout(book: Book[str], library: Library, label: Callable[[str], str]) -> Iterator[Diagnostic]:
    """Yield a warning for each page of a chapter, its opening aside, that has no callout; *label* as in messages."""
    for chapter in book.chapters:
        for uri in chapter.pages:
            entry = library.entries.get(uri)
            if entry is not None and entry.meta.cuda is None and not entry.problems:
                hint = "write cuda: in its front matter; the verdict none says that nothing corresponds"
                yield Diagnostic(Severity.WARNING, "callout", "this page has no callout", hint, Location(label(uri)))


def _pages(section: Section) -> Iterator[Page]:
    for item in section.children:
        if isinstance(item, Section):
            yield from _pages(item)
        elif isinstance(item, Page):
            yield item


def backlinks(links: Mapping[str, set[str]], order: Mapping[str, int]) -> dict[str, list[str]]:
    """Turn "page links to" into "page is linked from", in order of reading."""
    found: dict[str, list[str]] = {}
    for source in sorted(links, key=lambda uri: order.get(uri, len(order))):
        for target in links[source]:
            if target != source:
                found.setdefault(target, []).append(source)
    return found
