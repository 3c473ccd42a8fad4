"""Git objects: what they are named by, and the walk from a commit to a path.

Objects are hashed here again, since git does not check what it reads from a pack: a clone with altered objects
cannot bind a wrong file to a commit. Tree format: gitformat-tree, ``mode SP name NUL id`` repeated.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
import stat
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Literal, Protocol

from .command import GitError

Kind = Literal["file", "executable", "symlink", "submodule", "directory"]

_KINDS: dict[int, Kind] = {
    stat.S_IFREG: "file",
    stat.S_IFLNK: "symlink",
    stat.S_IFDIR: "directory",
    0o160000: "submodule",
}

METADATA_MAX = 64 << 20
"""Bytes that no commit has, nor what git says of one."""
TREE_MAX = 4 << 20
"""Bytes that no folder has: those of Linux, Chromium and nixpkgs stay below two millions."""
_WAY_MAX = 16 << 20
"""Bytes that all folders on the way to a file have together. Equal entries pack to nothing, and each is looked at."""
_LARGE = 256 << 10
_TREES_MAX = 20_000
"""Folders that are looked into for the paths of a commit. A few trees within each other, each named ten times in the
one above it, have more files than any memory holds."""


class MissingObject(GitError):
    """The repository does not have this object."""


class Oversized(GitError):
    """The object is larger than the caller takes; ``size`` is in bytes, or what *unit* names."""

    def __init__(self, size: int, limit: int, unit: str = "bytes") -> None:
        super().__init__("oversized", f"{size} {unit}, more than the limit of {limit}")
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


def resolve_path(objects: Objects, commit: str, path: str) -> TreeEntry | None:
    """Return what *commit* has at *path* (literal, UTF-8, ``/`` between names), or None when it has nothing there.

    Raises MissingObject when the commit or a tree is not in the repository, GitError when one is damaged.
    """
    header = objects.verified(commit, kind="commit", max_bytes=METADATA_MAX).split(b"\n", 1)[0]
    oid = header.removeprefix(b"tree ").decode("ascii", "replace")
    entry, size = TreeEntry("40000", "directory", oid), 0
    for name in path.encode("utf-8").split(b"/"):
        if entry.kind != "directory":
            return None
        tree = objects.verified(entry.oid, kind="tree", max_bytes=TREE_MAX)
        size += len(tree)
        if size > _WAY_MAX:
            raise Oversized(size, _WAY_MAX)
        found = _find(_Tree(entry.oid, tree), name)
        if found is None:
            return None
        entry = found
    return entry


@dataclass(frozen=True, slots=True)
class _Tree:
    """A folder, which is the same where its *oid* is."""

    oid: str
    data: bytes = field(compare=False)


def _find(tree: _Tree, name: bytes) -> TreeEntry | None:
    width = len(tree.oid) // 2
    if len(tree.data) < _LARGE:
        return next((entry for key, entry in entries_of(tree.data, width) if key == name), None)
    start = _starts(tree).get(name)
    if start is None:
        return None
    return next(entries_of(tree.data[start : tree.data.index(b"\0", start) + 1 + width], width))[1]


@lru_cache(maxsize=4)
def _starts(tree: _Tree) -> dict[bytes, int]:
    """Return where in *tree* each name first begins: a lock may have a thousand files in one such folder."""
    found, position, width = dict[bytes, int](), 0, len(tree.oid) // 2
    for name, entry in entries_of(tree.data, width):
        found.setdefault(name, position)
        position += len(entry.mode) + len(name) + 2 + width
    return found


_HOPS = 40
"""Links on the way to a file, as many as an operating system follows."""


def followed(objects: Objects, commit: str, path: str) -> str:
    """Return where *path* leads to by the links that *commit* has on the way; *path* where they lead to nothing in it.

    Raises what `resolve_path` raises.
    """
    at = path
    for _ in range(_HOPS):
        names = at.split("/")
        link = None
        for way in ("/".join(names[:count]) for count in range(1, len(names) + 1)):
            link = resolve_path(objects, commit, way)
            if link is None:
                return path
            if link.kind == "symlink":
                break
        else:
            return at
        to = objects.verified(link.oid, kind="blob", max_bytes=METADATA_MAX).decode("utf-8", "replace")
        at = posixpath.normpath(posixpath.join(posixpath.dirname(way), to, at[len(way) + 1 :]))
        if at.startswith(("/", "../")) or at == "..":
            break
    return path


def tree_of(objects: Objects, commit: str) -> list[tuple[bytes, TreeEntry]]:
    """Return the entries of the root folder of *commit*; raises what ``verified`` raises."""
    header = objects.verified(commit, kind="commit", max_bytes=METADATA_MAX).split(b"\n", 1)[0]
    oid = header.removeprefix(b"tree ").decode("ascii", "replace")
    return list(entries_of(objects.verified(oid, kind="tree", max_bytes=TREE_MAX), len(commit) // 2))


def files_below(
    objects: Objects, commit: str, folder: str, kinds: Container[Kind] = ("file", "executable")
) -> Iterator[str]:
    """Yield the path of every file of *commit* below *folder* ("": all), or what else is one of *kinds*.

    Raises what ``verified`` raises, and Oversized for more folders or longer names together than any repository has.
    """
    root = resolve_path(objects, commit, folder) if folder else None
    if folder and (root is None or root.kind != "directory"):
        return
    left = [(folder, root.oid if root else "")]
    trees = size = 0
    while left:
        at, oid = left.pop()
        trees += 1
        if trees > _TREES_MAX:
            raise Oversized(trees, _TREES_MAX, "folders")
        data = objects.verified(oid, kind="tree", max_bytes=TREE_MAX) if oid else None
        entries = tree_of(objects, commit) if data is None else entries_of(data, len(commit) // 2)
        for name, entry in entries:
            path = f"{at}/{name.decode('utf-8', 'replace')}".lstrip("/")
            size += len(path)
            if size > METADATA_MAX:
                raise Oversized(size, METADATA_MAX)
            if entry.kind == "directory":
                left.append((path, entry.oid))
            elif entry.kind in kinds:
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
