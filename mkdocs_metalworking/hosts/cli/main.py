"""The ``metalworking`` command; each subject has a module beside this one, imported when its command is called."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from importlib import import_module

import click

from ... import __version__
from ...git.interrupts import heard
from .program import Program

COMMANDS = {
    "accept": ("accept", "Take changed lines of the working tree as they are now."),
    "add": ("add", "Lock the file of a permalink and print its directive."),
    "bump": ("bump_command", "Move a pin and everything that quotes or cites it."),
    "check": ("check", "Check every page without the network."),
    "clone": ("cloning", "Clone every pinned repository into code/."),
    "fetch": ("locking", "Bring the bytes of every quoted file into the store."),
    "list": ("listing", "List every excerpt: page, file, lines, license."),
    "lock": ("locking", "Bind every quoted and cited file to its commit."),
    "lsp": ("serving", "Serve an editor: checks, completion, hover."),
    "mcp": ("serving", "Serve a coding agent: terms, pages, excerpts."),
    "new": ("new", "Write a page from the template and add it to the nav."),
    "schema": ("listing", "Print a JSON Schema, for an editor."),
    "sources": ("listing", "Write SOURCES.md, the annotated source list."),
    "stage": ("staging", "Write the site for an engine that has no plugins."),
    "stats": ("listing", "Print how deep each page goes."),
}
"""The module of each command, and what the list of commands says of it: to print that, nothing has to be imported."""


class _Group(click.Group):
    """Ends every command with the message of a problem, never with a traceback, whatever the console can show."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f".{COMMANDS[cmd_name][0]}", __package__)
        found = getattr(module, cmd_name, None)
        command: click.Command = found if isinstance(found, click.Command) else getattr(module, f"{cmd_name}_")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])

    def invoke(self, ctx: click.Context) -> object:
        from .common import ending  # with all that problems are told by

        for stream in (sys.stdout, sys.stderr):  # of a console that knows a few hundred characters
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        with heard(), ending():
            return super().invoke(ctx)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="metalworking")
@click.option("-f", "--config-file", type=click.Path(dir_okay=False), help="Another mkdocs.yml.")
@click.pass_context
def main(context: click.Context, config_file: str | None) -> None:
    """Verified quotation for MkDocs: lock what is quoted, check it, bring its bytes."""
    context.obj = replace(context.obj or Program(), config_file=config_file)
