"""One's own code: what a quotation of ``self`` asks of the repository that the site lies in, and what can be wrong."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Protocol

from .blob import FileKey, LockedFile
from .diagnostics import MetalworkingError
from .directive import Directive
from .lines import LineRange, Ranges, format_ranges
from .lock import LockedRegion
from .matching import differing, matching_blocks
from .selection import Selection, lines_of

_SHOWN = 60
"""Lines of a difference that are shown."""


class OwnFiles(Protocol):
    """The enclosing repository, as far as quotations need it."""

    def read(self, path: str) -> tuple[LockedFile, bytes]:
        """Return what the working tree has at *path*; raises MetalworkingError for what is no file of it."""

    def commit_of(self, file: LockedFile, lines: Sequence[str], ranges: Ranges) -> str:
        """Return the commit that has these lines at these places; "" when they are not committed."""

    def accepted(self, blob: str) -> bytes | None:
        """Return the bytes with git's id *blob*; None when they are not on this machine."""

    def license_file(self, commit: str) -> str:
        """Return the path of the license file of *commit*; "" when there is none, or it cannot be read."""


class Changed(MetalworkingError):
    """The working tree has other lines than were accepted; ``difference`` is theirs, or empty where it is not known."""

    def __init__(self, region: LockedRegion, difference: Sequence[str]) -> None:
        hint = f"metalworking accept {shlex.quote(region.key.path)}"
        super().__init__("changed", f"{region.key}{region.selection} is not what was accepted", hint)
        self.difference = tuple(difference)


def moved(region: LockedRegion, now: Ranges, what: str) -> MetalworkingError:
    """Return the problem of lines that are counted on a page, and stand elsewhere now; *what* counts them."""
    return MetalworkingError(
        "moved",
        f"{region.key}{region.selection} moved from {format_ranges(region.ranges)} to {format_ranges(now)}: {what}"
        " speaks of where it was",
        f"metalworking accept {shlex.quote(region.key.path)} moves it",
    )


def selection_of(directive: Directive, *, working: bool) -> Selection | None:
    """Return what names the lines of a directive for ``self``; None for lines that are counted at a commit.

    Raises MetalworkingError (``range`` or ``guard``) for lines of the working tree that nothing but their number names,
    and for one guard without the other.
    """
    first, last = directive.first, directive.last
    if directive.select is not None:
        return directive.select
    if directive.ranges is None and first and last:
        return Selection("guards", first, last)
    if directive.ranges is None and (first or last):
        missing = "last" if first else "first"
        raise MetalworkingError(
            "guard", f"{'first' if first else 'last'}= alone names no lines", f"write {missing}= too"
        )
    if not working:
        return None
    if directive.ranges is None:
        return Selection("file")
    if not (first or last):
        raise MetalworkingError(
            "range",
            f"{format_ranges(directive.ranges)} of the working tree are other lines tomorrow",
            "name them: #symbol=NAME, #region=NAME, or first=… last=… without lines",
        )
    return Selection("lines", format_ranges(directive.ranges))


def difference(old: Sequence[str] | None, before: Ranges, new: Sequence[str], now: Ranges) -> list[str]:
    """Return what changed between the accepted lines and those of today, as a unified diff with its places above."""
    head = f"@@ {format_ranges(before)} -> {format_ranges(now)} @@"
    if old is None:
        return [
            head,
            "… the accepted text is not on this machine",
            *(f" {line}" for line in lines_of(new, now)[:_SHOWN]),
        ]
    return [head, *_diff(lines_of(old, before), lines_of(new, now))]


def _diff(old: list[str], new: list[str]) -> Iterator[str]:
    lines = differing(old, new, 3)
    yield from lines[:_SHOWN]
    if len(lines) > _SHOWN:
        yield f"… {len(lines) - _SHOWN} more lines"


def moves(old: Sequence[str] | None, before: Ranges, new: Sequence[str], now: Ranges) -> dict[int, int]:
    """Return where each accepted line stands now, by number, for those that are still there.

    Without the accepted text every line moves as the first one did.
    """
    start, to = before[0].first, now[0].first
    if old is None:
        return {n: n + to - start for n in _numbers(before, (now[-1].last or 0) + start - to)}
    numbers, places = _numbers(before, len(old)), _numbers(now, len(new))
    blocks = matching_blocks(lines_of(old, before), lines_of(new, now))
    return {numbers[i + n]: places[j + n] for i, j, size in blocks for n in range(size)}


def _numbers(ranges: Ranges, most: int) -> list[int]:
    """Return the line numbers of closed *ranges* up to *most*: a lock may name any."""
    return [n for part in ranges for n in range(part.first, min(part.last or 0, most) + 1)]


def shown_lines(lines: LineRange, to: dict[int, int]) -> LineRange | None:
    """Return *lines* moved; None when one of their ends is gone."""
    first, last = to.get(lines.first), to.get(lines.last or lines.first)
    return None if first is None or last is None or last < first else LineRange(first, last)


def own_key(path: str, commit: str = "") -> FileKey:
    """Return the key of a file of one's own repository; without a commit that of the working tree."""
    return FileKey("self", commit, path)
