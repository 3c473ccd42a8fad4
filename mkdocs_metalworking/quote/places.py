"""Where a page's text names lines of a repository: directives with their notes, and citations, as spans to rewrite.

This reads text, not Markdown; what is live and what is literal, the extension knows better. So a caller compares what
is found here with what the extension found, and rewrites nothing when they do not agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from .citations import CITATION, Citation, parse_citation
from .diagnostics import MetalworkingError
from .directive import Directive, parse_directive
from .lines import LineRange, Ranges, format_ranges, parse_ranges

_LINES = r"L[0-9]+(?:-L?[0-9]*)?"
_RANGES = rf"{_LINES}(?:,\s*{_LINES})*"
_FENCE = re.compile(r"^[ \t>]*(?:[-*+][ \t]+)*(`{3,}|~{3,})")
_DIRECTIVE = re.compile(r"^[ \t>]*(?:(?:[-*+]|[0-9]+[.)]|:)[ \t]+)*(?P<directive><<[ \t]*excerpt[ \t].*>>)[ \t]*$")
_TARGET = re.compile(
    r'<<[ \t]*excerpt[ \t]+[^@\s]*@(?P<sha>[0-9a-f]+):(?:"(?:[^"\\]|\\.)*"|[^#\s]*)(?:#(?P<ranges>\S*))?'
)
_OPTION = re.compile(r'[ \t]+(?P<name>[A-Za-z_-]+)(?:=(?P<value>"(?:[^"\\]|\\.)*"|\S*))?')
_NOTE = re.compile(rf"^[ \t>]*[-*+][ \t]+(?P<label>{_LINES}(?:, ?{_LINES})*):\s")
_ITEM = re.compile(r"[-*+][ \t]|<<|#|[0-9]+[.)][ \t]")
_CITED = re.compile(
    rf"(?P<repo>[^@:#\s]+/[^@:#\s]+?)(?:@(?P<sha>[0-9a-f]+))?:(?P<path>[^#\],]+)(?:#(?P<ranges>{_RANGES}))?"
)
_CODE = re.compile(r"(?<![\\`])(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)", re.DOTALL)

Span = tuple[int, int]
Move = Callable[[LineRange], LineRange]
"""Maps old lines to new ones."""


@dataclass(frozen=True)
class Place:
    """A directive or a citation. Spans are of the whole text; ``sha`` is empty and stands behind the name when none is
    written.
    """

    line: int
    what: Directive | Citation
    sha: Span
    ranges: Span | None
    hl: Span | None = None
    notes: tuple[Span, ...] = field(default=())

    def edits(self, text: str, sha: str, ranges: Ranges | None, move: Move) -> Iterator[tuple[Span, str]]:
        """Yield what to write where: *sha* ("" leaves it), *ranges* (None leaves them), highlights and notes moved."""
        if sha:
            at = "" if isinstance(self.what, Directive) or self.sha[0] != self.sha[1] else "@"
            yield self.sha, at + sha
        if ranges is not None and self.ranges is not None:
            yield self.ranges, format_ranges(ranges)
        for span in (self.hl, *self.notes):
            if span is not None:
                yield span, _moved(text[span[0] : span[1]], move)


def apply_edits(text: str, edits: list[tuple[Span, str]]) -> str:
    """Return *text* with every span replaced."""
    for (start, end), new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _moved(label: str, move: Move) -> str:
    """Return a list of lines moved, written as it was: with or without L, with the spaces it had."""
    marked = "L" in label

    def one(match: re.Match[str]) -> str:
        (lines,) = parse_ranges(f"L{match[1]}" + (f"-{match[2]}" if match[2] else ""))
        text = str(move(lines))
        return text if marked else text.removeprefix("L")

    return re.sub(r"L?([0-9]+)(?:-L?([0-9]+))?", one, label)


def find_places(text: str) -> list[Place]:
    """Return every directive and every citation of lines outside fences and code spans, in order of the text."""
    literal = list(_fences(text))
    found = [place for start, line in _lines(text) if (place := _directive(text, start, line)) is not None]
    found.extend(_citations(text))
    return sorted(
        (place for place in found if not any(a <= place.sha[0] < b for a, b in literal)), key=lambda place: place.sha
    )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, line.rstrip("\r\n")
        start += len(line)


def _fences(text: str) -> Iterator[Span]:
    mark, begun = "", 0
    for start, line in _lines(text):
        match = _FENCE.match(line)
        if match and not mark:
            mark, begun = match[1], start
        elif match and match[1].startswith(mark) and not line.strip("> \t").strip(mark[0]).strip():
            yield begun, start + len(line)
            mark = ""
    if mark:
        yield begun, len(text)


def _directive(text: str, start: int, line: str) -> Place | None:
    match = _DIRECTIVE.match(line)
    if match is None:
        return None
    base = start + match.start("directive")
    try:
        directive = parse_directive(match["directive"])
    except MetalworkingError:
        return None
    target = _TARGET.match(match["directive"])
    if target is None:
        return None

    def span(group: tuple[int, int]) -> Span:
        return base + group[0], base + group[1]

    options = {m["name"]: m.span("value") for m in _OPTION.finditer(match["directive"][:-2], target.end())}
    hl = span(options["hl"]) if "hl" in options else None
    ranges = span(target.span("ranges")) if target["ranges"] else None
    number = text.count("\n", 0, start) + 1
    return Place(number, directive, span(target.span("sha")), ranges, hl, tuple(_notes(text, start + len(line))))


def _notes(text: str, after: int) -> Iterator[Span]:
    """Yield the labels of the list that follows directly: items of one column, until something else stands there."""
    column: int | None = None
    blank = False
    for offset, line in _lines(text[after:]):
        words = line.lstrip("> \t")
        indent = len(line) - len(words)
        match = _NOTE.match(line)
        if match and column in (None, indent):
            column = indent
            yield after + offset + match.start("label"), after + offset + match.end("label")
        elif words and (column is None or (indent <= column and (blank or _ITEM.match(words)))):
            return
        blank = not words


def _citations(text: str) -> Iterator[Place]:
    code = [match.span() for block in _blocks(text) for match in _spans_of_code(text, block)]
    for match in CITATION.finditer(text):
        target = _CITED.match(text, match.start("target"))
        inside = any(a <= match.start() < b for a, b in code)
        if target is None or inside or text[match.start() - 1 : match.start()] == "\\":
            continue
        try:
            citation = parse_citation(match["target"], match["note"] or "")
        except MetalworkingError:
            continue
        number = text.count("\n", 0, match.start()) + 1
        yield _cited(number, citation, target)


def _cited(line: int, citation: Citation, target: re.Match[str]) -> Place:
    sha = target.span("sha") if target["sha"] else (target.end("repo"), target.end("repo"))
    return Place(line, citation, sha, target.span("ranges") if target["ranges"] else None)


def _blocks(text: str) -> Iterator[Span]:
    """Yield what a code span cannot leave: a row of a table, or lines without a blank one between."""
    begun = 0
    for start, line in _lines(text):
        if not line.strip() or line.lstrip("> \t").startswith("|"):
            yield begun, start
            yield start, start + len(line)
            begun = start + len(line)
    yield begun, len(text)


def _spans_of_code(text: str, block: Span) -> Iterator[re.Match[str]]:
    return _CODE.finditer(text, *block)


def find_targets(text: str, repo: str) -> list[Place]:
    """Return every place that names lines of *repo* in a data file, where a target stands without brackets."""
    pattern = re.compile(
        rf"(?<![\w./@-])(?P<repo>{re.escape(repo)})(?:@(?P<sha>[0-9a-f]{{7,64}}))?"
        rf":(?P<path>[^\s\"',#\]]+)(?:#(?P<ranges>{_RANGES}))?"
    )
    found = []
    for match in pattern.finditer(text):
        ranges = parse_ranges(re.sub(r"\s", "", match["ranges"])) if match["ranges"] else None
        citation = Citation(repo=match["repo"], sha=match["sha"] or "", path=match["path"], ranges=ranges)
        found.append(_cited(text.count("\n", 0, match.start()) + 1, citation, match))
    return found
