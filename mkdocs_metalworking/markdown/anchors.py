"""The ids of figures and of their lines. They come from the quotation, so they survive edits around it."""

from __future__ import annotations

from dataclasses import dataclass

from ..quote.lines import Ranges
from ..quote.quotation import Quotation


@dataclass(frozen=True, slots=True)
class Anchors:
    """The ids of one figure. ``copy`` counts from 1 the figures of a page that show a line of the same blob."""

    prefix: str
    copy: int
    ranges: Ranges

    @property
    def suffix(self) -> str:
        """What stands behind the number, so that every id of a page is another."""
        return "" if self.copy == 1 else f"-{self.copy}"

    def line(self, number: int) -> str:
        """Return the id of a source line."""
        return f"{self.prefix}{number}{self.suffix}"

    @property
    def numbers(self) -> list[int]:
        """The source lines that have an id."""
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
        self._taken: set[tuple[str, int, int]] = set()
        self._copies: dict[tuple[str, int], int] = {}

    def give(self, quotation: Quotation) -> Anchors:
        """Choose ids that no line of the page has yet.

        How often each was given is counted, so that many copies on a page cost no search.
        """
        if self.given and not self._taken:
            for anchors in self.given:
                self._enter(anchors)
        copy = 1
        while True:
            found = Anchors(f"--{quotation.file.blob[:7]}-L", copy, quotation.ranges)
            if not any((found.prefix, number, copy) in self._taken for number in found.numbers):
                self._enter(found)
                self.given.append(found)
                return found
            copy = max(copy, *(self._copies.get((found.prefix, number), 0) for number in found.numbers)) + 1

    def _enter(self, anchors: Anchors) -> None:
        self._taken.update((anchors.prefix, number, anchors.copy) for number in anchors.numbers)
        self._copies.update(((anchors.prefix, number), anchors.copy) for number in anchors.numbers)

    def rest(self) -> None:
        """The page is converted: forget what can be worked out again."""
        self._taken.clear()
        self._copies.clear()

    def __contains__(self, name: str) -> bool:
        return any(name in anchors for anchors in self.given)
