"""From a directive to the lines it quotes, or to the reason why they cannot be shown."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Iterator
from functools import partial
from threading import Lock as Mutex
from typing import Protocol

from .blob import FileKey, LockedFile
from .citations import Citation, CitedLines, CitedReference, resolve_citation
from .diagnostics import MetalworkingError, Unavailable
from .directive import Directive
from .lines import LineRange, Ranges, close_ranges, cut, dedent, format_ranges, source_lines
from .lock import Lock, LockedRegion, NotLocked, RegionKey
from .own import Changed, OwnFiles, difference, moved, own_key, selection_of
from .quotation import Quotation
from .repo import SELF
from .selection import Selection, text_hash
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


class Quoter:
    """Turns directives into quotations, with one set of sources, one lock and one resolver."""

    def __init__(
        self, sources: Sources, lock: Lock, resolver: Bytes, own: OwnFiles | None = None, *, home: str = ""
    ) -> None:
        self.sources = sources
        self.lock = lock
        self._resolver = resolver
        # By all that the lock says of a file, not by its SHA-256 alone: each line of the lock is checked for itself.
        self._decoded: OrderedDict[LockedFile, tuple[str, ...]] = OrderedDict()
        self._decoded_size = 0
        self._mutex = Mutex()
        self.wanted: dict[FileKey, bool] = {}
        """Every file asked for so far, locked or not; True when lines of it are to be shown."""
        self.selected: dict[RegionKey, None] = {}
        """Every named region asked for so far."""
        self.watched: set[str] = set()
        """The paths of the files of the working tree among them."""
        self.home = home
        """The name under which one's own repository is published, where sources.yml does not tell it."""
        self.scouting = False
        """Whether it is only asked what the lock lacks: then no file of the working tree is read."""
        self._own = own

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
        selection = selection_of(directive, working=False) if pin.repo == SELF else directive.select
        if selection is not None:
            self.selected[key, selection] = None
        file = self.lock.file(key)
        if selection is not None:
            ranges = self._region(file, selection).ranges
            ranges = close_ranges(ranges, file.lines, directive.path)
        else:
            ranges = close_ranges(directive.ranges, file.lines, directive.path)
        self._check_highlights(directive, ranges)
        return pin, file, ranges

    def _region(self, file: LockedFile, selection: Selection) -> LockedRegion:
        """Return where named lines stand. Where the lock does not tell the file may: a wrong name is told as one."""
        try:
            return self.lock.region(file.key, selection)
        except NotLocked:
            if not self.scouting:
                with contextlib.suppress(Unavailable):
                    selection.find(self._lines(file), file.key.path)
            raise

    def _check_highlights(self, directive: Directive, ranges: Ranges) -> None:
        for part in directive.hl:
            if part.last is None or not _within(part, ranges):
                raise MetalworkingError(
                    "range",
                    f"hl={part} lies outside the excerpt",
                    f"the excerpt shows {format_ranges(ranges)}, in source lines",
                )

    def quote(self, directive: Directive) -> Quotation:
        """Return the quotation; without segments when its bytes cannot be had here.

        Raises what *locate* raises, and MetalworkingError for wrong bytes, guards that fail, text that is not UTF-8,
        and lines of the working tree that are not what was accepted.
        """
        if directive.repo == SELF and not self.sources.pin(SELF, directive.sha).commit:
            return self._quote_working(directive, self.sources.pin(SELF))
        pin, file, ranges = self.locate(directive)
        public, terms = self._published(pin, file.key)
        selection = selection_of(directive, working=False) if pin.repo == SELF else directive.select
        made = partial(Quotation, directive, pin, file, ranges, public=public, license_file=terms, named=selection)
        try:
            lines = self._lines(file)
        except Unavailable as missing:
            return made(frozenset(), None, missing=missing)
        if selection is not None and (found := selection.find(lines, directive.path)) != ranges:
            where = f"{format_ranges(found)}, and {self.lock.path} says {format_ranges(ranges)}"
            raise _wrong_lock(f"{file.key}{selection} stands on {where}")
        if selection is not None:
            region = self.lock.region(file.key, selection)
            if (text_hash(lines, ranges), file.blob) != (region.sha256, region.blob):
                raise _wrong_lock(f"{file.key}{selection}: {self.lock.path} has another hash of its lines or file")
        _check_guards(directive, lines, ranges)
        return made(_highlighted(directive), dedent(cut(lines, ranges), directive.dedent), lines)

    def _quote_working(self, directive: Directive, pin: Pin) -> Quotation:
        key, selection = own_key(directive.path), selection_of(directive, working=True)
        assert selection is not None
        self.selected[key, selection] = None
        self.watched.add(directive.path)
        if self.scouting:
            self.lock.region(key, selection)
            raise Unavailable("scouting", f"{key} was not read")
        if self._own is None:
            return self._unread(directive, pin, self.lock.region(key, selection))
        file, data = self._own.read(directive.path)
        lines = source_lines(data, directive.path)
        ranges = selection.find(lines, directive.path)
        region = self.lock.region(key, selection)
        if text_hash(lines, ranges) != region.sha256:
            raise Changed(region, difference(self.accepted(region), region.ranges, lines, ranges))
        if directive.hl and ranges[0].first != region.ranges[0].first:
            raise moved(region, ranges, "hl=")
        self._check_highlights(directive, ranges)
        _check_guards(directive, lines, ranges)
        commit = self._own.commit_of(file, lines, ranges)
        public, terms = self._published(pin, own_key(directive.path, commit))
        segments = dedent(cut(lines, ranges), directive.dedent)
        made = partial(Quotation, directive, pin, file, ranges, _highlighted(directive), segments, lines)
        return made(public=public, license_file=terms, named=selection, region=region, commit=commit)

    def _unread(self, directive: Directive, pin: Pin, region: LockedRegion) -> Quotation:
        """Return the quotation of a site that was copied out of its repository: a card."""
        self._check_highlights(directive, region.ranges)
        last = region.ranges[-1].last or 0
        file = LockedFile(region.key, region.blob, "0" * 64, last, last)
        missing = Unavailable("unavailable", f"{region.key} could not be read: no git repository encloses the site")
        made = partial(Quotation, directive, pin, file, region.ranges, frozenset(), None)
        return made(missing=missing, named=region.selection, region=region)

    def accepted(self, region: LockedRegion) -> tuple[str, ...] | None:
        """Return the lines of the file as *region* was accepted in it; None when they are not on this machine."""
        for data in self._accepted(region):
            with contextlib.suppress(MetalworkingError):
                lines = source_lines(data, region.key.path)
                ends = [part.last or 0 for part in region.ranges]
                if ends[-1] <= len(lines) and text_hash(lines, region.ranges) == region.sha256:
                    return lines
        return None

    def _accepted(self, region: LockedRegion) -> Iterator[bytes]:
        """Yield the file that was accepted, and the one of today: nobody proves which file a region was accepted in."""
        if self._own is not None:
            if (data := self._own.accepted(region.blob)) is not None:
                yield data
            with contextlib.suppress(MetalworkingError):
                yield self._own.read(region.key.path)[1]

    def _published(self, pin: Pin, key: FileKey) -> tuple[FileKey | None, str]:
        """Return where readers find a file, and the path of its license."""
        if pin.repo != SELF:
            return key, pin.license_file
        terms = pin.license_file if pin.license else ""
        if not pin.license and self._own is not None and key.commit:
            terms = self._own.license_file(key.commit)
        home = pin.home or self.home
        return (FileKey(home, key.commit, key.path) if home and key.commit else None), terms

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


def _wrong_lock(message: str) -> MetalworkingError:
    return MetalworkingError("wrong-lock", message, "run: metalworking lock --update")


def _highlighted(directive: Directive) -> frozenset[int]:
    return frozenset(n for part in directive.hl for n in range(part.first, (part.last or 0) + 1))


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
