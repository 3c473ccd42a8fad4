"""What stands behind a mention: the quoted lines with their numbers, a citation's source, a quantity's conditions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types as lsp

from ...deliver.project import Project
from ...markdown.page import PageContext
from ...markdown.tracking import Met
from ...markdown.visible import named
from ...quote.blob import FileKey
from ...quote.citations import CitedLines, CitedReference
from ...quote.fences import longer_ticks
from ...quote.lines import LineRange, Ranges, format_ranges
from ...quote.permalinks import permalink
from ...quote.quantities import Quantities, Quantity
from ...quote.quotation import Quotation
from ...quote.repo import SELF
from ...quote.sources import Reference
from .editing import Bench, met_at
from .paths import lines_here

_MOST = 60
"""Lines of code that are shown."""


def hover(bench: Bench, path: Path, position: lsp.Position) -> lsp.Hover | None:
    """Return what is known of the mention at *position*; None where none is."""
    page, lines = bench.page(path), bench.lines(path)
    met = met_at(page, lines.offset(position)) if page is not None else None
    if page is None or met is None or met.place is None:
        return None
    text = "\n\n".join(part for part in _told(bench.desk.project, page, met) if part)
    if not text:
        return None
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), lines.range(met.place))


def _told(project: Project, page: PageContext, met: Met) -> Iterator[str]:
    shown = met.shown
    if isinstance(shown, Quotation):
        yield from _quotation(shown, shown.ranges)
    elif isinstance(shown, CitedLines):
        yield _where(shown.key, shown.ranges or ())
        file = project.lock.files.get(shown.key)
        yield from _code(shown.key, lines_here(project, file) if file else (), shown.ranges or ())
    elif isinstance(shown, CitedReference):
        yield from reference_text(shown.reference)
    elif isinstance(shown, Quantity):
        yield from quantity_text(shown, project.quantities)
    elif shown is not None:  # the lines of a note
        above = next((one for one in page.met if met in one.notes), None)
        if above is not None and isinstance(above.shown, Quotation):
            yield from _quotation(above.shown, shown)


def _quotation(quotation: Quotation, ranges: Ranges) -> Iterator[str]:
    terms = quotation.pin.license or ""
    yield _where(quotation.public or quotation.file.key, ranges) + (f", {terms}" if terms else "")
    if quotation.missing is not None:
        yield quotation.missing.diagnostic.message
    else:
        yield from _code(quotation.file.key, quotation.source, ranges)


def _where(key: FileKey, ranges: Ranges) -> str:
    label = f"{key}{'#' if ranges else ''}{format_ranges(ranges)}"
    if not key.commit or key.repo == SELF:
        return _literal(label)
    return f"[{_literal(label)}]({permalink(key, ranges[0] if ranges else None)})"


def _code(key: FileKey, lines: tuple[str, ...], ranges: Ranges) -> Iterator[str]:
    """Yield a fence with the lines and their numbers; the first ones where there are many."""
    if not lines:
        return
    parts = ranges or (LineRange(1, len(lines)),)
    numbered = list(_numbered(lines, parts))
    width = len(str(parts[-1].last or len(lines)))
    shown = [f"{number:>{width}}  {line}" if number else "" for number, line in numbered[:_MOST]]
    if len(numbered) > _MOST:
        shown.append(f"{'':>{width}}  … {len(numbered) - _MOST} lines more")
    fence = longer_ticks("\n".join(shown), 3)
    language = key.path.rpartition(".")[2].lower() if "." in key.path else ""
    yield "\n".join([fence + (language if language.isalnum() else ""), *shown, fence])


def _numbered(lines: tuple[str, ...], ranges: Ranges) -> Iterator[tuple[int, str]]:
    for index, part in enumerate(ranges):
        if index:
            yield 0, ""
        for number in range(part.first, min(part.last or len(lines), len(lines)) + 1):
            yield number, named(lines[number - 1])


def reference_text(reference: Reference) -> Iterator[str]:
    """Yield what sources.yml says of a reference, as Markdown."""
    parts = (_literal(reference.author), f"*{_literal(reference.title)}*", reference.date)
    yield ", ".join(part for part in parts if part)
    yield reference.url or reference.page
    yield reference.about


def quantity_text(quantity: Quantity, quantities: Quantities) -> Iterator[str]:
    """Yield a quantity with its conditions, what it is computed from, and where it is from, as Markdown."""
    yield f"**{_plain(quantity)}** `{quantity.key}`"
    yield _literal(quantity.about())
    if quantity.formula:
        inputs = [quantities.by_key[key] for key in quantity.inputs if key in quantities.by_key]
        given = "; ".join(f"`{one.key}` {_plain(one)}" for one in inputs)
        yield f"`{quantity.formula}`" + (f": {given}" if given else "")
    sources = [source for leaf in quantities.leaves(quantity) for source in leaf.sources]
    yield "\n".join(f"- {_literal(source.cite)}{f', read {source.read}' if source.read else ''}" for source in sources)


def _plain(quantity: Quantity) -> str:
    return named(quantity.text()).replace("\u00a0", " ")


def _literal(text: str) -> str:
    return "".join(f"\\{ch}" if ch in "\\`*_[]<" else ch for ch in named(text))
