"""``lock --verify`` of named lines: where they stand, found again in the bytes that were proved."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...deliver.project import Project
from ...deliver.proofs import Verdict
from ...quote.diagnostics import MetalworkingError
from ...quote.lines import format_ranges, source_lines
from ...quote.lock import LockedRegion
from ...quote.selection import text_hash


@dataclass
class Named:
    """How many named lines were found where the lock says, which were not, and of which that is not known."""

    proved: int = 0
    unproved: list[str] = field(default_factory=list)
    wrong: list[MetalworkingError] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many there are."""
        return self.proved + len(self.unproved) + len(self.wrong)


def verify_named(project: Project, verdict: Verdict) -> Named:
    """Find the named lines of every commit again; *verdict* is that of their files.

    What was accepted of the working tree is no claim about git: a build compares it with the files as they are.
    """
    found = Named()
    for region in project.lock.regions.values():
        if not region.key.commit:
            continue
        try:
            if _here(project, verdict, region):
                found.proved += 1
            else:
                found.unproved.append(f"{region.key}{region.selection}: not proved: its file is not")
        except MetalworkingError as problem:
            found.wrong.append(problem)
    return found


def _here(project: Project, verdict: Verdict, region: LockedRegion) -> bool:
    """Tell whether the lock is right about *region*; False where its file is not proved here.

    Raises MetalworkingError (``wrong-lock``) when it is wrong.
    """
    name = f"{region.key}{region.selection}"
    file = project.lock.files.get(region.key)
    if file is None:
        raise _wrong(f"{name}: the lock has no line for its file")
    known = file not in verdict.wrong and file not in verdict.unproved
    data = project.proofs.bytes_here(file) if known else None
    if data is None:
        return False
    lines = source_lines(data, region.key.path)
    try:
        ranges = region.selection.find(lines, region.key.path)
    except MetalworkingError as problem:
        raise _wrong(f"{name}: {problem.diagnostic.message}") from None
    if ranges != region.ranges:
        raise _wrong(f"{name} stands on {format_ranges(ranges)}, not on {format_ranges(region.ranges)}")
    if (text_hash(lines, ranges), file.blob) != (region.sha256, region.blob):
        raise _wrong(f"{name}: its lines have another hash")
    return True


def _wrong(message: str) -> MetalworkingError:
    return MetalworkingError("wrong-lock", message, "run: metalworking lock --update")
