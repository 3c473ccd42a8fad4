"""Where quoted lines stand in another version of their file: by exact match, or not at all."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

from .lines import LineRange
from .matching import differing, matching_blocks

_DIFF_LINES = 40
PLACES = 20
"""Places that are told of lines that stand at many."""
_ALIKE = 0.5
"""How alike two passages must be, from 0 to 1, for one to be shown as what became of the other."""


class Outcome(StrEnum):
    """What became of a range."""

    UNCHANGED = "unchanged"
    MOVED = "moved"
    CHANGED = "changed"
    """No passage has these lines; one is close."""
    VANISHED = "vanished"
    AMBIGUOUS = "ambiguous"
    """Not at its old place, and at several others, of which the first are told."""
    REORDERED = "reordered"
    """Found, but above a part that it must follow."""

    @property
    def settled(self) -> bool:
        """Whether the new place is known."""
        return self in (Outcome.UNCHANGED, Outcome.MOVED)


@dataclass(frozen=True, slots=True)
class Relocation:
    """One range. ``new`` is set when the outcome is settled; ``diff`` is against the nearest text."""

    old: LineRange
    outcome: Outcome
    new: LineRange | None = None
    candidates: tuple[LineRange, ...] = ()
    diff: tuple[str, ...] = ()

    @property
    def offset(self) -> int:
        """By how many lines a settled range moved."""
        return self.new.first - self.old.first if self.new else 0


def relocate(old: Sequence[str], new: Sequence[str], parts: Sequence[LineRange]) -> list[Relocation]:
    """Find each closed range of *old* in *new*: at the same place, else where its lines stand and nowhere else.

    Each part is found by itself; one that is then above the part before it is REORDERED, since an excerpt shows lines
    in the order of the file.
    """
    found = [_relocate(old, new, part) for part in parts]
    last = 0
    for index, one in enumerate(found):
        if one.new is None:
            continue
        if one.new.first <= last:
            found[index] = replace(one, outcome=Outcome.REORDERED, new=None, candidates=(one.new,))
        else:
            last = one.new.last or 0
    return found


def _relocate(old: Sequence[str], new: Sequence[str], part: LineRange) -> Relocation:
    wanted = list(old[part.first - 1 : part.last])
    count = len(wanted)
    if list(new[part.first - 1 : part.first - 1 + count]) == wanted:
        return Relocation(part, Outcome.UNCHANGED, LineRange(part.first, part.first + count - 1))
    places = list(islice(_places(wanted, new), PLACES))
    if len(places) == 1:
        return Relocation(part, Outcome.MOVED, places[0])
    if places:
        return Relocation(part, Outcome.AMBIGUOUS, candidates=tuple(places))
    near = _nearest(old, new, part)
    if near is None:
        return Relocation(part, Outcome.VANISHED)
    diff = tuple(_diff(wanted, new[near.first - 1 : near.last], part, near))
    return Relocation(part, Outcome.CHANGED, candidates=(near,), diff=diff)


def _places(wanted: Sequence[str], new: Sequence[str]) -> Iterator[LineRange]:
    """Yield where *wanted* stands in *new*; to look for one text in another takes no longer than both are."""
    text, sought = "\n".join(["", *new, ""]), "\n".join(["", *wanted, ""])
    at, line, seen = text.find(sought), 1, 0
    while at >= 0:
        line += text.count("\n", seen, at)
        yield LineRange(line, line + len(wanted) - 1)
        seen, at = at, text.find(sought, at + 1)


def _nearest(old: Sequence[str], new: Sequence[str], part: LineRange) -> LineRange | None:
    """Return the passage that stands where the part stood, between the lines that both versions have."""
    low = high = 0
    start, end = part.first - 1, part.last or part.first
    for i1, i2, j1, j2 in _parts(old, new):
        same = i2 - i1 == j2 - j1
        if i1 <= start < i2:
            low = j1 + (start - i1 if same else 0)
        if i1 < end <= i2:
            high = j1 + (end - i1) if same else j2
    if high <= low:
        return None
    alike = difflib.SequenceMatcher(None, "\n".join(old[start:end]), "\n".join(new[low:high])).quick_ratio()
    return LineRange(low + 1, high) if alike >= _ALIKE else None


def _parts(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the parts of both that are equal, and those between, in order."""
    i_end = j_end = 0
    for i, j, size in [*matching_blocks(old, new), (len(old), len(new), 0)]:
        yield i_end, i, j_end, j
        i_end, j_end = i + size, j + size
        yield i, i_end, j, j_end


def _diff(wanted: Sequence[str], found: Sequence[str], part: LineRange, near: LineRange) -> Iterator[str]:
    yield f"@@ {part} -> {near} @@"
    lines = differing(wanted, found, 1)
    yield from lines[:_DIFF_LINES]
    if len(lines) > _DIFF_LINES:
        yield f"… {len(lines) - _DIFF_LINES} more lines"
