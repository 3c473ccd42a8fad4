"""What a transport brings beside the file that it was asked for: in one pass, and not all of it in memory."""

from __future__ import annotations

import threading

from ..quote.blob import LockedFile
from ..quote.diagnostics import MetalworkingError
from .store import Store

_ROOM = 64 << 20
"""Bytes in memory of files that nobody asked for yet."""


class Catch:
    """Files are compared as they come, and of a wrong one the reason is kept. Thread-safe.

    What memory has no room for goes to *store*; what the store does not take is let go, and must be brought again.
    """

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._mutex = threading.Lock()
        self._held: dict[LockedFile, bytes] = {}
        self._room = _ROOM
        self._wrong: dict[LockedFile, str] = {}
        self._stored: set[LockedFile] = set()

    def take(self, file: LockedFile, data: bytes, *, asked: bool = False) -> None:
        """Keep *data*, which was brought for *file*; of the one that was *asked* for in any case."""
        problem = file.mismatch_told(data)
        with self._mutex:
            if problem is not None:
                self._wrong[file] = problem
                return
            if file not in self._held and (asked or len(data) <= self._room):
                self._held[file] = data
                self._room -= len(data)
                return
        if self._store is not None and self._store.put(file, data):
            with self._mutex:
                self._stored.add(file)

    def get(self, file: LockedFile) -> bytes | None:
        """Return the bytes; None when they must be brought. Raises MetalworkingError when what came was wrong."""
        with self._mutex:
            problem, data, stored = self._wrong.get(file), self._held.get(file), file in self._stored
        if problem is not None:
            raise MetalworkingError("wrong-bytes", problem)
        return self._store.get(file) if data is None and stored and self._store is not None else data

    def clear(self) -> None:
        """Forget all of it."""
        with self._mutex:
            self._held.clear()
            self._wrong.clear()
            self._stored.clear()
            self._room = _ROOM
