"""Where links lead. A branch can bring them along, and what is written through one lands elsewhere.

Every command that writes asks here: `target_of` for the files of authors, which may be links within their repository,
and `place_of` for what is made and can be made again, such as clones, books and the store. `way_out` is for what is
published.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..quote.diagnostics import MetalworkingError, reason_of
from .command import Git, GitError
from .places import enclosing_work_tree
from .tracked_links import tracks_link


class Objection(NamedTuple):
    """What speaks against a link: its path, what it is, why that matters, and what to do if it is the person's own."""

    name: str
    what: str
    reason: str
    mend: str

    @property
    def why(self) -> str:
        """The link and what it is."""
        return f"{self.name} is {self.what}"


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
        if (objection := _tracked(link)) and not _is_known(target):
            raise not_written(path, f"{objection.why} to what git does not track", objection.mend)
    return target


def place_of(path: Path, site: Path | None = None) -> Path:
    """Return where *path* leads to by no link that git tracks: one that it does not, the person put there.

    Raises MetalworkingError (``not-written``) where git tracks a link on the way, or cannot tell, and where no
    repository is around the folder *site* and a link leads out of it: an unpacked archive may have brought that one.
    """
    for link in _links(path, set()):
        if objection := _tracked(link) or _untold(link, site):
            raise not_written(path, objection.why, f"{objection.reason}: {objection.mend}")
    return _resolved(path)


def way_out(path: Path, site: Path) -> Objection | None:
    """Return what is wrong with the first link by which *path* leads out of its repository, or to what git keeps there.

    Where no repository is around the folder *site*, that is what it may not lead out of. Links that git knows and does
    not track are the person's, and behind those that lead in a circle nothing is read.
    """
    with contextlib.suppress(MetalworkingError):
        for link in _links(path, set()):
            tree = enclosing_work_tree(link.parent)
            out = tree is None or not _is_inside(_resolved(link), tree[0])
            if out and (objection := _tracked(link) or _untold(link, site)):
                return objection
    return None


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


def _tracked(link: Path) -> Objection | None:
    """Return what speaks against *link* where a repository is around it: that it tracks the link, or cannot tell."""
    found = enclosing_work_tree(link.parent)
    if found is None:
        return None
    top, git_dir = found
    name = link.relative_to(top).as_posix()
    try:
        if not tracks_link(link, top, git_dir):
            return None
    except (GitError, OSError) as error:
        said = error.diagnostic.message if isinstance(error, GitError) else reason_of(error)
        return Objection(name, "a link of which git cannot tell whose it is", said, "see what git status says")
    reason = "git tracks it, so that anybody may have put it there"
    return Objection(name, "a link of the repository", reason, f"git rm --cached {name} if it is yours")


def _untold(link: Path, site: Path | None) -> Objection | None:
    """Return what speaks against *link* where no repository is around *site*, in which it lies: that it leads out."""
    if site is None or enclosing_work_tree(link.parent) is not None:
        return None
    top = _resolved(site)
    if not link.is_relative_to(top) or _is_inside(_resolved(link), top):
        return None
    reason = "no repository is around the site that could tell whose it is"
    mend = "git init there if it is yours, or name its end in mkdocs.yml"
    return Objection(link.relative_to(top).as_posix(), "a link of the site's folder", reason, mend)


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
