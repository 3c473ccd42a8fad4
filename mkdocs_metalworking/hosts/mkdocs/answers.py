"""What a program may ask a site: a term, a quantity, an excerpt, where something is said; each with its sources."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urljoin

from ...glossary.callout import split_front_matter
from ...glossary.terms import key_of
from ...markdown.visible import named
from ...quote.diagnostics import MetalworkingError
from ...quote.directive import Directive, parse_directive, quoted_path
from ...quote.fences import fenced_lines
from ...quote.lines import format_ranges
from ...quote.permalinks import parse_permalink, permalink
from ...quote.quantities import Quantity
from ...quote.quantity_mentions import fill_plain
from ...quote.suggest import nearest
from .browser_files import public_terms, told_terms
from .quantities import uses_of
from .reading import Reading
from .terms_file import source_of

_HEADING = re.compile(r"#{1,6}[ \t]+(?P<title>.+)")
_ATTRIBUTES = re.compile(r"\{[^{}]*\}$")
_WORD = re.compile(r"[\w.+#-]*\w")


@dataclass(frozen=True)
class Section:
    """A part of a page below one heading; ``title`` is "" for what stands above the first."""

    uri: str
    title: str
    text: str


class Answers:
    """The answers of one reading whose pages were all read."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    # Terms

    @cached_property
    def _terms(self) -> dict[str, dict[str, Any]]:
        reading = self._reading
        found, addresses = public_terms(reading, reading.files)
        where = {entry.uri: url for entry, url in addresses}
        rows = json.loads(told_terms(reading, found, where))["terms"] if reading.terms.rows else []
        for row in rows:
            for name in ("row", "page"):
                row[name] = self._url(row[name]) if row[name] else ""
            row["also"] = [self._url(url) for url in row["also"]]
        named = {key_of(name): row for row in reversed(rows) for name in (*row["aliases"], *row["names"], row["name"])}
        for term in found:
            if term.uri in where and key_of(term.source) not in named:
                page = self._url(where[term.uri])
                told = {"name": term.source, "verdict": term.verdict or None, "note": term.note, "page": page}
                named[key_of(term.source)] = {**told, "title": term.target, "sources": []}
        return named

    def look_up(self, term: str) -> dict[str, Any]:
        """Return the one entry of *term*, by any of its names, as terms.json has it.

        Raises MetalworkingError (``unknown``), with the nearest name, for a term that the site does not have.
        """
        found = self._terms.get(key_of(term))
        if found is None:
            raise _unknown("term", term, (row["name"] for row in self._terms.values()))
        return found

    # Quantities

    def quantity(self, key: str) -> dict[str, Any]:
        """Return a quantity with its conditions, its sources, and the pages that use it. Raises MetalworkingError."""
        quantities = self._reading.project.quantities
        one = quantities.get(key)
        given = [quantities.by_key[name] for name in one.inputs if name in quantities.by_key]
        pages = self._uses.get(key, ())
        return {
            "key": one.key,
            "text": _plain(one),
            "value": one.low if one.low == one.high else [one.low, one.high],
            "unit": one.unit,
            "about": named(one.about()),
            "formula": one.formula,
            "inputs": {other.key: _plain(other) for other in given},
            "pages": [self._url(self._page_url(uri)) for uri in pages],
            "sources": list(self._sources(one)),
        }

    @cached_property
    def _uses(self) -> dict[str, list[str]]:
        pages = self._reading.pages
        shown = {uri: page.quantities for uri, page in pages.items()}
        return uses_of({uri: page.source or "" for uri, page in pages.items()}, shown)

    def _sources(self, quantity: Quantity) -> Iterator[dict[str, str]]:
        project = self._reading.project
        for leaf in project.quantities.leaves(quantity):
            for evidence in leaf.sources:
                found = source_of(project.quoter.cite(evidence.citation), lambda uri: self._url(self._page_url(uri)))
                yield {**found, **({"read": evidence.read} if evidence.read else {})}

    # Excerpts

    def excerpt(self, what: str) -> dict[str, Any]:
        """Return the lines that *what* names: ``owner/name@commit:path#L1-9``, a directive, or a permalink.

        They are lines of files that the site has locked. Raises MetalworkingError, also where they cannot be had here.
        """
        quotation = self._reading.project.quoter.quote(as_directive(what))
        if quotation.missing is not None:
            raise quotation.missing
        key = quotation.public or quotation.file.key
        return {
            "repo": key.repo,
            "commit": key.commit,
            "path": key.path,
            "lines": format_ranges(quotation.ranges),
            "license": quotation.pin.license or "",
            "code": "\n".join(
                f"{number}\t{named(quotation.source[number - 1])}"  # with the indentation that pages take off
                for segment in quotation.segments or ()
                for number, _ in enumerate(segment.lines, segment.first)
            ),
            "source": permalink(key, quotation.ranges[0]) if quotation.public else str(key),
        }

    # Pages

    def uri(self, page: str) -> str:
        """Return the source path of *page*: that path, its address, its title, or the last part of its path.

        Raises MetalworkingError (``unknown``), with the nearest page, for anything else.
        """
        known = self._names
        name = page.strip().removeprefix(self._reading.config.site_url or "\0").strip("/")
        found = known.get(name.casefold()) or known.get(name.removesuffix(".md").removesuffix("/index").casefold())
        if found is None:
            raise _unknown("page", page, known)
        return found

    @cached_property
    def _names(self) -> dict[str, str]:
        names: dict[str, str] = {}
        files = self._reading.documents()
        for file in files:
            whole = (file.src_uri, file.src_uri.removesuffix(".md"), file.url.strip("./"))
            names |= {name.casefold(): file.src_uri for name in whole if name}
        for file in files:
            short = (self._reading.title(file.src_uri), file.src_uri.removesuffix(".md").rpartition("/")[2])
            for name in short:
                names.setdefault(name.casefold(), file.src_uri)
        return names

    def about(self, uri: str) -> dict[str, Any]:
        """Return title, summary and address of the page at *uri*."""
        entry = self._reading.entry(uri)
        summary = entry.meta.summary if entry is not None else ""
        title = entry.title if entry is not None else uri
        return {"page": uri, "title": title, "summary": summary, "source": self._url(self._page_url(uri))}

    def _page_url(self, uri: str) -> str:
        file = self._reading.files.get_file_from_path(uri)
        return file.url if file is not None else uri

    def _url(self, address: str) -> str:
        """Return an address from the site's root as a whole one, where it is known where the site is."""
        site = self._reading.config.site_url
        return urljoin(site, address) if site else address.removeprefix("./")

    # Search

    @cached_property
    def _sections(self) -> list[tuple[Section, str]]:
        quantities = self._reading.project.quantities
        found = []
        for uri, page in self._reading.pages.items():
            for section in sections(uri, fill_plain(page.source or "", quantities, named)[0].replace("\u00a0", " ")):
                found.append((section, section.text.casefold()))
        return found

    def search(self, query: str) -> list[dict[str, Any]]:
        """Return the sections that have every word of *query*, the best first, each with a line of its text.

        A word in a title counts ten times one in the text.
        """
        words = [word.casefold() for word in _WORD.findall(query)]
        if not words:
            raise MetalworkingError("unknown", "nothing to search for", "write a word or two")
        ranked = []
        for section, text in self._sections:
            titles = f"{section.title} {self._reading.title(section.uri)}".casefold()
            counts = [text.count(word) + 10 * titles.count(word) for word in words]
            if all(counts):
                ranked.append((sum(min(count, 40) for count in counts), section))
        ranked.sort(key=lambda item: -item[0])
        return [self._found(section, words) for _, section in ranked]

    def _found(self, section: Section, words: list[str]) -> dict[str, Any]:
        lines = [line.strip() for line in section.text.split("\n") if not line.startswith(("#", "<"))]
        line = max(lines, key=lambda line: sum(word in line.casefold() for word in words), default="")
        told = self.about(section.uri)
        found = {"page": section.uri, "title": told["title"], "section": section.title, "text": line[:300]}
        return {**found, "source": told["source"]}


def as_directive(what: str) -> Directive:
    """Return the directive that *what* is, or whose target or permalink it is. Raises MetalworkingError."""
    text = what.strip()
    if text.startswith(("https://", "http://")):
        link = parse_permalink(text)
        ranges = f"#{format_ranges(link.ranges)}" if link.ranges else ""
        text = f"{link.repo}@{link.sha}:{quoted_path(link.path)}{ranges}"
    return parse_directive(text if text.startswith("<<") else f"<< excerpt {text} >>")


def sections(uri: str, source: str) -> Iterator[Section]:
    """Yield the parts of a page, each below its heading, front matter aside."""
    lines = source.split("\n")[split_front_matter(source)[1] :]
    fenced = fenced_lines(lines)
    title, start = "", 0
    for index, line in enumerate(lines):
        match = _HEADING.fullmatch(line) if index not in fenced else None
        if match is not None:
            yield Section(uri, title, "\n".join(lines[start:index]))
            title, start = _ATTRIBUTES.sub("", match["title"]).rstrip(" \t#") or match["title"], index
    yield Section(uri, title, "\n".join(lines[start:]))


def _plain(quantity: Quantity) -> str:
    return named(quantity.text()).replace("\u00a0", " ")


def _unknown(kind: str, name: str, known: Iterable[str]) -> MetalworkingError:
    near = nearest(name.casefold(), {one.casefold(): one for one in known})
    hint = f"did you mean {near}?" if near else "search finds what it is called here"
    return MetalworkingError("unknown", f"no {kind} {name[:80]!r} here", hint)
