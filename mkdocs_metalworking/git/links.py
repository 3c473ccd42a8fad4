"""Where links lead. A branch can bring them along, and what is written through one lands elsewhere.

Every command that writes asks here: `target_of` for the files of authors, which may be links within their repository,
and `place_of` for what is made and can be made again, such as clones, books and the store. `way_out` is for what is
published.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from ..quote.diagnostics import MetalworkingError
from .command import Git, GitError
from .places import enclosing_work_tree

_GITS = re.compile(r"\.git[. ]*|git~[0-9]+", re.IGNORECASE)
"""Names of a folder that some file system takes for ``.git``."""


def target_of(path: Path) -> Path:
    """Return the file that *path* leads to, which lies in the repository that *path* lies in.

    Raises MetalworkingError (``not-written``) where a link leads out of it, or to what git keeps there, and where one
    that git tracks leads to what git does not track: an environment lies there too, and no diff shows what is written.
    """
    target, top = _resolved(path), _top(path.absolute())
    if not _is_inside(target, top):
        raise not_written(path, "a link leads out of the repository")
    for link in _links(path, set()):
        if (name := _tracked(link)) and not _is_known(target):
            hint = f"git rm --cached {name} if it is yours"
            raise not_written(path, f"{name} is a link of the repository to what git does not track", hint)
    return target


def place_of(path: Path) -> Path:
    """Return where *path* leads to by no link that git tracks: one that it does not, the person put there.

    Raises MetalworkingError (``not-written``) where git tracks a link on the way, or cannot tell.
    """
    for link in _links(path, set()):
        if name := _tracked(link):
            hint = f"git tracks it, so that anybody may have put it there: git rm --cached {name} if it is yours"
            raise not_written(path, f"{name} is a link of the repository", hint)
    return _resolved(path)


def way_out(path: Path) -> str:
    """Return the link that git tracks by which *path* leads out of its repository, or to what git keeps there.

    Returns "" when there is none, and for links that lead in a circle: nothing is read behind those.
    """
    with contextlib.suppress(MetalworkingError):
        for link in _links(path, set()):
            tree = enclosing_work_tree(link.parent)
            if tree is not None and not _is_inside(_resolved(link), tree[0]) and (name := _tracked(link)):
                return name
    return ""


def not_written(path: Path, why: str, hint: str = "it is as it was") -> MetalworkingError:
    """Return the problem of a file that could not be written."""
    return MetalworkingError("not-written", f"{path.name} cannot be written: {why}", hint)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # before Python 3.13 a RuntimeError
        raise not_written(path, "a link leads back to itself") from None


def _is_inside(target: Path, top: Path) -> bool:
    return target.is_relative_to(top) and not any(map(_GITS.fullmatch, target.relative_to(top).parts))


def _top(path: Path) -> Path:
    """Return the folder that *path* may be written in: its work tree, or its own folder where there is none."""
    found = next((parent for parent in path.parents if os.path.lexists(parent / ".git")), path.parent)
    return _resolved(found)


def _links(path: Path, seen: set[Path]) -> Iterator[Path]:
    """Yield every link on the way to *path* and on the way that it leads, each once, by the real folder it lies in."""
    path = path.absolute()
    for here in (*reversed(path.parents), path):
        if here.is_symlink():
            link = _resolved(here.parent) / here.name
            if link not in seen:
                seen.add(link)
                yield link
                yield from _links(link.parent / os.readlink(link), seen)


def _tracked(link: Path) -> str:
    """Return the path of *link* in the repository that tracks it, also where git cannot tell; else nothing."""
    found = enclosing_work_tree(link.parent)
    if found is None:
        return ""
    top, git_dir = found
    name = link.relative_to(top).as_posix()
    try:
        listed = Git(git_dir, work_tree=top).run("ls-files", "-z", "--stage", "--full-name", "--", ":/")
        itself = os.lstat(link)
    except (GitError, OSError):
        return name
    paths = (line.partition(b"\t")[2] for line in listed.split(b"\0") if line.startswith(b"120000 "))
    return name if any(_is_same(top / os.fsdecode(path), itself) for path in paths) else ""


def _is_known(target: Path) -> bool:
    """Tell whether git tracks *target*; of a file that is not there, whether it tracks one in its folder."""
    found = enclosing_work_tree(target.parent)
    if found is None:
        return False
    top, git_dir = found
    place = target if target.exists() else target.parent
    spec = f":(top,literal){place.relative_to(top).as_posix()}" if place != top else ":/"
    try:
        return bool(Git(git_dir, work_tree=top).run("ls-files", "-z", "--", spec))
    except GitError:
        return False


def _is_same(path: Path, other: os.stat_result) -> bool:
    """Tell whether *path* is that very link: a name may be spelled in several ways, as the file system has it."""
    try:
        info = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISLNK(info.st_mode) and os.path.samestat(info, other)
