"""From a mention to what it names, and from what is named to every mention of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from lsprotocol import types as lsp

from ...markdown.tracking import Met
from ...quote.blob import FileKey
from ...quote.citations import CitedLines, CitedReference, parse_citation
from ...quote.diagnostics import Location, MetalworkingError
from ...quote.lines import Ranges
from ...quote.permalinks import permalink
from ...quote.quantities import Quantity
from ...quote.quotation import Quotation
from .editing import Bench, met_at
from .keys import key_at, places_of
from .paths import Trees

_LINK = re.compile(r"\]\(([^()\s]+)\)")


def definition(bench: Bench, trees: Trees, path: Path, position: lsp.Position) -> lsp.Location | None:
    """Return where the lines stand that are quoted or cited, where a source or a quantity is told, or a linked page."""
    lines = bench.lines(path)
    offset = lines.offset(position)
    page = bench.page(path)
    met = met_at(page, offset) if page is not None else None
    if met is None:
        return _linked(bench, path, lines.line(position.line), offset - lines.offset(lsp.Position(position.line, 0)))
    project, settings = bench.desk.project, bench.desk.project.settings
    if isinstance(met.shown, CitedReference):
        return _at_line(bench, settings.sources, met.shown.reference.location)
    if isinstance(met.shown, Quantity):
        return _at_line(bench, settings.quantities, Location("", met.shown.line))
    if (named := _named(met)) is None:
        return None
    key, ranges = named
    file = met.shown.file if isinstance(met.shown, Quotation) else project.lock.files.get(key)
    place = trees.place(project, key, file)
    if place is None:
        return None
    start = ranges[0].first - 1 if ranges else 0
    return lsp.Location(bench.uri(place), lsp.Range(lsp.Position(start, 0), lsp.Position(start, 0)))


def links(bench: Bench, path: Path) -> Iterator[lsp.DocumentLink]:
    """Yield the permalink of every mention of lines on a page."""
    page, lines = bench.page(path), bench.lines(path)
    for met in page.met if page is not None else ():
        if met.place is None or (named := _named(met)) is None:
            continue
        key, ranges = named
        if isinstance(met.shown, Quotation):
            if met.shown.public is None:
                continue
            key = met.shown.public
        if key.commit:
            target = permalink(key, ranges[0] if ranges else None)
            yield lsp.DocumentLink(lines.range(met.place), target, "the lines at their home")


def references(bench: Bench, path: Path, position: lsp.Position) -> list[lsp.Location]:
    """Return every mention of the file, the source or the quantity at *position*, on all pages."""
    page, lines = bench.page(path), bench.lines(path)
    met = met_at(page, lines.offset(position)) if page is not None else None
    if met is not None and (named := _named(met)) is not None:
        return list(_of_file(bench, named[0]))
    key = key_at(bench, path, lines.offset(position))
    return [bench.location(place, span) for place, spans in places_of(bench, key) for span in spans] if key else []


def _named(met: Met) -> tuple[FileKey, Ranges] | None:
    """Return the file that a mention is of, and its lines."""
    if isinstance(met.shown, Quotation):
        return met.shown.file.key, met.shown.ranges
    if isinstance(met.shown, CitedLines):
        return met.shown.key, met.shown.ranges or ()
    return None


def _of_file(bench: Bench, key: FileKey) -> Iterator[lsp.Location]:
    desk = bench.desk
    for file in desk.reading.documents():
        page = desk.reading.pages.get(file.src_uri)
        path = desk.site.path(file)
        for met in page.met if page is not None else ():
            named = _named(met)
            if named is not None and named[0] == key and met.place is not None:
                yield bench.location(path, met.place)
    labels = desk.labels()
    for row in desk.reading.terms.rows:
        if row.location.path in labels and _cites(row.cited, key, bench):
            yield _at_line(bench, labels[row.location.path], row.location)


def _cites(sources: Iterable[str], key: FileKey, bench: Bench) -> bool:
    for source in sources:
        try:
            cited = bench.desk.project.quoter.cite(parse_citation(source))
        except MetalworkingError:
            continue
        if isinstance(cited, CitedLines) and cited.key == key:
            return True
    return False


def _at_line(bench: Bench, path: Path, where: Location) -> lsp.Location:
    lines = bench.lines(path)
    return bench.location(path, lines.of_line(where.line), lines)


def _linked(bench: Bench, path: Path, line: str, column: int) -> lsp.Location | None:
    here = bench.desk.file(path)
    for match in _LINK.finditer(line):
        if here is not None and match.start(1) <= column <= match.end(1):
            target = unquote(match[1].partition("#")[0])
            uri = normpath(join(dirname(here.src_uri), target)) if target else here.src_uri
            file = bench.desk.reading.files.get_file_from_path(uri)
            if file is not None:
                return lsp.Location(bench.uri(bench.desk.site.path(file)), lsp.Range(*[lsp.Position(0, 0)] * 2))
    return None
