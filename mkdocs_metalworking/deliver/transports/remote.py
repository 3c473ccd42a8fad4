"""The locked blobs of a repository from its own server, and the proof that they are the commit's files.

Where the store has the proof, the blobs alone are asked for by their ids, in one request: GitHub, GitLab and Forgejo
serve any object that a branch or tag leads to (uploadpack.allowReachableSHA1InWant). Else the commit and its trees come
first, the way from commit to path to blob is walked, and the store keeps it.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from ...git.cat_file import CatFile
from ...git.command import Git, GitError, plain_arguments
from ...git.fetch import FETCH, SCHEMES, Fetched
from ...git.proof import proves
from ...git.scratch import Scratch
from ...quote.blob import MAX_FILE, LockedFile
from ...quote.diagnostics import MetalworkingError, Unavailable, redact
from ...quote.repo import clone_url
from ..catch import Catch
from ..proofs import Proofs
from ..store import Store
from ..transport import NotDelivered

_LOG = logging.getLogger(__name__)


class Remote:
    """Fetches the locked blobs of a repository with one request to its server.

    *wanted* names the files that will be asked for; *url* maps a repo to what git fetches from. *max_bytes* bounds a
    file, *timeout* (seconds) a request.
    """

    name = "git"

    def __init__(
        self,
        *,
        wanted: Iterable[LockedFile] = (),
        url: Callable[[str], str] = clone_url,
        proofs: Proofs | None = None,
        store: Store | None = None,
        offline: bool = False,
        max_bytes: int = MAX_FILE,
        timeout: float = 300.0,
    ) -> None:
        self._wanted = tuple(wanted)
        self._url = url
        self._proofs = proofs
        self._offline = offline
        self._max_bytes = max_bytes
        self._timeout = timeout
        self._lock = threading.Lock()
        self._asked: dict[tuple[str, str], str] = {}
        """Why nothing came of a commit; "" where something did."""
        self._catch = Catch(store)
        self._wrong: dict[LockedFile, MetalworkingError] = {}
        self._came: set[LockedFile] = set()

    def get(self, file: LockedFile) -> bytes:
        """Return the blob; raises NotDelivered when the server does not give it, Contradiction for another file."""
        key = (file.key.repo, file.key.commit)
        with self._lock:
            answer = self._asked.get(key)
        if answer is None:
            files = {f for f in self._wanted if (f.key.repo, f.key.commit) == key} | {file}
            answer = self._ask(file, files)
            with self._lock:
                self._asked[key] = answer
        if file in self._wrong:
            raise self._wrong[file]
        if answer:
            raise NotDelivered("unavailable", answer)
        data = self._catch.get(file)
        if data is None and file in self._came:  # once more, and alone
            self._ask(file, {file})
            data = self._catch.get(file)
        if data is None:
            raise NotDelivered("unavailable", f"{redact(self._url(file.key.repo))} did not give blob {file.blob[:12]}")
        return data

    def close(self) -> None:
        """Forget what was fetched; the repositories were thrown away already."""
        with self._lock:
            self._asked.clear()
            self._catch.clear()
            self._came.clear()

    def _ask(self, asked: LockedFile, files: set[LockedFile]) -> str:
        """Bring *files* of one commit, *asked* among them; returns why nothing came."""
        if self._offline:
            return "offline"
        repo, commit = asked.key.repo, asked.key.commit
        url = self._url(repo)
        if urlsplit(url).scheme not in SCHEMES:
            return f"{redact(url)}: only {', '.join(sorted(SCHEMES))} are fetched from"
        try:
            unproved = {f for f in files if not self._proved(f)}
            if not unproved:
                with contextlib.suppress(GitError):  # a server that gives nothing by id
                    self._by_id(url, files, asked)
                    return ""
            with Fetched(url, commit, timeout=self._timeout, logger=_LOG) as fetched:
                sound = {*self._prove(fetched.git_dir, unproved), *(files - unproved)}
                fetched.blobs({f.blob for f in sound})
                self._read(fetched.git_dir, sound, asked)
                return ""
        except Unavailable as error:
            return redact(error.diagnostic.message)

    def _proved(self, file: LockedFile) -> bool:
        try:
            return self._proofs is not None and self._proofs.here(file)
        except MetalworkingError as error:
            self._wrong[file] = error
            return True  # nothing more is asked about it

    def _prove(self, git_dir: Path, files: set[LockedFile]) -> Iterator[LockedFile]:
        """Yield those of *files* that the commit has where the lock says; the others are kept as wrong."""
        with closing(CatFile(Git(git_dir, timeout=self._timeout), timeout=self._timeout)) as objects:
            for file in files:
                try:
                    if self._proofs.by(objects, file) if self._proofs else proves(objects, file):
                        yield file
                except MetalworkingError as error:
                    self._wrong[file] = error

    def _by_id(self, url: str, files: set[LockedFile], asked: LockedFile) -> None:
        with Scratch() as scratch:
            git_dir = Path(scratch) / "blobs.git"
            git = Git(git_dir, timeout=self._timeout)
            algorithm = "sha256" if len(asked.key.commit) == 64 else "sha1"
            git.run("init", "--quiet", "--bare", "--template=", f"--object-format={algorithm}")
            git.run("config", "remote.origin.url", *plain_arguments([url]))
            wants = "".join(f"{oid}\n" for oid in plain_arguments(sorted({f.blob for f in files}))).encode()
            git.run(*FETCH, "--stdin", "origin", stdin=wants, protocol=urlsplit(url).scheme)
            self._read(git_dir, files, asked)

    def _read(self, git_dir: Path, files: set[LockedFile], asked: LockedFile) -> None:
        with closing(CatFile(Git(git_dir, timeout=self._timeout), timeout=self._timeout)) as objects:
            for file in files:
                try:
                    self._catch.take(file, objects.read(file.blob, max_bytes=self._max_bytes), asked=file == asked)
                except GitError as error:
                    _LOG.debug("metalworking: %s", error.diagnostic.message)
                else:
                    self._came.add(file)
