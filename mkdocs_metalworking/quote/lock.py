"""sources.lock: what git says of every quoted or cited file, and the hash of every archive. One sorted line each.

    archive wheel:mlx-cpu==0.32.1 sha256:<64 hex> size:<bytes> <file name>
    blob owner/name@<commit> <git blob id> sha256:<64 hex> size:<bytes> lines:<count> <path>

Names are percent-encoded where they hold spaces or control characters, so a line is always words apart by one space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from .blob import FileKey, LockedFile
from .diagnostics import Diagnostic, Location, MetalworkingError, Severity
from .packages import ArchivePin
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
_ARCHIVE = re.compile(
    r"archive (?P<spec>\S+) sha256:(?P<sha256>[0-9a-f]{64}) size:(?P<size>[0-9]{1,12}) (?P<filename>\S+)", re.ASCII
)


class NotLocked(MetalworkingError):
    """A file that sources.lock does not hold."""

    def __init__(self, key: FileKey, lock_path: str, near: str = "") -> None:
        hint = f"did you mean {near}? If not, run: metalworking lock" if near else "run: metalworking lock"
        super().__init__("not-locked", f"{key} is not in {lock_path}", hint)


@dataclass(frozen=True)
class Lock:
    """The content of sources.lock."""

    files: dict[FileKey, LockedFile] = field(default_factory=dict)
    archives: dict[str, ArchivePin] = field(default_factory=dict)
    path: str = "sources.lock"

    def file(self, key: FileKey) -> LockedFile:
        """Return what git says of *key*; raises NotLocked when nothing is known."""
        found = self.files.get(key)
        if found is None:
            known = (one.path for one in self.files if (one.repo, one.commit) == (key.repo, key.commit))
            raise NotLocked(key, self.path, suggest_path(key.path, known))
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
        return HEADER + "".join(f"{line}\n" for line in sorted(lines))

    def with_entries(self, files: Iterable[LockedFile] = (), archives: Iterable[ArchivePin] = ()) -> Lock:
        """Return a lock with these entries added or replaced."""
        return Lock(
            {**self.files, **{f.key: f for f in files}}, {**self.archives, **{a.spec: a for a in archives}}, self.path
        )

    def only(self, files: Iterable[FileKey], archives: Iterable[str]) -> Lock:
        """Return a lock without whatever is no longer used."""
        keys, specs = set(files), set(archives)
        return Lock(
            {k: v for k, v in self.files.items() if k in keys},
            {k: v for k, v in self.archives.items() if k in specs},
            self.path,
        )


def _encode(name: str) -> str:
    return quote(name, safe="/!$&'()*+,;=:@~[]{}^|#?\"<>`-._") if name.isascii() else quote(name, safe="/")


def load_lock(text: str, path: str = "sources.lock") -> tuple[Lock, list[Diagnostic]]:
    """Read sources.lock; returns what could be read and a diagnostic, with its line, for each line that could not."""
    lock = Lock(path=path)
    problems: list[Diagnostic] = []
    doubtful: set[FileKey] = set()
    for number, line in enumerate(_NEWLINE.split(text), 1):
        if not line.strip() or line.startswith("#"):
            continue
        twice = False
        if match := _BLOB.fullmatch(line):
            file = _locked_file(match)
            twice = file.key in lock.files
            if twice and lock.files[file.key] != file:
                doubtful.add(file.key)
            lock.files[file.key] = file
            if not 1 <= file.lines <= file.size <= MAX_SIZE:
                problems.append(_problem(f"no file has that size and that many lines: {line[:60]}", path, number))
                doubtful.add(file.key)
        elif match := _ARCHIVE.fullmatch(line):
            twice = match["spec"] in lock.archives
            pin = ArchivePin(match["spec"], unquote(match["filename"]), match["sha256"], int(match["size"]))
            lock.archives[pin.spec] = pin
        else:
            what = "a merge conflict" if line[:7] in ("<<<<<<<", "=======", ">>>>>>>") else "not a lock line"
            problems.append(_problem(f"{what}: {line[:60]}", path, number))
        if twice:
            problems.append(_problem(f"listed twice: {line[:60]}", path, number))
    for key in doubtful:  # two truths are none: ``metalworking lock`` asks git again
        del lock.files[key]
    return lock, problems


def _locked_file(match: re.Match[str]) -> LockedFile:
    key = FileKey(match["repo"], match["commit"], unquote(match["path"]))
    return LockedFile(key, match["blob"], match["sha256"], int(match["size"]), int(match["lines"]))


def _problem(message: str, path: str, line: int) -> Diagnostic:
    return Diagnostic(Severity.ERROR, "lock", message, "run: metalworking lock", Location(path, line))
