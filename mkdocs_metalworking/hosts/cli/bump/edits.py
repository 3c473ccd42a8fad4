"""What a bump writes into a text: spans of it, and what stands there afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ....markdown.tracking import Met
from ....quote.citations import Citation, find_targets
from ....quote.directive import Directive, Span
from ....quote.lines import LineRange, Ranges, format_ranges, parse_ranges

Move = Callable[[LineRange], LineRange]
"""Maps old lines to new ones."""
Edit = tuple[Span, str]


@dataclass(frozen=True)
class Place:
    """A directive or a citation in a file. An empty ``sha`` stands behind the name where no commit is written."""

    line: int
    what: Directive | Citation
    sha: Span
    ranges: Span | None
    hl: Span | None = None
    notes: tuple[Span, ...] = ()

    @classmethod
    def of(cls, met: Met) -> Place | None:
        """Return the place of what a page shows; None when its file does not have it letter for letter."""
        sha, what = met.span("sha"), met.mention.what
        if sha is None or met.where.line is None or not isinstance(what, Directive | Citation):
            return None
        notes = tuple(span for note in met.notes if (span := note.span("ranges")) is not None)
        if len(notes) != len(met.notes):
            return None
        return cls(met.where.line, what, sha, met.span("ranges"), met.span("hl"), notes)

    def edits(self, text: str, sha: str, ranges: Ranges | None, move: Move) -> Iterator[Edit]:
        """Yield what to write where: *sha* ("" leaves it), *ranges* (None leaves them), highlights and notes moved."""
        if sha:
            at = "" if isinstance(self.what, Directive) or self.sha[0] != self.sha[1] else "@"
            yield self.sha, at + sha
        if ranges is not None and self.ranges is not None:
            yield self.ranges, format_ranges(ranges)
        for span in (self.hl, *self.notes):
            if span is not None:
                yield span, moved_label(text[span[0] : span[1]], move)


def places_in_data(text: str, repo: str) -> list[Place]:
    """Return every place that names lines of *repo* in a data file, where a target stands without brackets."""
    return [
        Place(text.count("\n", 0, start) + 1, what, spans["sha"], spans.get("ranges"))
        for start, what, spans in find_targets(text, repo)
    ]


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return *text* with every span replaced."""
    parts, end = [], 0
    for (start, stop), new in sorted(edits):
        parts += [text[end:start], new]
        end = stop
    return "".join((*parts, text[end:]))


def moved_label(label: str, move: Move) -> str:
    """Return a list of lines moved, written as it was: with or without L, with the spaces it had."""
    marked = "L" in label

    def one(match: re.Match[str]) -> str:
        (lines,) = parse_ranges(f"L{match[1]}" + (f"-{match[2]}" if match[2] else ""))
        text = str(move(lines))
        return text if marked else text.removeprefix("L")

    return re.sub(r"L?([0-9]+)(?:-L?([0-9]+))?", one, label)
