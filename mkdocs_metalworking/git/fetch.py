"""Fetching one commit, and only the blobs needed of it, into a bare repository that is thrown away afterwards."""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit

from ..quote.diagnostics import Unavailable, redact
from .command import Git, GitError, plain_arguments
from .scratch import Scratch

SCHEMES = frozenset({"https", "http", "file"})
# What git says when no deeper fetch would help either.
_UNREACHABLE = (
    "authentication failed",
    "brought more than",
    "could not read from remote",
    "could not read username",
    "could not resolve",
    "does not appear to be a git repository",
    "not found",
    "took longer than",
    "unable to access",
    "unable to connect",
)
REDIRECTED = re.compile(r"returned error: 30[1-8]")
FETCH = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--recurse-submodules=no")


def redirected(message: str) -> str:
    """Return what git said, or what it means where that is a redirect."""
    if REDIRECTED.search(message):
        return "it moved, and a redirect is not followed (metalworking check --online says where it is now)"
    return redact(message)


class Fetched:
    """A temporary repository with the trees of *commit* from *url*. A context manager; *timeout* is seconds a fetch.

    Raises Unavailable when the server cannot be reached, or has no such commit.
    """

    def __init__(self, url: str, commit: str, *, timeout: float, logger: logging.Logger) -> None:
        self._url = url
        self._scheme = urlsplit(url).scheme
        self._where = redact(url)
        self._commit = commit
        self._timeout = timeout
        self._log = logger
        self._scratch = Scratch()
        self.git_dir = Path(self._scratch.name) / "commit.git"
        self._git = self._in(self.git_dir)
        self._complete = False

    def __enter__(self) -> Fetched:
        try:
            if self._scheme not in SCHEMES:
                raise Unavailable("unavailable", f"{self._where}: only {', '.join(sorted(SCHEMES))} are fetched from")
            self._init(partial=True)
            try:
                self._fetch("--depth=1", "--filter=blob:none", wants=[self._commit])
            except GitError as refusal:
                self._everything(refusal)
        except BaseException:
            self._scratch.cleanup()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._scratch.cleanup()

    def blobs(self, oids: Iterable[str]) -> None:
        """Fetch the blobs *oids* in one request; raises Unavailable when the server does not give them."""
        wants = sorted(oids)
        if self._complete or not wants:
            return
        try:
            self._fetch("--filter=blob:none", wants=wants)
        except GitError as refusal:
            self._everything(refusal)

    def _everything(self, refusal: GitError) -> None:
        """Fetch all branches and tags, for a server that gives nothing by id."""
        cause = redact(refusal.diagnostic.message)
        if REDIRECTED.search(cause):
            raise Unavailable("unavailable", f"{self._where}: cannot be fetched: {redirected(cause)}") from None
        if any(sign in cause.lower() for sign in _UNREACHABLE):
            raise Unavailable("unavailable", f"{self._where}: cannot be fetched: {cause}") from None
        self._log.warning(
            "metalworking: %s: fetching the whole history, since the server refused the exact commit: %s",
            self._where,
            cause,
        )
        try:
            self._init(partial=False)
            self._fetch(wants=["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"])
        except GitError as error:
            detail = redact(error.diagnostic.message)
            raise Unavailable("unavailable", f"{self._where}: cannot be fetched: {detail}") from None
        self._complete = True
        try:
            self._git.run("cat-file", "-e", self._commit)
        except GitError:
            message = f"{self._where}: no branch or tag leads to commit {self._commit[:12]}, and by id: {cause}"
            raise Unavailable("unavailable", message) from None

    def _in(self, git_dir: Path) -> Git:
        """Return git in *git_dir*; all that is brought for the commit is bounded together."""
        return Git(git_dir, timeout=self._timeout, room=Path(self._scratch.name))

    def _init(self, *, partial: bool) -> None:
        if not partial:
            shutil.rmtree(self.git_dir, ignore_errors=True)
            self.git_dir = self.git_dir.with_name("whole.git")
            self._git = self._in(self.git_dir)
        algorithm = "sha256" if len(self._commit) == 64 else "sha1"
        self._git.run("init", "--quiet", "--bare", "--template=", f"--object-format={algorithm}")
        self._git.run("config", "remote.origin.url", *plain_arguments([self._url]))
        if partial:  # without this git would look for the blobs that were left out
            self._git.run("config", "remote.origin.promisor", "true")
            self._git.run("config", "remote.origin.partialclonefilter", "blob:none")

    def _fetch(self, *options: str, wants: list[str]) -> None:
        lines = "".join(f"{want}\n" for want in plain_arguments(wants)).encode()
        self._git.run(*FETCH, *options, "--stdin", "origin", stdin=lines, protocol=self._scheme)
