"""The commits and trees that the store has, as git objects: each of the repository that it came from."""

from __future__ import annotations

from dataclasses import dataclass

from ..git.objects import MissingObject
from .store import Store

_KEPT_BYTES = 16 << 20
"""Commits and trees kept in memory; the files of a repository share most of theirs."""


class Kept:
    """The objects that the store has, each read and hashed once as long as they fit into memory."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen: dict[tuple[str, str, str], bytes] = {}
        self._size = 0

    def get(self, repo: str, oid: str, kind: str) -> bytes | None:
        """Return the object; None when the store has no sound copy of *repo*."""
        data = self._seen.get((repo, oid, kind))
        if data is None:
            data = self._store.git_object(repo, oid, kind)
            if data is not None and self._size + len(data) <= _KEPT_BYTES:
                self._seen[repo, oid, kind] = data
                self._size += len(data)
        return data


@dataclass(frozen=True, slots=True)
class KeptOf:
    """The objects that the store has of *repo*."""

    kept: Kept
    repo: str

    def verified(self, oid: str, *, kind: str, max_bytes: int) -> bytes:  # noqa: ARG002 (the store has its own bound)
        """Return the object; raises MissingObject when the store has no sound copy."""
        data = self.kept.get(self.repo, oid, kind)
        if data is None:
            raise MissingObject("object-missing", f"object {oid[:12]} is not in the store")
        return data
