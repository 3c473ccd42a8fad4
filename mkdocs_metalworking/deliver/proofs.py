"""Which files of the lock are proved: by objects in the store, by a clone, or by the repository itself."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path

from ..git.cat_file import CatFile
from ..git.clones import Clones
from ..git.command import Git, GitError
from ..git.fetch import Fetched
from ..git.objects import Objects, files_below, resolve_path, tree_of
from ..git.places import Premises
from ..git.proof import Recorded, proves
from ..quote.blob import LockedFile
from ..quote.diagnostics import MetalworkingError, printable
from ..quote.lock import MAX_SIZE
from ..quote.repo import SELF, clone_url
from .kept import Kept, KeptOf
from .store import Store

_LOG = logging.getLogger(__name__)
Commit = tuple[str, str]
"""A repository's name and a full commit id."""


class Proofs:
    """Proves files of the lock, each at most once, and keeps in *store* what proved them. Thread-safe.

    *mirrors* names, for a commit, other repositories whose clones may have it; *own* are git directories by the names
    that they answer for, such as that of the site itself. No other commit that lies here is taken for one of a
    repository: anybody's branch may have it. What proves is kept as one of the repository that gave it, and nothing of
    *own* is kept at all: the next change, or another site, may name neither.
    """

    def __init__(
        self,
        store: Store,
        code_dir: Path,
        *,
        premises: Premises | None = None,
        mirrors: Mapping[Commit, tuple[str, ...]] | None = None,
        own: Mapping[str, Path] | None = None,
    ) -> None:
        self._store = store
        self._mirrors = mirrors or {}
        self._own = own or {}
        self._kept = Kept(store)
        self._clones = Clones(code_dir, premises)
        self._answers: dict[LockedFile, bool | MetalworkingError] = {}
        self._mutex = threading.Lock()

    def here(self, file: LockedFile) -> bool:
        """Tell whether what lies on this machine proves *file*; raises Contradiction when it proves the opposite."""
        with self._mutex:
            answer = self._answers.get(file)
            if answer is None:
                try:
                    answer = self._ask(file)
                except MetalworkingError as error:
                    answer = error
                self._answers[file] = answer
        if isinstance(answer, MetalworkingError):
            raise answer
        return answer

    def by(self, objects: CatFile, file: LockedFile) -> bool:
        """Tell whether *objects*, which its repository gave, prove *file*, and keep the proof.

        Raises Contradiction, or GitError for damage.
        """
        proved = proves(self._recorded(objects, file.key.repo), file)
        if proved:
            with self._mutex:
                self._answers[file] = True
        return proved

    def look_up(self, repo: str, commit: str, path: str) -> tuple[bool, list[str]] | None:
        """Tell whether *commit* has a file at *path*, and what its root folder holds; None where nobody here knows."""
        with self._mutex:
            known: list[Objects] = [*self._kept_of(repo, commit), *self._here(repo, commit)]
            for objects in known:
                with contextlib.suppress(GitError):
                    names = [name.decode("utf-8", "replace") for name, _ in tree_of(objects, commit)]
                    return resolve_path(objects, commit, path) is not None, names
        return None

    def paths(self, repo: str, commit: str) -> list[str]:
        """Return the paths of all files of *commit*; none where neither a clone nor the store has its trees."""
        with self._mutex:
            known: list[Objects] = [*self._here(repo, commit), *self._kept_of(repo, commit)]
            for objects in known:
                with contextlib.suppress(GitError):
                    return list(files_below(objects, commit, ""))
        return []

    def bytes_here(self, file: LockedFile) -> bytes | None:
        """Return the bytes that the store has for *file*, else its blob from a clone, checked by nothing but its id."""
        data = self._store.get(file)
        if data is not None:
            return data
        with self._mutex:
            for objects in self._here(file.key.repo, file.key.commit):
                with contextlib.suppress(GitError):
                    return objects.verified(file.blob, kind="blob", max_bytes=MAX_SIZE)
        return None

    def whole(self, file: LockedFile) -> bool:
        """Tell whether what lies here proves all of a line of the lock: commit to path to blob, and blob to the rest.

        Raises Contradiction, or MetalworkingError (``wrong-lock``) when the blob has another SHA-256, size or length.
        """
        data = self.bytes_here(file) if self.here(file) else None
        if data is None:
            return False
        if problem := file.mismatch(data):
            raise MetalworkingError("wrong-lock", f"{file.key}: {problem}", "run: metalworking lock --update")
        return True

    def close(self) -> None:
        """End the git processes; may be called twice."""
        self._clones.close()

    def _ask(self, file: LockedFile) -> bool:
        repo, commit = file.key.repo, file.key.commit
        if any(proves(kept, file) for kept in self._kept_of(repo, commit)):
            return True
        clones = (self._recorded(objects, name) for name, objects in self._clones_of(repo, commit))
        known: Iterator[Objects] = chain(clones, self._own_of(repo))
        for objects in known:
            try:
                if proves(objects, file):
                    return True
            except GitError as error:  # a damaged clone proves nothing; the checkout transport says so
                _LOG.debug("metalworking: %s: %s", repo, printable(error.diagnostic.message))
        return False

    def _recorded(self, objects: CatFile, giver: str) -> Recorded:
        return Recorded(objects, partial(self._store.put_git_object, giver))

    def _names(self, repo: str, commit: str) -> tuple[str, ...]:
        return (repo, *self._mirrors.get((repo, commit), ()))

    def _kept_of(self, repo: str, commit: str) -> list[KeptOf]:
        return [KeptOf(self._kept, name) for name in self._names(repo, commit)]

    def _clones_of(self, repo: str, commit: str) -> Iterator[tuple[str, CatFile]]:
        for name in self._names(repo, commit):
            if (objects := self._clones.objects(name)) is not None:
                yield name, objects

    def _own_of(self, repo: str) -> Iterator[CatFile]:
        if repo in self._own and (objects := self._clones.objects(self._own[repo])) is not None:
            yield objects

    def _here(self, repo: str, commit: str) -> Iterator[CatFile]:
        """Yield what lies here beside the store: clones, and the site's own repository."""
        yield from (objects for _, objects in self._clones_of(repo, commit))
        yield from self._own_of(repo)


@dataclass
class Verdict:
    """What came of proving a lock: how many files are proved, and why each of the others is not."""

    proved: int = 0
    unproved: dict[LockedFile, str] = field(default_factory=dict)
    """Files that are only locked, with the reason why nothing was asked or nobody answered."""
    wrong: dict[LockedFile, MetalworkingError] = field(default_factory=dict)
    """Files that are contradicted."""


def judge(files: Iterable[LockedFile], proofs: Proofs) -> Verdict:
    """Return what lies on this machine says of *files*."""
    verdict = Verdict()
    for file in files:
        try:
            if proofs.whole(file):
                verdict.proved += 1
            else:
                verdict.unproved[file] = "no proof on this machine"
        except MetalworkingError as error:
            verdict.wrong[file] = error
    return verdict


def verify(
    files: Iterable[LockedFile],
    proofs: Proofs,
    store: Store,
    *,
    pinned: Container[Commit] | None = None,
    url: Callable[[str], str] = clone_url,
    timeout: float = 600.0,
) -> Verdict:
    """Prove all of *files*: commit to path to blob, and blob to SHA-256, size and lines; git is asked where need be.

    No other repository is asked than those *pinned*: a line of the lock names whatever somebody wrote there.
    """
    verdict = Verdict()
    by_commit: dict[Commit, list[LockedFile]] = {}
    for file in files:
        try:
            data = proofs.bytes_here(file) if proofs.here(file) else None
            if data is not None:
                _judge_bytes(file, data, store, verdict)
            else:
                by_commit.setdefault((file.key.repo, file.key.commit), []).append(file)
        except MetalworkingError as error:
            verdict.wrong[file] = error
    for (repo, commit), group in by_commit.items():
        if repo == SELF:
            verdict.unproved.update(dict.fromkeys(group, "this repository does not have the commit"))
            continue
        if pinned is not None and (repo, commit) not in pinned:
            verdict.unproved.update(dict.fromkeys(group, "no pin names it, so nobody is asked (metalworking lock)"))
            continue
        try:
            with Fetched(url(repo), commit, timeout=timeout, logger=_LOG) as fetched:
                _prove_fetched(fetched, group, proofs, store, verdict)
        except MetalworkingError as error:
            reached = verdict.wrong.keys() | verdict.unproved.keys()
            verdict.unproved.update({file: error.diagnostic.message for file in group if file not in reached})
    return verdict


def _prove_fetched(fetched: Fetched, group: list[LockedFile], proofs: Proofs, store: Store, verdict: Verdict) -> None:
    sound = []
    with closing(CatFile(Git(fetched.git_dir))) as objects:
        for file in group:
            try:
                if proofs.by(objects, file):
                    sound.append(file)
                else:
                    verdict.unproved[file] = "the repository did not give the way to it"
            except MetalworkingError as error:
                verdict.wrong[file] = error
    fetched.blobs({file.blob for file in sound})
    with closing(CatFile(Git(fetched.git_dir))) as objects:  # a running process may not see packs that came later
        for file in sound:
            try:
                data = objects.verified(file.blob, kind="blob", max_bytes=MAX_SIZE)
            except GitError as error:
                verdict.wrong[file] = MetalworkingError("wrong-lock", f"{file.key}: {error.diagnostic.message}")
                continue
            _judge_bytes(file, data, store, verdict)


def _judge_bytes(file: LockedFile, data: bytes, store: Store, verdict: Verdict) -> None:
    problem = file.mismatch(data)
    if problem is None:
        store.put(file, data)
        verdict.proved += 1
    else:
        hint = "run: metalworking lock --update"
        verdict.wrong[file] = MetalworkingError("wrong-lock", f"{file.key}: {problem}", hint)
