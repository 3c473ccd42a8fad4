"""Places in a text as editors count them: lines, and units of UTF-16 (or what was agreed on) in a line."""

from __future__ import annotations

from bisect import bisect_right

from lsprotocol import types as lsp

from ...quote.directive import Span

_UNITS = {lsp.PositionEncodingKind.Utf8: ("utf-8", 1), lsp.PositionEncodingKind.Utf16: ("utf-16-le", 2)}


class Lines:
    """A text with LF as the only line end, and its places both ways; what lies outside becomes the nearest place."""

    def __init__(self, text: str, encoding: str = lsp.PositionEncodingKind.Utf16) -> None:
        self.text = text
        self._codec = next((codec for kind, codec in _UNITS.items() if kind.value == encoding), None)
        self._starts = [0]
        at = text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)

    def line(self, number: int) -> str:
        """Return line *number*, from 0, without its end."""
        start, end = self._line(number)
        return self.text[start:end]

    def _line(self, number: int) -> Span:
        number = min(max(number, 0), len(self._starts) - 1)
        end = self._starts[number + 1] - 1 if number + 1 < len(self._starts) else len(self.text)
        return self._starts[number], end

    def offset(self, position: lsp.Position) -> int:
        """Return the offset of *position*; within a pair of surrogates, that of the character."""
        if position.line >= len(self._starts):
            return len(self.text)
        start, end = self._line(position.line)
        if self._codec is None:
            return min(start + position.character, end)
        line, (codec, size) = self.text[start:end], self._codec
        if line.isascii():
            return min(start + position.character, end)
        return start + len(line.encode(codec)[: position.character * size].decode(codec, "ignore"))

    def position(self, offset: int) -> lsp.Position:
        """Return the position of *offset*."""
        number = bisect_right(self._starts, max(offset, 0)) - 1
        start, end = self._line(number)
        before = self.text[start : min(offset, end)]
        if self._codec is None or before.isascii():
            return lsp.Position(number, len(before))
        codec, size = self._codec
        return lsp.Position(number, len(before.encode(codec)) // size)

    def range(self, span: Span) -> lsp.Range:
        """Return *span* as an editor's range."""
        return lsp.Range(self.position(span[0]), self.position(span[1]))

    def of_line(self, number: int | None) -> Span:
        """Return where the words of line *number*, from 1, stand; those of the first line for none."""
        start, end = self._line((number or 1) - 1)
        line = self.text[start:end]
        return start + len(line) - len(line.lstrip()), start + len(line.rstrip()) if line.strip() else end
