"""What the pages of a site say of themselves in their front matter: summary, callout, whether they open a chapter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..quote.diagnostics import Diagnostic, Location, MetalworkingError, Severity
from ..quote.quantities import Quantities
from .asked import Asked
from .callout import PageMeta, with_quantities
from .chapters import Book


@dataclass(frozen=True, slots=True)
class Entry:
    """A page. ``title`` is plain text, as the site's engine names the page; empty until the page is converted."""

    uri: str
    meta: PageMeta
    problems: tuple[Diagnostic, ...] = ()
    title: str = ""


@dataclass
class Library:
    """Entries by source path; an entry is read again only when the page's text changed. ``asked`` is what is read."""

    asked: Asked = field(default_factory=Asked)
    entries: dict[str, Entry] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)
    _quantities: Quantities = field(default_factory=Quantities)

    def read(self, pages: Iterable[tuple[str, str, str]], quantities: Quantities | None = None) -> None:
        """Read the front matter of all *pages*: source path, text of the file, and its path in messages.

        Summaries show *quantities*, as text.
        """
        if (quantities or Quantities()) != self._quantities:
            self._texts.clear()
            self._quantities = quantities or Quantities()
        uris = set()
        for uri, text, label in pages:
            uris.add(uri)
            self.renew(uri, text, label)
        for gone in self.entries.keys() - uris:
            del self.entries[gone], self._texts[gone]

    def renew(self, uri: str, text: str, label: str) -> None:
        """Read the front matter of one page, when its text changed."""
        if self._texts.get(uri) != text:
            self.entries[uri] = read_entry(uri, text, label, self.asked, self._quantities)
            self._texts[uri] = text

    def put(self, entry: Entry) -> None:
        """Let *entry* stand for its page until *read* is called; the page is read again then."""
        self.entries[entry.uri] = entry
        self._texts[entry.uri] = "\0"  # no file holds it

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())


def read_entry(uri: str, text: str, label: str, asked: Asked, quantities: Quantities) -> Entry:
    """Read one page; problems are kept, not raised."""
    try:
        meta, problems = asked.front_matter(text, label)
    except MetalworkingError as problem:
        meta, problems = PageMeta(), [problem.diagnostic]
    meta, more = with_quantities(meta, quantities, text, label)
    return Entry(uri, meta, (*problems, *more))


def without_callout(book: Book[str], library: Library, key: str, label: Callable[[str], str]) -> Iterator[Diagnostic]:
    """Yield a warning for each page of a chapter, its opening aside, that has none under *key*.

    *label* gives a page's path as messages show it.
    """
    for chapter in book.chapters:
        for uri in () if chapter.alone else chapter.pages:
            entry = library.entries.get(uri)
            if entry is not None and entry.meta.callout is None and not entry.problems:
                hint = f"write {key}: in its front matter; the verdict none says that nothing corresponds"
                yield Diagnostic(Severity.WARNING, "callout", "this page has no callout", hint, Location(label(uri)))


def backlinks(links: Mapping[str, set[str]], order: Mapping[str, int]) -> dict[str, list[str]]:
    """Turn "page links to" into "page is linked from", in order of reading."""
    found: dict[str, list[str]] = {}
    for source in sorted(links, key=lambda uri: order.get(uri, len(order))):
        for target in links[source]:
            if target != source:
                found.setdefault(target, []).append(source)
    return found
