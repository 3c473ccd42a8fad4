"""The font of the cards, and the letters that it has: one that it lacks would be a box."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

_NOBODYS = "\uffff"
"""A character that is none: whatever looks the same, the font does not have."""
_PLAIN = dict.fromkeys("\u2010\u2011\u2013\u2014\u2212", "-") | {"\u00d7": "x"}
"""What typewriters write for marks that a font may lack: dashes, a minus, a multiplication sign."""


class Lettering:
    """A font in all sizes: a file, or the one that Pillow brings, which is the same on every machine.

    Raises OSError for a file that is no font.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._sizes: dict[int, Any] = {}
        self._has: dict[str, bool] = {}
        self._box = self._drawn(_NOBODYS)

    def at(self, size: int) -> Any:
        """Return the font for letters of *size* pixels."""
        from PIL import ImageFont

        if size not in self._sizes:
            path = self._path
            self._sizes[size] = ImageFont.load_default(size) if path is None else ImageFont.truetype(path, size)
        return self._sizes[size]

    def has(self, character: str) -> bool:
        """Tell whether the font has *character*."""
        if character not in self._has:
            self._has[character] = self._drawn(character) != self._box
        return self._has[character]

    def plain(self, text: str) -> str:
        """Return *text* composed, with common blanks, without soft hyphens and others that have no shape of their own.

        Dashes and signs that the font lacks are plain ones.
        """
        composed = unicodedata.normalize("NFC", " ".join(text.split()))
        return "".join(c if c.isascii() or self.has(c) else self._instead(c) for c in composed)

    def _instead(self, character: str) -> str:
        return "" if unicodedata.category(character) == "Cf" else _PLAIN.get(character, character)

    def lacking(self, text: str) -> str:
        """Return the first character of *text* that the font does not have, "" for none."""
        return next((c for c in self.plain(text) if not c.isspace() and not self.has(c)), "")

    def _drawn(self, character: str) -> tuple[Any, bytes]:
        mask = self.at(32).getmask(character)
        return mask.size, bytes(mask)
