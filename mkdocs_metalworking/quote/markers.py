"""Regions that an author marked with comments, in the ways of other tools.

- ``# --8<-- [start:NAME]`` and ``# --8<-- [end:NAME]``, of pymdownx.snippets;
- ``// ANCHOR: NAME`` and ``// ANCHOR_END: NAME``, of mdBook;
- ``// #region NAME`` or ``// region NAME`` and ``// endregion``, which editors fold; they nest, and ends may be named.

The lines of the two marks are no part of the region; marks of other regions inside it are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .diagnostics import MetalworkingError
from .lines import LineRange
from .suggest import nearest

_SNIPPET = re.compile(r"-+8<-+[ \t]*\[[ \t]*(?P<way>start|end)[ \t]*:[ \t]*(?P<name>[^\]\s]+)[ \t]*\]")
_ANCHOR = re.compile(r"\bANCHOR(?P<end>_END)?:[ \t]*(?P<name>[\w-]+)")
_FOLD = re.compile(
    r"[ \t]*(?://+|#+|--|;+|/\*+|<!--|%+)[ \t]*(?P<joined>(?<=\#)|\#[ \t]*|(?:\#[ \t]*)?pragma[ \t]+)?"
    r"(?P<end>end[ \t]?)?region(?!\w)[ \t:]*(?P<rest>[^\n]*)$",
    re.IGNORECASE,
)
_CLOSING = ("*/", "-->")
_WORD = re.compile(r"[\w.:-]+")
_LONGEST_LINE = 1000


@dataclass(frozen=True, slots=True)
class _Mark:
    line: int
    name: str
    ends: bool
    folds: bool
    """Whether its end need not be named."""


def find_region(lines: Sequence[str], name: str, path: str) -> LineRange:
    """Return the lines between the marks of region *name*.

    Raises MetalworkingError (``region``) when there is none or there are several, or its marks do not fit.
    """
    marks = [mark for number, line in enumerate(lines, 1) for mark in _marks(line, number)]
    starts = [mark for mark in marks if mark.name == name and not mark.ends]
    ends = [mark for mark in marks if mark.name == name and mark.ends]
    if not starts:
        if ends:
            raise _problem(f"region {name!r} of {path} ends on L{ends[0].line} and begins nowhere", "mark its begin")
        known = dict.fromkeys(mark.name for mark in marks if not mark.ends)
        near = nearest(name, known)
        told = f"its regions: {', '.join(list(known)[:10])}" if known else "it has no marked region"
        raise _problem(f"{path} has no region {name!r}", f"did you mean {near}?" if near else told)
    if len(starts) > 1:
        told = ", ".join(f"L{mark.line}" for mark in starts)
        raise _problem(f"{path} has {len(starts)} regions {name!r}: on {told}", "give each a name of its own")
    start = starts[0]
    end = _end(marks, start)
    if end is None:
        if ends:
            raise _problem(f"region {name!r} of {path} ends on L{ends[0].line}, before it begins on L{start.line}", "")
        raise _problem(f"region {name!r} of {path} begins on L{start.line} and ends nowhere", "mark its end")
    if end == start.line + 1:
        raise _problem(f"region {name!r} of {path} has no lines between L{start.line} and L{end}", "")
    return LineRange(start.line + 1, end - 1)


def _end(marks: Sequence[_Mark], start: _Mark) -> int | None:
    """Return the line of the mark that ends the region of *start*."""
    below = [mark for mark in marks if mark.line > start.line and mark.folds == start.folds]
    if not start.folds:
        return next((mark.line for mark in below if mark.ends and mark.name == start.name), None)
    open_, counts = [start.name], Counter([start.name])
    for mark in below:
        if not mark.ends:
            open_.append(mark.name)
            counts[mark.name] += 1
        elif counts[mark.name]:  # what stands open inside of it ends with it
            while (ended := open_.pop()) != mark.name:
                counts[ended] -= 1
            counts[ended] -= 1
        elif not mark.name:
            counts[open_.pop()] -= 1
        if not open_:
            return mark.line
    return None


def _marks(line: str, number: int) -> Iterator[_Mark]:
    if len(line) > _LONGEST_LINE or not any(word in line for word in ("8<", "ANCHOR", "egion", "EGION")):
        return
    for match in _SNIPPET.finditer(line):
        yield _Mark(number, match["name"], match["way"] == "end", False)
    for match in _ANCHOR.finditer(line):
        yield _Mark(number, match["name"], bool(match["end"]), False)
    fold = _FOLD.match(line)
    if fold is not None:
        name = fold["rest"].rstrip(" \t")
        closed = next((end for end in _CLOSING if name.endswith(end)), "")
        name = name.removesuffix(closed).rstrip(" \t")
        # "# region of interest" is prose: a name of several words needs a "#" right before the word.
        if _WORD.fullmatch(name) or (fold["end"] and not name) or (name and fold["joined"] is not None):
            yield _Mark(number, name, bool(fold["end"]), True)


def _problem(message: str, hint: str) -> MetalworkingError:
    return MetalworkingError("region", message, hint)
