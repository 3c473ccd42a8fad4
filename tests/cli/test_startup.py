"""The program itself imports no command: its version and its list of commands are there at once."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from mkdocs_metalworking.hosts.cli.main import COMMANDS, main

HEAVY = ("mkdocs", "markdown", "pygments", "yaml", "jsonschema", "requests", "material")


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_nothing_heavy_is_imported(option: str) -> None:
    program = (
        "import sys\nfrom mkdocs_metalworking.hosts.cli.main import main\n"
        f"try: main([{option!r}])\nexcept SystemExit: pass\n"
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not set(HEAVY) & set(done.stderr.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_where_the_list_says(name: str) -> None:
    context = click.Context(main)
    command = main.get_command(context, name)
    assert command is not None
    assert command.name == name
    assert len(COMMANDS[name][1]) <= 58, "one line of the list"
    assert main.get_command(context, "nothing") is None
