"""The public names of the package, and that they cost nothing until they are asked for."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import mkdocs_metalworking

NAMES = [
    "Diagnostic",
    "MetalworkingError",
    "MetalworkingExtension",
    "OpenSite",
    "PageContext",
    "Project",
    "Quotation",
    "Settings",
    "__version__",
    "open_site",
    "parse_directive",
]


def test_these_are_the_public_names() -> None:
    assert dir(mkdocs_metalworking) == NAMES
    for name in NAMES:
        assert getattr(getattr(mkdocs_metalworking, name), "__name__", name) == name
    with pytest.raises(AttributeError):
        _ = mkdocs_metalworking.nothing


def loaded(program: str) -> set[str]:
    program += "; import json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_the_package_alone_loads_nothing() -> None:
    assert not loaded("import mkdocs_metalworking") & {"mkdocs", "markdown", "yaml", "click", "pygls", "mcp"}


def test_the_commands_do_not_load_the_servers() -> None:
    program = "from mkdocs_metalworking.hosts.cli.main import main; main(['--help'], standalone_mode=False)"
    assert not loaded(program) & {"pygls", "lsprotocol", "mcp", "pydantic", "bs4", "lxml"}
