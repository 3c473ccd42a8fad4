"""Clones under code/, for browsing and for the checkout transport: one commit each, and only the folders asked for.

A folder that this module did not make is read as objects and otherwise left alone: its configuration could name
programs. One that it made is known by its configuration, which is byte for byte what is written here.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..quote.diagnostics import MetalworkingError, Unavailable
from ..quote.repo import Repo
from .alone import alone, held
from .command import Git, GitError, find_git_dir, plain_arguments
from .fetch import FETCH, SCHEMES, redirected
from .links import place_of
from .listing import LISTED, MOST, files_of, weigh
from .places import CloneFolder, Premises
from .process import Allowance
from .scratch import Scratch

_URL = re.compile(rb'^url = "([!-~]*)"$', re.MULTILINE)
_OURS = ".metalworking-"
"""How names begin that are there only while a command runs."""
_ATTRIBUTES = b"* -text -eol -crlf -ident -filter -working-tree-encoding\n"
"""What stands in info/attributes, before those of any tree."""
_LONG = 3600.0
"""Seconds that one git may take for a whole repository."""


def clone(
    repo: Repo,
    commit: str,
    url: str,
    code_dir: Path,
    *,
    premises: Premises | None = None,
    paths: Sequence[str] = (),
    stop: threading.Event | None = None,
    most: int = MOST,
) -> str:
    """Bring *commit* of *repo* from *url* into its folder, the files of *paths* (all: none named) into the work tree.

    The folder lies below *code_dir* of the site on *premises*; without any, the site is the folder around it.

    Returns ``fetched`` or ``present``, with a remark. What broke off goes on, also where git was killed. Once
    *stop* is set, it ends. Raises MetalworkingError when it cannot be had, when its files would take more than *most*
    bytes, when something else or another command is in its place, or when git tracks a link on the way there.
    """
    folder = repo.folder(code_dir)
    premises = premises or Premises.of(code_dir.parent)
    place_of(folder, premises)
    _plain_folders(folder, code_dir)
    if brought := CloneFolder(code_dir, premises).why_none(repo.name):
        message = f"{brought}: anybody may have written it, so it is no clone"
        raise MetalworkingError("clone", message, "remove it (git rm -r, where git tracks it)")
    git_dir = folder / ".git"
    with alone(code_dir / f"{_OURS}{repo.name.replace('/', '+')}.lock"):
        if _is_free(folder):
            _make(git_dir, url, commit)
        elif folder.is_symlink() or not _made_here(git_dir, commit):
            return _foreign(folder, commit)
        with held(git_dir) as descriptors:
            _unlock(git_dir)
            allowance = Allowance(output=LISTED)
            git = Git(git_dir, work_tree=folder, timeout=_LONG, allowance=allowance, stop=stop, inherited=descriptors)
            tree = _WorkTree(git, folder, commit, paths)
            if tree.complete():
                return "present"
            tree.bring(url, most)
            return "fetched"


class _WorkTree:
    """The files of a commit beside their git directory."""

    def __init__(self, git: Git, folder: Path, commit: str, paths: Sequence[str]) -> None:
        self._git = git
        self._folder = folder
        self._commit = commit
        self._paths = [path.strip("/") for path in paths]

    def complete(self) -> bool:
        """Tell whether the commit is here and checked out, and no file of it is gone."""
        try:
            if self._git.run("rev-parse", "--verify", "--quiet", "HEAD").decode().strip() != self._commit:
                return False
            return all(os.path.lexists(self._folder / os.fsdecode(name)) for name, _ in self._files())
        except GitError:
            return False

    def bring(self, url: str, most: int) -> None:
        """Fetch what is missing and check it out. Raises Unavailable when the server does not give it."""
        scheme = url.partition(":")[0]
        _configure(self._folder / ".git", url, self._commit)
        if scheme not in SCHEMES:
            raise Unavailable("unavailable", f"only {', '.join(sorted(SCHEMES))} are fetched from")
        partial = "--filter=blob:none" if self._paths else "--no-filter"
        try:
            self._fetch(["--depth=1", partial], [self._commit], scheme)
            files = list(self._files())
            if self._paths:
                self._fetch(["--filter=blob:none"], sorted({oid for _, oid in files}), scheme)
        except GitError as error:
            raise Unavailable("unavailable", redirected(error.diagnostic.message)) from None
        weigh(self._git, self._folder, self._commit, files, most)
        self._git.run("read-tree", self._commit)
        wanted = b"".join(name + b"\0" for name, _ in files)
        if self._paths:  # files that are not brought do not look as if they had been deleted
            everything = {name for name, _ in files_of(self._git, self._commit)}
            left = b"".join(name + b"\0" for name in sorted(everything - {name for name, _ in files}))
            self._git.run("update-index", "-z", "--skip-worktree", "--stdin", stdin=left)
        self._git.run("checkout-index", "--force", "--quiet", "-z", "--stdin", "--index", stdin=wanted)
        self._git.run("update-ref", "--no-deref", "HEAD", self._commit)

    def _fetch(self, options: Iterable[str], wants: list[str], scheme: str) -> None:
        lines = "".join(f"{want}\n" for want in plain_arguments(wants)).encode()
        if wants:
            self._git.run(*FETCH, *options, "--stdin", "origin", stdin=lines, protocol=scheme)

    def _files(self) -> list[tuple[bytes, str]]:
        """Return name and blob of every file that is wanted: in *paths*, and beside the folders that lead there."""
        if not self._paths:
            return files_of(self._git, self._commit)
        beside = {parent for path in self._paths for parent in _parents(path)}
        paths = [os.fsencode(path) for path in self._paths]
        below = tuple(path + b"/" for path in paths)
        return [
            (name, oid)
            for name, oid in files_of(self._git, self._commit)
            if name.rpartition(b"/")[0] in beside or name in paths or name.startswith(below)
        ]


def _parents(path: str) -> set[bytes]:
    parts = path.split("/")
    return {os.fsencode("/".join(parts[:depth])) for depth in range(len(parts))}


def _is_free(folder: Path) -> bool:
    """Tell whether nothing lies in *folder* but what a command that was killed made there, which is taken away."""
    left = list(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else []
    if any(not one.name.startswith(_OURS) or one.is_symlink() or not one.is_dir() for one in left):
        return False
    for one in left:
        shutil.rmtree(one, ignore_errors=True)
    return not os.path.lexists(folder) or (folder.is_dir() and not any(folder.iterdir()))


def _unlock(git_dir: Path) -> None:
    """Take away what a git that was killed left in a clone of ours: its locks, and a pack that is not whole."""
    for left in (*git_dir.rglob("*.lock"), *git_dir.glob("objects/pack/tmp_*")):
        with contextlib.suppress(OSError):
            left.unlink()


def _make(git_dir: Path, url: str, commit: str) -> None:
    """Make an empty git directory with our configuration, at once: what is there half-made would not be ours."""
    folder = git_dir.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        scratch = Scratch(folder, prefix=_OURS)
    except OSError as error:
        raise MetalworkingError("clone", f"{folder.name} cannot be made: {error.strerror}") from None
    with scratch:
        made = Path(scratch.name, "git")
        algorithm = "sha256" if len(commit) == 64 else "sha1"
        Git(made).run("init", "--quiet", "--bare", "--template=", f"--object-format={algorithm}")
        _configure(made, url, commit)
        made.rename(git_dir)


def _configure(git_dir: Path, url: str, commit: str) -> None:
    """Write the configuration, whole or not at all: with half of it the clone would be nobody's. Raises OSError.

    With it what overrules the attributes of every commit: by those a file of 15 MB is one of 550 on disk, and none has
    the bytes that were committed.
    """
    (git_dir / "info").mkdir(exist_ok=True)
    for path, wanted in ((git_dir / "config", _configuration(url, commit)), (git_dir / "info/attributes", _ATTRIBUTES)):
        if path.exists() and path.read_bytes() == wanted:
            continue
        beside = path.with_name(f"{path.name}.lock")  # as git calls it: the next command takes away what is left of it
        with open(beside, "xb") as stream:
            stream.write(wanted)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(path)


def _configuration(url: str, commit: str) -> bytes:
    """Return the whole configuration of a clone. Nothing in it starts a program."""
    lines = ["[core]", "repositoryformatversion = 1", f"filemode = {str(os.name != 'nt').lower()}", "bare = false"]
    lines += ['[remote "origin"]', f'url = "{url}"', "promisor = true", "partialclonefilter = blob:none"]
    lines += ["[extensions]", "partialClone = origin"]
    if len(commit) == 64:
        lines.append("objectFormat = sha256")
    return "".join(f"{line}\n" for line in lines).encode()


def is_made_here(git_dir: Path) -> bool:
    """Tell whether *git_dir* is that of a clone that was made here, of whatever commit."""
    return any(_made_here(git_dir, "0" * digits) for digits in (40, 64))


def _made_here(git_dir: Path, commit: str) -> bool:
    """Tell whether *git_dir* is a real folder with our very configuration, whatever its address, and nothing else's."""
    elsewhere = ("commondir", "config.worktree", "objects/info/alternates")
    config = git_dir / "config"
    try:
        if git_dir.is_symlink() or config.is_symlink() or not config.is_file() or config.stat().st_size > 4096:
            return False
        if any(os.path.lexists(git_dir / name) for name in elsewhere):
            return False
        url = _URL.search(text := config.read_bytes())
        if not _plain(git_dir):
            return False
    except OSError:
        return False
    return url is not None and text == _configuration(url[1].decode(), commit)


def _plain(git_dir: Path) -> bool:
    """Tell whether *git_dir* holds folders and files alone: through a link git would write somebody else's file."""
    for folder, folders, files in os.walk(git_dir):
        for name in (*folders, *files):
            mode = os.lstat(os.path.join(folder, name)).st_mode
            if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
                return False
    return True


def _plain_folders(folder: Path, code_dir: Path) -> None:
    """Raise MetalworkingError when something on the way from *code_dir* to *folder* is a link or another clone."""
    for parent in [folder, *folder.parents]:
        if parent == code_dir:
            return
        if parent != folder and find_git_dir(parent):
            raise MetalworkingError("clone", f"{parent.name} is a repository itself: no clone is made inside of one")
        if parent.is_symlink() and not find_git_dir(parent):
            raise MetalworkingError("clone", f"{parent.name} is a symbolic link", "put a folder in its place")


def _foreign(folder: Path, commit: str) -> str:
    git_dir = find_git_dir(folder)
    hint = "move it away, or fetch the commit there yourself"
    if git_dir is None:
        raise MetalworkingError("clone", f"{folder} holds something else than a clone", "move it away")
    try:
        Git(git_dir).run("cat-file", "-e", f"{commit}^{{commit}}")
    except GitError:
        message = f"{folder} was not made here, so it is only read, and has no commit {commit[:7]}"
        raise MetalworkingError("clone", message, hint) from None
    return "present (not made here: read as objects only)"
