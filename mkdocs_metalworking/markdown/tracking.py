"""The mentions of a page on their way through Markdown.

Before the page is converted, each mention gets a mark in front of it, made of characters that Unicode keeps for the
inside of programs (noncharacters), and of a number that nobody knows before. Markdown carries the mark along, so that
whoever meets it in a block, in the tree or in stashed HTML knows which mention stands there, and where it stands in the
file. At the end every mark has been taken (shown), stands where text is literal, or is an error; and none is left in
the page.
"""

from __future__ import annotations

import re
import secrets
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from ..glossary.callout import split_front_matter
from ..quote.alignment import Alignment
from ..quote.citations import CitedLines, CitedReference
from ..quote.diagnostics import Location, MetalworkingError
from ..quote.directive import Span
from ..quote.lines import Ranges, text_lines
from ..quote.mentions import Mention, Scan, scan, without_citations
from ..quote.quantities import Quantity
from ..quote.quotation import Quotation
from ..quote.yamldoc import load_yaml

_HIDDEN = {ord("0") + digit: 0xFDD0 + digit for digit in range(10)}
_SHOWN = {hidden: digit for digit, hidden in _HIDDEN.items()}
_PLAIN = ("title", "description")
"""Keys of front matter that MkDocs shows as they are written, in ``<title>``, in the nav and to search engines."""
_SEAL = 9
"""Digits of a page's seal."""
_TRIGGER = re.compile(r"\[[@=][^\]\n]*|<<[^\n]*|<|^[ \t]*[-*+] +L[^\n]*|xcerpt", re.MULTILINE)
"""What mentions begin with, and their words: the same ones later on mean that nothing was brought."""


def new_seal() -> str:
    """Return a number by which what stands for something of ours is told from a text that looks like it."""
    return f"{secrets.randbelow(10**_SEAL):0{_SEAL}}"


MARK = re.compile("\ufdee([\ufdd0-\ufdd9]+)\ufdef")
FOREIGN = re.compile("[\ufdd0-\ufdef]")
"""Characters that no text may have; those of marks that something tore apart, at the end."""


class Outcome(Enum):
    """What became of a mention."""

    OPEN = "open"
    SHOWN = "shown"
    LITERAL = "literal"
    REPORTED = "reported"


@dataclass(eq=False)
class Met:
    """A mention of a page, and what became of it.

    ``where`` has no line when the mention is not in the page's file; ``shift`` leads from its spans to those of the
    file, and is None when the file does not have it letter for letter.
    """

    mention: Mention
    where: Location
    shift: int | None = None
    outcome: Outcome = Outcome.OPEN
    shown: Quotation | CitedReference | CitedLines | Ranges | Quantity | None = None
    notes: list[Met] = field(default_factory=list)

    @property
    def place(self) -> Span | None:
        """Where all of it stands in the file; None when it is not there."""
        return None if self.shift is None else (self.mention.start + self.shift, self.mention.end + self.shift)

    def span(self, name: str) -> Span | None:
        """Return where a part stands in the file; None when it is not written, or not there."""
        span = self.mention.spans.get(name)
        return None if span is None or self.shift is None else (span[0] + self.shift, span[1] + self.shift)


class Tracker:
    """Marks the mentions of one page and knows them by their marks."""

    def __init__(self, path: str, source: str | None, *, cites: bool = True, counts: bool = False) -> None:
        """Mark citations where the site *cites*, and quantities where it has them (*counts*)."""
        self._cites = cites
        self._counts = counts
        self._seal = _digits(new_seal())
        self.met: list[Met] = []
        self.fenced: dict[str, Location] = {}
        self.foreign: list[Location] = []
        self._triggers: list[str] = []
        self._path = path
        self._file = text_lines(source) if source is not None else None
        self._starts = [0]
        for line in self._file or ():
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._front: dict[str, deque[Met]] = {}
        self.plain: list[tuple[str, Mention, Location]] = []
        """What of the front matter readers see as it is written, by its key."""
        self.raw: list[tuple[str, Location]] = []  # of that, what may have tags in it
        if source is not None:
            block, count = split_front_matter(source)
            self._read_front(count)
            if self._front or "<" in block:
                self._read_plain(block)

    def scan(self, text: str, *, links: bool = True) -> Scan:
        """Return the mentions of *text*; without citations and quantities where the site has none."""
        found = scan(text, quantities=self._counts, links=links)
        return found if self._cites else without_citations(found)

    def _read_front(self, count: int) -> None:
        assert self._file is not None
        text = "\n".join(self._file[:count])
        for mention in self.scan(text).mentions:
            where = Location(self._path, mention.line)
            self._front.setdefault(_words(mention.raw), deque()).append(Met(mention, where, 0))

    def _read_plain(self, block: str) -> None:
        try:
            document = load_yaml(block, self._path, first_line=2)
        except MetalworkingError:  # told by whoever reads the front matter
            return
        for key in _PLAIN if isinstance(document.data, dict) else ():
            text = document.data.get(key)
            if isinstance(text, str):
                where = document.location(key)
                self.plain += [(key, mention, where) for mention in self.scan(text).mentions]
                self.raw += [(text, where)] if "<" in text else []

    def page(self, lines: list[str], first: int) -> list[str]:
        """Mark the mentions of the page itself, whose text begins at index *first* of *lines*."""
        text = "\n".join(lines)
        if FOREIGN.search(text):
            self.foreign += [Location(self._path, i) for i, line in enumerate(lines, 1) if FOREIGN.search(line)]
            lines = [FOREIGN.sub("", line) for line in lines]
        body = "\n".join(lines[first:])
        found = self.scan(body)
        if not found.mentions and not found.fenced:
            self._triggers = _TRIGGER.findall(body)
            return lines
        alignment = Alignment(lines, self._file if self._file is not None else lines)
        offset = sum(len(line) + 1 for line in lines[:first])
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        marked = [self._placed(mention, first, offset, alignment, starts) for mention in found.mentions]
        for mention in found.fenced:
            at = alignment.line(first + mention.line - 1)
            self.fenced.setdefault(_words(mention.raw), Location(self._path, None if at is None else at + 1))
        body = self._put(body, marked)
        self._triggers = _TRIGGER.findall(body)
        return [*lines[:first], *body.split("\n")]

    def _placed(self, mention: Mention, first: int, offset: int, alignment: Alignment, starts: list[int]) -> Met:
        index = first + mention.line - 1
        at = alignment.line(index)
        if at is None:
            return Met(mention, Location(self._path))
        last = index + mention.raw.count("\n")
        exact = all(alignment.same(i) and alignment.line(i) == at + i - index for i in range(index, last + 1))
        # A span counts from the body's start; its line begins elsewhere in the file.
        shift = self._starts[at] - (starts[index] - offset) if exact and self._file is not None else None
        return Met(mention, Location(self._path, at + 1), shift)

    def brought(self, text: str) -> str:
        """Mark what is in *text* and was not marked: something has brought it since the page was read."""
        text = self._without_foreign(text)
        if _TRIGGER.findall(text) == self._triggers:
            return text
        held: list[tuple[int, str]] = []
        plain, size = [], 0
        end = 0
        for match in MARK.finditer(text):
            plain.append(text[end : match.start()])
            size += match.start() - end
            held.append((size, match[0]))
            end = match.end()
        plain.append(text[end:])
        known = {at for at, _ in held}
        body = "".join(plain)
        new = [Met(m, Location(self._path)) for m in self.scan(body).mentions if m.start not in known]
        if not new:
            return text
        inserts = [*held, *((met.mention.start, self._mark(met)) for met in new)]
        return _inserted(body, sorted(inserts))

    def _without_foreign(self, text: str) -> str:
        """Take out what looks like a mark and was not made here: by it a text could be taken for another mention."""
        if not FOREIGN.search(text):
            return text
        parts, end, seen = [], 0, set()
        for match in MARK.finditer(text):
            if self._made(match) and match[0] not in seen:
                seen.add(match[0])
                parts += [FOREIGN.sub("", text[end : match.start()]), match[0]]
                end = match.end()
        parts.append(FOREIGN.sub("", text[end:]))
        kept = "".join(parts)
        if len(kept) == len(text):
            return text
        self.foreign.append(Location(self._path))
        return kept

    def front(self, text: str) -> str:
        """Mark the mentions of a text that came from the front matter."""
        if FOREIGN.search(text):  # in YAML an escape makes one
            self.foreign.append(Location(self._path))
            text = FOREIGN.sub("", text)
        marked = []
        for mention in self.scan(text).mentions:
            queue = self._front.get(_words(mention.raw))
            known = queue.popleft() if queue else None
            met = Met(mention, known.where if known else Location(self._path))
            if known is not None and known.mention.raw == mention.raw:
                met.shift = known.mention.start - mention.start
            marked.append(met)
        return self._put(text, marked)

    def _put(self, text: str, met: Iterable[Met]) -> str:
        return _inserted(text, [(one.mention.start, self._mark(one)) for one in met])

    def _mark(self, met: Met) -> str:
        self.met.append(met)
        return f"\ufdee{self._seal}{_digits(str(len(self.met) - 1))}\ufdef"

    def _made(self, match: re.Match[str]) -> bool:
        return match[1].startswith(self._seal) and 0 < len(match[1]) - _SEAL < 10 and _number(match) < len(self.met)

    def by(self, match: re.Match[str]) -> Met | None:
        """Return the mention that a match of ``MARK`` stands before; None when the mark was not made here."""
        return self.met[_number(match)] if self._made(match) else None

    def elsewhere(self, mention: Mention) -> Location:
        """Return where a mention without a mark stands: in what the scan took for a fence or a link, or not here."""
        words = _words(mention.raw)
        if (front := self._front.get(words)) is not None and front:
            return front[0].where
        line = next((number for number, line in enumerate(self._file or (), 1) if f"{mention.raw}[" in line), None)
        return self.fenced.get(words, Location(self._path, line))


def _digits(number: str) -> str:
    return number.translate(_HIDDEN)


def _number(mark: re.Match[str]) -> int:
    return int(mark[1][_SEAL:].translate(_SHOWN))


def _words(raw: str) -> str:
    return " ".join(raw.split())


def _inserted(text: str, inserts: list[tuple[int, str]]) -> str:
    parts, end = [], 0
    for at, mark in inserts:
        parts += [text[end:at], mark]
        end = at
    return "".join((*parts, text[end:]))


def unmarked(text: str) -> str:
    """Return *text* without marks."""
    return FOREIGN.sub("", text)
