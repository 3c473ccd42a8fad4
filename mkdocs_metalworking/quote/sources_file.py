"""Reads sources.yml: what is in it, and every problem with its file and line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

from .diagnostics import Diagnostic, Location, MetalworkingError, Severity
from .licenses import license_allowed
from .packages import PackageSpec
from .repo import SELF, Repo, nested
from .sources import WORKING, Pin, Reference, Sources
from .yamldoc import YamlDocument, load_yaml


def load_sources(text: str, path: str = "sources.yml") -> tuple[Sources, list[Diagnostic]]:
    """Read sources.yml.

    Returns what could be read and every problem, each with file and line. Raises MetalworkingError for bad YAML.
    """
    sources, problems = _read(text, path)
    return sources, list(problems)


@lru_cache(maxsize=4)
def _read(text: str, path: str) -> tuple[Sources, tuple[Diagnostic, ...]]:
    """Remembered in memory, and nowhere else, while the text stays the same: ``serve`` asks after every save."""
    document = load_yaml(text, path)
    problems = list(document.problems("sources.schema.json"))
    if problems:
        return Sources(path=path), tuple(problems)
    pins = _told_apart(tuple(_pins(document)))
    references = tuple(
        Reference(**entry, location=document.location("references", index))
        for index, entry in enumerate(document.data.get("references") or [])
    )
    problems.extend(_check(document, pins, references))
    own = _own(document)
    if own is not None:
        problems.extend(_check_own(document, own))
    return Sources(pins, references, path, own), tuple(problems)


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
