"""Reading git objects: one ``cat-file`` process per repository, and the walk from a commit to a path.

Objects are hashed here again, since git does not check what it reads from a pack: a clone with altered objects
cannot bind a wrong file to a commit. Tree format: gitformat-tree, ``mode SP name NUL id`` repeated.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import stat
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Literal, Protocol

from ..quote.blob import HEX_ID
from .command import Git, GitError, last_line

Kind = Literal["file", "executable", "symlink", "submodule", "directory"]

_KINDS: dict[int, Kind] = {
    stat.S_IFREG: "file",
    stat.S_IFLNK: "symlink",
    stat.S_IFDIR: "directory",
    0o160000: "submodule",
}

METADATA_MAX = 64 << 20
"""Bytes that no commit and no tree has."""


class MissingObject(GitError):
    """The repository does not have this object."""


class Oversized(GitError):
    """The object is larger than the caller takes; ``size`` is in bytes."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__("oversized", f"{size} bytes, more than the limit of {limit}")
        self.size = size


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """What a commit has at a path: its *mode* as git writes it, its *kind* and its object id."""

    mode: str
    kind: Kind
    oid: str


class Objects(Protocol):
    """Where objects come from: a repository, or those that were kept."""

    def verified(self, oid: str, *, kind: str, max_bytes: int) -> bytes:
        """Return the content of *oid*, hashed; raises MissingObject when it is not here, GitError for another one."""


def is_object(oid: str, kind: str, data: bytes) -> bool:
    """Tell whether *data* is the git object *oid* of *kind*: hash(kind + " " + decimal size + NUL + bytes)."""
    algorithm = hashlib.sha1(usedforsecurity=False) if len(oid) == 40 else hashlib.sha256()
    algorithm.update(b"%s %d\0" % (kind.encode(), len(data)))
    algorithm.update(data)
    return algorithm.hexdigest() == oid


class CatFile:
    """A ``git cat-file --batch`` that stays open. Thread-safe; started when first used, started again when it dies.

    One that does not answer within *timeout* seconds is ended, and not started again.
    """

    def __init__(self, git: Git, *, timeout: float = 30.0) -> None:
        self._git = git
        self._timeout = timeout
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr: IO[bytes] | None = None
        self._hung = False
        self.started = 0
        """How many processes were started so far."""

    def read(self, oid: str, *, kind: str = "blob", max_bytes: int = METADATA_MAX) -> bytes:
        """Return the content of object *oid*, which must be of *kind* and have at most *max_bytes*.

        Raises MissingObject, Oversized, or GitError for another kind, a process that keeps dying, or a timeout.
        """
        if not HEX_ID.match(oid):  # nothing else may reach a line of git's input
            raise GitError("unsafe-name", f"{oid[:70]!r} is not a full object id")
        with self._lock:
            try:
                return self._ask(oid, kind, max_bytes)
            except BrokenPipeError:
                self._stop()
            try:
                return self._ask(oid, kind, max_bytes)
            except BrokenPipeError:
                why = self._stop() or "git cat-file ended"
                raise MissingObject("object-missing", f"object {oid[:12]} cannot be read: {why}") from None

    def verified(self, oid: str, *, kind: str, max_bytes: int = METADATA_MAX) -> bytes:
        """Return what ``read`` returns, hashed again.

        Raises GitError ``damaged-object`` when the content is not what its id says, and whatever ``read`` raises.
        """
        data = self.read(oid, kind=kind, max_bytes=max_bytes)
        if not is_object(oid, kind, data):
            raise GitError("damaged-object", f"the repository's {kind} {oid[:12]} is damaged", "clone it again")
        return data

    def close(self) -> None:
        """End the process; may be called twice, and ``read`` starts a new one."""
        with self._lock:
            self._stop()

    def _ask(self, oid: str, kind: str, max_bytes: int) -> bytes:
        if self._hung:
            message = f"git cat-file did not answer within {self._timeout:g} seconds; not asked again"
            raise GitError("git-failed", message)
        process = self._process or self._start()
        assert process.stdin
        assert process.stdout
        watchdog = threading.Timer(self._timeout, self._give_up, (process,))
        watchdog.daemon = True
        watchdog.start()
        try:
            process.stdin.write(oid.encode() + b"\n")
            process.stdin.flush()
            header = process.stdout.readline(4096)
            if not header.endswith(b"\n"):
                raise BrokenPipeError
            words = header.decode("ascii", "replace").split()
            if len(words) != 3:  # "missing", "ambiguous"
                raise MissingObject("object-missing", f"object {oid[:12]} is not in the repository")
            size = int(words[2])
            if words[1] != kind or size > max_bytes:
                self._stop()  # cheaper than reading to the end what nobody wants
                if words[1] != kind:
                    raise GitError("wrong-kind", f"object {oid[:12]} is a {words[1]}, not a {kind}")
                raise Oversized(size, max_bytes)
            data = process.stdout.read(size + 1)  # and the LF that ends it
            if len(data) != size + 1:
                raise BrokenPipeError
            return data[:-1]
        finally:
            watchdog.cancel()

    def _give_up(self, process: subprocess.Popen[bytes]) -> None:
        self._hung = True
        process.kill()

    def _start(self) -> subprocess.Popen[bytes]:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 (closed in _stop)
        self._process = self._git.popen("cat-file", "--batch", stderr=self._stderr.fileno())
        self.started += 1
        return self._process

    def _stop(self) -> str:
        """End the process and return the last thing it complained of."""
        process, stderr, said = self._process, self._stderr, ""
        self._process = self._stderr = None
        if process is not None:
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if stream:
                        stream.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.2)
            process.kill()
            process.wait()
        if stderr is not None:
            with stderr:
                stderr.seek(0)
                said = last_line(stderr.read(1 << 16))
        return said


def resolve_path(objects: Objects, commit: str, path: str) -> TreeEntry | None:
    """Return what *commit* has at *path* (literal, UTF-8, ``/`` between names), or None when it has nothing there.

    Raises MissingObject when the commit or a tree is not in the repository, GitError when one is damaged.
    """
    header = objects.verified(commit, kind="commit", max_bytes=METADATA_MAX).split(b"\n", 1)[0]
    oid = header.removeprefix(b"tree ").decode("ascii", "replace")
    entry = TreeEntry("40000", "directory", oid)
    for name in path.encode("utf-8").split(b"/"):
        if entry.kind != "directory":
            return None
        tree = objects.verified(entry.oid, kind="tree", max_bytes=METADATA_MAX)
        found = next((item for key, item in entries_of(tree, len(commit) // 2) if key == name), None)
        if found is None:
            return None
        entry = found
    return entry


def tree_of(objects: Objects, commit: str) -> list[tuple[bytes, TreeEntry]]:
    """Return the entries of the root folder of *commit*; raises what ``verified`` raises."""
    header = objects.verified(commit, kind="commit", max_bytes=METADATA_MAX).split(b"\n", 1)[0]
    oid = header.removeprefix(b"tree ").decode("ascii", "replace")
    return list(entries_of(objects.verified(oid, kind="tree", max_bytes=METADATA_MAX), len(commit) // 2))


def files_below(objects: Objects, commit: str, folder: str) -> Iterator[str]:
    """Yield the path of every file of *commit* below *folder* ("": all); raises what ``verified`` raises."""
    root = resolve_path(objects, commit, folder) if folder else None
    if folder and (root is None or root.kind != "directory"):
        return
    left = [(folder, root.oid if root else "")]
    while left:
        at, oid = left.pop()
        data = objects.verified(oid, kind="tree", max_bytes=METADATA_MAX) if oid else None
        entries = tree_of(objects, commit) if data is None else entries_of(data, len(commit) // 2)
        for name, entry in entries:
            path = f"{at}/{name.decode('utf-8', 'replace')}".lstrip("/")
            if entry.kind == "directory":
                left.append((path, entry.oid))
            elif entry.kind in ("file", "executable"):
                yield path


def commit_date(commit: bytes) -> str:
    """Return the day on which a commit was made, in UTC, as ``2026-08-18``; "" when the object does not say."""
    match = re.search(rb"^committer .*> (\d{1,12}) [+-]\d{4}$", commit.split(b"\n\n", 1)[0], re.MULTILINE)
    try:
        return datetime.fromtimestamp(int(match[1]), UTC).date().isoformat() if match else ""
    except (ValueError, OverflowError, OSError):  # a year that no calendar has
        return ""


_ENTRY = re.compile(rb"([0-7]{1,7}) ([^\0]+)\0")


def entries_of(tree: bytes, width: int) -> Iterator[tuple[bytes, TreeEntry]]:
    """Yield the entries of a tree; raises GitError for one that no git wrote, though its hash be right."""
    position = 0
    while position < len(tree):
        match = _ENTRY.match(tree, position)
        end = match.end() + width if match else 0
        kind = _kind(int(match[1], 8)) if match else None
        if match is None or kind is None or end > len(tree):
            raise GitError("damaged-object", f"a tree of the repository is malformed at byte {position}")
        # Old gits wrote 040000 and 100664; what counts is the type in it.
        yield match[2], TreeEntry(match[1].decode(), kind, tree[match.end() : end].hex())
        position = end


def _kind(mode: int) -> Kind | None:
    kind = _KINDS.get(stat.S_IFMT(mode))
    return "executable" if kind == "file" and mode & 0o100 else kind
