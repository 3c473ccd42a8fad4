"""``lock``, ``fetch`` and ``add``: files are bound to their commits, and their bytes brought."""

from __future__ import annotations

import sys
from contextlib import closing

import click

from ...deliver.progress import Progress
from ...quote.blob import FileKey
from ...quote.diagnostics import Diagnostic, MetalworkingError
from ...quote.directive import Directive
from ...quote.lines import close_ranges
from ...quote.permalinks import parse_permalink
from ...quote.target import check_sha
from .common import Program, bind, ending, locked_lock, open_site, pass_program, stop_at, store_of, write
from .pages import tell_how, with_plugins


@click.command()
@click.option("--update", is_flag=True, help="Ask git again about files that are locked already.")
@with_plugins
@pass_program
def lock(program: Program, update: bool, plugins: bool | None) -> None:
    """Bind every quoted and cited file to its commit, by git, and write sources.lock."""
    from ...deliver.transports.package import Package  # its libraries take a while to import

    site = open_site(program, plugins=plugins)
    tell_how(site)
    progress = Progress()
    project = site.project(offline=False, progress=progress)
    stop_at(p for p in project.problems if p.location.path == project.sources.path)
    wanted = set(site.wanted())
    settings = project.settings
    missing = sorted(key for key in wanted if update or key not in project.lock.files)
    bound, refused = bind(program, project, missing)
    failed = [problem.diagnostic.at(site.first_use(key)) for key, problem in refused]
    specs = {str(spec): spec for pin in project.sources.pins for spec in pin.packages}
    known = {**project.lock.files, **{file.key: file for file in bound}}
    package = Package(
        project.sources.packages(),
        project.lock.archives,
        store_of(settings),
        wanted=known.values(),
        progress=progress,
    )
    archives = []
    for name, spec in specs.items():
        if update or name not in project.lock.archives:
            try:
                archives.append(package.pin_archive(spec))
            except MetalworkingError as problem:
                failed.append(problem.diagnostic)
    package.close()
    project.close()
    with locked_lock(settings) as current:
        new = current.with_entries(bound, archives)
        if site.whole:  # else a plugin's page may name what was not seen
            new = new.only(wanted, specs)
        if new.format() != (settings.lock.read_text(encoding="utf-8") if settings.lock.exists() else ""):
            write(settings.lock, new.format())
    for line in failed:
        click.echo(str(line))
    click.echo(
        f"{settings.lock.name}: {len(new.files)} files, {len(new.archives)} archives, {len(bound)} newly bound",
        err=True,
    )
    if failed:
        sys.exit(1)


@click.command()
@with_plugins
@pass_program
def fetch(program: Program, plugins: bool | None) -> None:
    """Bring the bytes of every quoted file into the store."""
    site = open_site(program, plugins=plugins)
    tell_how(site)
    # One request a repository beats one a file, so git is asked before the single files of raw.
    chosen = [name for name in site.settings(offline=False).transports if name not in ("git", "raw")]
    project = site.project(offline=False, progress=Progress(), transports=(*chosen, "git", "raw"), url=program.url)
    stop_at(project.problems)
    quoted = [key for key, shown in site.wanted().items() if shown]
    files = [project.lock.files[key] for key in quoted if key in project.lock.files]
    project.resolver.prefetch(files)
    failed: list[Diagnostic] = []
    size = 0
    for file in files:
        try:
            size += len(project.resolver.resolve(file).data)
        except MetalworkingError as missing:
            failed.append(missing.diagnostic)
    for problem in failed:
        click.echo(str(problem))
    counts = ", ".join(f"{n} from {name}" for name, n in project.resolver.counts().items() if n)
    click.echo(f"{len(files) - len(failed)} of {len(quoted)} files, {size / 1e6:.1f} MB: {counts or 'none'}", err=True)
    project.close()
    if failed or len(files) < len(quoted):
        sys.exit(1)


@click.command()
@click.argument("permalink")
@pass_program
def add(program: Program, permalink: str) -> None:
    """Lock the file of a pasted PERMALINK and print the directive that quotes its lines."""
    site = open_site(program)
    project = site.project(offline=False, progress=Progress())
    stop_at(project.problems)
    with ending(), closing(project):
        link = parse_permalink(permalink)
        check_sha(link.repo, link.sha)
        pin = project.sources.pin(link.repo, link.sha)
        refusal = pin.refuse_quotation(link.path)
        if refusal is not None:
            raise refusal
        key = FileKey(pin.repo, pin.commit, link.path)
        file = project.lock.files.get(key)
        if file is None:
            bound, failed = bind(program, project, [key])
            if failed:
                raise failed[0][1]
            file = bound[0]
            with locked_lock(project.settings) as current:
                write(project.settings.lock, current.with_entries([file]).format())
        ranges = close_ranges(link.ranges, file.lines, link.path) if link.ranges else None
    click.echo(str(Directive(pin.repo, pin.short, link.path, ranges)))
