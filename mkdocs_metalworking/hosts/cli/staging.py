"""``stage``: the site for an engine without plugins."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import click

from ..forms.stage import stage as write_stage
from ..progress import Bar
from .common import ending, open_site
from .pages import tell_how, with_plugins
from .program import Program, pass_program


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--strict", is_flag=True, help="Let the engine fail for code that cannot be had, too.")
@with_plugins
@pass_program
def stage(program: Program, folder: Path, strict: bool, plugins: bool | None) -> None:
    """Write the site into FOLDER for an engine that runs Markdown extensions and no plugins, such as Zensical."""
    site = open_site(program, plugins=plugins)
    tell_how(site)
    with ending(), closing(site.project(offline=False, progress=Bar())) as project:
        errors = write_stage(site, project, folder.absolute(), strict=strict)
    if errors:
        sys.exit(1)
    click.echo(f"{folder}: next, in that folder: zensical build", err=True)
