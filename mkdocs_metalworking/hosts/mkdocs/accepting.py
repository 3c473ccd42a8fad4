"""Lines of the working tree that changed, and what counts them on pages: for ``accept``, and for an editor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ...deliver.project import Project
from ...markdown.tracking import Met
from ...quote.diagnostics import Diagnostic, MetalworkingError, Severity
from ...quote.directive import Directive
from ...quote.lines import LineRange, Ranges, format_ranges, parse_ranges
from ...quote.lock import LockedRegion, RegionKey
from ...quote.mentions import Kind
from ...quote.own import moves, own_key, selection_of, shown_lines
from ...quote.repo import SELF
from ..edits import Edit, apply_edits, moved_label
from ..files import Rewrite, read_page, write_all
from ..lockfile import locked_lock
from ..selecting import Found, find_regions
from .site import Site


@dataclass
class Acceptance:
    """What is to be accepted. ``edits`` are of pages, by path; ``doubts`` warn of what speaks of a changed line."""

    found: Found
    news: dict[RegionKey, LockedRegion]
    edits: dict[Path, list[Edit]] = field(default_factory=dict)
    texts: dict[Path, str] = field(default_factory=dict)
    """What stood in the pages that *edits* are of."""
    doubts: list[Diagnostic] = field(default_factory=list)

    def write(self, project: Project, *, pages: bool) -> None:
        """Let sources.lock hold the lines as they are now, and the *pages* what counts them: all of them or none.

        Raises MetalworkingError (``not-written``), also for a page that somebody saved since it was read.
        """
        path = project.settings.lock
        rewrites = [Rewrite(page, self.texts[page], apply_edits(self.texts[page], e)) for page, e in self.edits.items()]
        with locked_lock(project.settings) as current:
            text = current.with_entries(regions=self.news.values()).format()
            write_all([*(rewrites if pages else ()), Rewrite(path, read_page(path) if path.exists() else None, text)])


def acceptance(site: Site, project: Project, paths: Sequence[str], text: Callable[[Path], str]) -> Acceptance:
    """Look at the quoted lines of the working tree, only of the files *paths* if any; *text* returns a page's.

    Reads the pages of *site*. Raises MetalworkingError (``files``) for a path of which nothing is quoted, and for a
    page that somebody changed while it was read.
    """
    site.wanted()
    found = find_regions(project, _chosen(site, project, paths), {})
    news = {key: region for key, region in found.regions.items() if _differs(project.lock.regions.get(key), region)}
    made = Acceptance(found, news)
    to_of: dict[RegionKey, dict[int, int]] = {}
    for file in site.files.documentation_pages():
        page, path = site.pages.get(file.src_uri), site.path(file)
        for met in page.met if page is not None else ():
            key = key_of(met, project)
            old = project.lock.regions.get(key) if key in news and key is not None else None
            if page is None or key is None or old is None:
                continue
            notes = [n for n in page.met if n.mention.kind is Kind.NOTE and n.mention.follows == met.mention.start]
            for one, name in [(met, "hl"), *((note, "ranges") for note in notes)]:
                span = one.span(name)
                if span is None:
                    continue
                if key not in to_of:
                    lines = found.lines[key[0]]
                    to_of[key] = moves(project.quoter.accepted(old), old.ranges, lines, news[key].ranges)
                to = to_of[key]
                gone = [lines for lines in _counted(one, name) if shown_lines(lines, to) is None]
                if gone:
                    message = f"{format_ranges(gone)} speaks of lines that changed"
                    made.doubts.append(Diagnostic(Severity.WARNING, "note", message, "read it again", one.where))
                if path not in made.texts:
                    made.texts[path] = text(path)
                _check(made.texts[path], one)
                label = made.texts[path][span[0] : span[1]]
                if (new := moved_label(label, partial(_to, to))) != label:
                    made.edits.setdefault(path, []).append((span, new))
    return made


def _check(text: str, met: Met) -> None:
    """Raise MetalworkingError (``files``) when a mention does not stand in *text* where it was found."""
    if met.place is None or not text.startswith(met.mention.raw, met.place[0]):
        hint = "nothing was written; run it again"
        raise MetalworkingError("files", "the page was changed while it was read", hint, met.where)


def key_of(met: Met, project: Project) -> RegionKey | None:
    """Return the named lines of the working tree that a directive speaks of."""
    what, own = met.mention.what, project.sources.own
    if not isinstance(what, Directive) or what.repo != SELF or own is None or own.commit:
        return None
    try:
        selection = selection_of(what, working=True)
    except MetalworkingError:
        return None
    return (own_key(what.path), selection) if selection is not None else None


def _chosen(site: Site, project: Project, paths: Sequence[str]) -> list[RegionKey]:
    """Return the named lines of the working tree, in the files *paths*. Raises MetalworkingError (``files``)."""
    working = [one for one in site.selected if one[0].repo == SELF and not one[0].commit]
    if not paths:
        return working
    quoted = {key.path for key, _ in working}
    chosen = set()
    for path in paths:
        names = {path, *(_below(path, project.worktree.top) if project.worktree else ())}
        if not names & quoted:
            raise MetalworkingError("files", f"no page quotes {path} of the working tree", "name a quoted file")
        chosen |= names & quoted
    return [one for one in working if one[0].path in chosen]


def _below(path: str, top: Path) -> Iterator[str]:
    """Yield the name in the repository of *path*, as a shell completes it."""
    full = Path(path).resolve()
    if full.is_relative_to(top.resolve()):
        yield full.relative_to(top.resolve()).as_posix()


def _differs(old: LockedRegion | None, new: LockedRegion) -> bool:
    return old is None or (old.sha256, old.ranges) != (new.sha256, new.ranges)


def _to(places: dict[int, int], lines: LineRange) -> LineRange:
    return shown_lines(lines, places) or lines


def _counted(met: Met, name: str) -> Iterable[LineRange]:
    what = met.mention.what
    ranges: Ranges = what.hl if isinstance(what, Directive) else what if isinstance(what, tuple) else ()
    return parse_ranges(format_ranges(ranges), what=name) if ranges else ()
