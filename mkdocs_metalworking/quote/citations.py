"""Citations: ``[@key]`` for a reference, ``[@owner/name:path#L10-20]`` for lines of a pinned repository.

Text after a comma is the qualification: ``[@key, M1 and M2, inferred]``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile

from .blob import FileKey
from .diagnostics import MetalworkingError
from .directive import check_path
from .lines import Ranges, close_ranges, format_ranges, parse_ranges
from .lock import Lock
from .sources import Pin, Reference, Sources

# No [ inside: else a page full of "[@a" would be read to its end from every one of them.
CITATION = re.compile(r"\[@(?P<target>[^\[\],\s][^\[\],]*)(?:,(?P<note>[^\[\]]*))?\]")
_LINES = re.compile(
    r"(?P<repo>[^@:#\s/]+(?:/[^@:#\s/]+)+)(?:@(?P<sha>[0-9a-f]+))?:(?P<path>[^#]+)(?:#(?P<ranges>\S+))?"
)
_RANGE = re.compile(r"\s*L[0-9]+(-L?[0-9]*)?\s*")


@dataclass(frozen=True, slots=True)
class Citation:
    """A parsed citation: *reference* or *repo* and *path* are set, never both."""

    reference: str = ""
    repo: str = ""
    sha: str = ""
    path: str = ""
    ranges: Ranges | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class CitedReference:
    """A citation of something in the reference list."""

    reference: Reference
    note: str


@dataclass(frozen=True, slots=True)
class CitedLines:
    """A citation of lines that exist; ``ranges`` is None for the whole file."""

    pin: Pin
    key: FileKey
    ranges: Ranges | None
    note: str

    @property
    def label(self) -> str:
        """File name and lines, for people."""
        return self.key.path + (f", {format_ranges(self.ranges)}" if self.ranges else "")


def parse_citation(target: str, note: str = "") -> Citation:
    """Read what stands between ``[@`` and ``]``.

    Ranges have commas too (``path#L1,L5``): in *note*, leading parts that are lines belong to the target.
    Raises MetalworkingError (``citation``).
    """
    parts = note.split(",") if note else []
    more = []
    if "#L" in target:
        more = [part.strip() for part in takewhile(_RANGE.fullmatch, parts)]
    note = ",".join(parts[len(more) :]).strip()
    target = ",".join((target.strip(), *more))
    if "/" not in target:
        return Citation(reference=target, note=note)
    match = _LINES.fullmatch(target)
    if match is None:
        raise MetalworkingError(
            "citation", f"cannot read citation [@{target}]", "write [@key] or [@owner/name:path#L10-20]"
        )
    check_path(match["path"])
    ranges = parse_ranges(match["ranges"]) if match["ranges"] else None
    return Citation(repo=match["repo"], sha=match["sha"] or "", path=match["path"], ranges=ranges, note=note)


def resolve_citation(citation: Citation, sources: Sources, lock: Lock) -> CitedReference | CitedLines:
    """Check a citation against sources.yml and sources.lock; needs no bytes, since the lock has the line count.

    Raises NotPinned, NotLocked or RangeProblem.
    """
    if citation.reference:
        return CitedReference(sources.reference(citation.reference), citation.note)
    pin = sources.pin(citation.repo, citation.sha)
    key = FileKey(pin.repo, pin.commit, citation.path)
    ranges = citation.ranges
    locked = lock.file(key)
    if ranges is not None:
        ranges = close_ranges(ranges, locked.lines, citation.path)
    return CitedLines(pin, key, ranges, citation.note)
