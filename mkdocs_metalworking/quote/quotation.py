"""From a directive to the lines it quotes, or to the reason why they cannot be shown."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock as Mutex
from typing import Protocol

from .blob import FileKey, LockedFile
from .citations import Citation, CitedLines, CitedReference, resolve_citation
from .diagnostics import MetalworkingError, Unavailable
from .directive import Directive
from .lines import LineRange, Ranges, Segment, close_ranges, cut, dedent, format_ranges, source_lines
from .lock import Lock
from .sources import Pin, Sources

_KEPT_BYTES = 16 << 20
"""Decoded files kept in memory, by the size of their bytes; a build returns to the same few."""


class Delivery(Protocol):
    """Verified bytes and where they came from."""

    @property
    def data(self) -> bytes:
        """The bytes, checked against the lock."""


class Bytes(Protocol):
    """What the resolver offers: verified bytes, or Unavailable, or an integrity error."""

    def resolve(self, file: LockedFile, /) -> Delivery:
        """Return the bytes of *file*."""

    def confirm(self, file: LockedFile, /) -> None:
        """Raise MetalworkingError when the lock is known to be wrong about *file*; nothing is fetched for it."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Lines that are proven to be what the author committed; ``segments`` is None when the bytes cannot be had."""

    directive: Directive
    pin: Pin
    file: LockedFile
    ranges: Ranges
    hl: frozenset[int]
    segments: tuple[Segment, ...] | None
    source: tuple[str, ...] = field(default=(), repr=False)
    """All lines of the file, for a lexer that must know what stands above."""
    missing: Unavailable | None = None

    @property
    def abridged(self) -> bool:
        """Whether lines were left out between the parts."""
        return len(self.ranges) > 1

    @property
    def name(self) -> str:
        """The file's name without its folders."""
        return self.file.key.path.rpartition("/")[2]


class Quoter:
    """Turns directives into quotations, with one set of sources, one lock and one resolver."""

    def __init__(self, sources: Sources, lock: Lock, resolver: Bytes) -> None:
        self.sources = sources
        self.lock = lock
        self._resolver = resolver
        # By all that the lock says of a file, not by its SHA-256 alone: each line of the lock is checked for itself.
        self._decoded: OrderedDict[LockedFile, tuple[str, ...]] = OrderedDict()
        self._decoded_size = 0
        self._mutex = Mutex()
        self.wanted: dict[FileKey, bool] = {}
        """Every file asked for so far, locked or not; True when lines of it are to be shown."""

    def cite(self, citation: Citation) -> CitedReference | CitedLines:
        """Check a citation; raises NotPinned, NotLocked, RangeProblem, or what *confirm* raises."""
        if citation.repo:
            pin = self.sources.pin(citation.repo, citation.sha)
            self.wanted.setdefault(FileKey(pin.repo, pin.commit, citation.path), False)
        cited = resolve_citation(citation, self.sources, self.lock)
        if isinstance(cited, CitedLines):
            self._resolver.confirm(self.lock.file(cited.key))
        return cited

    def locate(self, directive: Directive) -> tuple[Pin, LockedFile, Ranges]:
        """Check everything that needs no bytes: pin, license, lock, ranges, highlights.

        Raises NotPinned, NotLocked, RangeProblem or MetalworkingError (``license``).
        """
        pin = self.sources.pin(directive.repo, directive.sha)
        refusal = pin.refuse_quotation(directive.path)
        if refusal is not None:
            raise refusal
        key = FileKey(pin.repo, pin.commit, directive.path)
        self.wanted[key] = True
        file = self.lock.file(key)
        ranges = close_ranges(directive.ranges, file.lines, directive.path)
        for part in directive.hl:
            if part.last is None or not _within(part, ranges):
                raise MetalworkingError(
                    "range",
                    f"hl={part} lies outside the excerpt",
                    f"the excerpt shows {format_ranges(ranges)}, in source lines",
                )
        return pin, file, ranges

    def quote(self, directive: Directive) -> Quotation:
        """Return the quotation; without segments when its bytes cannot be had here.

        Raises what *locate* raises, and MetalworkingError for wrong bytes, guards that fail and text that is not UTF-8.
        """
        pin, file, ranges = self.locate(directive)
        hl = frozenset(n for part in directive.hl for n in range(part.first, (part.last or 0) + 1))
        try:
            lines = self._lines(file)
        except Unavailable as missing:
            return Quotation(directive, pin, file, ranges, hl, None, missing=missing)
        _check_guards(directive, lines, ranges)
        segments = dedent(cut(lines, ranges), directive.dedent)
        return Quotation(directive, pin, file, ranges, hl, segments, lines)

    def _lines(self, file: LockedFile) -> tuple[str, ...]:
        with self._mutex:
            found = self._decoded.get(file)
            if found is not None:
                self._decoded.move_to_end(file)
                return found
        lines = source_lines(self._resolver.resolve(file).data, file.key.path)
        with self._mutex:
            if file not in self._decoded:
                self._decoded[file] = lines
                self._decoded_size += file.size
            while self._decoded_size > _KEPT_BYTES and len(self._decoded) > 1:
                self._decoded_size -= self._decoded.popitem(last=False)[0].size
        return lines


def _within(part: LineRange, ranges: Ranges) -> bool:
    return any(part.first in r and part.last is not None and part.last in r for r in ranges)


def _check_guards(directive: Directive, lines: tuple[str, ...], ranges: Ranges) -> None:
    for name, guard, number in (
        ("first", directive.first, ranges[0].first),
        ("last", directive.last, ranges[-1].last or 0),
    ):
        if guard and guard not in lines[number - 1]:
            where = [i for i, line in enumerate(lines, 1) if guard in line]
            hint = f"it stands on {', '.join(f'L{i}' for i in where[:3])}" if where else "it is nowhere in the file"
            raise MetalworkingError("guard", f"{name}={guard!r} is not on L{number} of {directive.path}", hint)
