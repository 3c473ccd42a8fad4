"""A bump worked out: each place relocated, and the text that each file would have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ....deliver.project import Project
from ....quote.blob import FileKey, LockedFile
from ....quote.diagnostics import Location, MetalworkingError
from ....quote.directive import Directive
from ....quote.lines import LineRange, Ranges, format_ranges, source_lines
from ....quote.relocate import Outcome, relocate
from ...edits import Edit, apply_edits
from ...mkdocs.site import Site
from .edits import Place
from .plan import Fate, Plan, Row
from .search import Search, Target


@dataclass(frozen=True)
class Fresh:
    """The files at the new commit: those that git gave, and why it did not give the others."""

    files: Mapping[str, tuple[LockedFile, bytes]]
    absent: Mapping[str, MetalworkingError]


class Mover:
    """Fills a plan with rows and texts. ``fates`` remembers what became of each target."""

    def __init__(self, site: Site, project: Project, plan: Plan, fresh: Fresh) -> None:
        self._search = Search(site, project, plan.pin)
        self._project = project
        self._plan = plan
        self._fresh = fresh
        self.fates: dict[Target, Fate] = {}

    def run(self) -> None:
        """Work out every place. Raises MetalworkingError for one that is not in the text of its page."""
        for path, text, label, kind, places in self._search.files():
            self._file(path, text, label, kind, places)
        self._plan.rows.sort(key=lambda row: (row.location.path, row.location.line or 0))

    def _file(self, path: Path, text: str, label: str, kind: str, places: list[Place]) -> None:
        edits: list[Edit] = []
        for place in places:
            target = self._search.target(place)
            assert target is not None
            if target not in self.fates:
                self.fates[target] = self._fate(*target)
            fate = self.fates[target]
            shown = isinstance(place.what, Directive)
            self._plan.rows.append(
                Row(
                    Location(label, place.line),
                    kind or ("excerpt" if shown else "citation"),
                    place.what.path,
                    fate.outcome,
                    format_ranges(target[1] or ()),
                    format_ranges(fate.ranges or ()),
                    tuple(str(lines) for part in fate.parts for lines in part.candidates),
                    fate.details,
                )
            )
            edits.extend(place.edits(text, *self._wanted(place, fate)))
        new = apply_edits(text, edits)
        if new != text:
            self._plan.texts[path] = new
            self._plan.before[path] = text

    def _fate(self, path: str, ranges: Ranges | None, whole: bool) -> Fate:
        if path not in self._fresh.files:
            return Fate(Outcome.VANISHED, details=(self._fresh.absent[path].diagnostic.message,))
        file, data = self._fresh.files[path]
        old = self._project.lock.file(FileKey(self._plan.pin.repo, self._plan.pin.commit, path))
        if ranges is None:
            same = file.sha256 == old.sha256
            return Fate(details=() if same else ("cited as a whole, and the file changed: read it again",))
        lines = source_lines(self._project.resolver.resolve(old).data, path)
        fate = Fate.of(relocate(lines, source_lines(data, path), ranges))
        if whole and fate.outcome.settled and fate.ranges != (LineRange(1, file.lines),):
            told = f"quoted as a whole, and it has {file.lines} lines now, not {old.lines}"
            return Fate(Outcome.CHANGED, fate.parts, (told,))
        return fate

    def _wanted(self, place: Place, fate: Fate) -> tuple[str, Ranges | None, Callable[[LineRange], LineRange]]:
        """Return commit, ranges and movement to write: "" and None leave the first two as they are.

        With two pins of one repository, a citation has to name its commit.
        """
        what = place.what
        if not fate.outcome.settled:
            return "" if what.sha or not self._plan.keep_old else self._short(self._plan.pin.commit), None, _stay
        sha = self._short(self._plan.commit, len(what.sha) or 7) if what.sha or self._plan.keep_old else ""
        ranges = fate.ranges if what.ranges is not None else None
        if ranges and what.ranges and what.ranges[-1].last is None:
            file, _ = self._fresh.files[what.path]
            if ranges[-1].last == file.lines:  # it was open, and it is still the end of the file
                ranges = (*ranges[:-1], LineRange(ranges[-1].first, None))
        return sha, ranges, fate.move if fate.parts else _stay

    def _short(self, commit: str, digits: int = 7) -> str:
        """Return as many digits of *commit* as tell it from every other commit of the repository."""
        known = {pin.commit for pin in self._project.sources.by_repo.get(self._plan.pin.repo, ())} | {self._plan.commit}
        while any(other.startswith(commit[:digits]) for other in known - {commit}):
            digits += 1
        return commit[:digits]


def _stay(lines: LineRange) -> LineRange:
    return lines
