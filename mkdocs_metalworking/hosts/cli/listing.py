"""``list``, ``stats``, ``sources`` and ``schema``: what a site holds, for people and programs."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import closing
from importlib import resources

import click

from ...glossary.source_list import source_list
from ...quote.diagnostics import printable
from ...quote.lines import format_ranges
from ..files import Rewrite, read_page, write_all
from ..lockfile import writing_alone
from ..mkdocs.docs_folder import docs_label
from .common import as_json, open_site, stop_at
from .pages import end_if_unread, tell_how, with_plugins
from .program import Program, pass_program
from .stats import depth, table

SCHEMAS = ("front_matter", "mapping", "quantities", "sources")


@click.command(name="list")
@click.option("--json", "json_", is_flag=True, help="As JSON, for other programs.")
@with_plugins
@pass_program
def list_(program: Program, json_: bool, plugins: bool | None) -> None:
    """List every excerpt: page, file, lines, license."""
    site = open_site(program, plugins=plugins)
    tell_how(site)
    with closing(site.project(offline=True)) as project:
        problems = site.read(project)
    rows: list[dict[str, object]] = [
        {
            "page": page.path,
            "repo": q.file.key.repo,
            "commit": q.file.key.commit,
            "path": q.file.key.path,
            "lines": format_ranges(q.ranges),
            "license": q.pin.license or q.license_file,
            "blob": q.file.blob,
        }
        for page in site.pages.values()
        for q in page.quotations
    ]
    if json_:
        as_json(rows)
    else:
        _tell(rows)
    end_if_unread(problems)


def _tell(rows: list[dict[str, object]]) -> None:
    for row in rows:
        at = f"@{str(row['commit'])[:7]}" if row["commit"] else ""
        place = f"{row['repo']}{at}:{row['path']}#{row['lines']}"
        click.echo(printable(f"{row['page']}: {place} ({row['license'] or 'no license'})"))
    for repo, count in sorted(Counter(str(row["repo"]) for row in rows).items()):
        click.echo(f"{count:4} {repo}", err=True)


@click.command()
@click.argument("prefix", required=False, default="")
@click.option("--json", "json_", is_flag=True, help="As JSON, for other programs.")
@with_plugins
@pass_program
def stats(program: Program, prefix: str, json_: bool, plugins: bool | None) -> None:
    """Print how deep each page goes, or each whose path holds PREFIX, in order of reading."""
    site = open_site(program, plugins=plugins)
    tell_how(site)
    with closing(site.project(offline=True)) as project:
        problems = site.read(project)
    order = {uri: index for index, uri in enumerate(site.order())}
    uris = sorted(site.pages, key=lambda uri: (order.get(uri, len(order)), uri))
    html = site.html
    rows = [depth(site.pages[uri], html[uri]) for uri in uris if prefix in uri]
    if json_:
        as_json([row.as_dict() for row in rows])
    else:
        click.echo(table(rows), nl=False)
    end_if_unread(problems)


@click.command()
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 when SOURCES.md is not current.")
@pass_program
def sources(program: Program, only_check: bool) -> None:
    """Write SOURCES.md, the annotated source list for people, from sources.yml."""
    site = open_site(program)
    with closing(site.project(offline=True)) as project:
        stop_at(project.problems)
        target = project.settings.root / "SOURCES.md"
        before = read_page(target) if target.exists() else None
        text = source_list(project.sources, docs_label(site.config), before=before or "")
    if before == text:
        click.echo("SOURCES.md is current", err=True)
    elif only_check:
        click.echo("SOURCES.md is not current (run: metalworking sources)")
        sys.exit(1)
    else:
        with writing_alone(project.settings, target):
            write_all([Rewrite(target, before, text)])
        click.echo("SOURCES.md written", err=True)


@click.command()
@click.argument("name", type=click.Choice(SCHEMAS))
def schema(name: str) -> None:
    """Print the JSON Schema NAME, for an editor that checks while you type."""
    file = resources.files("mkdocs_metalworking").joinpath("schemas", f"{name}.schema.json")
    click.echo(file.read_text(encoding="utf-8"), nl=False)
