"""What a bump reports of each place, and what it would write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ....quote.diagnostics import Location, printable
from ....quote.lines import LineRange, Ranges, format_ranges, parse_ranges
from ....quote.lock import Lock
from ....quote.relocate import PLACES, Outcome, Relocation
from ....quote.sources import Pin


@dataclass(frozen=True)
class Fate:
    """What became of lines of a file, the same wherever they are quoted or cited. No ``parts``: the whole file."""

    outcome: Outcome = Outcome.UNCHANGED
    parts: tuple[Relocation, ...] = ()
    details: tuple[str, ...] = ()

    @classmethod
    def of(cls, parts: list[Relocation]) -> Fate:
        """Put the parts of a range together: the first that is not settled decides."""
        worst = next((part.outcome for part in parts if not part.outcome.settled), None)
        if worst is not None:
            details = tuple(line for part in parts for line in _explained(part, alone=len(parts) == 1))
            return cls(worst, tuple(parts), details)
        moved = any(part.outcome is Outcome.MOVED for part in parts)
        return cls(Outcome.MOVED if moved else Outcome.UNCHANGED, tuple(parts))

    @property
    def ranges(self) -> Ranges | None:
        """The new ranges, touching ones merged; None for the whole file, and when they are not known."""
        found = [part.new for part in self.parts if part.new]
        return parse_ranges(format_ranges(found)) if self.outcome.settled and found else None

    def move(self, lines: LineRange) -> LineRange:
        """Return where *lines*, which lie inside one of the parts, stand now."""
        part = next(part for part in self.parts if lines.first in part.old)
        return LineRange(lines.first + part.offset, (lines.last or 0) + part.offset)


def _explained(part: Relocation, *, alone: bool) -> Iterator[str]:
    name = "" if alone else f"{part.old} "
    if part.outcome is Outcome.AMBIGUOUS:
        told = ", ".join(map(str, part.candidates))
        yield f"{name}stands on {told}{', …' if len(part.candidates) == PLACES else ''}"
    elif part.outcome is Outcome.REORDERED:
        yield f"{name}stands on {part.candidates[0]} now, above the part before it"
    elif part.outcome is Outcome.VANISHED:
        yield f"{name}is nowhere in the file, nor is anything like it"
    elif part.outcome is Outcome.CHANGED:
        yield from part.diff
    elif not alone:
        yield f"{name}moved to {part.new}" if part.outcome is Outcome.MOVED else f"{name}unchanged"


@dataclass(frozen=True)
class Row:
    """One place of the report. ``old`` and ``new`` are its ranges; ``details`` say more, one line each."""

    location: Location
    kind: str
    path: str
    outcome: Outcome
    old: str = ""
    new: str = ""
    candidates: tuple[str, ...] = ()
    details: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield the report of this place, as people read it."""
        where = f"{self.path} {self.old}".strip()
        arrow = f" -> {self.new}" if self.outcome is Outcome.MOVED else ""
        yield printable(f"{self.location}: {self.outcome} {where}{arrow}")
        for line in self.details:
            yield "    " + printable(line.replace("\t", "    "))

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for ``--json``."""
        row = asdict(self) | {"line": self.location.line, "file": self.path, "path": self.location.path}
        del row["location"]
        return row


@dataclass
class Plan:
    """What a bump would do: the report, and the new text of every file that changes."""

    pin: Pin
    commit: str
    keep_old: bool = False
    rows: list[Row] = field(default_factory=list)
    texts: dict[Path, str] = field(default_factory=dict)
    before: dict[Path, str] = field(default_factory=dict)
    """What was read of the files that change: nobody else's edit is written over."""
    sources: str = ""
    remarks: list[str] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    @property
    def writes(self) -> bool:
        """Whether the plan may be carried out: every place relocates, or some do and the others keep the old pin."""
        settled = [row for row in self.rows if row.outcome.settled]
        return len(settled) == len(self.rows) or (self.keep_old and bool(settled))

    def summary(self) -> str:
        """Return one line: from where to where, and how many places of each kind."""
        counts = Counter(row.outcome for row in self.rows)
        told = ", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome if counts[outcome]) or "no places"
        return f"{self.pin.repo} {self.pin.short} -> {self.commit[:7]}: {told}"
