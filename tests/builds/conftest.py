"""Sites of a few pages that quote a repository made by the test, built with the real mkdocs and stock Material."""

from __future__ import annotations

import copy
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.forked import python_m
from tests.support import ASK, Bench

KERNEL = """\
#include <metal_stdlib>
using namespace metal;

kernel void add(device const float* a [[buffer(0)]],
                device const float* b [[buffer(1)]],
                device float* out [[buffer(2)]],
                uint i [[thread_position_in_grid]]) {
    out[i] = a[i] + b[i];
}
"""
MKDOCS = """\
site_name: Test
theme:
  name: material
  font: false
plugins:
  - search
  - metalworking: {store: store, offline: true, ASK}
markdown_extensions: [footnotes, admonition]
validation: {links: {anchors: warn}}
nav:
  - index.md
  - First:
      - first/index.md
      - first/one.md
      - first/two.md
  - Second:
      - second/three.md
""".replace("ASK}", f"{ASK}}}")


@dataclass
class Site(Bench):
    """A bench with mkdocs.yml and docs/."""

    @property
    def sha(self) -> str:
        return self.commits["acme/kernels"][:7]

    def page(self, name: str, text: str) -> None:
        path = self.root / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("{k}", f"acme/kernels@{self.sha}"), encoding="utf-8")

    def config(self, old: str, new: str) -> None:
        path = self.root / "mkdocs.yml"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return self.run_with({}, *command)

    def run_with(self, more: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
        """Run a module with *more* in its environment."""
        return python_m(*command, cwd=self.root, env=more)

    def build(self, *options: str, fresh: bool = False) -> subprocess.CompletedProcess[str]:
        return python_m("mkdocs", "build", *options, cwd=self.root, fresh=fresh)

    def html(self, page: str) -> str:
        return (self.root / "site" / page).read_text(encoding="utf-8")


def environment() -> dict[str, str]:
    return {**os.environ, "NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"}


@pytest.fixture(scope="session")
def made_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site of *site*, made once; nobody changes it."""
    root = tmp_path_factory.mktemp("site")
    site = Site(root)
    site.add_repo("acme/kernels", {"add.metal": KERNEL, "notes.txt": "one\ntwo\n"})
    site.write([("acme/kernels", "add.metal")])
    (root / "mkdocs.yml").write_text(MKDOCS, encoding="utf-8")
    site.page("index.md", "# Home\n\nSee [one](first/one.md).\n")
    site.page("first/index.md", "---\nsummary: The first chapter.\n---\n\n# First\n")
    site.page(
        "first/one.md",
        "---\nsummary: Adds two arrays.\ncuda:\n  term: Kernel\n  verdict: transfers\n---\n\n# One\n\n"
        '<< excerpt {k}:add.metal#L4-9 hl=8 title="Add" >>\n- L8: One element a thread.\n\n'
        "A claim [@acme/kernels:add.metal#L1].\n",
    )
    site.page("second/three.md", "# Three\n\n<< excerpt {k}:add.metal#L8 search=off >>\n")
    blob = next(iter(site.project().lock.files.values())).blob[:7]
    site.page(
        "first/two.md", f"# Two\n\nBack to [its line](one.md#--{blob}-L8) and [all](one.md#excerpt--{blob}-L4).\n"
    )
    return site


@pytest.fixture
def site(made_site: Site, tmp_path: Path) -> Site:
    """A small site of two chapters that quotes a repository under code/."""
    return copied(made_site, tmp_path)


def copied(site: Site, root: Path) -> Site:
    """Copy *site* to the folder *root*."""
    shutil.copytree(site.root, root, symlinks=True, dirs_exist_ok=True)
    return Site(root, copy.deepcopy(site.pins), dict(site.commits), site.references)
