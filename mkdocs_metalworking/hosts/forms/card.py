"""One card: 1,200 by 630 pixels, the size that readers of Open Graph expect, with the book's colors and tiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .lettering import Lettering

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

SIZE = (1200, 630)
_MARGIN = 80
_PAGE, _INK, _MUTE, _LINE = "#14171b", "#e5e2dc", "#a3a9b1", "#333a43"
_HEAT = ("#d9b250", "#e59a52", "#ff8a5c", "#d78fc4", "#b1abf5", "#7fb8e0")
_VERDICT = {"transfers": "#7cc196", "resized": "#d9b250", "unlearn": "#ff8a5c", "none": "#7fb3dc"}
_GLYPH = {
    "transfers": ((0, 10, 30, 14), (0, 20, 30, 24)),
    "resized": ((0, 8, 24, 12), (6, 16, 30, 20), (0, 24, 24, 28)),
    "unlearn": ((0, 10, 30, 14), (0, 20, 30, 24), (13, 2, 17, 32)),
    "none": ((0, 15, 30, 19),),
}
"""Bars in a box of 30 by 34, so that no font need have the signs."""


@dataclass(frozen=True, slots=True)
class Card:
    """What is told of a page; ``says`` is the verdict in the site's language."""

    site: str
    section: str
    title: str
    summary: str
    term: str
    verdict: str
    says: str

    def lacking(self, letters: Lettering) -> str:
        """Return the first character of the card that *letters* do not have, "" for none."""
        texts = (self.site, self.section, self.title, self.summary, self.term, self.says)
        return next(filter(None, map(letters.lacking, texts)), "")

    def draw(self, path: Path, letters: Lettering | None = None) -> None:
        """Write the card to *path* as PNG, in *letters*: those of Pillow, when none are given."""
        from PIL import Image, ImageDraw

        image = Image.new("RGB", SIZE, _PAGE)
        draw, letters = ImageDraw.Draw(image), letters or Lettering()
        for index, color in enumerate(_HEAT):
            draw.rectangle((index * 200, 0, index * 200 + 199, 11), fill=color)
        self._tiles(draw)
        _text(draw, letters, (_MARGIN, 64), self.site, 30, _MUTE)
        if self.section:
            _text(draw, letters, (_MARGIN, 108), self.section, 30, _INK)
        y = 196
        size = 76 if len(self.title) <= 44 else 56
        for line in _lines(draw, letters, self.title, size, SIZE[0] - 2 * _MARGIN, 2):
            _text(draw, letters, (_MARGIN, y), line, size, _INK)
            y += round(size * 1.2)
        y += 24
        for line in _lines(draw, letters, self.summary, 34, SIZE[0] - 2 * _MARGIN, 3):
            _text(draw, letters, (_MARGIN, y), line, 34, _MUTE)
            y += 46
        if self.verdict:
            self._verdict(draw, letters)
        image.quantize(64).save(path, "PNG", optimize=False)

    def _tiles(self, draw: ImageDraw) -> None:
        for row in range(4):
            for column in range(4):
                x, y = SIZE[0] - _MARGIN - 108 + column * 28, 64 + row * 28
                draw.rectangle((x, y, x + 22, y + 22), fill=_HEAT[column + 1] if column >= row else _LINE)

    def _verdict(self, draw: ImageDraw, letters: Lettering) -> None:
        color, top = _VERDICT[self.verdict], SIZE[1] - 96
        draw.rectangle((_MARGIN, top - 28, SIZE[0] - _MARGIN, top - 27), fill=_LINE)
        for left, upper, right, lower in _GLYPH[self.verdict]:
            draw.rectangle((_MARGIN + left, top + upper, _MARGIN + right, top + lower), fill=color)
        text = f"{self.term}: {self.says}" if self.term else self.says
        line = next(_lines(draw, letters, text, 32, SIZE[0] - 2 * _MARGIN - 52, 1), "")
        _text(draw, letters, (_MARGIN + 52, top - 2), line, 32, color)


def _text(draw: ImageDraw, letters: Lettering, at: tuple[int, int], text: str, size: int, color: str) -> None:
    draw.text(at, letters.plain(text), fill=color, font=letters.at(size))


def _lines(draw: ImageDraw, letters: Lettering, text: str, size: int, width: int, most: int) -> Iterator[str]:
    """Break *text* into at most *most* lines of *width* pixels; what does not fit is left out, and said by dots."""
    font, words = letters.at(size), letters.plain(text).split()
    for count in range(1, most + 1):
        taken = 0
        while taken < len(words) and draw.textlength(" ".join(words[: taken + 1]), font=font) <= width:
            taken += 1
        if not taken:  # a word that no line takes
            yield _cut(draw, letters, words[0] if words else "", size, width)
            return
        line, words = " ".join(words[:taken]), words[taken:]
        if count == most and words:
            while line and draw.textlength(line + " ...", font=font) > width:
                line = line.rpartition(" ")[0]
            line += " ..."
        yield line
        if not words:
            return


def _cut(draw: ImageDraw, letters: Lettering, word: str, size: int, width: int) -> str:
    """Return the beginning of *word* that fits into *width* pixels, and dots; "" for no word."""
    begun = word[: width // 4]  # no letter is narrower
    while begun and draw.textlength(begun + " ...", font=letters.at(size)) > width:
        begun = begun[:-1]
    return begun and f"{begun} ..."
