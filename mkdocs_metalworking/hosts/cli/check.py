"""``check``: everything that can be known without the network, and with ``--online`` what changed at the sources."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import click

from ...deliver.project import Project
from ...deliver.proofs import Verdict
from ...git.drift import drift_report
from ...quote.diagnostics import Diagnostic, Diagnostics, Severity
from ...quote.lock import Lock
from ..mkdocs.checking import Check
from ..mkdocs.site import Site
from .changes import as_list, changes
from .common import as_json, ending, open_site
from .pages import alone, of_pages, tell_how, with_plugins
from .program import Program, pass_program


@click.command()
@click.option("--json", "json_", is_flag=True, help="Problems as JSON, for editors.")
@click.option("--online", is_flag=True, help="Ask every repository what changed there since its pin.")
@click.option("--changed-from", metavar="BRANCH", help="Say what changed in pins, lock and quoted lines since BRANCH.")
@click.option("--strict", is_flag=True, help="Exit 1 for warnings and for what --online finds, too.")
@click.argument("paths", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@with_plugins
@pass_program
def check(
    program: Program,
    json_: bool,
    online: bool,
    changed_from: str | None,
    strict: bool,
    paths: tuple[Path, ...],
    plugins: bool | None,
) -> None:
    """Check every page without the network: grammar, ranges, lock, licenses, front matter, citations, nav.

    With FILEs, tell only what is wrong in them.
    """
    site = open_site(program, json_=json_, plugins=plugins)
    tell_how(site)
    with ending(json_=json_), closing(site.project(offline=True)) as project:
        site.read(project, only=None if online or changed_from else alone(site, paths))
        reading = site.reading
        assert reading is not None
        if changed_from is not None and not json_:
            for line in changes(project, site.config, changed_from, site.pages.values(), site.accounts_of):
                click.echo(line)
        checked = Check(project, site.root)
        findings = checked.of(reading)
        problems = Diagnostics(of_pages(findings.problems, site, paths))
        told = of_pages(findings.hints, site, paths)
        found = drift_report(project.sources, project.quoter.wanted, program.url) if online else []
    errors, warnings = problems.of(Severity.ERROR), problems.of(Severity.WARNING)
    if json_:
        as_json([p.as_dict() for p in [*errors, *warnings, *told, *found]])
    else:
        said = [p if p.severity is Severity.ERROR else f"{p.severity}: {p}" for p in [*errors, *warnings, *told]]
        lines = [str(line) for line in [*said, *found]]
        for line in lines if changed_from is None else as_list(lines):
            click.echo(line)
        click.echo(_summary(site, errors, warnings, told), err=True)
        if project.lock.files:
            click.echo(_lock_summary(project.lock, checked.verdict), err=True)
        if online:
            click.echo(_online_summary(project, found), err=True)
    if errors or (strict and (warnings or found)):
        sys.exit(1)


def _summary(site: Site, errors: list[Diagnostic], warnings: list[Diagnostic], hints: list[Diagnostic]) -> str:
    quoted = sum(len(page.quotations) for page in site.pages.values())
    cited = sum(len(page.citations) for page in site.pages.values())
    unread = len({id(q) for page in site.pages.values() for q in page.quotations if q.missing})
    note = f" ({unread} by lock only, their bytes are not on this machine)" if unread else ""
    seen = " in what could be read" if unread else ""
    found = f"{_many(len(errors), 'error')}, {_many(len(warnings), 'warning')}{seen}"
    found += f", {_many(len(hints), 'hint')}" if hints else ""
    return f"{_many(len(site.pages), 'page')}, {_many(quoted, 'excerpt')}{note}, {_many(cited, 'citation')}: {found}"


def _lock_summary(lock: Lock, verdict: Verdict) -> str:
    count, open_ = len(lock.files), len(verdict.unproved)
    told = f"{lock.path}: {_many(count, 'file')}, {verdict.proved} proved by git"
    return told + (f", {open_} only locked (metalworking lock --verify proves them)" if open_ else "")


def _online_summary(project: Project, found: list[Diagnostic]) -> str:
    silent = sum(finding.severity is Severity.UNAVAILABLE for finding in found)
    told = f", {silent} could not be asked" if silent else ""
    pins, others = len(project.sources.pins), len(found) - silent
    return f"{_many(pins, 'pin')} asked{told}: {_many(others, 'finding')}"


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
