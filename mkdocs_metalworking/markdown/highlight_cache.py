"""Highlighted lines kept between builds: one SQLite file, bounded, shared by builds that run at once.

A cache that cannot be read or written costs time, never a build: it is set aside and the lines are made anew.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import stat
import threading
import time
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from .highlight_pool import HighlightPool, Job

_LOG = logging.getLogger(__name__)
_TABLE = "CREATE TABLE lines (key BLOB PRIMARY KEY, html BLOB NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID"
_PACKED_MAX = 16 << 20
"""Bytes of a value; with more SQLite refuses it, so that none fills the memory."""
MAX_ENTRIES = 50_000
"""About 100 MB of compressed HTML; the least recently used go first."""


_ENTRY_MAX = 64 << 20
"""Bytes that an entry may unpack to."""
_JOURNALS = ("-journal", "-wal", "-shm")
"""What SQLite would read beside a database. None is made here, and SQLite deletes whatever file a journal names as the
one above it (https://www.sqlite.org/fileformat2.html#the_rollback_journal)."""


class DiskLineCache:
    """Callable as a LineCache. Thread-safe; *version* names everything outside the key that shapes the HTML."""

    def __init__(
        self, path: Path, version: str, *, max_entries: int = MAX_ENTRIES, pool: HighlightPool | None = None
    ) -> None:
        self._path = path
        self._version = version
        self._max = max_entries
        self._pool = pool
        self._mutex = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._broken = False
        # What the file does not have yet, packed; where there is no file, this is the cache.
        self._new: dict[bytes, bytes] = {}
        self._used: set[bytes] = set()

    def __call__(self, key: str, make: Callable[[], list[str]]) -> list[str]:
        """Return the lines kept under *key*, or make them."""
        with self._mutex:
            name = self._name(key)
            lines = self._read(name)
            if lines is None:
                lines = (self._pool.take(key) if self._pool is not None else None) or make()
                self._keep(name, lines)
            return lines

    def ahead(self, key: str, job: Callable[[], Job]) -> None:
        """Let a worker make what is not kept under *key*."""
        if self._pool is not None:
            with self._mutex:
                kept = self._has(self._name(key))
            if not kept:
                self._pool.ahead(key, job())

    def replace(self, key: str, lines: list[str]) -> None:
        """Keep *lines* under *key* in the place of what was found wrong."""
        with self._mutex:
            _LOG.debug("highlight cache: a wrong entry is replaced")
            self._keep(self._name(key), lines)

    def _name(self, key: str) -> bytes:
        return sha256(f"{self._version}\0{key}".encode()).digest()

    def _keep(self, name: bytes, lines: list[str]) -> None:
        self._new[name] = zlib.compress("\n".join(lines).encode(), 1)

    def _has(self, name: bytes) -> bool:
        db = self._open() if name not in self._new else None
        try:
            return db is None or bool(db.execute("SELECT 1 FROM lines WHERE key = ?", (name,)).fetchone())
        except sqlite3.Error as error:
            self._give_up(error)
            return False

    def _read(self, name: bytes) -> list[str] | None:
        packed = self._new.get(name)
        db = self._open() if packed is None else None
        try:
            if db is not None:
                row = db.execute("SELECT html FROM lines WHERE key = ?", (name,)).fetchone()
                if row is not None:
                    self._used.add(name)
                    packed = row[0]
            if packed is None:
                return None
            return zlib.decompressobj().decompress(packed, _ENTRY_MAX).decode().split("\n")
        except (zlib.error, ValueError, TypeError, RecursionError) as error:
            _LOG.debug("highlight cache: an entry cannot be read: %s", error)
            return None
        except sqlite3.Error as error:
            self._give_up(error)
            return None

    def flush(self) -> None:
        """Write what is new and drop what is old, and end the workers; called at a build's end."""
        if self._pool is not None:
            self._pool.close()
        with self._mutex:
            db = self._open() if self._new or self._used else None
            if db is None:
                return
            try:
                with db:
                    now = int(time.time())
                    rows = [(name, packed, now) for name, packed in self._new.items()]
                    db.executemany("INSERT OR REPLACE INTO lines VALUES (?, ?, ?)", rows)
                    db.executemany(
                        "UPDATE lines SET used = ? WHERE key = ? AND used < ?",
                        [(now, n, now - 86400) for n in self._used],
                    )
                    (count,) = db.execute("SELECT count(*) FROM lines").fetchone()
                    if count > self._max:
                        db.execute(
                            "DELETE FROM lines WHERE key IN (SELECT key FROM lines ORDER BY used LIMIT ?)",
                            (count - self._max * 3 // 4,),
                        )
                self._new.clear()
                self._used.clear()
            except sqlite3.Error as error:
                self._give_up(error)

    def close(self) -> None:
        """Flush and release the file; the cache opens it again when it is used again."""
        self.flush()
        with self._mutex:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _open(self) -> sqlite3.Connection | None:
        if self._db is None and not self._broken:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                if os.path.lexists(self._path) and not stat.S_ISREG(os.lstat(self._path).st_mode):
                    raise sqlite3.DatabaseError("not a file: a link may lead to somebody else's")
                if any(os.path.lexists(f"{self._path}{ending}") for ending in _JOURNALS):
                    raise sqlite3.DatabaseError("a journal lies beside it, and none is made here")
                self._db = sqlite3.connect(self._path, timeout=10, check_same_thread=False)
                self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _PACKED_MAX)
                self._db.execute("PRAGMA trusted_schema = OFF")
                self._db.execute("PRAGMA journal_mode = MEMORY")
                _check(self._db)
            except (OSError, sqlite3.Error) as error:
                self._give_up(error)
        return self._db

    def _give_up(self, error: Exception) -> None:
        """Set a damaged file aside, so that the next build starts a new one; a locked or read-only one stays."""
        _LOG.debug("highlight cache not used: %s", error)
        self._broken = True
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
            self._db = None
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            for name in (self._path, *(Path(f"{self._path}{ending}") for ending in _JOURNALS)):
                with contextlib.suppress(OSError):
                    name.unlink()


def _check(db: sqlite3.Connection) -> None:
    """Make the table, or raise DatabaseError where anything else is: a view or a trigger could run without end."""
    found = _made(db)
    if not found:
        db.execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS"))  # another build may begin at the same time
        found = _made(db)
    if found != [_TABLE]:
        raise sqlite3.DatabaseError("not the table that is made here")


def _made(db: sqlite3.Connection) -> list[str]:
    return [sql for (sql,) in db.execute("SELECT sql FROM sqlite_master LIMIT 2")]
