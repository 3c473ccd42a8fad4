"""A folder of entries named by their hashes: read without following links, and written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import logging
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ..git.interrupts import held_back
from ..quote.blob import HEX_ID
from ..quote.diagnostics import MetalworkingError, printable

_LEFTOVER_SECONDS = 24 * 60 * 60


class StoreFolder:
    """The entries under *root*. Safe with several threads and several builds at once."""

    def __init__(self, root: Path, logger: logging.Logger) -> None:
        self.root = root
        self._log = logger
        self._swept = False
        self.refused = ""
        """Why this folder was not written; "" as long as it was."""

    def entry(self, kind: str, digest: str) -> Path:
        """Return where an entry is kept, whether or not it is there; raises MetalworkingError for no digest."""
        if not HEX_ID.match(digest) or (kind != "git" and len(digest) != 64):
            raise MetalworkingError("bad-lock", f"sources.lock: {digest[:70]!r} is not a SHA-256")
        return self.root / kind / digest[:2] / digest

    def read(self, path: Path, size: int) -> bytes | None:
        """Return up to *size* bytes of the entry and one more; None when there is none. What is no file is removed."""
        try:
            if not stat.S_ISREG(os.lstat(path).st_mode):  # a link may lead anywhere
                self.discard(path, f"{path.name[:12]}: not a file")
                return None
            with open(path, "rb", opener=open_plain) as stream:
                # Never more than there is: a lock may name any size.
                return stream.read(min(size, os.fstat(stream.fileno()).st_size) + 1)
        except OSError:
            return None

    @contextlib.contextmanager
    def writing(self, path: Path) -> Iterator[IO[bytes]]:
        """Yield a stream whose bytes appear at *path* at once when the block ends well, and never when it raises.

        Raises OSError when the store cannot be written.
        """
        self._sweep()
        if _behind_link(path):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name[:16]}.{os.getpid()}.{secrets.token_hex(6)}.tmp")
        try:
            with open(temporary, "xb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            try:
                os.replace(temporary, path)
            except (IsADirectoryError, PermissionError):
                if not path.is_dir() or path.is_symlink():
                    raise  # on Windows: somebody reads the entry that is there
                self.discard(path, f"{path.name[:12]}: not a file")
                os.replace(temporary, path)
        finally:
            with held_back(), contextlib.suppress(OSError):
                temporary.unlink()

    def discard(self, path: Path, why: str) -> None:
        """Remove a damaged entry and say so; what a link leads to is somebody else's and stays."""
        if _behind_link(path):
            self._log.warning("metalworking: a damaged cache entry behind a link stays: %s", printable(why))
            return
        self._log.warning("metalworking: removed a damaged cache entry: %s", printable(why))
        with contextlib.suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

    def cannot_write(self, error: OSError) -> None:
        """Say once that this folder is not written."""
        if not self.refused:
            self.refused = printable(error.strerror or "read-only")
            self._log.debug("metalworking: the store is not written: %s", self.refused)

    def _sweep(self) -> None:
        """Remove what a killed build left half-written more than a day ago (once per store)."""
        if self._swept:
            return
        self._swept = True
        oldest = time.time() - _LEFTOVER_SECONDS
        for leftover in self.root.glob("*/*/.*.tmp"):
            with contextlib.suppress(OSError):
                if not _behind_link(leftover) and leftover.lstat().st_mtime < oldest:
                    leftover.unlink()


def _behind_link(path: Path) -> bool:
    """Tell whether one of the two folders around an entry is a link; the store itself may be one of the person's."""
    return path.parent.is_symlink() or path.parent.parent.is_symlink()


def is_named(path: Path) -> bool:
    """Tell whether the file at *path* has the SHA-256 that it is named by."""
    try:
        with open(path, "rb", opener=open_plain) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == path.name
    except OSError:
        return False


def open_plain(path: str, flags: int) -> int:
    """Open *path*, and neither follow a link nor wait for a pipe that took its place a moment ago."""
    return open_at_once(path, flags | getattr(os, "O_NOFOLLOW", 0))


def open_at_once(path: str, flags: int) -> int:
    """Open *path*, and wait for no pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
