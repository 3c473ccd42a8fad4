"""Bytes from the clones under code/, read as git objects and never from the work tree."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path

from ...git.command import Git, GitError, find_clone
from ...git.objects import CatFile, MissingObject
from ...git.proof import proves
from ...quote.blob import MAX_FILE, LockedFile
from ..transport import NotDelivered


class Checkout:
    """Reads the locked blob from the clone of its repository, or of one of the commit's *mirrors*; a git process each.

    *also* are git directories that may have the commit, such as that of the site itself.

    Attributes, autocrlf, edits and the branch that is checked out do not matter: only the object's id does, and, where
    the clone has the commit, that the commit has this very object at the path.
    """

    name = "checkout"

    def __init__(
        self,
        code_dir: Path,
        *,
        mirrors: Mapping[tuple[str, str], tuple[str, ...]] | None = None,
        also: Iterable[Path] = (),
        max_bytes: int = MAX_FILE,
        timeout: float = 60.0,
    ) -> None:
        self._code_dir = code_dir
        self._mirrors = mirrors or {}
        self._also = tuple(also)
        self._max_bytes = max_bytes
        self._timeout = timeout
        self._lock = threading.Lock()
        self._open: dict[str, CatFile | None] = {}

    @property
    def processes(self) -> int:
        """How many git processes were started so far."""
        with self._lock:
            return sum(objects.started for objects in self._open.values() if objects)

    def get(self, file: LockedFile) -> bytes:
        """Return the object whose id the lock names; raises NotDelivered when no clone has it.

        Raises Contradiction when the commit has something else at the path.
        """
        names = (file.key.repo, *self._mirrors.get((file.key.repo, file.key.commit), ()))
        reasons = []
        for name in names:
            try:
                return self._read(name, file)
            except NotDelivered as error:
                reasons.append(error.diagnostic.message)
        for git_dir in self._also:
            with contextlib.suppress(GitError):  # it need not have anything of this
                objects = self._objects(str(git_dir), git_dir)
                if objects is not None and proves(objects, file):
                    return objects.read(file.blob, max_bytes=self._max_bytes)
        raise NotDelivered("not-delivered", "; ".join(reasons))

    def _read(self, name: str, file: LockedFile) -> bytes:
        where = f"{self._code_dir.name}/{name}"
        objects = self._objects(name)
        if objects is None:
            raise NotDelivered("not-delivered", f"no git repository at {where}")
        try:
            proves(objects, file)
            return objects.read(file.blob, max_bytes=self._max_bytes)
        except MissingObject as error:
            detail = error.diagnostic.message
            raise NotDelivered("not-delivered", f"{where}: {detail}; fetch {file.key.commit[:7]} there") from None
        except GitError as error:
            raise NotDelivered("not-delivered", f"{where}: {error.diagnostic.message}") from None

    def close(self) -> None:
        """End the git processes; may be called twice."""
        with self._lock:
            for objects in self._open.values():
                if objects is not None:
                    objects.close()
            self._open.clear()

    def _objects(self, repo: str, known: Path | None = None) -> CatFile | None:
        with self._lock:
            if repo not in self._open:
                git_dir = known or find_clone(self._code_dir, repo)
                git = Git(git_dir, timeout=self._timeout) if git_dir else None
                self._open[repo] = CatFile(git, timeout=self._timeout) if git else None
            return self._open[repo]
