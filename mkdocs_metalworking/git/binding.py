"""Binding a file to a commit by git itself, for ``metalworking lock``.

The walk commit, tree, blob is checked by hash at every step. It is made in a clone under code/ that has the commit, or
else in a temporary bare repository that fetches only that commit (``--depth 1 --filter=blob:none``) and then only the
blobs needed: https://git-scm.com/docs/partial-clone
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from ..quote.blob import HEX_ID, MAX_FILE, FileKey, LockedFile
from ..quote.diagnostics import MetalworkingError, Unavailable
from ..quote.repo import SELF, clone_url
from .cat_file import CatFile
from .command import Git, GitError
from .fetch import Fetched
from .missing import why_missing
from .objects import MissingObject, Oversized, TreeEntry, commit_date, resolve_path
from .places import CloneFolder, Premises
from .proof import Recorded

_LOG = logging.getLogger(__name__)
_LFS = b"version https://git-lfs.github.com/spec/v1"

Bound = LockedFile | MetalworkingError
"""What became of one key."""


class Binder:
    """Finds what git says a file is, locally when any clone has the commit, else with one fetch a commit.

    *code_dir* is that of the site on *premises*. *mirrors* are other repositories that may hold the same commit, such
    as forks, and *own* git directories by the names that they answer for, such as that of the site itself; *url* maps a
    repo to what git fetches from. *keep* is given every bound file with its bytes, *keep_object* (repo, id, kind,
    bytes) each commit and tree on the way to it, with the repository that gave it: the proof. Nothing of *own* is kept
    as one. *max_bytes* bounds a file, *timeout* (seconds) a fetch.
    """

    def __init__(
        self,
        code_dir: Path,
        *,
        premises: Premises | None = None,
        mirrors: Iterable[str] = (),
        own: Mapping[str, Path] | None = None,
        url: Callable[[str], str] = clone_url,
        keep: Callable[[LockedFile, bytes], object] | None = None,
        keep_object: Callable[[str, str, str, bytes], object] | None = None,
        offline: bool = False,
        max_bytes: int = MAX_FILE,
        timeout: float = 600.0,
        logger: logging.Logger = _LOG,
    ) -> None:
        self._code_dir = code_dir
        self._clones = CloneFolder(code_dir, premises)
        self._mirrors = tuple(mirrors)
        self._own = own or {}
        self._url = url
        self._keep = keep
        self._keep_object = keep_object or (lambda _repo, _oid, _kind, _data: None)
        self._offline = offline
        self._max_bytes = max_bytes
        self._timeout = timeout
        self._log = logger
        self.dates: dict[str, str] = {}
        """The day of each commit that was read, as git has it (UTC)."""

    def bind(self, key: FileKey) -> LockedFile:
        """Return what git says *key* is.

        Raises MetalworkingError naming what is wrong with the file, Unavailable when no repository could be had.
        """
        bound = self.bind_many([key])[key]
        if isinstance(bound, MetalworkingError):
            raise bound
        return bound

    def bind_many(self, keys: Iterable[FileKey]) -> dict[FileKey, Bound]:
        """Return what git says of each key, or the problem with it; keys of one commit share one repository."""
        commits: dict[tuple[str, str], list[FileKey]] = {}
        for key in keys:
            commits.setdefault((key.repo, key.commit), []).append(key)
        bound: dict[FileKey, Bound] = {}
        for (repo, commit), group in commits.items():
            try:
                bound.update(self._bind_commit(repo, commit, group))
            except MetalworkingError as error:
                bound.update(dict.fromkeys(group, error))
        return bound

    def _bind_commit(self, repo: str, commit: str, keys: list[FileKey]) -> dict[FileKey, Bound]:
        if not HEX_ID.match(commit):
            raise MetalworkingError("bad-commit", f"{repo}@{commit[:70]}: not a full commit id of 40 or 64 hex digits")
        left = list(dict.fromkeys(keys))
        bound: dict[FileKey, Bound] = {}
        clones = [(name, self._clones.find(name)) for name in dict.fromkeys((repo, *self._mirrors))]
        for name, git_dir, giver in [*((*clone, clone[0]) for clone in clones), (repo, self._own.get(repo), "")]:
            if left and git_dir is not None:
                bound.update(self._bind_local(name, git_dir, commit, left, giver))
                left = [key for key in left if key not in bound]
        if left:
            bound.update(self._bind_remote(repo, commit, left))
        return bound

    def _bind_local(
        self, name: str, git_dir: Path, commit: str, keys: list[FileKey], giver: str
    ) -> dict[FileKey, Bound]:
        """Bind what the clone of *name* has; a key that it cannot settle (shallow, partial, damaged) is left out."""
        bound: dict[FileKey, Bound] = {}
        with _opened(git_dir, self._timeout) as objects:
            try:
                self.dates[commit] = commit_date(objects.verified(commit, kind="commit"))
            except GitError as error:
                if error.diagnostic.code in {"damaged-object", "git-missing"}:
                    self._log.warning("metalworking: %s: %s", name, error.diagnostic.message)
                elif error.diagnostic.code == "wrong-kind":
                    raise _wrong_kind(commit, error) from None
                return {}
            for key in keys:
                try:
                    entry = self._walk(objects, key, giver)
                    bound[key] = self._describe(objects, key, entry)
                except GitError as error:
                    if not isinstance(error, MissingObject):
                        self._log.warning("metalworking: %s: %s", name, error.diagnostic.message)
                except MetalworkingError as error:
                    bound[key] = error
        return bound

    def _bind_remote(self, repo: str, commit: str, keys: list[FileKey]) -> dict[FileKey, Bound]:
        if repo == SELF:  # whose home nobody told, and which is never asked
            hint = "git fetch --unshallow brings older commits; in a workflow, check out with fetch-depth: 0"
            raise Unavailable("unavailable", f"{SELF}@{commit[:7]}: this repository does not have the commit", hint)
        if self._offline:
            where = f"{self._code_dir.name}/{repo}"
            raise Unavailable("unavailable", f"{repo}@{commit[:7]}: offline, and no clone at {where} has it")
        bound: dict[FileKey, Bound] = {}
        entries: dict[FileKey, TreeEntry] = {}
        with (
            Fetched(self._url(repo), commit, timeout=self._timeout, logger=self._log) as fetched,
            _opened(fetched.git_dir, self._timeout) as objects,
        ):
            try:
                self.dates[commit] = commit_date(objects.read(commit, kind="commit"))
            except GitError as error:
                if error.diagnostic.code == "wrong-kind":
                    raise _wrong_kind(commit, error) from None
            for key in keys:
                try:
                    entries[key] = self._walk(objects, key, repo)
                except MetalworkingError as error:
                    bound[key] = error
            fetched.blobs({entry.oid for entry in entries.values()})
            objects.close()  # a running process may not see packs that came later
            for key, entry in entries.items():
                try:
                    bound[key] = self._describe(objects, key, entry)
                except MetalworkingError as error:
                    bound[key] = error
        return bound

    def _walk(self, objects: CatFile, key: FileKey, giver: str) -> TreeEntry:
        """Return the file's entry; what leads there is kept as the *giver*'s, where one is named.

        Raises MetalworkingError for what is no file, and what ``resolve_path`` raises.
        """
        way = Recorded(objects, partial(self._keep_object, giver)) if giver else objects
        entry = resolve_path(way, key.commit, key.path)
        if entry is None:
            why, hint = why_missing(objects, key.commit, key.path)
            raise MetalworkingError("not-in-commit", f"{key}: {why}", hint)
        return _regular(entry, key)

    def _describe(self, objects: CatFile, key: FileKey, entry: TreeEntry) -> LockedFile:
        try:
            data = objects.verified(entry.oid, kind="blob", max_bytes=self._max_bytes)
        except Oversized as error:
            message = f"{key}: {error.size} bytes, more than the limit of {self._max_bytes} for a quoted file"
            raise MetalworkingError("oversized", message, "quote a smaller file") from None
        check_content(key, data)
        file = LockedFile.of(key, data)
        if file.blob != entry.oid:
            raise MetalworkingError("wrong-bytes", f"{key}: git blob {file.blob[:12]} instead of {entry.oid[:12]}")
        if self._keep is not None:
            self._keep(file, data)
        return file


def check_content(key: FileKey, data: bytes) -> None:
    """Raise MetalworkingError when *data* is not text that can be quoted: empty, LFS pointer, binary, not UTF-8."""
    if not data.removeprefix(b"\xef\xbb\xbf"):
        raise MetalworkingError("empty-file", f"{key}: the file is empty, there is nothing to quote")
    if data.startswith(_LFS):
        hint = "its bytes are not in git, so git cannot prove them"
        raise MetalworkingError("lfs-pointer", f"{key}: the commit holds a Git LFS pointer, not the file", hint)
    if b"\0" in data:
        raise MetalworkingError("binary-file", f"{key}: a binary file (byte {data.index(0) + 1} is NUL) is not quoted")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise MetalworkingError("not-utf-8", f"{key}: line {line} is not UTF-8 (byte {error.start + 1})") from None


def _regular(entry: TreeEntry, key: FileKey) -> TreeEntry:
    if entry.kind in {"file", "executable"}:
        return entry
    article = {"symlink": "a symbolic link", "submodule": "a submodule", "directory": "a directory"}[entry.kind]
    hints = {
        "symlink": "quote the file it leads to",
        "submodule": "quote the submodule's own repository",
        "directory": "quote a file in it",
    }
    raise MetalworkingError(entry.kind, f"{key}: {article}, not a file", hints[entry.kind])


def _wrong_kind(commit: str, error: GitError) -> MetalworkingError:
    hint = "pin the commit that it leads to (git rev-parse 'TAG^{commit}')"
    return MetalworkingError("bad-commit", f"{commit[:12]}: {error.diagnostic.message}", hint)


@contextlib.contextmanager
def _opened(git_dir: Path, timeout: float) -> Iterator[CatFile]:
    objects = CatFile(Git(git_dir, timeout=timeout), timeout=min(timeout, 60.0))
    try:
        yield objects
    finally:
        objects.close()
