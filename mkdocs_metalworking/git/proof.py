"""What a commit has at a path, told by git's own hashes, against what sources.lock says.

The hashes in the lock prove bytes, not that these bytes are the file of that commit. The commit's id is the hash of an
object that names a tree, a tree's id that of one that names what is in it: so the few objects on the way from commit to
file are the proof, and whoever has them needs to trust neither git nor where they lay.
"""

from __future__ import annotations

from collections.abc import Callable

from ..quote.blob import LockedFile
from ..quote.diagnostics import MetalworkingError
from .objects import MissingObject, Objects, TreeEntry, resolve_path


class Contradiction(MetalworkingError):
    """The commit has another file at that path than the lock says; no bytes can settle it."""

    def __init__(self, file: LockedFile, found: TreeEntry | None) -> None:
        has = "no such file" if found is None else f"git {found.kind} {found.oid[:12]}"
        super().__init__(
            "wrong-lock",
            f"{file.key}: the commit has {has}, sources.lock says blob {file.blob[:12]}",
            "run: metalworking lock --update",
        )


def proves(objects: Objects, file: LockedFile) -> bool:
    """Tell whether *objects* prove that the commit has this blob at this path; False: they do not reach that far.

    Raises Contradiction when it has something else there, GitError when an object is damaged.
    """
    try:
        found = resolve_path(objects, file.key.commit, file.key.path)
    except MissingObject:  # a shallow or partial clone, or one of another commit
        return False
    if found is None or found.oid != file.blob or found.kind not in ("file", "executable"):
        raise Contradiction(file, found)
    return True


class Recorded:
    """Objects that are handed to *keep* as they are read: those of a proof, to be had again without git."""

    def __init__(self, objects: Objects, keep: Callable[[str, str, bytes], object]) -> None:
        self._objects = objects
        self._keep = keep

    def verified(self, oid: str, *, kind: str, max_bytes: int) -> bytes:
        """Return what the objects return, and keep it; raises what they raise."""
        data = self._objects.verified(oid, kind=kind, max_bytes=max_bytes)
        self._keep(oid, kind, data)
        return data
