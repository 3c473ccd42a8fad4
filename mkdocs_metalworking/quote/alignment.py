"""Which line of a file each line of a text is, when something between the two has added, taken out or changed lines."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from .matching import matching_blocks


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
        found: dict[int, int] = {}
        i_end = j_end = 0
        for i, j, size in [*matching_blocks(text, file), (len(text), len(file), 0)]:
            if i - i_end == j - j_end:  # as many lines as before, changed in their place, are still these lines
                i, j, size = i_end, j_end, i - i_end + size
            found.update(zip(range(i, i + size), range(j, j + size), strict=True))
            i_end, j_end = i + size, j + size
        return found


def _trimmed(lines: list[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]
