"""Bytes from the clones under code/, read as git objects and never from the work tree."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

from ...git.clones import Clones
from ...git.command import GitError
from ...git.objects import MissingObject
from ...git.places import Premises
from ...git.proof import proves
from ...quote.blob import MAX_FILE, LockedFile
from ..transport import NotDelivered


class Checkout:
    """Reads the locked blob from the clone of its repository, or of one of the commit's *mirrors*; a git process each.

    *own* are git directories by the names that they answer for, such as that of the site itself.

    Attributes, autocrlf, edits and the branch that is checked out do not matter: only the object's id does, and, where
    the clone has the commit, that the commit has this very object at the path.
    """

    name = "checkout"

    def __init__(
        self,
        code_dir: Path,
        *,
        premises: Premises | None = None,
        mirrors: Mapping[tuple[str, str], tuple[str, ...]] | None = None,
        own: Mapping[str, Path] | None = None,
        max_bytes: int = MAX_FILE,
        timeout: float = 60.0,
    ) -> None:
        self._code_dir = code_dir
        self._mirrors = mirrors or {}
        self._own = own or {}
        self._max_bytes = max_bytes
        self._clones = Clones(code_dir, premises, timeout=timeout)

    @property
    def processes(self) -> int:
        """How many git processes were started so far."""
        return self._clones.processes

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
        if (git_dir := self._own.get(file.key.repo)) is not None:
            with contextlib.suppress(GitError):  # it need not have the commit
                objects = self._clones.objects(git_dir)
                if objects is not None and proves(objects, file):
                    return objects.read(file.blob, max_bytes=self._max_bytes)
        raise NotDelivered("not-delivered", "; ".join(reasons))

    def _read(self, name: str, file: LockedFile) -> bytes:
        where = f"{self._code_dir.name}/{name}"
        objects = self._clones.objects(name)
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
        self._clones.close()
