"""Blobs by their ids from the repository itself, all that are wanted of it in one request.

GitHub, GitLab and Forgejo serve any object that a branch or tag leads to when it is asked for by id
(uploadpack.allowReachableSHA1InWant), so neither a commit nor a tree is fetched. A server that refuses is asked for
the commit first, and then for its blobs.
"""

from __future__ import annotations

import logging
import tempfile
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from ...git.command import Git, GitError, plain_arguments
from ...git.fetch import FETCH, SCHEMES, Fetched
from ...git.objects import CatFile
from ...quote.blob import LockedFile
from ...quote.diagnostics import Unavailable, redact
from ...quote.repo import clone_url
from ..transport import NotDelivered

_LOG = logging.getLogger("mkdocs.plugins.metalworking.git")


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
        offline: bool = False,
        max_bytes: int = 4 << 20,
        timeout: float = 300.0,
    ) -> None:
        self._wanted = tuple(wanted)
        self._url = url
        self._offline = offline
        self._max_bytes = max_bytes
        self._timeout = timeout
        self._lock = threading.Lock()
        self._asked: dict[tuple[str, str], dict[str, bytes] | str] = {}

    def get(self, file: LockedFile) -> bytes:
        """Return the blob; raises NotDelivered when the server does not give it."""
        key = (file.key.repo, file.key.commit)
        with self._lock:
            answer = self._asked.get(key)
        if answer is None:
            answer = self._ask(file)
            with self._lock:
                self._asked[key] = answer
        if isinstance(answer, str):
            raise NotDelivered("unavailable", answer)
        data = answer.get(file.blob)
        if data is None:
            raise NotDelivered("unavailable", f"{redact(self._url(file.key.repo))} did not give blob {file.blob[:12]}")
        return data

    def close(self) -> None:
        """Forget what was fetched; the repositories were thrown away already."""
        with self._lock:
            self._asked.clear()

    def _ask(self, file: LockedFile) -> dict[str, bytes] | str:
        if self._offline:
            return "offline"
        repo, commit = file.key.repo, file.key.commit
        oids = {f.blob for f in self._wanted if (f.key.repo, f.key.commit) == (repo, commit)} | {file.blob}
        url = self._url(repo)
        if urlsplit(url).scheme not in SCHEMES:
            return f"{redact(url)}: only {', '.join(sorted(SCHEMES))} are fetched from"
        try:
            return self._by_id(url, oids, len(commit))
        except GitError as refusal:
            _LOG.debug("metalworking: %s: %s", redact(url), redact(refusal.diagnostic.message))
        try:
            with Fetched(url, commit, timeout=self._timeout, logger=_LOG) as fetched:
                fetched.blobs(oids)
                return self._read(fetched.git_dir, oids)
        except Unavailable as error:
            return redact(error.diagnostic.message)

    def _by_id(self, url: str, oids: set[str], digits: int) -> dict[str, bytes]:
        with tempfile.TemporaryDirectory(prefix="metalworking-") as scratch:
            git_dir = Path(scratch) / "blobs.git"
            git = Git(git_dir, timeout=self._timeout)
            algorithm = "sha256" if digits == 64 else "sha1"
            git.run("init", "--quiet", "--bare", "--template=", f"--object-format={algorithm}")
            git.run("config", "remote.origin.url", *plain_arguments([url]))
            wants = "".join(f"{oid}\n" for oid in plain_arguments(sorted(oids))).encode()
            git.run(*FETCH, "--stdin", "origin", stdin=wants, protocol=urlsplit(url).scheme)
            return self._read(git_dir, oids)

    def _read(self, git_dir: Path, oids: set[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        with closing(CatFile(Git(git_dir, timeout=self._timeout), timeout=self._timeout)) as objects:
            for oid in oids:
                try:
                    found[oid] = objects.read(oid, max_bytes=self._max_bytes)
                except GitError as error:
                    _LOG.debug("metalworking: %s", error.diagnostic.message)
        return found
