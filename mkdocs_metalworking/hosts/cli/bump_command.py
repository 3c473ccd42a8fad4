"""``bump``: a pin moves to another commit, and every place that quotes or cites it moves with its lines."""

from __future__ import annotations

import sys
from contextlib import closing

import click

from ...deliver.project import Project
from ...git.binding import Binder
from ...git.links import not_written
from ...git.upstream import ask_upstream
from ...glossary.source_list import source_list
from ...quote.blob import HEX_ID, FileKey, LockedFile
from ...quote.diagnostics import MetalworkingError, Severity, Unavailable, printable
from ...quote.repo import SELF
from ...quote.sources import Pin
from ...quote.sources_file import load_sources
from ..files import Rewrite, read_page, write_all
from ..lockfile import locked_lock, read_lock, store_of
from ..mkdocs.docs_folder import docs_label
from ..progress import Bar
from .bump.moving import Fresh, Mover
from .bump.plan import Plan
from .bump.proof import prove
from .common import as_json, ending, open_site, stop_at
from .own_pin import move_own, own_commit
from .pin_edit import move_pin
from .program import Program, pass_program


@click.command()
@click.argument("repo")
@click.option("--to", metavar="COMMIT", help="The new commit, or a tag or branch to take it from. [default: HEAD]")
@click.option("--keep-old", is_flag=True, help="Add the new pin beside the old one; move only what relocates.")
@click.option("-n", "--dry-run", is_flag=True, help="Report, and write nothing.")
@click.option("--json", "json_", is_flag=True, help="The report as JSON, for editors.")
@pass_program
def bump(program: Program, repo: str, to: str | None, keep_old: bool, dry_run: bool, json_: bool) -> None:
    """Move the pin of REPO (or REPO@COMMIT, when it has several, or self) and everything that quotes or cites it.

    Lines are found by exact match: at the same place, else where they stand and nowhere else. Nothing is written unless
    every place relocates.
    """
    site = open_site(program, json_=json_)
    with ending(json_=json_), closing(site.project(offline=False, progress=Bar(quiet=json_))) as project:
        stop_at(project.problems, json_=json_)
        name, _, sha = repo.partition("@")
        pin = project.sources.pin(name, sha)
        if name == SELF:
            commit, tag = own_commit(project, pin, to, keep_old=keep_old), ""
        else:
            commit, tag = _commit(program, project, pin, to)
        stop_at(site.read(project).of(Severity.ERROR), json_=json_)
        plan = Plan(pin, commit, keep_old)
        fresh, date = _fresh(program, project, plan)
        mover = Mover(site, project, plan, fresh)
        mover.run()
        if plan.writes:
            before = read_page(project.settings.sources)
            if name == SELF:
                text, remarks = move_own(before, pin, commit), list[str]()
            else:
                text, remarks = move_pin(before, pin, commit, date=date, tag=tag, beside=keep_old)
            plan.before[project.settings.sources] = before
            plan.sources, plan.remarks = text, [*plan.remarks, *remarks]
            prove(site, project, plan, fresh, mover.fates)
        written = plan.writes and not dry_run
        if written:
            _write(project, plan, docs_label(site.config))
    _report(plan, written, json_, dry_run)
    if not plan.writes:
        sys.exit(1)


def _commit(program: Program, project: Project, pin: Pin, to: str | None) -> tuple[str, str]:
    """Return the full commit to move to, and its tag; a full id needs no network.

    Raises MetalworkingError (``bump``) when there is nothing to do, or the commit is pinned by another entry.
    """
    full = to is not None and HEX_ID.match(to)
    commit, tag = (str(to), "") if full else ask_upstream(program.url(pin.repo)).commit(to or "HEAD")
    if commit == pin.commit:
        raise MetalworkingError("bump", f"{pin.repo} is at {pin.short} already", "", pin.location)
    other = next((one for one in project.sources.by_repo[pin.repo] if one.commit == commit), None)
    if other is not None:
        hint = "move its places by hand and take one entry out"
        raise MetalworkingError("bump", f"{pin.repo}@{commit[:7]} is pinned already", hint, other.location)
    return commit, tag


def _fresh(program: Program, project: Project, plan: Plan) -> tuple[Fresh, str]:
    """Let git give every file of the pin at the new commit; returns the commit's date too.

    Raises MetalworkingError when the commit itself cannot be had. The license file is asked for in any case: it shows
    that the commit exists, and whether the terms are the same.
    """
    pin, settings = plan.pin, project.settings
    store, held = store_of(settings), dict[LockedFile, bytes]()

    def keep(file: LockedFile, data: bytes) -> None:
        held[file] = data
        store.put(file, data)

    binder = Binder(
        settings.code,
        premises=settings.premises,
        mirrors=pin.mirrors,
        own=settings.own,
        url=program.url,
        keep=keep,
        offline=settings.offline,
    )
    known = {*project.quoter.wanted, *project.lock.files}
    paths = {key.path for key in known if (key.repo, key.commit) == (pin.repo, pin.commit)}
    answers = binder.bind_many(FileKey(pin.repo, plan.commit, path) for path in sorted({*paths, pin.license_file}))
    absent = {key.path: answer for key, answer in answers.items() if isinstance(answer, MetalworkingError)}
    for problem in absent.values():
        if isinstance(problem, Unavailable) or problem.diagnostic.code == "bad-commit":
            raise problem
    files = {file.key.path: (file, data) for file, data in held.items()}
    if pin.license:
        before = binder.bind_many([FileKey(pin.repo, pin.commit, pin.license_file)]).popitem()[1]
        now = answers[FileKey(pin.repo, plan.commit, pin.license_file)]
        if isinstance(before, LockedFile) and (not isinstance(now, LockedFile) or now.sha256 != before.sha256):
            what = "changed" if isinstance(now, LockedFile) else "is gone"
            plan.remarks.append(f"{pin.license_file} {what}: is it still {pin.license}?")
    return Fresh(files, absent), binder.dates.get(plan.commit, "")


def _write(project: Project, plan: Plan, docs: str) -> None:
    """Write the pages, sources.yml and the list made of it, and the lock: all of them or none.

    Raises MetalworkingError (``not-written``), also when somebody wrote one of them since it was read.
    """
    settings = project.settings
    listed = settings.root / "SOURCES.md"
    before = read_page(listed) if listed.exists() else ""
    if before and before == source_list(project.sources, docs, before=before):
        plan.texts[listed] = source_list(load_sources(plan.sources)[0], docs, before=before)
        plan.before[listed] = before
    texts = {**plan.texts, settings.sources: plan.sources}
    with locked_lock(settings) as current:
        if wrong := read_lock(settings)[1]:
            raise not_written(settings.lock, f"it was changed meanwhile: {wrong[0].message}")
        late = current.since(project.lock)  # what another command locked meanwhile stays
        lock = plan.lock.with_entries(late.files.values(), late.archives.values(), late.regions.values()).format()
        rewrites = [Rewrite(path, plan.before[path], text) for path, text in texts.items()]
        write_all([*rewrites, Rewrite(settings.lock, read_page(settings.lock), lock)])


def _report(plan: Plan, written: bool, json_: bool, dry_run: bool) -> None:
    if json_:
        rows = [row.as_dict() for row in plan.rows]
        ends = {"repo": plan.pin.repo, "from": plan.pin.commit, "to": plan.commit}
        as_json({**ends, "written": written, "remarks": plan.remarks, "places": rows})
        return
    for row in plan.rows:
        for line in row.lines():
            click.echo(printable(line))
    for remark in plan.remarks:
        click.echo(printable(f"{plan.pin.location}: {remark}"))
    click.echo(plan.summary(), err=True)
    if written:
        files = len(plan.texts) + 2
        old = f"; {plan.pin.short} stays pinned beside it" if plan.keep_old else ""
        click.echo(f"{files} files written{old}", err=True)
    elif dry_run and plan.writes:
        click.echo("nothing was written", err=True)
    else:
        told = "" if plan.keep_old else f", or run: metalworking bump {plan.pin.repo} --to {plan.commit} --keep-old"
        click.echo(f"nothing was written; mend these places first{told}", err=True)
