"""Sites inside a git repository of their own, whose code they quote as ``self``."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mkdocs_metalworking.hosts.cli.main import main
from mkdocs_metalworking.hosts.cli.program import Program
from tests.forked import python_m
from tests.support import git

STACK = '''\
"""A stack."""


def empty():
    """Return a new one."""
    return Stack()


class Stack:
    def push(self, x):
        self.items.append(x)
        return x

    # region top
    def top(self):
        return self.items[-1]
    # endregion
'''
MKDOCS = """\
site_name: Own
repo_url: https://github.com/acme/own
theme: {name: material, font: false}
plugins: [search, metalworking: {store: ../store}]
validation: {links: {anchors: warn}}
"""


def _nobody(repo: str) -> str:
    raise AssertionError(f"the network was asked for {repo}")


@dataclass
class Own:
    """A repository with a site in ``site/`` and code beside it."""

    top: Path

    @property
    def root(self) -> Path:
        return self.top / "site"

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: Mapping[str, str | bytes] | None = None) -> str:
        self.write(files or {})
        git(self.top, "add", "-A")
        git(self.top, "commit", "-q", "--allow-empty", "-m", "Next")
        return git(self.top, "rev-parse", "HEAD")

    def page(self, text: str) -> None:
        self.write({"site/docs/index.md": f"# Page\n\n{text}"})

    def sources(self, text: str) -> None:
        self.write({"site/sources.yml": text})

    def replace(self, name: str, old: str, new: str) -> None:
        text = (self.top / name).read_bytes().decode()
        assert old in text
        self.write({name: text.replace(old, new)})

    def text(self, name: str) -> str:
        return (self.top / name).read_bytes().decode()

    def metalworking(self, *arguments: str) -> Result:
        command = ["-f", str(self.root / "mkdocs.yml"), *arguments]
        return CliRunner(catch_exceptions=False).invoke(main, command, obj=Program(url=_nobody))

    def problems(self) -> list[str]:
        """Return what check says, a line each."""
        return self.metalworking("check").stdout.splitlines()

    def build(self, *options: str) -> subprocess.CompletedProcess[str]:
        return python_m("mkdocs", "build", *options, cwd=self.root)

    @property
    def html(self) -> str:
        return (self.root / "site/index.html").read_text(encoding="utf-8")


@pytest.fixture
def own(tmp_path: Path) -> Own:
    """A repository with one commit, whose working tree may be quoted; nothing is locked yet."""
    top = tmp_path / "top"
    top.mkdir()
    git(top, "init", "-q")
    git(top, "config", "core.autocrlf", "false")
    made = Own(top)
    made.write(
        {"src/stack.py": STACK, "LICENSE": "GNU GENERAL PUBLIC LICENSE\n", ".gitignore": "site/site/\nstore/\n*.log\n"}
    )
    made.write({"site/mkdocs.yml": MKDOCS, "site/sources.yml": "self: working-tree\n"})
    made.page("<< excerpt self:src/stack.py#symbol=empty >>\n")
    made.commit()
    return made
