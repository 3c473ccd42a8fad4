"""Which lines of one text are which of another, in time that grows with the two and not with the square of them."""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

_SMALL = 2_000
"""Lines on either side up to which each is compared with each."""
Block = tuple[int, int, int]
"""Where equal lines begin in the one text and in the other, and how many they are."""


def matching_blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """Return the lines that are in both, in order.

    Of long texts it is the lines that both begin and end with, and those around lines that stand once in either.
    """
    if max(len(old), len(new)) <= _SMALL:
        return _each_with_each(old, new)
    head = _equal(old, new, 0, 0, 1)
    tail = _equal(old[head:], new[head:], len(old) - head - 1, len(new) - head - 1, -1)
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    within = _each_with_each(left, right) if max(len(left), len(right)) <= _SMALL else _around_singles(left, right)
    between = [(i + head, j + head, size) for i, j, size in within]
    ends = [(0, 0, head), *between, (len(old) - tail, len(new) - tail, tail)]
    return [block for block in ends if block[2]]


def _each_with_each(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [(i, j, size) for i, j, size in matcher.get_matching_blocks() if size]


def _equal(old: Sequence[str], new: Sequence[str], i: int, j: int, step: int) -> int:
    """Return how many lines are equal from *i* and *j* on, in the direction *step*."""
    count = 0
    while 0 <= i < len(old) and 0 <= j < len(new) and old[i] == new[j]:
        i, j, count = i + step, j + step, count + 1
    return count


def _around_singles(old: Sequence[str], new: Sequence[str]) -> Iterator[Block]:
    """Yield blocks around lines that stand once in either text, and in the same order in both.

    This is the rule of git's ``--patience``.
    """
    i_end = j_end = 0
    for i, j in _rising(_singles(old, new)):
        if i < i_end or j < j_end:
            continue
        start = 0
        while i - start > i_end and j - start > j_end and old[i - start - 1] == new[j - start - 1]:
            start += 1
        size = start + _equal(old, new, i, j, 1)
        yield i - start, j - start, size
        i_end, j_end = i - start + size, j - start + size


def _singles(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    counted, there = Counter(old), Counter(new)
    place = {line: j for j, line in enumerate(new) if there[line] == 1}
    return [(i, place[line]) for i, line in enumerate(old) if counted[line] == 1 and line in place]


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
