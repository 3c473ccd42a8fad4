"""sources.lock: what git says of every quoted or cited file, and the hash of every archive. One sorted line each.

    archive wheel:mlx-cpu==0.32.1 sha256:<64 hex> size:<bytes> <file name>
    blob owner/name@<commit> <git blob id> sha256:<64 hex> size:<bytes> lines:<count> <path>
    region owner/name@<commit> <git blob id> sha256:<64 hex of the text> L5-12 symbol=NAME <path>

The last stands for lines that are named and not counted. ``self`` without a commit is the working tree: its text is
what was accepted last.

Names are percent-encoded where they hold spaces or control characters, so a line is always words apart by one space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from urllib.parse import quote, unquote

from .blob import FileKey, LockedFile
from .diagnostics import Diagnostic, Location, MetalworkingError, Severity
from .lines import RangeProblem, Ranges, format_ranges, parse_ranges
from .packages import ArchivePin
from .repo import SELF, is_name
from .selection import Selection
from .suggest import suggest_path

HEADER = "# Written by `metalworking lock`. What git says of every quoted file; do not edit by hand.\n"
_BLOB = re.compile(
    r"blob (?P<repo>[^@\s]+)@(?P<commit>[0-9a-f]{40}|[0-9a-f]{64}) (?P<blob>[0-9a-f]{40}|[0-9a-f]{64})"
    r" sha256:(?P<sha256>[0-9a-f]{64}) size:(?P<size>[0-9]{1,12}) lines:(?P<lines>[0-9]{1,12}) (?P<path>\S+)",
    re.ASCII,
)
MAX_SIZE = 64 << 20
"""Bytes that no quoted file has: a larger number in the lock was not written by ``metalworking lock``."""
_NEWLINE = re.compile(r"\r\n|\n|\r")
_REGION = re.compile(
    rf"region (?P<repo>[^@\s]+?)(?:@(?P<commit>[0-9a-f]{{40}}|[0-9a-f]{{64}})|(?<= {SELF})) "
    r"(?P<blob>[0-9a-f]{40}|[0-9a-f]{64}) sha256:(?P<sha256>[0-9a-f]{64}) (?P<ranges>L[0-9,L-]+)"
    r" (?P<select>\S+) (?P<path>\S+)",
    re.ASCII,
)
_ARCHIVE = re.compile(
    r"archive (?P<spec>\S+) sha256:(?P<sha256>[0-9a-f]{64}) size:(?P<size>[0-9]{1,12}) (?P<filename>\S+)", re.ASCII
)


class NotLocked(MetalworkingError):
    """A file, or named lines of one, that sources.lock does not hold."""

    def __init__(self, key: FileKey | str, lock_path: str, near: str = "") -> None:
        hint = f"did you mean {near}? If not, run: metalworking lock" if near else "run: metalworking lock"
        super().__init__("not-locked", f"{key} is not in {lock_path}", hint)


RegionKey = tuple[FileKey, Selection]
"""Lines that are named, in a file."""


@dataclass(frozen=True, slots=True)
class LockedRegion:
    """Where named lines stood, and the SHA-256 of their text, in the file with git's id *blob*."""

    key: FileKey
    selection: Selection
    ranges: Ranges
    sha256: str
    blob: str

    def __str__(self) -> str:
        at = f"{self.key.repo}@{self.key.commit}" if self.key.commit else self.key.repo
        words = (at, self.blob, f"sha256:{self.sha256}", format_ranges(self.ranges), self.selection.format())
        return f"region {' '.join(words)} {_encode(self.key.path)}"


@dataclass(frozen=True)
class Lock:
    """The content of sources.lock."""

    files: dict[FileKey, LockedFile] = field(default_factory=dict)
    archives: dict[str, ArchivePin] = field(default_factory=dict)
    path: str = "sources.lock"
    regions: dict[RegionKey, LockedRegion] = field(default_factory=dict)
    doubtful: tuple[tuple[FileKey | None, str], ...] = ()
    """Lines that cannot be taken for true, and the file that each speaks of, where that is known. They stay in the
    text until the file is bound again: what this program does not understand is not its to delete."""

    def file(self, key: FileKey) -> LockedFile:
        """Return what git says of *key*; raises NotLocked when nothing is known."""
        found = self.files.get(key)
        if found is None:
            known = (one.path for one in self.files if (one.repo, one.commit) == (key.repo, key.commit))
            raise NotLocked(key, self.path, suggest_path(key.path, known))
        return found

    def region(self, key: FileKey, selection: Selection) -> LockedRegion:
        """Return where named lines of *key* stand; raises NotLocked when nothing is known."""
        found = self.regions.get((key, selection))
        if found is None:
            raise NotLocked(f"{key}{selection}", self.path)
        return found

    def format(self) -> str:
        """Return the text of the file: a header and sorted lines."""
        lines = [
            f"archive {pin.spec} sha256:{pin.sha256} size:{pin.size} {_encode(pin.filename)}"
            for pin in self.archives.values()
        ]
        lines += [
            f"blob {f.key.repo}@{f.key.commit} {f.blob}"
            f" sha256:{f.sha256} size:{f.size} lines:{f.lines} {_encode(f.key.path)}"
            for f in self.files.values()
        ]
        lines += map(str, self.regions.values())
        lines += [line for key, line in self.doubtful if key is None or key not in self.files]
        return HEADER + "".join(f"{line}\n" for line in sorted(lines))

    def with_entries(
        self,
        files: Iterable[LockedFile] = (),
        archives: Iterable[ArchivePin] = (),
        regions: Iterable[LockedRegion] = (),
    ) -> Lock:
        """Return a lock with these entries added or replaced."""
        return replace(
            self,
            files={**self.files, **{f.key: f for f in files}},
            archives={**self.archives, **{a.spec: a for a in archives}},
            regions={**self.regions, **{(r.key, r.selection): r for r in regions}},
        )

    def since(self, before: Lock) -> Lock:
        """Return a lock of what *before* does not have, or has otherwise: what somebody locked meanwhile."""
        return Lock(
            {k: v for k, v in self.files.items() if before.files.get(k) != v},
            {k: v for k, v in self.archives.items() if before.archives.get(k) != v},
            self.path,
            {k: v for k, v in self.regions.items() if before.regions.get(k) != v},
        )

    def only(self, files: Iterable[FileKey], archives: Iterable[str], regions: Iterable[RegionKey]) -> Lock:
        """Return a lock without whatever is no longer used."""
        keys, specs, named = set(files), set(archives), set(regions)
        return replace(
            self,
            files={k: v for k, v in self.files.items() if k in keys},
            archives={k: v for k, v in self.archives.items() if k in specs},
            regions={k: v for k, v in self.regions.items() if k in named},
            doubtful=tuple((key, line) for key, line in self.doubtful if key is None or key in keys),
        )


def _encode(name: str) -> str:
    return quote(name, safe="/!$&'()*+,;=:@~[]{}^|#?\"<>`-._") if name.isascii() else quote(name, safe="/")


def load_lock(text: str, path: str = "sources.lock") -> tuple[Lock, list[Diagnostic]]:
    """Read sources.lock; returns what could be read and a diagnostic, with its line, for each line that could not."""
    files: dict[FileKey, LockedFile] = {}
    archives: dict[str, ArchivePin] = {}
    regions: dict[RegionKey, LockedRegion] = {}
    problems: list[Diagnostic] = []
    lines: list[tuple[FileKey | None, str]] = []
    denied: set[FileKey] = set()

    number = 0

    def problem(message: str, hint: str = "run: metalworking lock") -> None:
        where = Location(path, number)
        problems.append(Diagnostic(Severity.ERROR, "lock", f"{message}: {whole[:60]}", hint, where))

    for whole in _NEWLINE.split(text):
        number += 1
        line = whole.lstrip("\ufeff").strip(" \t")
        if not line or line.startswith("#"):
            continue
        if line != whole:
            problem("blanks or a byte order mark around the line")
        if (match := _BLOB.fullmatch(line)) and is_name(match["repo"]):
            file = _locked_file(match)
            lines.append((file.key, line))
            if file.key in files:
                problem("listed twice")
                if files[file.key] != file:  # two truths are none: ``metalworking lock`` asks git again
                    denied.add(file.key)
            files[file.key] = file
            if not 1 <= file.lines <= file.size <= MAX_SIZE:
                problem("no file has that size and that many lines")
                denied.add(file.key)
        elif (match := _REGION.fullmatch(line)) and (region := _locked_region(match)) is not None:
            if regions.setdefault((region.key, region.selection), region) != region:
                problem("listed twice, in two ways")
                del regions[region.key, region.selection]
            elif (region.ranges[-1].last or 0) > MAX_SIZE:
                problem("no file has that many lines")
                del regions[region.key, region.selection]
        elif match := _ARCHIVE.fullmatch(line):
            if match["spec"] in archives:
                problem("listed twice")
            pin = ArchivePin(match["spec"], unquote(match["filename"]), match["sha256"], int(match["size"]))
            archives[pin.spec] = pin
        elif line[:7] in ("<<<<<<<", "=======", ">>>>>>>", "|||||||"):
            problem("a merge conflict")
        else:
            problem("not a lock line", "take it out; a newer metalworking may have written it")
            lines.append((None, line))
    sound = {key: file for key, file in files.items() if key not in denied}
    doubtful = tuple((key, line) for key, line in lines if key is None or key in denied)
    return Lock(sound, archives, path, regions, doubtful), problems


def _locked_region(match: re.Match[str]) -> LockedRegion | None:
    selection = Selection.parse(match["select"])
    try:
        ranges = parse_ranges(match["ranges"])
    except RangeProblem:
        return None
    if selection is None or ranges[-1].last is None or not is_name(match["repo"]):
        return None
    key = FileKey(match["repo"], match["commit"] or "", unquote(match["path"]))
    return LockedRegion(key, selection, ranges, match["sha256"], match["blob"])


def _locked_file(match: re.Match[str]) -> LockedFile:
    key = FileKey(match["repo"], match["commit"], unquote(match["path"]))
    return LockedFile(key, match["blob"], match["sha256"], int(match["size"]), int(match["lines"]))
