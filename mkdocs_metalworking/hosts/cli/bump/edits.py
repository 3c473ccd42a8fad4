"""What a bump writes into a text: spans of it, and what stands there afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ....markdown.tracking import Met
from ....quote.citations import Citation, find_targets
from ....quote.directive import Directive, Span
from ....quote.lines import Ranges, format_ranges
from ...edits import Edit, Move, moved_label


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
