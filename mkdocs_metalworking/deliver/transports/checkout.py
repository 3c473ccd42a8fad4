"""Bytes from the clones under code/, read as git objects and never from the work tree."""

from __future__ import annotations

import threading
from pathlib import Path

from ...git.command import Git, GitError, find_clone
from ...git.contradiction import contradict
from ...git.objects import CatFile, MissingObject, Oversized
from ...quote.blob import LockedFile
from ..transport import NotDelivered


class Checkout:
    """Reads the locked blob from ``code/owner/name`` or ``code/host/owner/name``; one git process a repository.

    Attributes, autocrlf, edits and the branch that is checked out do not matter: only the object's id does, and, where
    the clone has the commit, that the commit has this very object at the path.
    """

    name = "checkout"

    def __init__(self, code_dir: Path, *, max_bytes: int = 4 << 20, timeout: float = 60.0) -> None:
        self._code_dir = code_dir
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
        repo = file.key.repo
        objects = self._objects(repo)
        if objects is None:
            raise NotDelivered("not-delivered", f"no git repository at {self._code_dir.name}/{repo}")
        where = f"{self._code_dir.name}/{repo}"
        try:
            problem = contradict(objects, file)
            if problem is not None:
                raise problem
            return objects.read(file.blob, max_bytes=self._max_bytes)
        except MissingObject as error:
            detail = error.diagnostic.message
            raise NotDelivered("not-delivered", f"{where}: {detail}; fetch {file.key.commit[:7]} there") from None
        except Oversized as error:
            raise NotDelivered("not-delivered", f"{where}: {error.diagnostic.message}") from None
        except GitError as error:
            raise NotDelivered("not-delivered", f"{where}: {error.diagnostic.message}") from None

    def close(self) -> None:
        """End the git processes; may be called twice."""
        with self._lock:
            for objects in self._open.values():
                if objects is not None:
                    objects.close()
            self._open.clear()

    def _objects(self, repo: str) -> CatFile | None:
        with self._lock:
            if repo not in self._open:
                git_dir = find_clone(self._code_dir, repo)
                git = Git(git_dir, timeout=self._timeout) if git_dir else None
                self._open[repo] = CatFile(git, timeout=self._timeout) if git else None
            return self._open[repo]
