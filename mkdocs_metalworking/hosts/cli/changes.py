"""What a change does to pins, lock and quoted lines, in words, for whoever reads a pull request. Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from ...deliver.project import Project
from ...markdown.page import PageContext
from ...quote.blob import LockedFile
from ...quote.diagnostics import MetalworkingError
from ...quote.lines import format_ranges
from ...quote.lock import Lock
from ...quote.repo import SELF, Repo
from ...quote.sources import WORKING, Pin, Sources
from .changed_lines import brought, quoted
from .code_spans import code
from .versions import at_present, at_revision

_TERMS = ("license", "license_scope", "license_file", "quote", "mirrors", "packages", "paths", "tag", "date", "home")
_NAMES = {"home": "repo"}


def changes(project: Project, docs: Path, revision: str, shown: Iterable[PageContext]) -> Iterator[str]:
    """Yield, line by line, what changed between *revision* and the files as they are, of which *shown* was made.

    Raises MetalworkingError (``changed-from``) when *revision* cannot be read.
    """
    before, after = at_revision(project, docs, revision), at_present(project, docs)
    yield from _section("Pins", _pins(before.sources, after.sources))
    yield from _section("Lock", _lock(before.lock, after.lock, project))
    yield from _section("Quoted lines", chain(quoted(before, after, project), brought(shown, after, project)))


def as_list(problems: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with the site, of which parts are what somebody wrote, below what changed."""
    found = list(problems)
    if found:
        yield from _section("Problems", (f"- {code(problem)}" for problem in found))


def _section(title: str, lines: Iterator[str]) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    found = list(lines)
    yield from found or ["Nothing changed."]
    yield ""


def _pins(before: Sources, after: Sources) -> Iterator[str]:
    yield from _own(before.own, after.own)
    old, new = set(before.pins), set(after.pins)
    for repo in dict.fromkeys(pin.repo for pin in (*before.pins, *after.pins)):
        gone = [pin for pin in before.by_repo.get(repo, ()) if pin not in new]
        come = [pin for pin in after.by_repo.get(repo, ()) if pin not in old]
        page = Repo.named(repo).page
        if len(gone) == len(come) == 1:
            yield f"- {code(repo)}: {_told(gone[0])} became {_told(come[0])}"
            if gone[0].commit != come[0].commit:
                yield f"  - compare: {page}/compare/{gone[0].commit}...{come[0].commit}"
            yield from (f"  - {line}" for line in _terms(gone[0], come[0]))
            continue
        yield from (f"- {code(repo)}: {_told(pin)} is no longer pinned" for pin in gone)
        for pin in come:
            yield f"- {code(repo)}: {_told(pin)} is pinned: {page}/tree/{pin.commit}"
            yield from (f"  - {line}" for line in _terms(None, pin))


def _own(before: Pin | None, after: Pin | None) -> Iterator[str]:
    if before != after:
        yield f"- {code(SELF)}: {_kept(before)} became {_kept(after)}"
        if after is not None:
            yield from (f"  - {line}" for line in _terms(before, after))


def _kept(own: Pin | None) -> str:
    return "not quoted" if own is None else code(own.commit[:12] or WORKING)


def _told(pin: Pin) -> str:
    return f"{code(pin.commit[:12])} ({code(pin.license or 'no license')})"


def _terms(old: Pin | None, new: Pin) -> Iterator[str]:
    """Yield what is told otherwise of a pin; of a new one, all that does not stand in every entry."""
    usual = old or Pin(new.repo, new.commit, new.license)
    for name in _TERMS:
        was, now = getattr(usual, name), getattr(new, name)
        if was != now:
            told = "" if old is None else f"{code(_value(was))} became "
            yield f"{_NAMES.get(name, name)}: {told}{code(_value(now))}"


def _value(value: object) -> str:
    return "" if value is None or value == () else str(value)


def _lock(before: Lock, after: Lock, project: Project) -> Iterator[str]:
    for key in sorted(before.files.keys() | after.files.keys()):
        old, new = before.files.get(key), after.files.get(key)
        if old == new:
            continue
        if new is None:
            yield f"- {code(str(key))} is no longer locked"
            continue
        proof = _proof(project, new)
        if old is None:
            yield f"- {code(str(key))} is locked as blob {code(new.blob[:12])}, {new.lines} lines; {proof}"
        else:
            what = f"{code(str(key))} is another file at the same commit"
            yield f"- **{what}**, which only a mended line can be: {proof}"
            for name in ("blob", "sha256", "size", "lines"):
                was, now = getattr(old, name), getattr(new, name)
                if was != now:
                    yield f"  - {name}: {code(str(was))} became {code(str(now))}"
    yield from _regions(before, after)
    for spec in sorted(before.archives.keys() | after.archives.keys()):
        if before.archives.get(spec) != after.archives.get(spec):
            pin = after.archives.get(spec)
            yield f"- archive {code(spec)}: " + (f"{code(pin.filename)}, SHA-256 {pin.sha256}" if pin else "gone")


def _regions(before: Lock, after: Lock) -> Iterator[str]:
    """Yield what is told otherwise of named lines: where they stand at a commit, or what was accepted."""
    for key, selection in dict.fromkeys((*before.regions, *after.regions)):
        old, new = before.regions.get((key, selection)), after.regions.get((key, selection))
        name = code(f"{key}{selection}")
        if old is None and new is not None:
            yield f"- {name} is locked on {format_ranges(new.ranges)}"
        elif old is not None and new is None:
            yield f"- {name} is no longer locked"
        elif old is not None and new is not None and old != new:
            what = "other lines were accepted" if old.sha256 != new.sha256 else "the same lines, elsewhere"
            yield f"- {name}: {what}, {format_ranges(old.ranges)} became {format_ranges(new.ranges)}"


def _proof(project: Project, file: LockedFile) -> str:
    try:
        return "proved by git" if project.proofs.here(file) else "not proved here (metalworking lock --verify)"
    except MetalworkingError as problem:
        return f"**contradicted by git**: {code(str(problem))}"
