"""A clone as a witness: what its commit has at a path, told by git's own hashes, against what sources.lock says.

The hashes in the lock prove bytes, not that these bytes are the file of that commit: only git can, and did when the
lock was written. A lock edited by hand so that all of its numbers fit another version of a file is found out here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from ..quote.blob import LockedFile
from ..quote.diagnostics import Diagnostic, Location, MetalworkingError, Severity
from ..quote.lock import Lock
from .command import Git, GitError, find_clone
from .objects import CatFile, MissingObject, TreeEntry, resolve_path


class Contradiction(MetalworkingError):
    """The commit has another file at that path than the lock says; no bytes can settle it."""

    def __init__(self, file: LockedFile, found: TreeEntry | None) -> None:
        has = "no such file" if found is None else f"git {found.kind} {found.oid[:12]}"
        super().__init__(
            "wrong-lock",
            f"{file.key}: the commit has {has}, sources.lock says blob {file.blob[:12]}",
            "run: metalworking lock --update",
        )


def contradict(objects: CatFile, file: LockedFile) -> Contradiction | None:
    """Return how the repository contradicts *file*; None when it agrees, or does not have the commit.

    Raises GitError when it is damaged.
    """
    try:
        found = resolve_path(objects, file.key.commit, file.key.path)
    except MissingObject:  # a shallow or partial clone, or one of another commit
        return None
    if found is not None and found.oid == file.blob and found.kind in ("file", "executable"):
        return None
    return Contradiction(file, found)


def contradictions(lock: Lock, code_dir: Path) -> Iterator[Diagnostic]:
    """Yield an error for every file of *lock* that a clone under *code_dir* contradicts."""
    repos: dict[str, list[LockedFile]] = {}
    for file in lock.files.values():
        repos.setdefault(file.key.repo, []).append(file)
    where = Location(lock.path)
    for repo, files in repos.items():
        git_dir = find_clone(code_dir, repo)
        if git_dir is None:
            continue
        with closing(CatFile(Git(git_dir))) as objects:
            for file in files:
                try:
                    problem = contradict(objects, file)
                except GitError as error:
                    yield Diagnostic(Severity.WARNING, "damaged-object", error.diagnostic.message, "", where)
                    break
                if problem is not None:
                    yield problem.diagnostic.at(where)
