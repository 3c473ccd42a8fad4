"""``add``: a pasted permalink, or a path of one's own repository, becomes a directive, and its file is locked."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from pathlib import Path

import click

from ...deliver.project import Project
from ...git.places import enclosing_work_tree
from ...git.worktree import WorkTree
from ...quote.blob import HEX_ID
from ...quote.diagnostics import MetalworkingError, printable
from ...quote.directive import Directive, parse_directive, quoted_path
from ...quote.lines import close_ranges, source_lines
from ...quote.naming import name_lines
from ...quote.own import own_key
from ...quote.permalinks import Permalink, parse_permalink
from ...quote.repo import SELF
from ...quote.selection import Selection
from ...quote.sources import NotPinned, Pin
from ...quote.target import check_sha
from ..files import Rewrite, read_page, write_all
from ..lockfile import writing_alone
from ..mkdocs.site import Site
from ..one_file import lock_file, lock_region
from ..pinning import entry_for, printable_lines, write_entry
from ..progress import Bar
from .common import ending, open_site, stop_at
from .own_pin import add_own, own_entry, own_target
from .program import Program, pass_program


@click.command()
@click.argument("what", metavar="PERMALINK|FILE")
@click.option("--pin", "pin_it", is_flag=True, help="Write the entry of a commit that is not pinned to sources.yml.")
@pass_program
def add(program: Program, what: str, pin_it: bool) -> None:
    """Lock the file of a pasted PERMALINK and print the directive that quotes its lines.

    FILE is one of this repository, with lines as file#L5-9, or with #symbol=NAME or #region=NAME.
    """
    site = open_site(program)
    project = site.project(offline=False, progress=Bar())
    stop_at(project.problems)
    own = own_target(what)
    with ending(), closing(project):
        if own is not None:
            directive = _own(program, project, *own, pin_it=pin_it)
        else:
            directive = _foreign(program, site, project, parse_permalink(what), pin_it=pin_it)
    click.echo(printable(str(directive)))


def _foreign(program: Program, site: Site, project: Project, link: Permalink, *, pin_it: bool) -> Directive:
    check_sha(link.repo, link.sha)
    try:
        pin = project.sources.pin(link.repo, link.sha)
    except NotPinned as problem:
        if not HEX_ID.match(link.sha):
            raise
        entry = entry_for(link.repo, link.sha, program.url(link.repo), project.settings)
        if not pin_it:
            click.echo(f"{problem}\nto paste into {project.sources.path}, or metalworking add --pin writes it:")
            click.echo(printable_lines(entry), nl=False)
            sys.exit(1)
        with writing_alone(project.settings, project.settings.sources):
            write_entry(project.settings.sources, entry)
        click.echo(f"{project.sources.path}: {link.repo}@{link.sha[:7]} is pinned; check its license", err=True)
        with closing(site.project(offline=False, progress=Bar())) as pinned:
            return _foreign(program, site, pinned, link, pin_it=False)
    refusal = pin.refuse_quotation(link.path)
    if refusal is not None:
        raise refusal
    file = lock_file(program.url, project, pin, link.path)
    ranges = close_ranges(link.ranges, file.lines, link.path) if link.ranges else None
    return Directive(pin.repo, pin.short, link.path, ranges)


def _own(program: Program, project: Project, path: str, fragment: str, *, pin_it: bool) -> Directive:
    """Return the directive of a file of one's own repository. Raises MetalworkingError."""
    tree = enclosing_work_tree(project.settings.root)
    if tree is None:
        hint = "for another repository paste the address of the lines"
        raise MetalworkingError("permalink", f"{path[:120]} is no address, and no git repository is here", hint)
    name = _in_repository(path, tree[0])
    own = project.sources.own
    if own is None:
        with closing(WorkTree(*tree)) as worktree:
            entry = own_entry(worktree.head if pin_it else "")
            if not pin_it:
                click.echo(f"{SELF} is not in {project.sources.path}; to paste there, for the files as they are now:")
                click.echo(entry, nl=False)
                click.echo("or metalworking add --pin pins the commit that is checked out")
                sys.exit(1)
            sources = project.settings.sources
            with writing_alone(project.settings, project.settings.sources):
                old = read_page(sources) if sources.exists() else None
                write_all([Rewrite(sources, old, add_own(old or "", worktree.head, sources.name))])
        click.echo(f"{project.sources.path}: {SELF} is pinned at {worktree.head[:7]}", err=True)
        with closing(Project.load(project.settings)) as pinned:
            return _own(program, pinned, name, fragment, pin_it=False)
    elif pin_it and not own.commit:
        told = (
            f"{SELF} is the working tree (for a pin write {SELF}: {{pin: COMMIT}}, or take the entry out and add again)"
        )
        click.echo(f"{project.sources.path}: {told}", err=True)
    written = f"{SELF}:{quoted_path(name)}{'#' if fragment else ''}{fragment}"
    directive = parse_directive(f"<< excerpt {written} >>")
    if own.commit:
        return _pinned(program, project, own, directive)
    return _working(project, directive)


def _pinned(program: Program, project: Project, own: Pin, directive: Directive) -> Directive:
    file = lock_file(program.url, project, own, directive.path)
    if directive.select is not None:
        lock_region(project, file.key, directive.select, file)
        return directive
    ranges = close_ranges(directive.ranges, file.lines, directive.path) if directive.ranges else None
    return Directive(SELF, "", directive.path, ranges)


def _working(project: Project, directive: Directive) -> Directive:
    """Return the directive with a name in the place of lines that are counted, since those are others tomorrow."""
    selection = directive.select or Selection("file")
    if directive.ranges is not None:
        assert project.worktree is not None
        _, data = project.worktree.read(directive.path)
        lines = source_lines(data, directive.path)
        parts = close_ranges(directive.ranges, len(lines), directive.path)
        if len(parts) > 1:
            raise MetalworkingError("range", "several parts have no name together", "add each by itself")
        selection = name_lines(lines, parts[0], directive.path)
    lock_region(project, own_key(directive.path), selection)
    return Directive(SELF, "", directive.path, select=selection)


def _in_repository(path: str, top: Path) -> str:
    """Return the name in the repository of *path*, which starts there or where the command runs."""
    for full in (Path(os.path.abspath(path)), top / path):
        if os.path.lexists(full) and full.is_relative_to(top):
            return full.relative_to(top).as_posix()
    return Path(path).as_posix()
