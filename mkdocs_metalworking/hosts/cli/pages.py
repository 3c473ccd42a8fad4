"""How the commands read pages: the fast way, or through the site's plugins; and which pages a person means."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from ...quote.diagnostics import Diagnostic, MetalworkingError, printable
from ..mkdocs.site import Site

with_plugins = click.option(
    "--plugins/--no-plugins",
    default=None,
    help="Read pages through the site's other plugins, or without them; by default where one may change pages.",
)


def tell_how(site: Site) -> None:
    """Say on stderr how the pages are read, where it matters."""
    names = printable(", ".join(site.shaping))
    if site.through_plugins:
        click.echo(f"reading through the site's plugins, which takes longer: {names or 'none changes pages'}", err=True)
    elif names:
        click.echo(f"read without plugins that may make or change pages: {names} (--plugins reads with them)", err=True)


def end_if_unread(problems: Iterable[Diagnostic]) -> None:
    """End the command with the pages that could not be read: what it told of the others is not the whole."""
    found = [problem for problem in problems if problem.code == "files"]
    for problem in found:
        click.echo(str(problem), err=True)
    if found:
        sys.exit(1)


def of_pages(problems: Iterable[Diagnostic], site: Site, paths: tuple[Path, ...]) -> list[Diagnostic]:
    """Return the problems in the files at *paths*; all of them when there are none.

    Raises MetalworkingError (``files``) for a path that is neither a page nor another file of which problems are told.
    """
    found = list(problems)
    if not paths:
        return found
    labels = {site.label(file) for file in site.files.documentation_pages()}
    known = labels | {problem.location.path for problem in found}
    chosen = set()
    for path in paths:
        full = path.resolve()
        label = full.relative_to(site.root).as_posix() if full.is_relative_to(site.root) else full.as_posix()
        if label not in known:
            raise MetalworkingError("files", f"{path} is no page of this site", "name a page in docs")
        chosen.add(label)
    return [problem for problem in found if problem.location.path in chosen]
