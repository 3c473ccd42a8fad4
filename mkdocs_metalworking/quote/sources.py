"""What may be quoted and cited: repositories, each at a commit and under a license, and references."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from .diagnostics import Location, MetalworkingError
from .licenses import license_allowed
from .packages import PackageSpec
from .repo import SELF
from .suggest import did_you_mean

WORKING = "working-tree"
"""What stands for a commit where ``self`` is quoted as its files are now."""


class NotPinned(MetalworkingError):
    """A repository or commit that sources.yml does not hold."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__("not-pinned", message, hint)


@dataclass(frozen=True, slots=True)
class Pin:
    """A repository at one commit."""

    repo: str
    commit: str
    license: str | None
    tag: str = ""
    date: str = ""
    license_scope: str = ""
    license_file: str = "LICENSE"
    quote: bool = True
    about: str = ""
    mirrors: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    """Folders that a clone brings; all when there are none."""
    packages: tuple[PackageSpec, ...] = ()
    home: str = ""
    """Of ``self``: the name under which the repository is published, where sources.yml tells it."""
    digits: int = field(default=7, compare=False)
    """How many digits of the commit tell it from every other pin of the repository; at least seven."""
    location: Location = field(default_factory=Location, compare=False)

    @property
    def short(self) -> str:
        """The first digits of the commit: seven, or as many as tell it from the repository's other pins."""
        return self.commit[: self.digits]

    def refuse_quotation(self, path: str) -> MetalworkingError | None:
        """Return why lines of *path* may not be shown, or None when they may: one's own code always."""
        if self.repo == SELF:
            return None
        if not self.license:
            return MetalworkingError(
                "license", f"{self.repo} has no license", "link to it or cite it; it cannot be quoted"
            )
        if not self.quote:
            return MetalworkingError("license", f"{self.repo} is listed with quote: false", "link to it or cite it")
        if not license_allowed(self.license):
            return MetalworkingError(
                "license", f"{self.repo} is under {self.license}, which is not on the list", "link to it or cite it"
            )
        if self.license_scope and not PurePosixPath(path).is_relative_to(self.license_scope):
            return MetalworkingError(
                "license", f"{self.repo} is under {self.license} only in {self.license_scope}", "link to it or cite it"
            )
        return None


@dataclass(frozen=True, slots=True)
class Reference:
    """Something cited that is not a file of a pinned repository."""

    key: str
    title: str
    author: str = ""
    date: str = ""
    kind: str = ""
    url: str = ""
    page: str = ""
    """The page of the site where it is read, from the docs folder, perhaps with an anchor; it has no ``url`` then."""
    about: str = ""
    location: Location = field(default_factory=Location, compare=False)


@dataclass(frozen=True)
class Sources:
    """Everything that may be quoted or cited."""

    pins: tuple[Pin, ...] = ()
    references: tuple[Reference, ...] = ()
    path: str = "sources.yml"
    own: Pin | None = None
    """The repository that the site lies in, named ``self``; without a commit it is the working tree."""

    @cached_property
    def by_key(self) -> dict[str, Reference]:
        """The references by their key."""
        return {reference.key: reference for reference in self.references}

    @cached_property
    def by_repo(self) -> dict[str, tuple[Pin, ...]]:
        """The pins of each repository, in file order."""
        found: dict[str, tuple[Pin, ...]] = {}
        for pin in self.pins:
            found[pin.repo] = (*found.get(pin.repo, ()), pin)
        return found

    def pin(self, repo: str, sha: str = "") -> Pin:
        """Return the one pin of *repo* whose commit begins with *sha*.

        Raises NotPinned when there is none or more than one.
        """
        if repo == SELF:
            return self._own(sha)
        pins = self.by_repo.get(repo)
        if pins is None:
            near = next((r for r in self.by_repo if r.lower() == repo.lower()), "")
            raise NotPinned(
                f"{repo} is not in {self.path}", f"write {near}" if near else "add it there with its commit and license"
            )
        found = [pin for pin in pins if pin.commit.startswith(sha)]
        if len(found) == 1:
            return found[0]
        known = ", ".join(pin.short for pin in (found or pins))
        if found:
            raise NotPinned(f"{sha or 'no commit'} fits several pinned commits of {repo}: {known}", "write more digits")
        raise NotPinned(f"commit {sha} of {repo} is not pinned", f"pinned: {known}")

    def _own(self, sha: str) -> Pin:
        if self.own is None:
            hint = f"add it there: {SELF}: working-tree, or {SELF}: {{pin: COMMIT}}"
            raise NotPinned(f"{SELF} is not in {self.path}", hint)
        if not self.own.commit and sha:
            raise NotPinned(f"{SELF} is the working tree in {self.path}, which has no commit {sha}", f"write {SELF}:")
        if not self.own.commit.startswith(sha):
            raise NotPinned(f"commit {sha} of {SELF} is not pinned", f"pinned: {self.own.short}")
        return self.own

    def reference(self, key: str) -> Reference:
        """Return the reference *key*; raises NotPinned, with the nearest key, when there is none."""
        found = self.by_key.get(key)
        if found is None:
            hint = did_you_mean(key, self.by_key, "add it under references:")
            raise NotPinned(f"reference {key!r} is not in {self.path}", hint)
        return found

    def mirrors(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """Return which other repositories may have (repo, commit)."""
        return {(pin.repo, pin.commit): pin.mirrors for pin in self.pins if pin.mirrors}

    def packages(self) -> dict[tuple[str, str], tuple[PackageSpec, ...]]:
        """Return which packages carry the files of (repo, commit)."""
        return {(pin.repo, pin.commit): pin.packages for pin in self.pins if pin.packages}
