"""Which lines of one text are which of another, in time that grows with the two and not with the cube of them."""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

_SMALL = 500
"""Lines of a text up to which each is compared with each: for chosen text the time grows with the cube of them."""
_GAP = 100
"""The same between lines that are known."""
Block = tuple[int, int, int]
"""Where equal lines begin in the one text and in the other, and how many they are."""
Part = tuple[int, int, int, int]
"""From where to where in the one text, and in the other."""


def matching_blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """Return the lines that are in both, in order.

    Of long texts it is the lines that both begin and end with, those around lines that stand once in either, and those
    of short parts between them.
    """
    if max(len(old), len(new)) <= _SMALL:
        return list(_each_with_each(old, new, (0, len(old), 0, len(new))))
    head = _equal(old, new, 0, 0, 1)
    tail = _equal(old[head:], new[head:], len(old) - head - 1, len(new) - head - 1, -1)
    i_end, j_end = len(old) - tail, len(new) - tail
    between = _around_singles(old, new, (head, i_end, head, j_end))
    return list(_filled(old, new, [(0, 0, head), *between, (i_end, j_end, tail)]))


def differing(old: Sequence[str], new: Sequence[str], context: int) -> list[str]:
    """Return a unified diff without its heads: *context* lines around what differs, and "…" for what is left out."""
    lines: list[str] = []
    i_end = j_end = 0
    blocks = [block for block in matching_blocks(old, new) if block[2]]
    for i, j, size in [*blocks, (len(old), len(new), 0)]:
        lines += [f"-{line}" for line in old[i_end:i]]
        lines += [f"+{line}" for line in new[j_end:j]]
        i_end, j_end = i + size, j + size
        same = [f" {line}" for line in old[i:i_end]]
        first, last = i == j == 0, (i_end, j_end) == (len(old), len(new))
        if first and last:
            return []
        if first:
            lines += same[-context:] if context else []
        elif last:
            lines += same[:context]
        else:
            lines += same if size <= 2 * context else [*same[:context], "…", *same[size - context :]]
    return lines


def _equal(old: Sequence[str], new: Sequence[str], i: int, j: int, step: int) -> int:
    """Return how many lines are equal from *i* and *j* on, in the direction *step*."""
    count = 0
    while 0 <= i < len(old) and 0 <= j < len(new) and old[i] == new[j]:
        i, j, count = i + step, j + step, count + 1
    return count


def _each_with_each(old: Sequence[str], new: Sequence[str], part: Part) -> Iterator[Block]:
    i1, i2, j1, j2 = part
    matcher = difflib.SequenceMatcher(None, old[i1:i2], new[j1:j2], autojunk=False)
    return ((i1 + i, j1 + j, size) for i, j, size in matcher.get_matching_blocks() if size)


def _filled(old: Sequence[str], new: Sequence[str], blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield *blocks*, and between them what short parts have in common."""
    i_end = j_end = 0
    for i, j, size in blocks:
        if 0 < i - i_end <= _GAP and 0 < j - j_end <= _GAP:
            yield from _each_with_each(old, new, (i_end, i, j_end, j))
        if size:
            yield i, j, size
        i_end, j_end = i + size, j + size


def _around_singles(old: Sequence[str], new: Sequence[str], part: Part) -> Iterator[Block]:
    """Yield blocks around lines that stand once in either, and in the same order in both.

    This is the rule of git's ``--patience``.
    """
    i_end, i_last, j_end, j_last = part
    for i, j in _rising(_singles(old, new, part)):
        if i < i_end or j < j_end:
            continue
        start, size = 0, 1
        while i - start > i_end and j - start > j_end and old[i - start - 1] == new[j - start - 1]:
            start += 1
        while i + size < i_last and j + size < j_last and old[i + size] == new[j + size]:
            size += 1
        yield i - start, j - start, start + size
        i_end, j_end = i + size, j + size


def _singles(old: Sequence[str], new: Sequence[str], part: Part) -> list[tuple[int, int]]:
    i1, i2, j1, j2 = part
    counted, there = Counter(old[i1:i2]), Counter(new[j1:j2])
    place = {new[j]: j for j in range(j1, j2) if there[new[j]] == 1}
    return [(i, place[old[i]]) for i in range(i1, i2) if counted[old[i]] == 1 and old[i] in place]


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the most of *pairs* whose second numbers rise as the first ones do."""
    ends: list[int] = []
    lasts: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        at = bisect_left(ends, j)
        before.append(lasts[at - 1] if at else -1)
        ends[at : at + 1] = [j]
        lasts[at : at + 1] = [index]
    found = []
    index = lasts[-1] if lasts else -1
    while index >= 0:
        found.append(pairs[index])
        index = before[index]
    return found[::-1]
