"""The book: the sections of the nav are its chapters, the order of the nav is the order of reading.

A page may stand between or behind the chapters by itself: a chapter of one page that has no title and no number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeVar

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Chapter(Generic[P]):
    """A section of the nav: its title, its index page, if it has one, and its pages in order of reading.

    ``alone`` is a page outside the sections.
    """

    title: str
    opening: P | None
    pages: tuple[P, ...]
    alone: bool = False

    @property
    def all(self) -> tuple[P, ...]:
        """The opening, when there is one, and the pages."""
        return self.pages if self.opening is None else (self.opening, *self.pages)


@dataclass(frozen=True, slots=True)
class Place(Generic[P]):
    """Where a reader is. ``number`` counts the chapter's pages from 1; 0 on the opening page.

    ``chapter_number`` counts chapters from 1; 0 on a page that stands alone.
    """

    chapter: Chapter[P]
    chapter_number: int
    number: int
    previous: P | None
    next: P | None

    @property
    def count(self) -> int:
        """How many pages the chapter has, its opening not counted."""
        return len(self.chapter.pages)

    @property
    def ends_chapter(self) -> bool:
        """Whether this is the last page of its chapter, so that *next* stands outside of it."""
        return not self.chapter.alone and self.number == self.count


class Book(Generic[P]):
    """All chapters in order; no page stands in it twice. Pages are compared by value, so they must be hashable."""

    def __init__(self, chapters: Sequence[Chapter[P]], *, before: Iterable[P] = ()) -> None:
        self.chapters = tuple(chapters)
        self._places: dict[P, Place[P]] = {}
        flat = [page for chapter in self.chapters for page in chapter.all]
        front = list(before)
        order = front + flat
        where = {page: index for index, page in enumerate(order)}
        self.front = tuple(front)
        self._order = order
        numbers = count(1)
        for chapter in self.chapters:
            chapter_number = 0 if chapter.alone else next(numbers)
            for page in chapter.all:
                index = where[page]
                number = chapter.pages.index(page) + 1 if page in chapter.pages else 0
                self._places[page] = Place(
                    chapter,
                    chapter_number,
                    number,
                    order[index - 1] if index else None,
                    order[index + 1] if index + 1 < len(order) else None,
                )

    def place(self, page: P) -> Place[P] | None:
        """Return where *page* stands, or None when it is in no chapter."""
        return self._places.get(page)

    def __iter__(self) -> Iterator[P]:
        return iter(self._order)
