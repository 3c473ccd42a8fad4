"""A content-addressed cache of verified bytes: what is read from it is checked again, every time.

Entries are named by SHA-256, so two sites, two branches or two builds at once can share one folder.
"""

from __future__ import annotations

import hashlib
import logging
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

import platformdirs

from ..git.objects import METADATA_MAX, TREE_MAX, is_object
from ..quote.blob import LockedFile
from ..quote.diagnostics import MetalworkingError
from ..quote.packages import ArchivePin
from .store_folder import StoreFolder, is_named, open_plain

_LOG = logging.getLogger(__name__)

_CHUNK = 1 << 20


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
    """Verified files and archives under *root*. Safe with several threads and several builds at once.

    Where anybody may have written it, it *proves* nothing: of which repository a commit is, no hash tells.
    """

    def __init__(self, root: Path, *, proves: bool = True, logger: logging.Logger = _LOG) -> None:
        self.root = root
        self._proves = proves
        self.folder = StoreFolder(root, logger)
        """Where the entries lie."""

    def get(self, file: LockedFile) -> bytes | None:
        """Return the bytes of *file*, or None when the store has no sound copy.

        A damaged entry is removed and reported as a warning, so that the next build fetches it again.
        """
        path = self.folder.entry("sha256", file.sha256)
        data = self.folder.read(path, file.size)
        if data is None:
            return None
        problem = file.mismatch(data)
        if problem is None:
            return data
        if not is_named(path):  # else it is the lock that is wrong, and the entry somebody's
            self.folder.discard(path, f"{file.key}: {problem}")
        return None

    def put(self, file: LockedFile, data: bytes) -> bool:
        """Keep *data* as *file*; return whether it is kept. A store that cannot be written keeps nothing.

        Raises MetalworkingError ``wrong-bytes`` when *data* is not *file*.
        """
        problem = file.mismatch(data)
        if problem is not None:
            raise MetalworkingError("wrong-bytes", f"{file.key}: refused to store {problem}")
        path = self.folder.entry("sha256", file.sha256)
        if self._is_sound(path, file):
            return True
        try:
            with self.folder.writing(path) as stream:
                stream.write(data)
        except OSError as error:
            self.folder.cannot_write(error)
            return False
        return True

    def _is_sound(self, path: Path, file: LockedFile) -> bool:
        data = self.folder.read(path, file.size)
        return data is not None and file.mismatch(data) is None

    def archive_path(self, pin: ArchivePin) -> Path:
        """Return where the archive *pin* is kept, whether or not it is there."""
        return self.folder.entry("archives", pin.sha256)

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
        if not is_named(path):
            self.folder.discard(path, f"{pin.filename}: {problem}")
        return None

    def put_archive(self, pin: ArchivePin, chunks: Iterable[bytes]) -> Path | None:
        """Stream *chunks* to disk, verify, then keep them as *pin*; return the path, or None on a read-only store.

        Raises MetalworkingError ``wrong-archive`` when size or SHA-256 differ: then nothing is kept.
        """
        path = self.archive_path(pin)
        digest, size = hashlib.sha256(), 0
        try:
            with self.folder.writing(path) as stream:
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
            self.folder.cannot_write(error)
            return None
        return path

    def git_object(self, repo: str, oid: str, kind: str) -> bytes | None:
        """Return the git object *oid* of *kind*, hashed again, or None when the store has no sound copy of *repo*."""
        if kind == "commit" and not self._proves:
            return None
        path = self._object(repo, oid, kind)
        data = self.folder.read(path, TREE_MAX if kind == "tree" else METADATA_MAX)
        if data is None:
            return None
        if is_object(oid, kind, data):
            return data
        self.folder.discard(path, f"git {kind} {oid[:12]}: another hash")
        return None

    def put_git_object(self, repo: str, oid: str, kind: str, data: bytes) -> None:
        """Keep a commit or a tree that *repo* has. Raises MetalworkingError ``wrong-bytes`` for another object."""
        if not is_object(oid, kind, data):
            raise MetalworkingError("wrong-bytes", f"refused to store another {kind} than {oid[:12]}")
        path = self._object(repo, oid, kind)
        if path.exists():
            return
        try:
            with self.folder.writing(path) as stream:
                stream.write(data)
        except OSError as error:
            self.folder.cannot_write(error)

    def _object(self, repo: str, oid: str, kind: str) -> Path:
        """Return where an object lies. A tree is the same everywhere; a commit is of the repository that it came from.

        No hash tells of which one: a store that several sites share has the commits of many.
        """
        of_it = hashlib.sha256(f"{repo}\0{oid}".encode()).hexdigest() if kind == "commit" else oid
        return self.folder.entry("git", of_it)


def _archive_problem(path: Path, pin: ArchivePin) -> str:
    size = path.stat().st_size
    if size != pin.size:
        return f"{size} bytes instead of {pin.size}"
    digest = hashlib.sha256()
    with open(path, "rb", opener=open_plain) as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return "" if digest.hexdigest() == pin.sha256 else f"SHA-256 is not {pin.sha256[:12]}"


def _wrong_archive(pin: ArchivePin, problem: str) -> MetalworkingError:
    return MetalworkingError("wrong-archive", f"{pin.filename}: {problem}", "nothing of it was read or kept")
