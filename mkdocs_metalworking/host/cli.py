"""The ``metalworking`` command."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import click
from filelock import FileLock

from .. import __version__
from ..core.binding import Binder
from ..core.blob import FileKey, LockedFile
from ..core.diagnostics import Diagnostic, Diagnostics, MetalworkingError, Severity, Unavailable
from ..core.directive import Directive, check_sha
from ..core.lines import close_ranges, format_ranges
from ..core.lock import Lock, load_lock
from ..core.permalinks import parse_permalink
from ..core.progress import Progress
from ..core.project import Project, Settings
from ..core.store import Store, default_root
from ..core.transports.package import Package
from .site import Site
from .sourcelist import source_list
from .stats import depth, table


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="metalworking")
@click.option("-f", "--config-file", type=click.Path(dir_okay=False), help="Another mkdocs.yml.")
@click.pass_context
def main(context: click.Context, config_file: str | None) -> None:
    """Verified quotation for MkDocs: lock what is quoted, check it, bring its bytes."""
    context.obj = config_file


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Problems as JSON, for editors.")
@click.pass_obj
def check(config_file: str | None, as_json: bool) -> None:
    """Check every page without the network: grammar, ranges, lock, licences, front matter, citations, nav."""
    site = _site(config_file)
    project = site.project(offline=True)
    problems = site.read(project)
    project.close()
    errors, warnings = problems.of(Severity.ERROR), problems.of(Severity.WARNING)
    if as_json:
        click.echo(json.dumps([p.as_dict() for p in [*errors, *warnings]], indent=2))
    else:
        for problem in [*errors, *warnings]:
            click.echo(f"{problem.severity}: {problem}" if problem.severity is not Severity.ERROR else str(problem))
        quoted = sum(len(page.quotations) for page in site.pages.values())
        cited = sum(len(page.citations) for page in site.pages.values())
        unread = len({id(q) for page in site.pages.values() for q in page.quotations if q.missing})
        note = f" ({unread} by lock only, their bytes are not on this machine)" if unread else ""
        click.echo(
            f"{len(site.pages)} pages, {quoted} excerpts{note}, {cited} citations: "
            f"{len(errors)} errors, {len(warnings)} warnings",
            err=True,
        )
    if errors:
        sys.exit(1)


@main.command()
@click.option("--update", is_flag=True, help="Ask git again about files that are locked already.")
@click.pass_obj
def lock(config_file: str | None, update: bool) -> None:
    """Bind every quoted and cited file to its commit, by git, and write sources.lock."""
    site = _site(config_file)
    progress = Progress()
    project = site.project(offline=False, progress=progress)
    _stop_at(p for p in project.problems if p.location.path == project.sources.path)
    wanted = set(site.wanted())
    settings, store = project.settings, _store(project.settings)
    missing = sorted(key for key in wanted if update or key not in project.lock.files)
    bound, failed = _bind(project, settings, store, missing)
    specs = {str(spec): spec for pin in project.sources.pins for spec in pin.packages}
    known = {**project.lock.files, **{file.key: file for file in bound}}
    package = Package(
        project.sources.packages(), project.lock.archives, store, wanted=known.values(), progress=progress
    )
    archives = []
    for name, spec in specs.items():
        if update or name not in project.lock.archives:
            try:
                archives.append(package.pin_archive(spec))
            except MetalworkingError as refused:
                failed.append(refused.diagnostic)
    package.close()
    project.close()
    # Another `lock` may have written meanwhile: read the file again, under a lock, and add to what stands there.
    with FileLock(str(settings.lock) + ".lock", timeout=60):
        current, _ = _read_lock(settings)
        new = current.with_entries(bound, archives).only(wanted, specs)
        changed = new.format() != (settings.lock.read_text(encoding="utf-8") if settings.lock.exists() else "")
        if changed:
            _write(settings.lock, new.format())
    Path(str(settings.lock) + ".lock").unlink(missing_ok=True)
    for problem in failed:
        click.echo(str(problem))
    click.echo(
        f"{settings.lock.name}: {len(new.files)} files, {len(new.archives)} archives, {len(bound)} newly bound",
        err=True,
    )
    if failed:
        sys.exit(1)


def _bind(
    project: Project, settings: Settings, store: Store, keys: Iterable[FileKey]
) -> tuple[list[LockedFile], list[Diagnostic]]:
    bound: list[LockedFile] = []
    failed: list[Diagnostic] = []
    by_pin: dict[tuple[str, str], list[FileKey]] = {}
    for key in keys:
        by_pin.setdefault((key.repo, key.commit), []).append(key)
    for (repo, commit), group in by_pin.items():
        pin = project.sources.pin(repo, commit)
        binder = Binder(settings.code, mirrors=pin.mirrors, keep=store.put, offline=settings.offline)
        for answer in binder.bind_many(group).values():
            if isinstance(answer, MetalworkingError):
                failed.append(answer.diagnostic)
            else:
                bound.append(answer)
    return bound, failed


@main.command()
@click.pass_obj
def fetch(config_file: str | None) -> None:
    """Bring the bytes of every quoted file into the store."""
    site = _site(config_file)
    project = site.project(offline=False, progress=Progress())
    _stop_at(project.problems)
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


@main.command()
@click.argument("permalink")
@click.pass_obj
def add(config_file: str | None, permalink: str) -> None:
    """Lock the file of a pasted PERMALINK and print the directive that quotes its lines."""
    site = _site(config_file)
    project = site.project(offline=False, progress=Progress())
    _stop_at(project.problems)
    try:
        link = parse_permalink(permalink)
        check_sha(link.repo, link.sha)
        pin = project.sources.pin(link.repo, link.sha)
        refusal = pin.refuse_quotation(link.path)
        if refusal is not None:
            raise refusal
        key = FileKey(pin.repo, pin.commit, link.path)
        file = project.lock.files.get(key)
        if file is None:
            (bound, failed) = _bind(project, project.settings, _store(project.settings), [key])
            _stop_at(failed)
            file = bound[0]
            with FileLock(str(project.settings.lock) + ".lock", timeout=60):
                current, _ = _read_lock(project.settings)
                _write(project.settings.lock, current.with_entries([file]).format())
            Path(str(project.settings.lock) + ".lock").unlink(missing_ok=True)
        ranges = close_ranges(link.ranges, file.lines, link.path) if link.ranges else None
    except MetalworkingError as refused:
        _fail(refused)
    finally:
        project.close()
    click.echo(str(Directive(pin.repo, pin.short, link.path, ranges)))


@main.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for other programs.")
@click.pass_obj
def list_(config_file: str | None, as_json: bool) -> None:
    """List every excerpt: page, file, lines, licence."""
    site = _site(config_file)
    project = site.project(offline=True)
    site.read(project)
    project.close()
    rows = [
        {
            "page": page.path,
            "repo": q.file.key.repo,
            "commit": q.file.key.commit,
            "path": q.file.key.path,
            "lines": format_ranges(q.ranges),
            "license": q.pin.license,
            "blob": q.file.blob,
        }
        for page in site.pages.values()
        for q in page.quotations
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        click.echo(
            f"{row['page']}: {row['repo']}@{str(row['commit'])[:7]}:{row['path']}#{row['lines']} ({row['license']})"
        )
    for repo, count in sorted(Counter(str(row["repo"]) for row in rows).items()):
        click.echo(f"{count:4} {repo}", err=True)


@main.command()
@click.argument("prefix", required=False, default="")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for other programs.")
@click.pass_obj
def stats(config_file: str | None, prefix: str, as_json: bool) -> None:
    """Print how deep each page goes, or each whose path holds PREFIX, in order of reading."""
    site = _site(config_file)
    project = site.project(offline=True)
    site.read(project)
    project.close()
    order = {uri: index for index, uri in enumerate(site.order())}
    uris = sorted(site.pages, key=lambda uri: (order.get(uri, len(order)), uri))
    rows = [depth(site.pages[uri], site.html[uri]) for uri in uris if prefix in uri]
    click.echo(json.dumps([row.as_dict() for row in rows], indent=2) if as_json else table(rows), nl=as_json)


@main.command()
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 when SOURCES.md is not current.")
@click.pass_obj
def sources(config_file: str | None, only_check: bool) -> None:
    """Write SOURCES.md, the annotated source list for people, from sources.yml."""
    site = _site(config_file)
    project = site.project(offline=True)
    _stop_at(project.problems)
    target = project.settings.root / "SOURCES.md"
    text = source_list(project.sources)
    project.close()
    if target.exists() and target.read_text(encoding="utf-8") == text:
        click.echo("SOURCES.md is current", err=True)
    elif only_check:
        click.echo("SOURCES.md is not current (run: metalworking sources)")
        sys.exit(1)
    else:
        _write(target, text)
        click.echo("SOURCES.md written", err=True)


def _site(config_file: str | None) -> Site:
    try:
        return Site.load(config_file)
    except MetalworkingError as problem:
        _fail(problem)


def _store(settings: Settings) -> Store:
    return Store(settings.store or default_root())


def _read_lock(settings: Settings) -> tuple[Lock, list[Diagnostic]]:
    text = settings.lock.read_text(encoding="utf-8") if settings.lock.exists() else ""
    return load_lock(text, settings.lock.name)


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(text, encoding="utf-8", newline="\n")
    temporary.replace(path)


def _stop_at(problems: Iterable[Diagnostic]) -> None:
    found = list(Diagnostics(problems))
    if found:
        for problem in found:
            click.echo(str(problem))
        sys.exit(1)


def _fail(problem: MetalworkingError) -> NoReturn:
    click.echo(str(problem))
    sys.exit(2 if isinstance(problem, Unavailable) else 1)
