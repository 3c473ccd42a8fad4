"""Where repositories lie on this machine: the one around a site, and the clones below its ``code/``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..quote.diagnostics import MetalworkingError
from ..quote.repo import Repo
from .command import Git, GitError, find_git_dir


def enclosing_work_tree(folder: Path) -> tuple[Path, Path] | None:
    """Return the top of the work tree that *folder* lies in, and its git directory; None when it lies in none.

    It is known by its ``.git``, which no commit can hold. Files that look like a bare repository may be anybody's.
    """
    for parent in (folder, *folder.parents):
        if os.path.lexists(parent / ".git") and (found := find_git_dir(parent)) is not None:
            return parent, found
    return None


def leading_out(value: object) -> Iterator[str]:
    """Yield each relative path in *value*, a part of a configuration, that leads out of the folder where it starts.

    Whatever it is for: plugins and extensions have paths under names that nobody can list.
    """
    todo = [value]
    while todo:
        match todo.pop():
            case str() as text if ".." in text and os.path.normpath(text).split(os.sep)[0] == os.pardir:
                yield text
            case Mapping() as mapping:
                todo += mapping.values()
            case list() | tuple() as several:
                todo += several


def found_by(told: Iterable[Mapping[str, object]], path: Path) -> Iterator[str]:
    """Yield what may have come with a site, where extensions with the configurations *told* have found *path*.

    They count from where the command runs, which may be above the site: so it is *path* itself, by whatever name they
    found it, unless that is below an absolute ``base_path``.
    """
    yield from leading_out(told)
    found = os.path.abspath(path)
    for base in (one.get("base_path") for one in told):
        for name in base if isinstance(base, list | tuple) else [base]:
            if isinstance(name, str | os.PathLike) and os.path.isabs(name) and Path(found).is_relative_to(name):
                return
    yield found


@dataclass(frozen=True, slots=True)
class Premises:
    """A site's folder, and what an archive of a commit would have brought together with it.

    An archive holds a repository, of which the site may be one folder, so all that mkdocs.yml names by relative paths
    may have come along. What it names by an absolute path, the person put there.
    """

    site: Path
    """The folder of mkdocs.yml."""
    whole: Path
    """The folder that holds the site and all that it names by relative paths."""

    @classmethod
    def of(cls, site: Path, named: Iterable[str | Path] = ()) -> Premises:
        """Return those of the site in the folder *site*, whose mkdocs.yml has the paths *named*."""
        top = site.resolve()
        relative = (os.path.normpath(top / one) for one in named if not Path(one).is_absolute())
        return cls(top, Path(os.path.commonpath([top, *relative])))

    def with_all(self, named: Iterable[str]) -> Premises:
        """Return these with other paths *named*, which start at the working directory.

        What lies on another drive than the site came with no archive of it.
        """
        here = [one for one in (str(self.whole), *named) if Path(one).absolute().drive == self.site.drive]
        return Premises.of(self.site, (os.path.relpath(one, self.site) for one in here))

    @property
    def unpacked(self) -> bool:
        """Whether no repository is around the site: nobody can tell then what came with it."""
        return enclosing_work_tree(self.site) is None

    def shared_with(self, link: Path) -> Path | None:
        """Return the folder that came with the site where *link* did, which the two share; None where it did not."""
        if not link.is_relative_to(self.whole) or not self.unpacked:
            return None
        return Path(os.path.commonpath([self.site, link.parent]))


class Tracked:
    """What the repository around *folder* tracks there: whatever somebody's change brought along. It is asked once."""

    def __init__(self, folder: Path) -> None:
        here = folder.parent.resolve() / folder.name
        tree = enclosing_work_tree(here.parent if here.is_symlink() else here)
        self._at, self._paths = "", frozenset[str]()
        self.unknown = ""
        """Why git cannot tell what it tracks; then everything may be somebody's."""
        if tree is not None:
            at = "/".join(here.relative_to(tree[0]).parts)
            # On some file systems capital letters make no difference, so they make none here.
            spec = f":(top,literal,icase){at}" if at else ":/"
            try:
                listed = Git(tree[1], work_tree=tree[0]).run("ls-files", "-z", "--full-name", "--", spec)
            except GitError as error:
                self._paths, self.unknown = frozenset({""}), error.diagnostic.message
            else:
                self._at = at.lower()
                self._paths = frozenset(os.fsdecode(path).lower() for path in listed.split(b"\0") if path)

    def holds(self, name: str = "") -> bool:
        """Tell whether something in the folder *name* of it is tracked, or a link on the way there."""
        ways = [self._at]
        for part in filter(None, name.lower().split("/")):
            ways.append("/".join(filter(None, (ways[-1], part))))
        below = f"{ways[-1]}/" if ways[-1] else ""
        return any(way in self._paths for way in ways) or any(path.startswith(below) for path in self._paths)


class CloneFolder:
    """The folder *code_dir* of a site, and what of it came with the site, which is asked once.

    Whatever a commit of the site brings where a clone belongs is no clone: the files of a bare repository, a link to
    the site itself, a submodule. It has the commits of whoever wrote it, under any name. Where no repository is around
    the site that could tell, the site may be an unpacked archive of a commit: that has no ``.git``, so a clone has one
    on the *premises*, and no link leads to it. Without any, the site is the folder around *code_dir*.
    """

    def __init__(self, code_dir: Path, premises: Premises | None = None) -> None:
        self._code_dir = code_dir if premises is not None else code_dir.parent.resolve() / code_dir.name
        self._premises = premises or Premises.of(code_dir.parent)
        self._tracked: Tracked | None = None

    def find(self, name: str) -> Path | None:
        """Return the git directory of the clone of the repository *name*; None when there is none."""
        try:
            folder = Repo.named(name).folder(self._code_dir)
        except MetalworkingError:
            return None
        git_dir = find_git_dir(folder)
        return None if git_dir is None or self.why_none(name) else git_dir

    def why_none(self, name: str) -> str:
        """Return why what lies in the folder of *name* may be anybody's: its path, and how it came there. Else ""."""
        if self._tracked is None:
            self._tracked = Tracked(self._code_dir)
        folder = Repo.named(name).folder(self._code_dir)
        if self._tracked.unknown:
            return f"{folder} may have come with the site's own repository ({self._tracked.unknown})"
        if self._tracked.holds(name):
            return f"{folder} came with the site's own repository"
        if self._may_be_unpacked(folder):
            return f"{folder} may have come with the site, around which there is no repository that could tell"
        return ""

    def _may_be_unpacked(self, folder: Path) -> bool:
        """Tell whether an archive of a commit may have brought what *folder* is or leads to."""
        folder, whole = Path(os.path.abspath(folder)), self._premises.whole
        if not folder.is_relative_to(whole) or not self._premises.unpacked:
            return False
        way = [folder, *(parent for parent in folder.parents if parent != whole and parent.is_relative_to(whole))]
        return any(one.is_symlink() for one in way) or find_git_dir(folder) == folder


def find_clone(code_dir: Path, name: str, premises: Premises | None = None) -> Path | None:
    """Return the git directory of the clone of *name* below *code_dir* of a site; None when there is none."""
    return CloneFolder(code_dir, premises).find(name)
