"""Bytes of the repository that the site lies in, by its own objects and never by the network."""

from __future__ import annotations

from pathlib import Path

from ...git.cat_file import CatFile
from ...git.command import Git, GitError
from ...git.proof import proves
from ...quote.blob import MAX_FILE, LockedFile
from ..transport import NotDelivered


class Own:
    """Reads the locked blob from *git_dir*.

    A shallow clone may lack the commit and have the blob all the same, since a later commit has the same file.
    """

    name = "self"

    def __init__(self, git_dir: Path | None) -> None:
        self._objects = CatFile(Git(git_dir)) if git_dir is not None else None

    def get(self, file: LockedFile) -> bytes:
        """Return the object whose id the lock names; raises NotDelivered when it is not here.

        Raises Contradiction when the commit has something else at the path.
        """
        if self._objects is None:
            raise NotDelivered("not-delivered", "no git repository encloses the site")
        try:
            proves(self._objects, file)
            return self._objects.read(file.blob, max_bytes=MAX_FILE)
        except GitError as error:
            detail = f"{error.diagnostic.message}; in a workflow, check out with fetch-depth: 0"
            raise NotDelivered("not-delivered", detail) from None

    def close(self) -> None:
        """End the git process; may be called twice."""
        if self._objects is not None:
            self._objects.close()
