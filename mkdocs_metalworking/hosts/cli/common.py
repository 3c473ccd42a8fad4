"""What the commands share: the loaded site, what they print, and how problems end a command."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from ...quote.diagnostics import (
    INVISIBLE,
    Diagnostic,
    Diagnostics,
    Location,
    MetalworkingError,
    Severity,
    Unavailable,
    reason_of,
)
from ..mkdocs.site import Site
from .program import Program


def open_site(program: Program, *, json_: bool = False, plugins: bool | None = False) -> Site:
    """Load mkdocs.yml, or end the command with what is wrong; *plugins* as for Site.load."""
    with ending(json_=json_):
        return Site.load(program.config_file, plugins=plugins, start=Path.cwd())


def as_json(data: Any) -> None:
    """Print *data* for other programs; what a terminal could take for a command is escaped in the way of JSON."""
    ascii_only = not (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    text = json.dumps(data, indent=2, ensure_ascii=ascii_only)
    click.echo(INVISIBLE.sub(lambda match: json.dumps(match[0])[1:-1], text))


def stop_at(problems: Iterable[Diagnostic], *, json_: bool = False) -> None:
    """Print *problems* and end the command, when there are any."""
    found = list(Diagnostics(problems))
    if found:
        _print(found, json_=json_)
        sys.exit(1)


@contextlib.contextmanager
def ending(*, json_: bool = False) -> Iterator[None]:
    """End the command with a problem's message: 1 when something is wrong, 2 when something could not be reached."""
    try:
        yield
    except MetalworkingError as problem:
        _print([problem.diagnostic], json_=json_)
        sys.exit(2 if isinstance(problem, Unavailable) else 1)
    except (OSError, UnicodeDecodeError) as error:  # a page, a table or an override that cannot be read
        named = isinstance(error, OSError) and isinstance(error.filename, (str, bytes))
        where = Location(Path(os.fsdecode(error.filename)).name if named else "")  # type: ignore[union-attr]
        _print([Diagnostic(Severity.ERROR, "files", reason_of(error), "", where)], json_=json_)
        sys.exit(1)


def _print(problems: list[Diagnostic], *, json_: bool) -> None:
    """Print problems a line each, or as the list that ``check --json`` prints."""
    if json_:
        as_json([problem.as_dict() for problem in problems])
    else:
        for problem in problems:
            click.echo(str(problem))
