"""``accept``: changed lines of the working tree are taken as they are, and what counts them on pages moves along."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import click

from ...deliver.project import Project
from ...markdown.tracking import Met
from ...quote.diagnostics import Diagnostic, Location, MetalworkingError, Severity, printable
from ...quote.directive import Directive
from ...quote.lines import LineRange, Ranges, format_ranges, parse_ranges
from ...quote.lock import LockedRegion, RegionKey
from ...quote.mentions import Kind
from ...quote.own import difference, moves, own_key, selection_of, shown_lines
from ...quote.repo import SELF
from ..files import write, write_page
from ..lockfile import locked_lock
from ..mkdocs.site import Site
from ..selecting import Found, find_regions
from .bump.edits import Edit, apply_edits, moved_label
from .bump.search import read
from .common import ending, open_site, stop_at
from .pages import end_if_unread, tell_how, with_plugins
from .program import Program, pass_program


@click.command()
@click.option("-n", "--dry-run", is_flag=True, help="Show what changed, and write nothing.")
@click.argument("paths", metavar="[FILE]...", nargs=-1)
@with_plugins
@pass_program
def accept(program: Program, dry_run: bool, paths: tuple[str, ...], plugins: bool | None) -> None:
    """Show what changed in quoted lines of the working tree, and take it as it is now.

    With FILEs, quoted files of this repository, only what is quoted from them.
    """
    site = open_site(program, plugins=plugins)
    tell_how(site)
    with ending(), closing(site.project(offline=True)) as project:
        stop_at(p for p in project.problems if p.location.path == project.sources.path)
        site.wanted()
        wanted = _chosen(site, project, paths)
        found = find_regions(project, wanted, {})
        news = {key: region for key, region in found.regions.items() if _differs(project.lock.regions.get(key), region)}
        for region in news.values():
            _tell(project, found, region)
        texts, doubts = _pages(site, project, found, news)
        if not dry_run and news:
            with locked_lock(project.settings) as current:
                write(project.settings.lock, current.with_entries(regions=news.values()).format())
            for path, text in texts.items():
                write_page(path, text)
    for (key, selection), problem in found.failed:
        where = next((met.where for met in _directives(site) if _key(met, project) == (key, selection)), Location())
        click.echo(str(problem.diagnostic.at(where)))
    for line in doubts:
        click.echo(str(line))
    _summary(project, news, texts, dry_run)
    end_if_unread(site.doubts)
    if found.failed or (dry_run and news):
        sys.exit(1)


def _summary(project: Project, news: dict[RegionKey, LockedRegion], texts: dict[Path, str], dry_run: bool) -> None:
    if not news:
        click.echo(f"{project.lock.path}: nothing to accept", err=True)
        return
    count = f"{len(news)} region{'' if len(news) == 1 else 's'}"
    pages = f", {len(texts)} page{'' if len(texts) == 1 else 's'} moved along" if texts else ""
    told = "to accept; nothing was written" if dry_run else f"accepted{pages}"
    click.echo(f"{project.lock.path}: {count} {told}", err=True)


def _chosen(site: Site, project: Project, paths: tuple[str, ...]) -> list[RegionKey]:
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


def _tell(project: Project, found: Found, region: LockedRegion) -> None:
    old = project.lock.regions.get((region.key, region.selection))
    name = f"{region.key}{region.selection}"
    if old is None:
        click.echo(printable(f"{name} is new, on {format_ranges(region.ranges)}"))
    elif old.sha256 == region.sha256:
        click.echo(printable(f"{name} moved from {format_ranges(old.ranges)} to {format_ranges(region.ranges)}"))
    else:
        click.echo(printable(f"{name} changed"))
        lines = found.lines[region.key]
        for line in difference(project.quoter.accepted(old), old.ranges, lines, region.ranges):
            click.echo("    " + printable(line.replace("\t", "    ")))


def _directives(site: Site) -> Iterator[Met]:
    for page in site.pages.values():
        yield from (met for met in page.met if isinstance(met.mention.what, Directive))


def _key(met: Met, project: Project) -> RegionKey | None:
    """Return the named lines of the working tree that a directive speaks of."""
    what = met.mention.what
    if (
        not isinstance(what, Directive)
        or what.repo != SELF
        or project.sources.own is None
        or project.sources.own.commit
    ):
        return None
    try:
        selection = selection_of(what, working=True)
    except MetalworkingError:
        return None
    return (own_key(what.path), selection) if selection is not None else None


def _pages(
    site: Site, project: Project, found: Found, news: dict[RegionKey, LockedRegion]
) -> tuple[dict[Path, str], list[Diagnostic]]:
    """Return the pages whose notes and highlights move, and a warning for each one that speaks of a changed line."""
    texts: dict[Path, str] = {}
    doubts: list[Diagnostic] = []
    for file in site.files.documentation_pages():
        page = site.pages.get(file.src_uri)
        edits: list[Edit] = []
        for met in page.met if page is not None else ():
            key = _key(met, project)
            old = project.lock.regions.get(key) if key in news and key is not None else None
            if page is None or key is None or old is None:
                continue
            region = news[key]
            to = moves(project.quoter.accepted(old), old.ranges, found.lines[key[0]], region.ranges)
            notes = [n for n in page.met if n.mention.kind is Kind.NOTE and n.mention.follows == met.mention.start]
            for one, name in [(met, "hl"), *((note, "ranges") for note in notes)]:
                span = one.span(name)
                if span is None:
                    continue
                label = read(site.path(file))[span[0] : span[1]]
                gone = [lines for lines in _counted(one, name) if shown_lines(lines, to) is None]
                if gone:
                    message = f"{format_ranges(gone)} speaks of lines that changed"
                    doubts.append(Diagnostic(Severity.WARNING, "note", message, "read it again", one.where))
                edits.append((span, moved_label(label, partial(_to, to))))
        text = read(site.path(file)) if edits else ""
        if edits and (new := apply_edits(text, edits)) != text:
            texts[site.path(file)] = new
    return texts, doubts


def _to(places: dict[int, int], lines: LineRange) -> LineRange:
    return shown_lines(lines, places) or lines


def _counted(met: Met, name: str) -> Iterable[LineRange]:
    what = met.mention.what
    ranges: Ranges = what.hl if isinstance(what, Directive) else what if isinstance(what, tuple) else ()
    return parse_ranges(format_ranges(ranges), what=name) if ranges else ()
