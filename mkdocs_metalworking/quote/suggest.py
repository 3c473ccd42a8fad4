"""What an author may have meant: one way to look for it, and one way to say it."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Iterator

_LONGEST = 100
"""Longer words than this are no typos of anything; comparing them takes more than the square of their length."""
_PAIRS = 1_000_000
"""Pairs of letters that are compared for one word, some thousand names of usual length: a tenth of a second."""


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the one of *known* that is most like *word*, or nothing; of very many only the first are looked at."""
    if len(word) > _LONGEST:
        return ""
    return next(iter(difflib.get_close_matches(word, list(_first(word, known)), 1, cutoff)), "")


def _first(word: str, known: Iterable[str]) -> Iterator[str]:
    left = _PAIRS
    for name in known:
        if len(name) > 2 * _LONGEST:  # twice as long is not alike
            continue
        left -= len(word) * len(name)
        if left < 0:
            return
        yield name


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "", cutoff: float = 0.6) -> str:
    """Return the hint that names what *word* is most like; *otherwise* when it is like nothing."""
    found = nearest(word, known, cutoff)
    return f"did you mean {found}?" if found else otherwise


def suggest_path(path: str, known: Iterable[str]) -> str:
    """Return the path of a repository that *path* was probably meant to be, or nothing.

    A difference in case or in how letters are composed counts as none; then the same name in another folder; then a
    name of much the same letters in the same one.
    """

    def folded(text: str) -> str:
        return unicodedata.normalize("NFC", text).casefold()

    paths = [other for other in known if other != path]
    for key in (folded, lambda text: folded(text).rpartition("/")[2]):
        same = [other for other in paths if key(other) == key(path)]
        if same:
            return nearest(path, same, 0) or same[0]
    folder, slash, name = path.rpartition("/")
    beside = {other.rpartition("/")[2] for other in paths if other.rpartition("/")[0] == folder}
    found = nearest(name, beside, 0.75)
    return f"{folder}{slash}{found}" if found else ""
