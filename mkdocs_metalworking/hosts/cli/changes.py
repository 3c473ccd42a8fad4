"""What a change does to pins, lock and quoted lines, in words, for whoever reads a pull request. Markdown."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from mkdocs.utils import is_markdown_file

from ...deliver.project import Project
from ...git.command import Git, GitError
from ...git.objects import CatFile, MissingObject, files_below, resolve_path
from ...git.worktree import enclosing_work_tree
from ...markdown.page import PageContext
from ...quote.blob import MAX_FILE, FileKey, LockedFile
from ...quote.diagnostics import MetalworkingError, Unavailable, printable
from ...quote.directive import Directive
from ...quote.lines import Ranges, close_ranges, format_ranges, source_lines
from ...quote.lock import Lock, load_lock
from ...quote.mentions import scan
from ...quote.own import selection_of
from ...quote.quotation import Quotation
from ...quote.repo import SELF, Repo
from ...quote.sources import WORKING, Pin, Sources, load_sources

_SHOWN = 400
"""Lines of code that are shown of one excerpt; of more the reader is told."""


@dataclass(frozen=True)
class Version:
    """A site's two files and the texts of its pages, at one time."""

    sources: Sources
    lock: Lock
    pages: Mapping[str, str]


def changes(project: Project, docs: Path, revision: str, shown: Iterable[PageContext]) -> Iterator[str]:
    """Yield, line by line, what changed between *revision* and the files as they are, of which *shown* was made.

    Raises MetalworkingError (``changed-from``) when *revision* cannot be read.
    """
    before, after = _at(project, docs, revision), _now(project, docs)
    yield from _section("Pins", _pins(before.sources, after.sources))
    yield from _section("Lock", _lock(before.lock, after.lock, project))
    yield from _section("Quoted lines", chain(_quoted(before, after, project), _brought(shown, project)))


def _section(title: str, lines: Iterator[str]) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    found = list(lines)
    yield from found or ["Nothing changed."]
    yield ""


def _now(project: Project, docs: Path) -> Version:
    root = project.settings.root
    pages = {
        path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix(): path.read_text(
            encoding="utf-8", errors="replace"
        )
        for path in sorted(docs.rglob("*"))
        if is_markdown_file(path.name)
    }
    return Version(project.sources, project.lock, pages)


def _at(project: Project, docs: Path, revision: str) -> Version:
    settings = project.settings
    tree = enclosing_work_tree(settings.root)
    if tree is None:
        raise MetalworkingError("changed-from", f"{settings.root.name} lies in no git repository")
    top, git_dir = tree
    git = Git(git_dir)
    try:
        commit = git.run("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}").decode().strip()
    except GitError:
        hint = "in a workflow, check out with fetch-depth: 0"
        raise MetalworkingError("changed-from", f"{revision[:100]!r} is no commit here", hint) from None
    with closing(CatFile(git)) as objects:

        def text(path: Path) -> str:
            if not path.is_relative_to(top):
                return ""
            entry = resolve_path(objects, commit, path.relative_to(top).as_posix())
            if entry is None or entry.kind not in ("file", "executable"):
                return ""
            return objects.verified(entry.oid, kind="blob", max_bytes=MAX_FILE).decode("utf-8", "replace")

        try:
            sources = text(settings.sources)
            pinned = load_sources(sources, settings.sources.name)[0] if sources else Sources()
            folder = docs.relative_to(top).as_posix() if docs.is_relative_to(top) else ""
            names = [name for name in files_below(objects, commit, folder) if is_markdown_file(name)]
            pages = {_label(top / name, settings.root): text(top / name) for name in names}
            return Version(pinned, load_lock(text(settings.lock))[0], pages)
        except MissingObject as error:
            hint = "in a workflow, check out with fetch-depth: 0"
            raise MetalworkingError("changed-from", error.diagnostic.message, hint) from None


def _label(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _pins(before: Sources, after: Sources) -> Iterator[str]:
    yield from _own(before.own, after.own)
    old, new = set(before.pins), set(after.pins)
    for repo in dict.fromkeys(pin.repo for pin in (*before.pins, *after.pins)):
        gone = [pin for pin in before.by_repo.get(repo, ()) if pin not in new]
        come = [pin for pin in after.by_repo.get(repo, ()) if pin not in old]
        page = Repo.named(repo).page
        if len(gone) == len(come) == 1:
            yield f"- {_code(repo)}: {_told(gone[0])} became {_told(come[0])}"
            if gone[0].commit != come[0].commit:
                yield f"  - compare: {page}/compare/{gone[0].commit}...{come[0].commit}"
            yield from (f"  - {line}" for line in _terms(gone[0], come[0]))
            continue
        yield from (f"- {_code(repo)}: {_told(pin)} is no longer pinned" for pin in gone)
        yield from (f"- {_code(repo)}: {_told(pin)} is pinned: {page}/tree/{pin.commit}" for pin in come)


def _own(before: Pin | None, after: Pin | None) -> Iterator[str]:
    if before != after:
        yield f"- {_code(SELF)}: {_kept(before)} became {_kept(after)}"


def _kept(own: Pin | None) -> str:
    return "not quoted" if own is None else _code(own.commit[:12] or WORKING)


def _told(pin: Pin) -> str:
    return f"{_code(pin.commit[:12])} ({_code(pin.license or 'no license')})"


def _terms(old: Pin, new: Pin) -> Iterator[str]:
    for name in ("license", "license_scope", "license_file", "quote", "mirrors", "packages", "paths", "tag", "date"):
        was, now = getattr(old, name), getattr(new, name)
        if was != now:
            yield f"{name}: {_code(str(was))} became {_code(str(now))}"


def _lock(before: Lock, after: Lock, project: Project) -> Iterator[str]:
    for key in sorted(before.files.keys() | after.files.keys()):
        old, new = before.files.get(key), after.files.get(key)
        if old == new:
            continue
        if new is None:
            yield f"- {_code(str(key))} is no longer locked"
            continue
        proof = _proof(project, new)
        if old is None:
            yield f"- {_code(str(key))} is locked as blob {_code(new.blob[:12])}, {new.lines} lines; {proof}"
        else:
            what = f"{_code(str(key))} is another file at the same commit"
            yield f"- **{what}**, which only a mended line can be: {proof}"
            for name in ("blob", "sha256", "size", "lines"):
                was, now = getattr(old, name), getattr(new, name)
                if was != now:
                    yield f"  - {name}: {_code(str(was))} became {_code(str(now))}"
    yield from _regions(before, after)
    for spec in sorted(before.archives.keys() | after.archives.keys()):
        if before.archives.get(spec) != after.archives.get(spec):
            pin = after.archives.get(spec)
            yield f"- archive {_code(spec)}: " + (f"{_code(pin.filename)}, SHA-256 {pin.sha256}" if pin else "gone")


def _regions(before: Lock, after: Lock) -> Iterator[str]:
    """Yield what is told otherwise of named lines: where they stand at a commit, or what was accepted."""
    for key, selection in dict.fromkeys((*before.regions, *after.regions)):
        old, new = before.regions.get((key, selection)), after.regions.get((key, selection))
        name = _code(f"{key}{selection}")
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
        return f"**contradicted by git**: {_code(str(problem))}"


def _quoted(before: Version, after: Version, project: Project) -> Iterator[str]:
    for page in sorted(before.pages.keys() | after.pages.keys()):
        old = _excerpts(before, page)
        new = _excerpts(after, page)
        gone = [one for one in old if one not in new]
        come = [one for one in new if one not in old]
        for index, one in enumerate(gone):
            other = come[index] if index < len(come) else None
            what = f"quotes {_code(other.name)} instead of" if other else "no longer quotes"
            yield f"- {_code(page)} {what} {_code(one.name)}"
            yield from _diff(one.lines(project), other.lines(project) if other else [])
        for one in come[len(gone) :]:
            yield f"- {_code(page)} quotes {_code(one.name)}, which is new"
            yield from _diff([], one.lines(project))


def _brought(pages: Iterable[PageContext], project: Project) -> Iterator[str]:
    """Yield what a page shows and its file does not have: it is not known what that was before."""
    for page in pages:
        for met in page.met:
            if isinstance(met.shown, Quotation) and met.where.line is None:
                one = _excerpt(project.lock, met.shown.directive, met.shown.pin, met.shown.file)
                yield f"- {_code(page.path)} quotes {_code(one.name)} by way of an included file or another program"
                yield from _diff([], one.lines(project))


@dataclass(frozen=True)
class _Excerpt:
    """Lines that a page quotes: what is written, and the file when it is pinned and locked."""

    name: str
    ranges: Ranges | None
    file: LockedFile | None

    def lines(self, project: Project) -> list[str] | None:
        """Return the lines; None when their bytes are not on this machine."""
        if self.file is None:
            return None
        try:
            text = source_lines(project.resolver.resolve(self.file).data, self.file.key.path)
            ranges = close_ranges(self.ranges, len(text), self.file.key.path)
        except (MetalworkingError, Unavailable):
            return None
        return [line for part in ranges for line in text[part.first - 1 : part.last]]


def _excerpts(version: Version, page: str) -> list[_Excerpt]:
    found = []
    text = version.pages.get(page, "").replace("\r\n", "\n").replace("\r", "\n")
    for mention in scan(text).mentions:
        directive = mention.what
        if not isinstance(directive, Directive):
            continue
        try:
            pin = version.sources.pin(directive.repo, directive.sha)
        except MetalworkingError:
            continue  # check has the message
        files = [f for key, f in version.lock.files.items() if key.commit == pin.commit and key.path == directive.path]
        file = next((f for f in files if f.key.repo == pin.repo), None)
        try:
            found.append(_excerpt(version.lock, directive, pin, file))
        except MetalworkingError:
            continue
    return found


def _excerpt(lock: Lock, directive: Directive, pin: Pin, file: LockedFile | None) -> _Excerpt:
    """Return what a directive quotes. Raises MetalworkingError for one that nothing can be quoted by."""
    key = FileKey(pin.repo, pin.commit, directive.path)
    named = selection_of(directive, working=not pin.commit) if pin.repo == SELF else directive.select
    region = lock.regions.get((key, named)) if named is not None else None
    if named is not None:
        text = f", text {region.sha256[:12]}" if region and not pin.commit else ""
        blob = f", blob {file.blob[:12]}" if file else ""
        return _Excerpt(f"{key}{named}{text}{blob}", region.ranges if region else None, file if region else None)
    lines = format_ranges(directive.ranges) if directive.ranges else "all lines"
    blob = f", blob {file.blob[:12]}" if file else ""
    return _Excerpt(f"{pin.repo}@{pin.commit[:12]}:{directive.path}#{lines}{blob}", directive.ranges, file)


def _diff(old: list[str] | None, new: list[str] | None) -> Iterator[str]:
    if old is None or new is None:
        yield "  - its lines are not on this machine"
        return
    if old == new:
        yield "  - the lines are the same"
        return
    lines = list(difflib.unified_diff(old, new, n=len(old) + len(new), lineterm=""))[3:]
    fence = "`" * max(3, *(_ticks(line) + 1 for line in lines))
    yield ""
    yield f"  {fence}diff"
    yield from (f"  {printable(line)}" for line in lines[:_SHOWN])
    yield f"  {fence}"
    if len(lines) > _SHOWN:
        yield f"  {len(lines) - _SHOWN} more lines"
    yield ""


def _ticks(text: str) -> int:
    return max((len(run) for run in "".join(ch if ch == "`" else " " for ch in text).split()), default=0)


def _code(text: str) -> str:
    """Return *text* as code that Markdown cannot take for anything else."""
    shown = printable(text)
    ticks = "`" * (_ticks(shown) + 1)
    return f"{ticks} {shown} {ticks}" if "`" in shown else f"`{shown}`"
