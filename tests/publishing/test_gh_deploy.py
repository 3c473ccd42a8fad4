"""``mkdocs gh-deploy --strict`` to a bare repository on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from tests.builds.conftest import Site
from tests.builds.conftest import made_site as made_site  # a fixture
from tests.builds.conftest import site as site  # a fixture
from tests.support import git

ROOT = Path(__file__).parents[2]
NOBODY = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


@pytest.fixture
def remote(site: Site) -> Path:
    """The remote that the site is published to; the site is a repository with one commit."""
    site.config("site_name: Test\n", "site_name: Test\nsite_url: https://example.org/book/\n")
    site.page("robots.txt", "User-agent: *\n")
    folder = site.root / "remote.git"
    git(site.root, "init", "-q", "--bare", str(folder))
    git(site.root, "init", "-q", "-b", "main")
    for key, value in {"user.name": "Ada", "user.email": "ada@example.org", "commit.gpgsign": "false"}.items():
        git(site.root, "config", key, value)
    git(site.root, "add", "mkdocs.yml", "docs", "sources.yml", "sources.lock")
    git(site.root, "commit", "-q", "-m", "Site")
    git(site.root, "remote", "add", "origin", str(folder))
    return folder


def published(remote: Path, name: str) -> str:
    done = subprocess.run(["git", "-C", str(remote), "show", f"gh-pages:{name}"], capture_output=True, check=True)
    return done.stdout.decode()


def test_what_is_published(site: Site, remote: Path) -> None:
    done = site.run("mkdocs", "gh-deploy", "--strict")
    assert done.returncode == 0, done.stdout + done.stderr
    one = published(remote, "first/one/index.html")
    assert one == site.html("first/one/index.html")
    assert 'data-n="4"' in one
    assert '<link rel="canonical" href="https://example.org/book/first/one/">' in one
    places = [e.text for e in ElementTree.fromstring(published(remote, "sitemap.xml")).iter() if e.tag.endswith("loc")]
    assert sorted(filter(None, places)) == [
        f"https://example.org/book/{place}" for place in ("", "first/", "first/one/", "first/two/", "second/three/")
    ]
    assert published(remote, "robots.txt") == "User-agent: *\n"
    assert published(remote, ".nojekyll") == ""
    first = git(remote, "rev-parse", "gh-pages")
    site.page("second/three.md", "# Three, again\n")
    again = site.run("mkdocs", "gh-deploy", "--strict")
    assert again.returncode == 0, again.stdout + again.stderr
    assert git(remote, "rev-parse", "gh-pages~") == first, "the history goes on"


def test_a_fresh_clone_publishes_as_the_workflow_does(site: Site, remote: Path, tmp_path: Path) -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/publish.yml").read_text(encoding="utf-8"))["jobs"]
    built = [step["run"] for step in jobs["build"]["steps"] if step.get("run", "").startswith(("mkdocs", "touch"))]
    assert built == ["mkdocs build --strict", "touch site/.nojekyll"]
    published = [step["run"] for step in jobs["publish"]["steps"] if "run" in step]
    git(site.root, "push", "-q", "origin", "main")
    commits = []
    for run in range(2):
        folder = tmp_path / f"runner-{run}"
        git(tmp_path, "clone", "-q", "--depth=1", "--branch=main", remote.as_uri(), str(folder))
        runner = Site(folder)
        shutil.copytree(site.root / "code", folder / "code")
        done = runner.run("mkdocs", "build", "--strict")
        assert done.returncode == 0, done.stdout + done.stderr
        temporary = tmp_path / f"temporary-{run}"
        shutil.copytree(folder / "site", temporary / "site")
        (temporary / "site/.nojekyll").touch()
        env = {**os.environ, **NOBODY, "RUNNER_TEMP": str(temporary), "GITHUB_SHA": git(folder, "rev-parse", "HEAD")}
        for script in published:
            ran = subprocess.run(["bash", "-e", "-c", script], cwd=folder, env=env, capture_output=True, text=True)
            assert ran.returncode == 0, ran.stdout + ran.stderr
            if script.startswith("git fetch"):
                assert ("the first time" in ran.stdout) == (not commits), "the first time there is nothing to fetch"
        names = set(git(remote, "ls-tree", "-r", "--name-only", "gh-pages").splitlines())
        assert names == {
            p.relative_to(temporary / "site").as_posix() for p in temporary.rglob("site/**/*") if p.is_file()
        }
        assert ".nojekyll" in names
        commits.append(git(remote, "rev-parse", "gh-pages"))
    assert git(remote, "rev-parse", "gh-pages~") == commits[0]


@pytest.mark.parametrize(
    "page",
    [
        "# Three\n\n<< excerpt {k}:add.metal#L99 >>\n",
        "# Three\n\n<< excerpt acme/kernels@1111111:add.metal#L1 >>\n",
        "# Three\n\n[nowhere](nowhere.md)\n",
    ],
)
def test_nothing_wrong_is_published(site: Site, remote: Path, page: str) -> None:
    site.page("second/three.md", page)
    done = site.run("mkdocs", "gh-deploy", "--strict")
    assert done.returncode == 1
    assert git(remote, "branch", "--list") == ""


def test_a_card_is_not_published(site: Site, remote: Path) -> None:
    (site.root / "code").rename(site.root / "away")
    assert site.run("mkdocs", "gh-deploy", "--strict").returncode == 1
    assert git(remote, "branch", "--list") == ""
