"""What a change does to pins, lock and quoted lines, in words, for whoever reads a pull request. Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mkdocs.config.defaults import MkDocsConfig

from ...deliver.project import Project
from ...markdown.page import PageContext
from ...quote.blob import LockedFile
from ...quote.diagnostics import MetalworkingError
from ...quote.lines import format_ranges
from ...quote.lock import Lock
from ...quote.repo import SELF, Repo
from ...quote.sources import WORKING, Pin, Sources
from .changed_lines import NOT_HERE, Was, quoted
from .code_spans import code
from .versions import at_present, at_revision

_ROOM = {"Pins": 150_000, "Lock": 200_000, "Quoted lines": 400_000, "Problems": 100_000}
"""Bytes of each section: together less than the 1 MiB of which GitHub shows a summary; of more it shows nothing.

docs.github.com, "Workflow commands", "Step isolation and limits".
"""
_LINES = 300_000
"""Bytes of quoted lines; the rest of the section is for what is quoted."""
_NO_ROOM = "  - its lines are left out, for want of room"
_TERMS = ("license", "license_scope", "license_file", "quote", "mirrors", "packages", "paths", "tag", "date", "home")
_NAMES = {"home": "repo"}


def changes(project: Project, config: MkDocsConfig, revision: str, shown: Iterable[PageContext], was: Was) -> list[str]:
    """Return what changed from *revision* to the site of *config* as it is; *shown* was made of it, *was* reads others.

    Where something is left out, or lines are not here to be shown, that is said first. Raises MetalworkingError
    (``changed-from``) when *revision* cannot be read.
    """
    before, after = at_revision(project, config, revision), at_present(project, config)
    sections = [
        _Section("Pins", _pins(before.sources, after.sources)),
        _Section("Lock", _lock(before.lock, after.lock, project)),
        _Section("Quoted lines", quoted(before, after, project, shown, was)),
    ]
    told = [text for section in sections for text in section.told()]
    return [*_warned(sum(section.left_out for section in sections), sections[-1].not_here), *told]


def as_list(problems: Iterable[str]) -> list[str]:
    """Return what is wrong with the site, of which parts are what somebody wrote, to stand below what changed."""
    found = [f"- {code(problem)}" for problem in problems]
    return _Section("Problems", found).told() if found else []


def _warned(left_out: int, not_here: int) -> list[str]:
    found = []
    if left_out:
        found.append(f"**Not all is told: {left_out} entries of this change are left out below, for want of room.**")
    if not_here:
        what = f"The lines of {not_here} changed excerpts are not on this machine, and are not shown"
        found.append(f"**{what}: metalworking fetch brings them.**")
    return [text for line in found for text in (line, "")]


class _Section:
    """A part of the report. ``told`` holds it to its room, and what does not fit is counted."""

    def __init__(self, title: str, texts: Iterable[str]) -> None:
        self._title = title
        self._texts = texts
        self.left_out = 0
        self.not_here = 0
        """Changed excerpts whose lines cannot be shown."""

    def told(self) -> list[str]:
        """Return the section, entry by entry; what somebody quotes leaves room for what else is quoted."""
        room, for_lines = _ROOM[self._title], _LINES
        found = []
        for text in self._texts:
            size = len(text.encode()) + 1
            fenced = text.endswith("\n")
            self.not_here += text.startswith(NOT_HERE)
            if size > room or (fenced and size > for_lines):
                self.left_out += 1
                if not fenced or room < len(_NO_ROOM) + 1:
                    continue
                text, size, fenced = _NO_ROOM, len(_NO_ROOM) + 1, False
            room -= size
            for_lines -= size if fenced else 0
            found.append(text)
        if self.left_out:
            found.append(f"- and {self.left_out} more, for which there is no room")
        return [f"## {self._title}", "", *(found or ["Nothing changed."]), ""]


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
