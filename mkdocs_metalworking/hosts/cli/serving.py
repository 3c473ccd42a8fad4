"""``lsp`` and ``mcp``: the site's servers for editors and for coding agents, on stdin and stdout."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable

import click

from ...quote.diagnostics import MetalworkingError
from .program import Program, pass_program


@click.command()
@pass_program
def lsp(program: Program) -> None:
    """Serve an editor that speaks the Language Server Protocol, on stdin and stdout."""
    _need("lsp", ("pygls", "lsprotocol"))
    from ..lsp.server import run

    run(program.config_file)


@click.command()
@pass_program
def mcp(program: Program) -> None:
    """Serve a coding agent that speaks the Model Context Protocol, on stdin and stdout; nothing is written."""
    _need("mcp", ("mcp", "bs4", "markdownify"))
    from ..mcp.server import run

    run(program.config_file)


def _need(extra: str, names: Iterable[str]) -> None:
    """Raise MetalworkingError (``extra``) when the libraries of an extra are not installed."""
    if any(importlib.util.find_spec(name) is None for name in names):
        raise MetalworkingError(
            "extra", f"{extra} needs more than is installed", f"install the package with its extra [{extra}]"
        )
