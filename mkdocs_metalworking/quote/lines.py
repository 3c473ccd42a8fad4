"""Line ranges as GitHub writes them (``L7``, ``L5-``, ``L101-115,L120``), and cutting them out of a file.

Lines are counted by LF only, from 1, both ends included.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .diagnostics import MetalworkingError

_PART = re.compile(r"L?([0-9]{1,9})(?:(-)(?:L?([0-9]{1,9}))?)?", re.ASCII)
_TOO_LONG = re.compile(r"[0-9]{10}", re.ASCII)
_COLUMNS = re.compile(r"L[0-9]+C[0-9]+", re.ASCII)


_BREAK = re.compile(r"\r\n|\n|\r")


def text_lines(text: str) -> list[str]:
    """Split a text that an author wrote (a page, a data file) into lines: LF, CR LF and CR end one, nothing else does.

    ``str.splitlines`` would also split at form feeds and at U+0085, U+2028 and U+2029, where neither MkDocs, Markdown
    nor an editor does.
    """
    return _BREAK.split(text) if "\r" in text else text.split("\n")


class RangeProblem(MetalworkingError):
    """A range that cannot be right, whatever the file."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__("range", message, hint)


@dataclass(frozen=True, slots=True, order=True)
class LineRange:
    """Lines *first* to *last*, both included; *last* is None for "to the end of the file"."""

    first: int
    last: int | None

    def __str__(self) -> str:
        if self.last == self.first:
            return f"L{self.first}"
        return f"L{self.first}-{self.last or ''}"

    def __contains__(self, line: int) -> bool:
        return self.first <= line and (self.last is None or line <= self.last)


Ranges = tuple[LineRange, ...]


def format_ranges(ranges: Sequence[LineRange]) -> str:
    """Return ``L84-85,L91-107``."""
    return ",".join(map(str, ranges))


def parse_ranges(text: str, *, what: str = "range", ordered: bool = True) -> Ranges:
    """Read a comma-separated list of ranges; touching ranges are merged.

    *what* names the thing in messages. Raises RangeProblem for anything malformed, zero or reversed, and, when
    *ordered*, for overlapping or descending parts.
    """
    if _COLUMNS.search(text):
        raise RangeProblem(f"{what} {text!r} names columns", f"write whole lines: {re.sub('C[0-9]+', '', text)}")
    found: list[LineRange] = []
    for part in text.split(","):
        match = _PART.fullmatch(part)
        if match is None and _TOO_LONG.search(part):
            raise RangeProblem(f"{what} {part[:40]!r} has more than nine digits", "no file has that many lines")
        if match is None or (not found and what == "range" and not part.startswith("L")):
            raise RangeProblem(f"{what} {text[:80]!r} is not a list of lines", "write L7, L5-12, L5- or L5-12,L20-22")
        first = int(match[1])
        last = first if match[2] is None else int(match[3]) if match[3] else None
        if first == 0 or last == 0:
            raise RangeProblem(f"{what} {part!r} names line 0", "lines count from 1")
        if last is not None and last < first:
            raise RangeProblem(f"{what} {part!r} ends before it begins", f"write L{last}-{first}")
        found.append(LineRange(first, last))
    if not ordered:
        found.sort()
    merged: list[LineRange] = []
    for current in found:
        previous = merged[-1] if merged else None
        if previous is None:
            merged.append(current)
        elif ordered and (previous.last is None or current.first <= previous.first):
            raise RangeProblem(f"{what} {text!r}: {current} comes after {previous}", "write the parts in file order")
        elif ordered and current.first <= (previous.last or 0):
            raise RangeProblem(f"{what} {text!r}: {current} overlaps {previous}", "each line may be named once")
        elif previous.last is None or current.first <= previous.last + 1:
            last = None if None in (previous.last, current.last) else max(previous.last or 0, current.last or 0)
            merged[-1] = LineRange(previous.first, last)
        else:
            merged.append(current)
    return tuple(merged)


def close_ranges(ranges: Ranges | None, count: int, path: str) -> Ranges:
    """Give open ends their line number; None means the whole file of *count* lines.

    Raises RangeProblem, naming the real line count, when a range runs past the end.
    """
    if ranges is None:
        return (LineRange(1, count),)
    closed = tuple(LineRange(r.first, count if r.last is None else r.last) for r in ranges)
    past = next((r for r in closed if r.first > count or (r.last or 0) > count), None)
    if past is not None:
        asked = next(r for r, c in zip(ranges, closed, strict=True) if c == past)
        lines = "1 line" if count == 1 else f"{count} lines"
        raise RangeProblem(f"{asked} runs past the end: {path} has {lines}", f"the last line is L{count}")
    return closed


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive lines; *first* is the number of the first one. Lines carry no line ending."""

    first: int
    lines: tuple[str, ...]

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.first + len(self.lines) - 1


def source_lines(data: bytes, path: str) -> tuple[str, ...]:
    """Decode *data* for display: strict UTF-8, without a BOM and without one CR before each LF.

    Raises MetalworkingError (``not-text``) for bytes that are not UTF-8.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise MetalworkingError(
            "not-text", f"{path} is not UTF-8 (line {line})", "only UTF-8 text can be quoted"
        ) from error
    lines = text.removeprefix("\ufeff").split("\n")
    last = lines.pop()
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    if data and not data.endswith(b"\n"):  # no LF ends it, so that a CR at its end is the author's
        lines.append(last)
    return tuple(lines)


def cut(lines: Sequence[str], ranges: Ranges) -> tuple[Segment, ...]:
    """Return the segments of closed *ranges*."""
    return tuple(Segment(r.first, tuple(lines[r.first - 1 : r.last])) for r in ranges)


def common_indent(segments: Sequence[Segment]) -> str:
    """Return the longest whitespace that every line which is not blank begins with, character for character."""
    inked = [line for segment in segments for line in segment.lines if line.strip()]
    if not inked or inked[0][0] not in " \t" or inked[-1][0] not in " \t":
        return ""
    shared = _shared(min(inked), max(inked))
    return shared[: len(shared) - len(shared.lstrip(" \t"))]


def dedent(segments: Sequence[Segment], mode: str | int) -> tuple[Segment, ...]:
    """Remove leading whitespace: ``auto`` the common part over all segments, ``none`` nothing, or *mode* characters.

    Blank lines lose as much of the very same as they have. Raises RangeProblem when a line has fewer than *mode*.
    """
    if mode == "none" or mode == 0:
        return tuple(segments)
    indent = common_indent(segments)
    if isinstance(mode, int):
        if len(indent) < mode:
            raise RangeProblem(
                f"dedent={mode} would cut into text: the lines share {len(indent)} characters of indentation",
                f"write dedent={len(indent)} or dedent=auto",
            )
        indent = indent[:mode]
    if not indent:
        return tuple(segments)
    return tuple(Segment(s.first, tuple(_without(line, indent) for line in s.lines)) for s in segments)


def _without(line: str, indent: str) -> str:
    return line[len(indent if line.startswith(indent) else _shared(line, indent)) :]


def _shared(one: str, other: str) -> str:
    """Return what both begin with."""
    end = min(len(one), len(other))
    return one[: next((i for i in range(end) if one[i] != other[i]), end)]
