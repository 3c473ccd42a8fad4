"""The command run in this process on real sites, with real repositories in the place of the remote ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mkdocs_metalworking.hosts.cli.main import main
from mkdocs_metalworking.hosts.cli.program import Program
from tests.builds.conftest import MKDOCS, Site
from tests.support import git
from tests.transports.conftest import serve as serve  # a fixture


@dataclass
class Desk(Site):
    """A site, the home of each repository it quotes, and the command."""

    homes: dict[str, Path] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)

    def quote_own_commit(self, commit: str, file: str) -> None:
        """Pin *commit* of the site as one of acme/site, which is at no address, and quote *file* of it."""
        self.pins.append({"repo": "acme/site", "commit": commit, "license": "MIT", "extra": ""})
        self.commits["acme/site"] = commit
        self.write([])
        self.addresses["acme/site"] = f"file://{self.root}/nowhere"
        (self.root / "docs/first/one.md").write_text(f"# One\n\n<< excerpt acme/site@{commit[:9]}:{file} >>\n")

    def home(self, repo: str = "acme/kernels") -> Path:
        """Return the repository that stands for the remote one; code/ keeps what it had at the pin."""
        if repo not in self.homes:
            folder = self.root / "homes" / repo
            folder.parent.mkdir(parents=True, exist_ok=True)
            git(self.root, "clone", "-q", str(self.root / "code" / repo), str(folder))
            git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
            git(folder, "config", "uploadpack.allowFilter", "true")
            git(folder, "config", "core.autocrlf", "false")
            self.homes[repo] = folder
        return self.homes[repo]

    def commit(self, files: Mapping[str, str | None], repo: str = "acme/kernels") -> str:
        """Commit *files* (None takes one away) at the home and return the commit."""
        folder = self.home(repo)
        for name, content in files.items():
            path = folder / name
            if content is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.encode())
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "Next")
        return git(folder, "rev-parse", "HEAD")

    def url(self, repo: str) -> str:
        return self.addresses.get(repo) or self.home(repo).as_uri()

    def metalworking(self, *arguments: str) -> Result:
        runner = CliRunner(catch_exceptions=False)
        command = ["-f", str(self.root / "mkdocs.yml"), *arguments]
        return runner.invoke(main, command, prog_name="metalworking", obj=Program(url=self.url))

    def refused(self, *arguments: str) -> Result:
        """Return what a command says that must end with 1 and write nothing."""
        before = self.state()
        done = self.metalworking(*arguments)
        assert done.exit_code == 1, done.output
        assert self.state() == before
        return done

    def json(self, *arguments: str) -> Any:
        return json.loads(self.metalworking(*arguments, "--json").stdout)

    def text(self, name: str) -> str:
        return (self.root / name).read_bytes().decode()

    def state(self) -> dict[str, bytes]:
        """Return every file that a command might write."""
        names = ("sources.yml", "sources.lock", "mkdocs.yml", "mapping.yml")
        paths = [self.root / name for name in names if (self.root / name).exists()]
        paths += [path for path in (self.root / "docs").rglob("*") if path.is_file()]
        return {str(path.relative_to(self.root)): path.read_bytes() for path in paths}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    (tmp_path / "mkdocs.yml").write_text(MKDOCS.replace("offline: true, ", ""), encoding="utf-8")
    for name in ("index.md", "first/index.md", "first/one.md", "first/two.md", "second/three.md"):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# Page\n", encoding="utf-8")
    return Desk(tmp_path)
