"""A content-addressed cache of verified bytes: what is read from it is checked again, every time.

Entries are named by SHA-256, so two sites, two branches or two builds at once can share one folder.
"""

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
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO

import platformdirs

from ..git.objects import METADATA_MAX, is_object
from ..quote.blob import HEX_ID, LockedFile
from ..quote.diagnostics import MetalworkingError, printable
from ..quote.packages import ArchivePin

_LOG = logging.getLogger(__name__)

_CHUNK = 1 << 20
_LEFTOVER_SECONDS = 24 * 60 * 60


def default_root(env: Mapping[str, str] | None = None) -> Path:
    """Return the cache folder: ``METALWORKING_STORE`` when set, else the user's cache folder for metalworking."""
    chosen = (os.environ if env is None else env).get("METALWORKING_STORE", "")
    try:
        if chosen:
            return Path(chosen).expanduser()
        return platformdirs.user_cache_path("metalworking", appauthor=False)
    except RuntimeError:
        raise MetalworkingError(
            "config", f"no folder for the store: {chosen or 'this user has no home'}", "set METALWORKING_STORE to one"
        ) from None


class Store:
    """Verified files and archives under *root*. Safe with several threads and several builds at once."""

    def __init__(self, root: Path, *, logger: logging.Logger = _LOG) -> None:
        self.root = root
        self._log = logger
        self._swept = False
        self._told_read_only = False

    def get(self, file: LockedFile) -> bytes | None:
        """Return the bytes of *file*, or None when the store has no sound copy.

        A damaged entry is removed and reported as a warning, so that the next build fetches it again.
        """
        path = self._entry("sha256", file.sha256)
        data = self._read(path, file.size)
        if data is None:
            return None
        problem = file.mismatch(data)
        if problem is None:
            return data
        if not _is_named(path):  # else it is the lock that is wrong, and the entry somebody's
            self._discard(path, f"{file.key}: {problem}")
        return None

    def put(self, file: LockedFile, data: bytes) -> bool:
        """Keep *data* as *file*; return whether it is kept. A store that cannot be written keeps nothing.

        Raises MetalworkingError ``wrong-bytes`` when *data* is not *file*.
        """
        problem = file.mismatch(data)
        if problem is not None:
            raise MetalworkingError("wrong-bytes", f"{file.key}: refused to store {problem}")
        path = self._entry("sha256", file.sha256)
        if self._is_sound(path, file):
            return True
        try:
            with self.writing(path) as stream:
                stream.write(data)
        except OSError as error:
            self._cannot_write(error)
            return False
        return True

    def archive_path(self, pin: ArchivePin) -> Path:
        """Return where the archive *pin* is kept, whether or not it is there."""
        return self._entry("archives", pin.sha256)

    def archive(self, pin: ArchivePin) -> Path | None:
        """Return the path of a sound copy of *pin*, or None. A damaged copy is removed and reported."""
        path = self.archive_path(pin)
        try:
            info = os.lstat(path)
        except OSError:
            return None
        problem = "not a file"
        if stat.S_ISREG(info.st_mode):
            try:
                problem = _archive_problem(path, pin)
            except OSError:
                return None
        if not problem:
            return path
        if not _is_named(path):
            self._discard(path, f"{pin.filename}: {problem}")
        return None

    def put_archive(self, pin: ArchivePin, chunks: Iterable[bytes]) -> Path | None:
        """Stream *chunks* to disk, verify, then keep them as *pin*; return the path, or None on a read-only store.

        Raises MetalworkingError ``wrong-archive`` when size or SHA-256 differ: then nothing is kept.
        """
        path = self.archive_path(pin)
        digest, size = hashlib.sha256(), 0
        try:
            with self.writing(path) as stream:
                for chunk in chunks:
                    digest.update(chunk)
                    size += len(chunk)
                    if size > pin.size:
                        raise _wrong_archive(pin, f"more than the {pin.size} bytes that are pinned")
                    stream.write(chunk)
                if size != pin.size:
                    raise _wrong_archive(pin, f"{size} bytes instead of {pin.size}")
                if digest.hexdigest() != pin.sha256:
                    raise _wrong_archive(pin, f"SHA-256 {digest.hexdigest()[:12]} instead of {pin.sha256[:12]}")
        except OSError as error:
            self._cannot_write(error)
            return None
        return path

    def git_object(self, oid: str, kind: str) -> bytes | None:
        """Return the git object *oid* of *kind*, hashed again, or None when the store has no sound copy."""
        path = self._entry("git", oid)
        data = self._read(path, METADATA_MAX)
        if data is None:
            return None
        if is_object(oid, kind, data):
            return data
        self._discard(path, f"git {kind} {oid[:12]}: another hash")
        return None

    def put_git_object(self, oid: str, kind: str, data: bytes) -> None:
        """Keep a commit or a tree. Raises MetalworkingError ``wrong-bytes`` when *data* is not that object."""
        if not is_object(oid, kind, data):
            raise MetalworkingError("wrong-bytes", f"refused to store another {kind} than {oid[:12]}")
        path = self._entry("git", oid)
        if path.exists():
            return
        try:
            with self.writing(path) as stream:
                stream.write(data)
        except OSError as error:
            self._cannot_write(error)

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
                self._discard(path, f"{path.name[:12]}: not a file")
                os.replace(temporary, path)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()

    def _entry(self, kind: str, digest: str) -> Path:
        if not HEX_ID.match(digest) or (kind != "git" and len(digest) != 64):
            raise MetalworkingError("bad-lock", f"sources.lock: {digest[:70]!r} is not a SHA-256")
        return self.root / kind / digest[:2] / digest

    def _read(self, path: Path, size: int) -> bytes | None:
        try:
            if not stat.S_ISREG(os.lstat(path).st_mode):  # a link may lead anywhere
                self._discard(path, f"{path.name[:12]}: not a file")
                return None
            with open(path, "rb", opener=_open_plain) as stream:
                # Never more than there is: a lock may name any size.
                return stream.read(min(size, os.fstat(stream.fileno()).st_size) + 1)
        except OSError:
            return None

    def _is_sound(self, path: Path, file: LockedFile) -> bool:
        data = self._read(path, file.size)
        return data is not None and file.mismatch(data) is None

    def _discard(self, path: Path, why: str) -> None:
        if _behind_link(path):  # what a link leads to is somebody else's
            self._log.warning("metalworking: a damaged cache entry behind a link stays: %s", printable(why))
            return
        self._log.warning("metalworking: removed a damaged cache entry: %s", printable(why))
        with contextlib.suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

    def _cannot_write(self, error: OSError) -> None:
        if not self._told_read_only:
            self._told_read_only = True
            self._log.debug("metalworking: the store is not written: %s", printable(error.strerror or "read-only"))

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
    """Tell whether one of the two folders around an entry is a link; the store itself may be one."""
    return path.parent.is_symlink() or path.parent.parent.is_symlink()


def _is_named(path: Path) -> bool:
    """Tell whether the file at *path* has the SHA-256 that it is named by."""
    try:
        with open(path, "rb", opener=_open_plain) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == path.name
    except OSError:
        return False


def _open_plain(path: str, flags: int) -> int:
    """Open *path*, and neither follow a link nor wait for a pipe that took its place a moment ago."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _archive_problem(path: Path, pin: ArchivePin) -> str:
    size = path.stat().st_size
    if size != pin.size:
        return f"{size} bytes instead of {pin.size}"
    digest = hashlib.sha256()
    with open(path, "rb", opener=_open_plain) as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return "" if digest.hexdigest() == pin.sha256 else f"SHA-256 is not {pin.sha256[:12]}"


def _wrong_archive(pin: ArchivePin, problem: str) -> MetalworkingError:
    return MetalworkingError("wrong-archive", f"{pin.filename}: {problem}", "nothing of it was read or kept")
