"""The links that a repository tracks: git is asked for all at once, since a branch may bring any number of them."""

from __future__ import annotations

import os
import stat
import time
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from .command import Git, GitError
from .listing import LISTED
from .process import Allowance

_FRESH = 60.0
"""Seconds after which git is asked again, also where nothing seems to have changed or where it could not tell."""


def tracks_link(link: Path, top: Path, git_dir: Path) -> bool:
    """Tell whether the repository at *top*, with the git directory *git_dir*, tracks *link* in its real folder.

    Raises GitError where git cannot tell, and OSError for a link that is not there.
    """
    itself = os.lstat(link)
    name = link.relative_to(top).as_posix()
    now = _now(git_dir)
    links = _links(top, git_dir, now)
    if isinstance(links, str):  # a list that is longer than what git may say, for one
        links = _links(top, git_dir, now, ":(top,glob)" + "/".join("*" * (name.count("/") + 1)))
    if isinstance(links, str):
        raise GitError("git-failed", links)
    return name in links.names or any(_is_same(top / path, itself) for path in links.other_spellings(name))


def names_tracked(top: Path, git_dir: Path) -> list[str]:
    """Return the paths of all links that the repository tracks, in order. Raises GitError where git cannot tell."""
    links = _links(top, git_dir, _now(git_dir))
    if isinstance(links, str):
        raise GitError("git-failed", links)
    return sorted(links.names)


class _Links:
    """The paths *names* of a repository, to be found under other spellings too."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)
        self._alike: defaultdict[str, list[str]] = defaultdict(list)
        self._of_depth: defaultdict[int, list[str]] = defaultdict(list)
        for name in self.names:
            self._alike[_plain(name)].append(name)
            self._of_depth[name.count("/")].append(name)

    def other_spellings(self, name: str) -> Iterator[str]:
        """Yield what a file system may have as *name*: in as many folders, and nearly always alike."""
        yield from self._alike.get(_plain(name), ())
        yield from self._of_depth.get(name.count("/"), ())


def _names_of_links(listed: bytes) -> Iterator[str]:
    """Yield the paths of links in what ``ls-files -z --stage`` said."""
    for line in listed.split(b"\0"):
        if line.startswith(b"120000 "):
            yield os.fsdecode(line.partition(b"\t")[2])


@lru_cache(maxsize=32)
def _links(top: Path, git_dir: Path, _when: object, spec: str = ":/") -> _Links | str:
    """Return the links of a repository, or why git cannot tell them; asked once while *_when* is the same."""
    try:
        git = Git(git_dir, work_tree=top, allowance=Allowance(output=LISTED))
        return _Links(_names_of_links(git.run("ls-files", "-z", "--stage", "--full-name", "--", spec)))
    except GitError as error:
        return error.diagnostic.message


def _now(git_dir: Path) -> tuple[int, ...]:
    """Return what changes with the index, and with time."""
    period = int(time.monotonic() / _FRESH)
    try:
        info = os.stat(git_dir / "index")
    except OSError:
        return (period,)
    return period, info.st_ino, info.st_mtime_ns, info.st_size


def _plain(name: str) -> str:
    return unicodedata.normalize("NFD", name).casefold()


def _is_same(path: Path, other: os.stat_result) -> bool:
    """Tell whether *path* is that very link: a name may be spelled in several ways, as the file system has it."""
    try:
        info = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISLNK(info.st_mode) and os.path.samestat(info, other)
