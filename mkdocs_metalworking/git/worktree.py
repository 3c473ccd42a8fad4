"""The work tree that a site lies in, read as it is: files that git tracks, and no others.

What a path leads to is decided by the index and by the file system together: nothing on the way may be a link, so
nothing outside of the repository is read. No network is asked.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path

from ..quote.blob import MAX_FILE, LockedFile, blob_id
from ..quote.diagnostics import MetalworkingError
from ..quote.licenses import license_name
from ..quote.lines import Ranges, source_lines
from ..quote.own import own_key
from ..quote.selection import lines_of
from ..quote.suggest import suggest_path
from .binding import check_content
from .cat_file import CatFile
from .command import Git, GitError
from .objects import resolve_path, tree_of

Kept = Callable[[str], bytes | None]
"""Returns the bytes of a blob that somebody kept, by git's id."""


class WorkTree:
    """The work tree *top* of *git_dir*. *kept* is asked for accepted bytes that git does not have."""

    def __init__(self, top: Path, git_dir: Path, *, kept: Kept = lambda _blob: None, timeout: float = 60.0) -> None:
        self.top = top
        self._git = Git(git_dir, work_tree=top, timeout=timeout)
        self._objects = CatFile(Git(git_dir, timeout=timeout))
        self._kept = kept
        self._tracked: dict[str, str] = {}

    def read(self, path: str) -> tuple[LockedFile, bytes]:
        """Return what the work tree has at *path*, with the line ends that git would store.

        Raises MetalworkingError for a file that git does not track, for a link, a submodule or a folder, for what is
        no text that can be quoted, and Unavailable when git cannot be run.
        """
        key = own_key(path)
        blob = self._blob(path)
        data = self._bytes(path)
        if b"\r\n" in data and blob_id(data, digits=len(blob)) != blob:
            data = data.replace(b"\r\n", b"\n")  # core.autocrlf, or an editor
        check_content(key, data)
        described = LockedFile.of(own_key(path, "0" * len(blob)), data)
        return LockedFile(key, described.blob, described.sha256, described.size, described.lines), data

    def paths(self) -> Iterable[str]:
        """Return the paths of all files that git tracks; none when git cannot be asked."""
        with contextlib.suppress(MetalworkingError):
            return [path for path, (mode, _) in self._listed("").items() if mode.startswith("100")]
        return ()

    def commit_of(self, file: LockedFile, lines: Sequence[str], ranges: Ranges) -> str:
        """Return HEAD when it has *ranges* of *lines* at these very places of *file*; "" when it has not."""
        with contextlib.suppress(MetalworkingError):
            entry = resolve_path(self._objects, self.head, file.key.path) if self.head else None
            if entry is None or entry.kind not in ("file", "executable"):
                return ""
            if entry.oid == file.blob:
                return self.head
            there = source_lines(self._objects.read(entry.oid, max_bytes=MAX_FILE), file.key.path)
            if (ranges[-1].last or 0) <= len(there) and lines_of(there, ranges) == lines_of(lines, ranges):
                return self.head
        return ""

    def accepted(self, blob: str) -> bytes | None:
        """Return the bytes with git's id *blob*, from the repository or from whoever kept them."""
        with contextlib.suppress(GitError):
            return self._objects.verified(blob, kind="blob", max_bytes=MAX_FILE)
        return self._kept(blob)

    def license_file(self, commit: str) -> str:
        """Return the name of the license file at the root of *commit*; "" when there is none, or no such commit."""
        with contextlib.suppress(GitError):
            names = (name.decode("utf-8", "replace") for name, entry in tree_of(self._objects, commit))
            return license_name(names)
        return ""

    def commit(self, name: str) -> str:
        """Return the full id of the commit that *name* leads to. Raises MetalworkingError (``self``) for none."""
        try:
            found = self._git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        except GitError:
            hint = "in a shallow clone, git fetch --unshallow brings the others"
            raise MetalworkingError("self", f"{name[:100]!r} is no commit of this repository", hint) from None
        return found.decode("ascii", "replace").strip()

    @cached_property
    def head(self) -> str:
        """The commit that is checked out; "" before the first one."""
        try:
            return self.commit("HEAD")
        except MetalworkingError:
            return ""

    def close(self) -> None:
        """End the git process; may be called twice."""
        self._objects.close()

    def _blob(self, path: str) -> str:
        """Return the blob that the index has at *path*. Raises MetalworkingError for what is no tracked file."""
        if path not in self._tracked:
            listed = self._listed(path)
            mode, oid = listed.get(path, ("", ""))
            if mode.startswith("100"):
                self._tracked[path] = oid
            else:
                raise self._not_tracked(path, mode, listed)
        return self._tracked[path]

    def _listed(self, path: str) -> dict[str, tuple[str, str]]:
        """Return mode and blob of the file *path*, or of all files in the folder of that name."""
        found = {}
        spec = f":(top,literal){path}" if path else ":/"
        for line in self._git.run("ls-files", "-z", "--stage", "--full-name", "--", spec).split(b"\0"):
            head, _, name = line.partition(b"\t")
            words = head.decode("ascii", "replace").split()
            if len(words) == 3:
                found[os.fsdecode(name)] = (words[0], words[1])
        return found

    def _not_tracked(self, path: str, mode: str, listed: dict[str, tuple[str, str]]) -> MetalworkingError:
        key = own_key(path)
        if mode == "120000":
            return MetalworkingError("symlink", f"{key}: a symbolic link, not a file", "quote the file it leads to")
        if mode == "160000":
            return MetalworkingError("submodule", f"{key}: a submodule, not a file", "quote its own repository")
        if listed:
            return MetalworkingError("directory", f"{key}: a directory, not a file", "quote a file in it")
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folder = self.top.joinpath(*parts[:depth])
            here = "/".join(parts[:depth])
            if folder.is_symlink():
                return MetalworkingError("symlink", f"{key}: {here} is a symbolic link", "quote by the real folder")
            if os.path.lexists(folder / ".git"):
                return MetalworkingError("submodule", f"{key}: {here} is a repository itself", "quote that repository")
        if os.path.lexists(self.top / path):
            with contextlib.suppress(GitError):
                self._git.run("check-ignore", "--quiet", "--", str(self.top / path))
                return MetalworkingError("ignored", f"{key}: git ignores it", "only files that git tracks are quoted")
            return MetalworkingError("untracked", f"{key}: git does not track it", "git add it first")
        near = suggest_path(path, self._listed(""))
        hint = f"did you mean {near}?" if near else "the path starts at the repository's root"
        return MetalworkingError("no-file", f"{key}: no such file in the working tree", hint)

    def _bytes(self, path: str) -> bytes:
        """Read the regular file at *path*, which no link may stand on the way to."""
        key, at = own_key(path), self.top
        try:
            for part in path.split("/"):
                at = at / part
                mode = os.lstat(at).st_mode
                if stat.S_ISLNK(mode):
                    here = at.relative_to(self.top).as_posix()
                    message = f"{key}: {here} is a symbolic link in the working tree"
                    raise MetalworkingError("symlink", message, "git has no link there: git status")
            if not stat.S_ISREG(mode):
                raise MetalworkingError("no-file", f"{key}: no regular file", "git status tells what became of it")
            with open(at, "rb") as stream:
                data = stream.read(MAX_FILE + 1)
        except FileNotFoundError:
            hint = "git status tells what became of it; a sparse checkout leaves files out"
            raise MetalworkingError("no-file", f"{key}: the working tree lacks it", hint) from None
        except OSError as error:
            raise MetalworkingError("no-file", f"{key}: cannot be read: {error.strerror}") from None
        if len(data) > MAX_FILE:
            message = f"{key}: more than the limit of {MAX_FILE} bytes for a quoted file"
            raise MetalworkingError("oversized", message, "quote a smaller file")
        return data
