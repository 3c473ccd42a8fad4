"""Chapters: where a page stands and where a chapter ends."""

from __future__ import annotations

from mkdocs_metalworking.glossary.chapters import Book, Chapter


def test_a_chapter_of_one_page_ends_with_it() -> None:
    book = Book([Chapter("One", None, ("a",)), Chapter("Two", "b", ()), Chapter("Three", "c", ("d",))])
    places = {page: book.place(page) for page in book}
    assert [(page, place.number, place.ends_chapter) for page, place in places.items() if place] == [
        ("a", 1, True),
        ("b", 0, True),
        ("c", 0, False),
        ("d", 1, True),
    ]
    assert [place.next for place in places.values() if place] == ["b", "c", "d", None]
