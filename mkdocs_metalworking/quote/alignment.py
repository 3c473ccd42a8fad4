"""Which line of a file each line of a text is, when something between the two has added, taken out or changed lines."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import cached_property

_SMALL = 2_000
"""Lines on either side up to which they are compared one by one; beyond it, lines that stand often count as noise."""


class Alignment:
    """From lines of *text* to lines of *file*, both as lists. Nothing is compared before the first question."""

    def __init__(self, text: Sequence[str], file: Sequence[str]) -> None:
        self._text = list(text)
        self._file = list(file)

    def line(self, index: int) -> int | None:
        """Return the index in the file of the line at *index* of the text; None for a line that the file has not."""
        return self._lines.get(index)

    def same(self, index: int) -> bool:
        """Tell whether the line at *index* stands in the file letter for letter."""
        found = self.line(index)
        return found is not None and self._file[found] == self._text[index]

    @cached_property
    def _lines(self) -> dict[int, int]:
        text, file = _trimmed(self._text), _trimmed(self._file)
        skipped = len(file) - len(text)
        if skipped >= 0 and file[skipped:] == text:  # the front matter is gone, and nothing else happened
            return {index: index + skipped for index in range(len(self._text)) if index + skipped < len(self._file)}
        matcher = difflib.SequenceMatcher(None, text, file, autojunk=max(len(text), len(file)) > _SMALL)
        found: dict[int, int] = {}
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            # As many lines as before, changed in their place, are still these lines.
            if tag == "equal" or (tag == "replace" and i2 - i1 == j2 - j1):
                found.update(zip(range(i1, i2), range(j1, j2), strict=True))
        return found


def _trimmed(lines: list[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]
