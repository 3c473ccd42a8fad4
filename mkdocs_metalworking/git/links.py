"""Which links are followed. A branch or an archive can bring them along, and what lies behind one is elsewhere.

One rule, judged link by link on the whole way to a file. Links are somebody's where the repository around them tracks
them, or cannot tell, and where no repository is around the site and they may have come with it (`Premises`). All others
are the person's. What somebody's link leads to is

- read and published within what it came with: `way_out`, and `hold_inside` for a file that is read by its name;
- made and can be made again, such as a clone, a book or the store: not behind one that a repository tracks, nor behind
  one that leads out of what it came with, `place_of`;
- an author's file, and written: within the same repository, and not in another one in its folder, where that tracks it
  too, `target_of`. Such a file is not written behind a link of the person's either where that leads out.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..quote.diagnostics import Location, MetalworkingError, reason_of
from .command import Git, GitError
from .places import Premises, enclosing_work_tree
from .tracked_links import names_tracked, tracks_link


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

    def out(self, where: Location, what: str = "file") -> MetalworkingError:
        """Return the problem of a *what* at *where* that is not read, since the link leads out."""
        message, hint = f"{self.why} and leads out of it: {self.reason}", f"put the {what} in its place, or {self.mend}"
        return MetalworkingError("files", message, hint, where)


_GITS = re.compile(r"\.git[. ]*|git~[0-9]+", re.IGNORECASE)
"""Names of a folder that some file system takes for ``.git``."""
_LONGEST = 1000
"""Characters by which a link tells where it leads: the system takes four times as many, and looks each folder up."""


def target_of(path: Path) -> Path:
    """Return the file that *path* leads to, which lies in the repository that *path* lies in.

    Raises MetalworkingError (``not-written``) where a link leads out of it, to what git keeps there or to another
    repository in its folder, and where one that git tracks leads to what that repository does not track: an environment
    lies there too, and no diff shows what is written.
    """
    target = _resolved(path)
    if not _is_own(target, _top(path.absolute())):
        raise not_written(path, "a link leads out of the repository")
    for link in _links(path, set()):
        if objection := _tracked(link):
            tree = enclosing_work_tree(link.parent)
            if tree is None or not _is_own(target, tree[0]):
                raise not_written(path, "a link leads out of the repository")
            if not _is_known(target, *tree):
                raise not_written(path, f"{objection.why} to what git does not track", objection.mend)
    return target


def place_of(path: Path, premises: Premises | None = None) -> Path:
    """Return where *path* leads to by no link that git tracks: one that it does not, the person put there.

    Raises MetalworkingError (``not-written``) where git tracks a link on the way, or cannot tell, and where no
    repository is around the site and a link on its *premises* leads out: an unpacked archive may have brought that one.
    """
    for link in _links(path, set()):
        if objection := _tracked(link) or _untold(link, premises):
            raise not_written(path, objection.why, f"{objection.reason}: {objection.mend}")
    return _resolved(path)


def way_out(path: Path, premises: Premises) -> Objection | None:
    """Return what is wrong with the first link by which *path* leads out of its repository, or to what git keeps there.

    Where no repository is around the site, none leads out of the folder that link and site share on its *premises*.
    Links that git knows and does not track are the person's, and behind those that lead in a circle nothing is read.
    """
    if _has_no_end(path):
        return None
    with contextlib.suppress(MetalworkingError):
        for link in _links(path, set()):
            tree = enclosing_work_tree(link.parent)
            out = tree is None or _is_long(link) or not _is_inside(_resolved(link), tree[0])
            if out and (objection := _tracked(link) or _untold(link, premises)):
                return objection
    return None


def hold_inside(path: Path, premises: Premises) -> Path:
    """Return *path*, a file of the site that is read by its name.

    Raises MetalworkingError (``files``) where `way_out` has something against a link.
    """
    if link := way_out(path, premises):
        raise link.out(Location(path.name))
    return path


def tracked_ways_out(folder: Path) -> Iterator[tuple[Path, Objection]]:
    """Yield every link that the repository around *folder* tracks and that leads out of it, wherever it lies there.

    Nothing where no repository is around it, nor without git: a site need not be built where that is. Raises GitError
    where git cannot tell: how long its list is, a branch decides.
    """
    found = enclosing_work_tree(folder.resolve())
    if found is None:
        return
    top, git_dir = found
    try:
        names = names_tracked(top, git_dir)
    except GitError as error:
        if error.diagnostic.code == "git-missing":
            return
        raise
    for name in names:
        link = top / name
        with contextlib.suppress(MetalworkingError):
            if link.is_symlink() and not _has_no_end(link) and not _is_inside(_resolved(link), top):
                yield link, _of_repository(name)


def not_written(path: Path, why: str, hint: str = "it is as it was") -> MetalworkingError:
    """Return the problem of a file that could not be written."""
    return MetalworkingError("not-written", f"{path.name} cannot be written: {why}", hint)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # before Python 3.13 a RuntimeError
        raise not_written(path, "a link leads back to itself") from None


def _has_no_end(path: Path) -> bool:
    """Tell whether the system goes *path* at all: in a circle it does not, nor by more links than it has patience for.

    It has some forty, and is asked first: whoever goes by thousands, for each of them, is a long time on the way.
    """
    try:
        os.stat(path)
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _is_inside(target: Path, top: Path) -> bool:
    return target.is_relative_to(top) and not any(map(_GITS.fullmatch, target.relative_to(top).parts))


def _is_own(target: Path, top: Path) -> bool:
    """Tell whether *target* lies in the repository at *top*, and in no other one within its folder."""
    if not _is_inside(target, top):
        return False
    return not any(one != top and one.is_relative_to(top) and os.path.lexists(one / ".git") for one in target.parents)


def _top(path: Path) -> Path:
    """Return the folder that *path* may be written in: its work tree, or its own folder where there is none."""
    path = _without_parents(path)
    found = next((parent for parent in path.parents if os.path.lexists(parent / ".git")), path.parent)
    return _resolved(found)


def _without_parents(path: Path) -> Path:
    """Return an absolute *path* without ``..``: as to the system, what stands before one is where it really is."""
    here = Path(path.anchor)
    for part in path.parts[1:]:
        here = _resolved(here).parent if part == ".." else here / part
    return here


def _links(path: Path, seen: set[Path]) -> Iterator[Path]:
    """Yield every link on the way to *path* and on the way that it leads, each once, by the real folder it lies in."""
    path = path.absolute()
    for here in (*reversed(path.parents), path):
        if here.is_symlink():
            link = _resolved(here.parent) / here.name
            if link not in seen:
                seen.add(link)
                yield link
                if not _is_long(link):
                    yield from _links(link.parent / os.readlink(link), seen)


def _is_long(link: Path) -> bool:
    return len(os.readlink(link)) > _LONGEST


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
    return _of_repository(name)


def _of_repository(name: str) -> Objection:
    reason = "git tracks it, so that anybody may have put it there"
    return Objection(name, "a link of the repository", reason, f"git rm --cached {name} if it is yours")


def _untold(link: Path, premises: Premises | None) -> Objection | None:
    """Return what speaks against *link* where no repository is around the site it may have come with: it leads out."""
    shared = premises.shared_with(link) if premises is not None else None
    if premises is None or shared is None or enclosing_work_tree(link.parent) is not None:
        return None
    if not _is_long(link) and _is_inside(_resolved(link), shared):
        return None
    name = Path(os.path.relpath(link, premises.site)).as_posix()
    what = "a link beside the site's folder" if name.startswith("../") else "a link of the site's folder"
    reason = "no repository is around the site that could tell whose it is"
    return Objection(name, what, reason, "git init there if it is yours, or name its end in mkdocs.yml")


def _is_known(target: Path, top: Path, git_dir: Path) -> bool:
    """Tell whether the repository tracks *target*; of a file that is not there, whether it tracks one in its folder."""
    place = target if target.exists() else target.parent
    spec = f":(top,literal){place.relative_to(top).as_posix()}" if place != top else ":/"
    try:
        return bool(Git(git_dir, work_tree=top).run("ls-files", "-z", "--", spec))
    except GitError:
        return False
