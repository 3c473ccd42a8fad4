"""The ids of figures and of their lines. They come from the quotation, so they survive edits around it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..quote.lines import Ranges
from ..quote.quotation import Quotation

_LINE = re.compile(r"(?P<prefix>--[0-9a-f]{7}-L)[0-9]+(?P<suffix>(?:-[0-9]+)?)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Anchors:
    """The ids of one figure. ``copy`` counts from 1 the figures of a page that show a line of the same blob."""

    prefix: str
    copy: int
    ranges: Ranges
    shown: bool = True
    """Whether the lines are there; a card has none, however many it speaks of."""

    @property
    def suffix(self) -> str:
        """What stands behind the number, so that every id of a page is another."""
        return "" if self.copy == 1 else f"-{self.copy}"

    @property
    def figure(self) -> str:
        """The id of the figure itself."""
        return f"excerpt{self.line(self.ranges[0].first)}"

    def line(self, number: int) -> str:
        """Return the id of a source line."""
        return f"{self.prefix}{number}{self.suffix}"

    @property
    def numbers(self) -> list[int]:
        """The source lines that have an id, and the first of a card, by which its figure is named."""
        if not self.shown:
            return [self.ranges[0].first]
        return [number for part in self.ranges for number in range(part.first, (part.last or 0) + 1)]

    def __contains__(self, name: str) -> bool:
        """Tell whether *name* is the id of a line of this figure."""
        if not (name.startswith(self.prefix) and name.endswith(self.suffix)):
            return False
        number = name[len(self.prefix) : len(name) - len(self.suffix)]
        return number.isascii() and number.isdigit() and any(int(number) in part for part in self.ranges)


class LineNames:
    """The ids given to lines on one page.

    A site has more quoted lines than memory should be spent on: between conversions only the figures are remembered.
    """

    def __init__(self) -> None:
        self.given: list[Anchors] = []
        self._named: dict[tuple[str, str], list[Anchors]] = {}
        self._indexed = 0
        self._converting = False
        self._first: dict[str, set[int]] = {}
        self._copies: dict[str, dict[int, int]] = {}

    def give(self, quotation: Quotation) -> Anchors:
        """Choose ids that no line of the page has yet.

        How often each was given is counted, so that many copies on a page cost no search.
        """
        prefix, copy, shown = f"--{quotation.file.blob[:7]}-L", 1, quotation.segments is not None
        found = Anchors(prefix, copy, quotation.ranges, shown)
        if prefix in self._first or any(anchors.prefix == prefix for anchors in self.given):
            first, copies = self._of(prefix)
            if not first.isdisjoint(found.numbers):
                copy = max(copies.get(number, 0) for number in found.numbers) + 1
                found = Anchors(prefix, copy, quotation.ranges, shown)
            self._enter(found)
        self.given.append(found)
        self._converting = True
        return found

    def _of(self, prefix: str) -> tuple[set[int], dict[int, int]]:
        """Return the numbers that *prefix* was given with in a first copy, and the last copy of each number."""
        if prefix not in self._first:
            self._first[prefix], self._copies[prefix] = set(), {}
            for anchors in self.given:
                if anchors.prefix == prefix:
                    self._enter(anchors)
        return self._first[prefix], self._copies[prefix]

    def _enter(self, anchors: Anchors) -> None:
        numbers, copies = anchors.numbers, self._copies[anchors.prefix]
        if anchors.copy > 1:
            copies.update(dict.fromkeys(numbers, anchors.copy))
            return
        self._first[anchors.prefix].update(numbers)
        for number in numbers:
            copies.setdefault(number, 1)

    def rest(self) -> None:
        """The page is converted: forget what can be worked out again."""
        self._named.clear()
        self._indexed = 0
        self._converting = False
        self._first.clear()
        self._copies.clear()

    def __contains__(self, name: str) -> bool:
        match = _LINE.fullmatch(name)
        if match is None:
            return False
        if not self._converting:
            return any(name in anchors for anchors in self.given)
        # While the page is converted it is asked of each id on it.
        for anchors in self.given[self._indexed :]:
            self._named.setdefault((anchors.prefix, anchors.suffix), []).append(anchors)
        self._indexed = len(self.given)
        return any(name in anchors for anchors in self._named.get((match["prefix"], match["suffix"]), ()))
