"""``lock``, ``fetch`` and ``add``: files are bound to their commits, and their bytes brought."""

from __future__ import annotations

import sys
from contextlib import closing

import click

from ...deliver.project import Project
from ...deliver.proofs import judge, verify
from ...quote.blob import LockedFile
from ...quote.diagnostics import Diagnostic, MetalworkingError, Severity, printable
from ...quote.lock import LockedRegion
from ...quote.packages import ArchivePin, PackageSpec
from ..files import write
from ..lockfile import bind, locked_lock, read_lock, store_of
from ..mkdocs.site import Site
from ..progress import Bar
from ..selecting import find_regions
from .common import open_site, stop_at
from .pages import end_if_unread, tell_how, with_plugins
from .program import Program, pass_program
from .verifying import verify_named


@click.command()
@click.option("--update", is_flag=True, help="Ask git again about files that are locked already.")
@click.option("--verify", "only_verify", is_flag=True, help="Write nothing; prove every line, or exit 1.")
@with_plugins
@pass_program
def lock(program: Program, update: bool, only_verify: bool, plugins: bool | None) -> None:
    """Bind every quoted and cited file to its commit, by git, and write sources.lock."""
    if only_verify:
        _verify(program)
        return
    site = open_site(program, plugins=plugins)
    tell_how(site)
    progress = Bar()
    project = site.project(offline=False, progress=progress)
    stop_at(p for p in project.problems if p.code == "files" or p.location.path == project.sources.path)
    wanted = set(site.wanted())
    settings = project.settings
    missing = sorted(key for key in wanted if update or key not in project.lock.files)
    bound, refused = bind(program.url, project, missing)
    failed = [problem.diagnostic.at(site.first_use(key)) for key, problem in refused]
    archives, problems = _archives(project, bound, update, progress)
    regions, lost = _regions(site, project, bound, update)
    failed += lost
    project.close()
    with locked_lock(settings) as current:
        new = current.with_entries(bound, archives, regions)
        if site.whole and not site.doubts:  # else a page may name more files than were seen
            # What another command locked while the pages were read is for what it wrote on them.
            late = current.since(project.lock)
            specs = {*_specs(project), *late.archives}
            new = new.only({*wanted, *late.files}, specs, {*site.selected, *late.regions})
        if new.format() != (settings.lock.read_text(encoding="utf-8") if settings.lock.exists() else ""):
            write(settings.lock, new.format())
        left = read_lock(settings)[1]
    # A page that cannot be read names nobody knows what: that is no success, where another error may be.
    failed += [*problems, *left, *(one for one in site.doubts if one.code == "files")]
    for line in failed:
        click.echo(str(line))
    if site.doubts:
        count = len(site.doubts)
        told = f"{count} error{'' if count == 1 else 's'} on the pages: nothing was taken out (metalworking check)"
        click.echo(f"{settings.lock.name}: {told}", err=True)
    click.echo(
        f"{settings.lock.name}: {len(new.files)} files, {len(new.archives)} archives, {len(bound)} newly bound"
        + (f"; {len(new.regions)} named regions, {len(regions)} new" if new.regions else ""),
        err=True,
    )
    if failed:
        sys.exit(1)


def _regions(
    site: Site, project: Project, bound: list[LockedFile], update: bool
) -> tuple[list[LockedRegion], list[Diagnostic]]:
    """Find the named lines that are not locked yet. What the work tree changed is for ``accept``, not for here."""
    files = {**project.lock.files, **{file.key: file for file in bound}}
    open_ = [one for one in site.selected if one not in project.lock.regions or (update and one[0].commit)]
    found = find_regions(project, open_, files)
    failed = [problem.diagnostic.at(site.first_use(f"{key}{name}")) for (key, name), problem in found.failed]
    return list(found.regions.values()), failed


def _specs(project: Project) -> dict[str, PackageSpec]:
    return {str(spec): spec for pin in project.sources.pins for spec in pin.packages}


def _archives(
    project: Project, bound: list[LockedFile], update: bool, progress: Bar
) -> tuple[list[ArchivePin], list[Diagnostic]]:
    """Choose the archives that are not locked yet; returns them and why others could not be had."""
    from ...deliver.transports.package import Package  # its libraries take a while to import

    found: list[ArchivePin] = []
    failed: list[Diagnostic] = []
    known = {**project.lock.files, **{file.key: file for file in bound}}
    store = store_of(project.settings)
    package = Package(
        project.sources.packages(), project.lock.archives, store, wanted=known.values(), progress=progress
    )
    with closing(package):
        for name, spec in _specs(project).items():
            if update or name not in project.lock.archives:
                try:
                    found.append(package.pin_archive(spec))
                except MetalworkingError as problem:
                    failed.append(problem.diagnostic)
    return found, failed


def _verify(program: Program) -> None:
    """Prove every line of the lock by git; end the command with 1 when one is wrong, 2 when one cannot be proved."""
    site = open_site(program)
    with closing(site.project(offline=False)) as project:
        stop_at(project.problems)
        files = sorted(project.lock.files.values())
        if project.settings.offline:
            verdict = judge(files, project.proofs)
        else:
            pinned = {(pin.repo, pin.commit) for pin in project.sources.pins}
            verdict = verify(files, project.proofs, store_of(project.settings), pinned=pinned, url=program.url)
        named = verify_named(project, verdict)
    for problem in [*verdict.wrong.values(), *named.wrong]:
        click.echo(str(problem))
    for line in [*(f"{file.key}: not proved: {why}" for file, why in verdict.unproved.items()), *named.unproved]:
        click.echo(printable(line))
    click.echo(
        f"{project.lock.path}: {len(files)} files, {verdict.proved} proved by git, "
        f"{len(verdict.unproved)} not proved, {len(verdict.wrong)} wrong"
        + (f"; {named.count} named regions, {named.proved} found, {len(named.wrong)} wrong" if named.count else ""),
        err=True,
    )
    wrong = bool(verdict.wrong or named.wrong)
    if wrong or verdict.unproved or named.unproved:
        sys.exit(1 if wrong else 2)


@click.command()
@with_plugins
@pass_program
def fetch(program: Program, plugins: bool | None) -> None:
    """Bring the bytes of every quoted file into the store."""
    site = open_site(program, plugins=plugins)
    tell_how(site)
    # One request a repository beats one a file, so git is asked before the single files of raw.
    chosen = [name for name in site.settings(offline=False).transports if name not in ("git", "raw")]
    project = site.project(offline=False, progress=Bar(), transports=(*chosen, "git", "raw"), url=program.url)
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
    brought = len(files) - len(failed)
    if reason := project.resolver.unkept:
        message = f"{project.settings.kept} is not written, and nothing is kept: {reason}"
        failed.append(Diagnostic(Severity.ERROR, "store", message, "name another store:, or METALWORKING_STORE"))
    for problem in failed:
        click.echo(str(problem))
    verdict = judge(files, project.proofs)
    counts = ", ".join(f"{n} from {name}" for name, n in project.resolver.counts().items() if n)
    click.echo(f"{brought} of {len(quoted)} files, {size / 1e6:.1f} MB: {counts or 'none'}", err=True)
    if verdict.unproved:
        click.echo(f"{len(verdict.unproved)} only locked, not proved: metalworking lock --verify", err=True)
    project.close()
    end_if_unread(site.doubts)
    if failed or len(files) < len(quoted):
        sys.exit(1)
