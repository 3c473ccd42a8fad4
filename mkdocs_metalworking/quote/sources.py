"""sources.yml: the repositories that may be quoted, at which commits, under which licenses, and the references."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, Literal

from .diagnostics import Diagnostic, Location, MetalworkingError, Severity
from .licenses import license_allowed
from .packages import PackageSpec
from .repo import SELF, Repo, nested
from .suggest import did_you_mean
from .yamldoc import YamlDocument, load_yaml

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


def load_sources(text: str, path: str = "sources.yml") -> tuple[Sources, list[Diagnostic]]:
    """Read sources.yml.

    Returns what could be read and every problem, each with file and line. Raises MetalworkingError for bad YAML.
    """
    document = load_yaml(text, path)
    problems = list(document.problems("sources.schema.json"))
    if problems:
        return Sources(path=path), problems
    pins = _told_apart(tuple(_pins(document)))
    references = tuple(
        Reference(**entry, location=document.location("references", index))
        for index, entry in enumerate(document.data.get("references") or [])
    )
    problems.extend(_check(document, pins, references))
    own = _own(document)
    if own is not None:
        problems.extend(_check_own(document, own))
    return Sources(pins, references, path, own), problems


def _own(document: YamlDocument) -> Pin | None:
    entry = document.data.get(SELF)
    if entry is None:
        return None
    entry = {"pin": entry} if isinstance(entry, str) else entry
    commit = "" if entry["pin"] == WORKING else entry["pin"]
    terms = {name: entry[name] for name in ("license", "license_file") if name in entry}
    return Pin(SELF, commit, home=entry.get("repo", ""), location=document.location(SELF), **{"license": None, **terms})


def _check_own(document: YamlDocument, own: Pin) -> Iterator[Diagnostic]:
    try:
        if own.home:
            Repo.named(own.home)
    except MetalworkingError as problem:
        yield problem.diagnostic.at(document.location(SELF, "repo"))
    try:
        license_allowed(own.license or "MIT")  # any license will do, as long as it is one
    except ValueError as error:
        message = f"{own.license!r} is not SPDX: {error}"
        where = document.location(SELF, "license")
        yield Diagnostic(Severity.ERROR, "license", message, "see spdx.org/licenses", where)


def _pins(document: YamlDocument) -> Iterator[Pin]:
    for index, entry in enumerate(document.data.get("repositories") or ()):
        fields: dict[str, Any] = {k: v for k, v in entry.items() if k not in ("packages", "mirrors", "paths")}
        packages = tuple(_package(p) for p in entry.get("packages", ()))
        yield Pin(
            **fields,
            mirrors=tuple(entry.get("mirrors", ())),
            paths=tuple(entry.get("paths", ())),
            packages=packages,
            location=document.location("repositories", index),
        )


def _told_apart(pins: tuple[Pin, ...]) -> tuple[Pin, ...]:
    """Give each pin as many digits as tell the commits of its repository apart."""
    commits: dict[str, set[str]] = {}
    for pin in pins:
        commits.setdefault(pin.repo, set()).add(pin.commit)
    digits = {
        repo: next(n for n in range(7, 65) if len({commit[:n] for commit in found}) == len(found))
        for repo, found in commits.items()
    }
    return tuple(replace(pin, digits=digits[pin.repo]) for pin in pins)


def _package(entry: dict[str, str]) -> PackageSpec:
    kind: Literal["wheel", "sdist"] = "wheel" if "wheel" in entry else "sdist"
    name, _, version = entry[kind].partition("==")
    return PackageSpec(kind, name, version, entry["root"])


def _check(document: YamlDocument, pins: tuple[Pin, ...], references: tuple[Reference, ...]) -> Iterator[Diagnostic]:
    seen: dict[str | tuple[str, str], Location] = {}
    for what, item in [((p.repo, p.commit), p) for p in pins] + [(r.key, r) for r in references]:
        if what in seen:
            name = what if isinstance(what, str) else f"{what[0]}@{what[1][:7]}"
            first = f"first at {seen[what]}"
            yield Diagnostic(Severity.ERROR, "schema", f"{name} is listed twice", first, item.location)
        seen[what] = item.location
    first_of = {pin.repo: pin.location for pin in reversed(pins)}
    for outer, inner in nested(first_of):
        message = f"{inner} would lie in the folder of {outer}, whose tree may hold anything"
        yield Diagnostic(Severity.ERROR, "schema", message, "take one of them out", first_of[inner])
    for index, pin in enumerate(pins):
        for number, mirror in enumerate(pin.mirrors):
            try:
                Repo.named(mirror)
            except MetalworkingError as problem:
                yield problem.diagnostic.at(document.location("repositories", index, "mirrors", number))
        if pin.license is not None:
            try:
                license_allowed(pin.license)
            except ValueError as error:
                at = document.location("repositories", index, "license")
                message = f"{pin.license!r} is not SPDX: {error}"
                yield Diagnostic(Severity.ERROR, "license", message, "see spdx.org/licenses", at)
