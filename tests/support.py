"""What several test folders share: small git repositories, their locks, and pages converted by the extension alone."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import markdown
import pytest

from mkdocs_metalworking.deliver.project import Project, Settings
from mkdocs_metalworking.git.binding import Binder
from mkdocs_metalworking.glossary.asked import Asked
from mkdocs_metalworking.hosts.selecting import find_regions
from mkdocs_metalworking.markdown.extension import MetalworkingExtension
from mkdocs_metalworking.markdown.page import PageContext
from mkdocs_metalworking.quote.blob import FileKey
from mkdocs_metalworking.quote.lock import Lock
from mkdocs_metalworking.quote.selection import Selection

T = TypeVar("T")
NIGHT = os.environ.get("NIGHTLY") == "1"
"""Whether all is tried, and with new seeds, as in ``make nightly``; ``make test`` tries a part of what takes long."""
PATIENCE = 300.0
"""Seconds to wait for what will come: on a machine with other work everything takes longer."""
ASKED: dict[str, Any] = {
    "callouts": {
        "from": "CUDA",
        "to": "Metal",
        "key": "cuda",
        "links": {
            "modal": {
                "label": "In Modal\u2019s GPU Glossary",
                "url": "https://modal.com/gpu-glossary/",
                "pages": str(Path(__file__).resolve().parents[1] / "docs/assets/modal.txt"),
            }
        },
    },
    "chapters": True,
    "citations": True,
    "lookup": True,
    "previews": True,
}
"""Options of a site that asks for all there is, as this book does."""
ASK = json.dumps(ASKED)[1:-1]
"""The same to write between the braces of a configuration in YAML."""
GIT_ENV = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2024-05-01T12:00:00Z",
    "GIT_COMMITTER_DATE": "2024-05-01T12:00:00Z",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
EXTENSIONS = (
    "admonition",
    "attr_list",
    "def_list",
    "footnotes",
    "md_in_html",
    "tables",
    "toc",
    "pymdownx.details",
    "pymdownx.superfences",
    "pymdownx.tabbed",
)
EXTENSION_CONFIGS = {"pymdownx.tabbed": {"alternate_style": True}}


def book_elsewhere(root: Path) -> str:
    """Return an mkdocs.yml that builds the book at *root* from any folder: what is added to it takes precedence."""
    return (
        f"INHERIT: {root / 'mkdocs.yml'}\nwatch: []\ndocs_dir: {root / 'docs'}\n"
        f"theme: {{custom_dir: {root / 'overrides'}}}\nplugins:\n  metalworking:\n"
        f"    sources: {root / 'sources.yml'}\n    lock: {root / 'sources.lock'}\n    code: {root / 'code'}\n"
        f"    quantities: {root / 'quantities.yml'}\n"
        f"    mapping: {root / 'docs/assets/terms.yml'}\n"
        f"    callouts: {{links: {{modal: {{pages: {root / 'docs/assets/modal.txt'}}}}}}}\n"
    )


def some(of: Sequence[T], count: int) -> list[T]:
    """Return *count* of *of*, from the first to the last at equal steps; all of them at night."""
    if NIGHT or count >= len(of):
        return list(of)
    if count == 1:
        return [of[0]]
    return [of[round(at * (len(of) - 1) / (count - 1))] for at in range(count)]


def git(folder: Path, *arguments: str) -> str:
    """Run git in *folder* with nobody's configuration and return what it printed."""
    env = {**os.environ, **GIT_ENV}
    done = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, env=env)
    return done.stdout.decode().strip()


def commit_files(folder: Path, files: Mapping[str, str | bytes], *options: str) -> str:
    """Make *folder* a repository with one commit of *files*, byte for byte, and return its id."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", *options)
    git(folder, "config", "core.autocrlf", "false")
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Initial")
    return git(folder, "rev-parse", "HEAD")


@dataclass
class Bench:
    """A folder with sources.yml, sources.lock and clones under code/, as a site has them."""

    root: Path
    pins: list[dict[str, object]] = field(default_factory=list)
    commits: dict[str, str] = field(default_factory=dict)
    references: str = "references: []\n"

    def add_repo(self, repo: str, files: Mapping[str, str | bytes], license: str = "MIT", extra: str = "") -> str:
        """Commit *files* under code/ and pin them."""
        commit = commit_files(self.root / "code" / repo, files)
        self.commits[repo] = commit
        self.pins.append({"repo": repo, "commit": commit, "license": license, "extra": extra})
        return commit

    def write(self, locked: list[tuple[str, str]]) -> None:
        """Write sources.yml, and sources.lock for the (repo, path) pairs in *locked*."""
        lines = ["repositories:"]
        for pin in self.pins:
            lines += [f"  - repo: {pin['repo']}", f"    commit: {pin['commit']}", f"    license: {pin['license']}"]
            if pin["extra"]:
                lines.append(f"    {pin['extra']}")
        (self.root / "sources.yml").write_text("\n".join(lines) + "\n" + self.references, encoding="utf-8")
        binder = Binder(self.root / "code", offline=True)
        files = [binder.bind(FileKey(repo, self.commits[repo], path)) for repo, path in locked]
        (self.root / "sources.lock").write_text(Lock().with_entries(files).format(), encoding="utf-8")

    def name(self, named: list[tuple[str, str, Selection]]) -> None:
        """Write named lines of (repo, path) into sources.lock, those of ``self`` as the working tree has them."""
        project = self.project()
        keys = [(FileKey(repo, self.commits.get(repo, ""), path), selection) for repo, path, selection in named]
        found = find_regions(project, keys, project.lock.files)
        assert not found.failed, found.failed
        lock = project.lock.with_entries(regions=found.regions.values())
        (self.root / "sources.lock").write_text(lock.format(), encoding="utf-8")
        project.close()

    def project(self, **options: object) -> Project:
        """Load the project, with a store of its own and without the network."""
        settings = Settings.of({"store": "store", "offline": True, **options}, base=self.root)
        return Project.load(settings)

    def convert(self, text: str, *, project: Project | None = None, **extension: object) -> tuple[str, PageContext]:
        """Convert *text* with the extension in a full set of other extensions; returns HTML and what was found."""
        opened = project or self.project()
        made = MetalworkingExtension(project=opened)
        made.asked = Asked.of(ASKED, self.root)
        page = PageContext(path="docs/page.md", source=text)
        made.page = page
        for name, value in extension.items():
            setattr(made, name, value)
        md = markdown.Markdown(extensions=[*EXTENSIONS, made], extension_configs=EXTENSION_CONFIGS)
        try:
            return md.convert(text), page
        finally:
            if project is None:
                opened.close()


def wait_for(come: Callable[[], bool]) -> None:
    """Wait until *come* says so; the test fails when it never does."""
    end = time.monotonic() + PATIENCE
    while not come():
        if time.monotonic() > end:
            pytest.fail("it never came")
        time.sleep(0.05)
