"""The rooms below the hosts log under the package's own name; the MkDocs host lets MkDocs show and count it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mkdocs_metalworking
from tests.builds.conftest import Site
from tests.forked import python_m

PACKAGE = Path(mkdocs_metalworking.__file__).parent
SLOW = "a " * 20_000 + "\n"
"""A line that is too long to be coloured, which the room ``markdown`` warns of."""
TOLD = "shown without colours"


@pytest.fixture
def slow(site: Site) -> Site:
    site.add_repo("acme/long", {"long.c": SLOW})
    site.write([("acme/kernels", "add.metal"), ("acme/long", "long.c")])
    return site


def excerpt(site: Site) -> str:
    return f"# Three\n\n<< excerpt acme/long@{site.commits['acme/long'][:7]}:long.c >>\n"


def test_mkdocs_shows_and_counts_it(slow: Site) -> None:
    slow.page("second/three.md", excerpt(slow))
    done = slow.build("--strict")
    assert done.returncode == 1
    (told,) = [line for line in done.stderr.splitlines() if TOLD in line]
    assert told.startswith("WARNING")
    assert "Aborted with 1 warnings in strict mode" in done.stdout + done.stderr


def test_without_mkdocs_it_bears_the_name_of_its_module(slow: Site) -> None:
    (slow.root / "names.py").write_text(
        "import logging, sys, markdown\n"
        "class Names(logging.Handler):\n"
        "    def emit(self, record): print(record.levelname, record.name, record.getMessage())\n"
        "logging.getLogger().addHandler(Names())\n"
        "settings = {'root': '.', 'store': 'store', 'offline': True}\n"
        "markdown.markdown(sys.stdin.read(), extensions=['mkdocs_metalworking'],\n"
        "                  extension_configs={'mkdocs_metalworking': settings})\n"
        "print('mkdocs' in sys.modules)\n",
        encoding="utf-8",
    )
    done = python_m("names", cwd=slow.root, given=excerpt(slow), fresh=True)
    told, loaded = done.stdout.splitlines()
    assert told.startswith("WARNING mkdocs_metalworking.markdown.highlight ")
    assert TOLD in told
    assert loaded == "False"


def test_only_the_hosts_know_a_name_of_mkdocs() -> None:
    named = [
        f"{module.relative_to(PACKAGE)} logs as {argument.value}"
        for module in PACKAGE.rglob("*.py")
        if module.relative_to(PACKAGE).parts[0] != "hosts"
        for call in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "getLogger"
        for argument in call.args
        if isinstance(argument, ast.Constant) and str(argument.value).startswith("mkdocs.")
    ]
    assert not named
