"""What every command is told by the program that runs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import click

from ...quote.repo import clone_url


@dataclass(frozen=True)
class Program:
    """What a command is told: another mkdocs.yml, and the address from which git fetches a repository."""

    config_file: str | None = None
    url: Callable[[str], str] = clone_url


pass_program = click.make_pass_decorator(Program)
