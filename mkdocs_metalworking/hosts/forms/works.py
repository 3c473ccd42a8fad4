"""What the one file of all pages cites: each work is told once, at its end, and a citation is its number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from bs4 import Tag


class Works:
    """The works by their numbers, in the order in which pages cite them."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        """Return the number of the work *name*."""
        return self._numbers.setdefault(" ".join(name.split()), len(self._numbers) + 1)

    def file(self, repo: str, path: str, address: str) -> int:
        """Return the number of a file; that of its repository at its commit, *repo* in words, has the *address*."""
        home = self.number(f"{repo} {commit_page(address, path)}")
        return self.number(f"{path} in [{home}]")

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """Yield each work with its number."""
        return iter(self._numbers.items())


def commit_page(address: str, path: str) -> str:
    """Return the page of the commit that *address*, a permalink to lines of *path*, leads to."""
    plain = address.partition("#")[0].partition("?")[0]
    return plain.removesuffix(quote(path, safe="/")).replace("/blob/", "/tree/").rstrip("/")


def shorten(note: Tag, works: Works) -> bool:
    """Leave of *note*, a citation with its links, the number of its work, with lines and qualification.

    Returns False for what is no citation, and then leaves it as it is.
    """
    file = next((link for link in note("a", recursive=False) if link.code is not None), None)
    work = note.cite
    if note.find("code", recursive=False) is not None:  # a derived value: the formula and all that went into it
        told = str(works.number(_with_addresses(note)))
    elif file is not None:
        told = _lines(note, file, works)
    elif work is not None:
        told = _work(note, work, works)
    else:
        return False
    note.clear()
    note.append(f" [{told}]")
    return True


def _lines(note: Tag, file: Tag, works: Works) -> str:
    repo, rest = _around(note, file)
    number = works.file(repo.removesuffix(", "), file.get_text(), str(file.get("href") or ""))
    lines, bar, qualification = rest.partition(" (")
    return f"{number}{lines}{f': {qualification.removesuffix(chr(41))}' if bar else ''}"


def _work(note: Tag, work: Tag, works: Works) -> str:
    place = work.parent if work.parent is not None and work.parent.name == "a" else work
    author, rest = _around(note, place)
    date, bar, qualification = rest.partition(" (")
    address = str(place.get("href") or "") if place is not work else ""
    number = works.number(f"{author}{work.get_text()}{date} {address}")
    return f"{number}{f': {qualification.removesuffix(chr(41))}' if bar else ''}"


def _around(note: Tag, place: Tag) -> tuple[str, str]:
    """Return what *note* says before *place* and behind it."""
    parts = list(note.contents)
    at = next(index for index, part in enumerate(parts) if part is place)
    before, behind = ("".join(part.get_text() for part in some) for some in (parts[:at], parts[at + 1 :]))
    return before, behind


def _with_addresses(note: Tag) -> str:
    """Return the words of *note*, each address behind what it is linked from."""
    for link in note("a"):
        if link.get("href") and (link.code is None or "#" not in str(link["href"])):
            link.append(f" {link['href']}")
    return note.get_text()
