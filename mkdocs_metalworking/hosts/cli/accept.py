"""``accept``: changed lines of the working tree are taken as they are, and what counts them on pages moves along."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing

import click

from ...deliver.project import Project
from ...markdown.tracking import Met
from ...quote.diagnostics import Location, printable
from ...quote.directive import Directive
from ...quote.lines import format_ranges
from ...quote.lock import LockedRegion
from ...quote.own import difference
from ..files import read_page
from ..mkdocs.accepting import Acceptance, acceptance, key_of
from ..mkdocs.site import Site
from ..selecting import Found
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
        made = acceptance(site, project, paths, read_page)
        for region in made.news.values():
            _tell(project, made.found, region)
        if not dry_run and made.news:
            made.write(project, pages=True)
    for (key, selection), problem in made.found.failed:
        where = next((met.where for met in _directives(site) if key_of(met, project) == (key, selection)), Location())
        click.echo(str(problem.diagnostic.at(where)))
    for line in made.doubts:
        click.echo(str(line))
    _summary(project, made, dry_run)
    end_if_unread(site.doubts)
    if made.found.failed or (dry_run and made.news):
        sys.exit(1)


def _summary(project: Project, made: Acceptance, dry_run: bool) -> None:
    if not made.news:
        click.echo(f"{project.lock.path}: nothing to accept", err=True)
        return
    count = f"{len(made.news)} region{'' if len(made.news) == 1 else 's'}"
    pages = f", {len(made.edits)} page{'' if len(made.edits) == 1 else 's'} moved along" if made.edits else ""
    told = "to accept; nothing was written" if dry_run else f"accepted{pages}"
    click.echo(f"{project.lock.path}: {count} {told}", err=True)


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
