"""The ``metalworking`` command; each subject has a module beside this one."""

from __future__ import annotations

import io
import sys
from dataclasses import replace

import click

from ... import __version__
from .accept import accept
from .add import add
from .bump_command import bump
from .check import check
from .cloning import clone
from .common import Program, ending
from .listing import list_, schema, sources, stats
from .locking import fetch, lock
from .new import new
from .serving import lsp, mcp
from .staging import stage


class _Group(click.Group):
    """Ends every command with the message of a problem, never with a traceback, whatever the console can show."""

    def invoke(self, ctx: click.Context) -> object:
        for stream in (sys.stdout, sys.stderr):  # of a console that knows a few hundred characters
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        with ending():
            return super().invoke(ctx)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="metalworking")
@click.option("-f", "--config-file", type=click.Path(dir_okay=False), help="Another mkdocs.yml.")
@click.pass_context
def main(context: click.Context, config_file: str | None) -> None:
    """Verified quotation for MkDocs: lock what is quoted, check it, bring its bytes."""
    context.obj = replace(context.obj or Program(), config_file=config_file)


for command in (accept, add, bump, check, clone, fetch, list_, lock, lsp, mcp, new, schema, sources, stage, stats):
    main.add_command(command)
