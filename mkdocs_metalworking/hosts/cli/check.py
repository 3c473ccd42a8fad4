"""``check``: everything that can be known without the network, and with ``--online`` what changed at the sources."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import click

from ...deliver.project import Project
from ...git.contradiction import contradictions
from ...git.drift import drift_report
from ...quote.diagnostics import Diagnostic, Diagnostics, Severity
from ..mkdocs.site import Site
from .common import Program, as_json, open_site, pass_program
from .pages import of_pages, tell_how, with_plugins


@click.command()
@click.option("--json", "json_", is_flag=True, help="Problems as JSON, for editors.")
@click.option("--online", is_flag=True, help="Ask every repository what changed there since its pin.")
@click.option("--strict", is_flag=True, help="Exit 1 for warnings and for what --online finds, too.")
@click.argument("paths", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@with_plugins
@pass_program
def check(
    program: Program, json_: bool, online: bool, strict: bool, paths: tuple[Path, ...], plugins: bool | None
) -> None:
    """Check every page without the network: grammar, ranges, lock, licenses, front matter, citations, nav.

    With FILEs, tell only what is wrong in them.
    """
    site = open_site(program, json_=json_, plugins=plugins)
    tell_how(site)
    with closing(site.project(offline=True)) as project:
        problems = site.read(project)
        problems.extend(contradictions(project.lock, project.settings.code))
        problems = Diagnostics(of_pages(problems, site, paths))
        found = drift_report(project.sources, project.quoter.wanted, program.url) if online else []
    errors, warnings = problems.of(Severity.ERROR), problems.of(Severity.WARNING)
    if json_:
        as_json([p.as_dict() for p in [*errors, *warnings, *found]])
    else:
        for problem in [*errors, *warnings]:
            click.echo(f"{problem.severity}: {problem}" if problem.severity is not Severity.ERROR else str(problem))
        for finding in found:
            click.echo(str(finding))
        click.echo(_summary(site, errors, warnings), err=True)
        if online:
            click.echo(_online_summary(project, found), err=True)
    if errors or (strict and (warnings or found)):
        sys.exit(1)


def _summary(site: Site, errors: list[Diagnostic], warnings: list[Diagnostic]) -> str:
    quoted = sum(len(page.quotations) for page in site.pages.values())
    cited = sum(len(page.citations) for page in site.pages.values())
    unread = len({id(q) for page in site.pages.values() for q in page.quotations if q.missing})
    note = f" ({unread} by lock only, their bytes are not on this machine)" if unread else ""
    return (
        f"{len(site.pages)} pages, {quoted} excerpts{note}, {cited} citations: "
        f"{len(errors)} errors, {len(warnings)} warnings"
    )


def _online_summary(project: Project, found: list[Diagnostic]) -> str:
    silent = sum(finding.severity is Severity.UNAVAILABLE for finding in found)
    told = f", {silent} could not be asked" if silent else ""
    pins, others = len(project.sources.pins), len(found) - silent
    return f"{pins} pin{'' if pins == 1 else 's'} asked{told}: {others} finding{'' if others == 1 else 's'}"
