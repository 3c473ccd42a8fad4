"""The proof of a bump: the site is read again as it would be written, and must say the same of the same lines."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import cast

from ....deliver.project import Project
from ....deliver.resolver import Resolver
from ....deliver.store import Store
from ....deliver.transport import NotDelivered
from ....deliver.transports import Reach, make_transports
from ....markdown.page import PageContext
from ....quote.blob import FileKey, LockedFile
from ....quote.citations import CitedLines
from ....quote.diagnostics import Location, MetalworkingError, Severity
from ....quote.lines import LineRange, Ranges, source_lines
from ....quote.lock import LockedRegion
from ....quote.quantity_file import load_quantities
from ....quote.quotation import Quotation
from ....quote.selection import text_hash
from ....quote.sources_file import load_sources
from ...mkdocs.site import Site
from .moving import Fresh
from .plan import Fate, Plan
from .search import Target

_Said = tuple[str, str, Ranges | None, bool, tuple[LineRange, ...]]
"""Commit, path, ranges, whether the whole file is meant, and the lines that notes and highlights point at."""


def prove(site: Site, project: Project, plan: Plan, fresh: Fresh, fates: Mapping[Target, Fate]) -> None:
    """Fill ``plan.lock``. Raises MetalworkingError (``bump``) when a page would quote, cite or note otherwise."""
    settings = project.settings
    sources, problems = load_sources(plan.sources, project.sources.path)
    lock = project.lock.with_entries((file for file, _ in fresh.files.values()), regions=_regions(project, plan, fresh))
    held = _Held({file.key: data for file, data in fresh.files.values()})
    store = Store(settings.kept)
    reach = Reach(
        settings.premises, settings.code, sources, lock, store, None, settings.url, settings.own, settings.offline
    )
    transports = [held, *make_transports(settings.transports, reach)]
    quantities = project.quantities
    if (text := plan.texts.get(settings.quantities)) is not None:
        quantities, more = load_quantities(text, settings.quantities.name)
        problems += more
    resolver = Resolver(store, transports, own=held)
    after_it = Project(settings, sources, lock, resolver, project.proofs, problems, quantities, project.worktree)
    with closing(after_it) as moved:
        after = Site.load(site.config.config_file_path, start=site.start)
        after.drafts = dict(plan.texts)
        errors = after.read(moved).of(Severity.ERROR)
    if errors:
        raise _refused(f"the pages would not check: {errors[0]}", Location())
    for uri, page in site.pages.items():
        expected = [_moved(one, plan, fates) for one in _said(page)]
        if expected != list(_said(after.pages[uri])):
            raise _refused("after the move the page would not speak of the same lines", Location(page.path))
    ours = {plan.pin.commit, plan.commit}
    kept = {k for k in lock.files if k.repo != plan.pin.repo or k.commit not in ours or k in moved.quoter.wanted}
    specs = {str(spec) for pin in sources.pins for spec in pin.packages}
    named = {
        k for k in lock.regions if k[0].repo != plan.pin.repo or k[0].commit not in ours or k in moved.quoter.selected
    }
    plan.lock = lock.only(kept, specs, named)


def _regions(project: Project, plan: Plan, fresh: Fresh) -> Iterator[LockedRegion]:
    """Yield where the named lines of the pin stand at the new commit; those that are not there were reported."""
    for key, selection in project.lock.regions:
        if (key.repo, key.commit) == (plan.pin.repo, plan.pin.commit) and key.path in fresh.files:
            file, data = fresh.files[key.path]
            lines = source_lines(data, key.path)
            with contextlib.suppress(MetalworkingError):
                ranges = selection.find(lines, key.path)
                yield LockedRegion(file.key, selection, ranges, text_hash(lines, ranges), file.blob)


def _refused(message: str, where: Location) -> MetalworkingError:
    return MetalworkingError("bump", message, "nothing was written; move its places by hand", where)


def _moved(one: _Said, plan: Plan, fates: Mapping[Target, Fate]) -> _Said:
    commit, path, ranges, whole, notes = one
    fate = fates.get((path, ranges, whole)) if commit == plan.pin.commit else None
    if fate is None or not fate.outcome.settled:
        return one
    return plan.commit, path, fate.ranges, whole, tuple(fate.move(note) for note in notes)


def _said(page: PageContext) -> Iterator[_Said]:
    """Yield what a page quotes, with its notes and highlights, and what it cites, in the order of the page."""
    for met in page.met:
        shown = met.shown
        if isinstance(shown, Quotation):
            notes = [lines for note in met.notes for lines in cast(Ranges, note.shown)]
            lines = [*notes, *(LineRange(line, line) for line in sorted(shown.hl))]
            key = shown.file.key
            yield key.commit, key.path, shown.ranges, shown.whole, tuple(lines)
        elif isinstance(shown, CitedLines):
            yield shown.key.commit, shown.key.path, shown.ranges, shown.ranges is None, ()


class _Held:
    """A transport of bytes that are in memory: those of the commit that is not locked yet."""

    name = "git"

    def __init__(self, data: Mapping[FileKey, bytes]) -> None:
        self._data = data

    def get(self, file: LockedFile) -> bytes:
        """Return the bytes; raises NotDelivered for a file of another commit."""
        if file.key not in self._data:
            raise NotDelivered("not-delivered", "not of the new commit")
        return self._data[file.key]

    def close(self) -> None:
        """Nothing is open."""
