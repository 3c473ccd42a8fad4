"""Lines named by what stands on them: a symbol, a marked region, or the words of a first and a last line."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from .diagnostics import MetalworkingError
from .lines import LineRange, Ranges, close_ranges, format_ranges, parse_ranges
from .markers import find_region
from .symbols import find_symbol

NAMED = ("region", "symbol")
"""What may stand before the ``=`` in a fragment."""


@dataclass(frozen=True, slots=True, order=True)
class Selection:
    """Which lines of a file are meant: *kind* is symbol, region, guards, lines or file.

    *name* is the symbol's or region's, the words of the first line, or the lines as they are written; *last* the words
    of the last line of ``guards``.
    """

    kind: str
    name: str = ""
    last: str = ""

    def __str__(self) -> str:
        """Return what a directive has behind the path."""
        if self.kind == "guards":
            return f" first={_quoted(self.name)} last={_quoted(self.last)}"
        if self.kind == "lines":
            return f"#{self.name}"
        if self.kind == "file":
            return ""
        plain = self.name.replace('"', "").isprintable() and " " not in self.name and '"' not in self.name
        return f"#{self.kind}={self.name if plain else _quoted(self.name)}"

    def find(self, lines: Sequence[str], path: str) -> Ranges:
        """Return the closed ranges of *lines*, those of *path*, that are meant.

        Raises MetalworkingError (``symbol``, ``region``, ``guard`` or ``range``) with what is near.
        """
        if self.kind == "symbol":
            return (find_symbol(lines, self.name, path),)
        if self.kind == "region":
            return (find_region(lines, self.name, path),)
        if self.kind == "guards":
            return (_between(lines, self.name, self.last, path),)
        return close_ranges(parse_ranges(self.name) if self.kind == "lines" else None, len(lines), path)

    def format(self) -> str:
        """Return the word that stands for it in sources.lock."""
        if self.kind == "file":
            return "file"
        parts = [quote(self.name, safe="")] + ([quote(self.last, safe="")] if self.kind == "guards" else [])
        return f"{self.kind}={','.join(parts)}"

    @classmethod
    def parse(cls, word: str) -> Selection | None:
        """Read what *format* wrote; None for anything else."""
        kind, _, rest = word.partition("=")
        parts = [unquote(part) for part in rest.split(",")]
        if word == "file":
            return cls("file")
        if kind == "guards" and len(parts) == 2 and all(parts):
            return cls(kind, *parts)
        return cls(kind, parts[0]) if kind in ("lines", *NAMED) and len(parts) == 1 and parts[0] else None


def lines_of(lines: Sequence[str], ranges: Ranges) -> list[str]:
    """Return the lines of closed *ranges*, one after the other."""
    return [line for part in ranges for line in lines[part.first - 1 : part.last]]


def text_hash(lines: Sequence[str], ranges: Ranges) -> str:
    """Return the SHA-256 of the text of *ranges*: each line, decoded and without its line end, with an LF."""
    return hashlib.sha256("".join(f"{line}\n" for line in lines_of(lines, ranges)).encode()).hexdigest()


def _between(lines: Sequence[str], first: str, last: str, path: str) -> LineRange:
    """Return from the one line with *first* to the next line with *last*, which may be the same."""
    starts = [number for number, line in enumerate(lines, 1) if first in line]
    if not starts:
        raise MetalworkingError("guard", f"first={first!r} is nowhere in {path}", "write words of the first line")
    if len(starts) > 1:
        told = format_ranges([LineRange(n, n) for n in starts[:5]]) + (", …" if len(starts) > 5 else "")
        raise MetalworkingError(
            "guard", f"first={first!r} stands on {len(starts)} lines of {path}: {told}", "write more of the line"
        )
    end = next((number for number in range(starts[0], len(lines) + 1) if last in lines[number - 1]), None)
    if end is None:
        above = [number for number, line in enumerate(lines, 1) if last in line]
        hint = f"it stands above the first line, on L{above[-1]}" if above else "write words of the last line"
        raise MetalworkingError("guard", f"last={last!r} is not below L{starts[0]} of {path}", hint)
    return LineRange(starts[0], end)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
