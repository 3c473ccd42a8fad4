"""The wheel in an empty environment: two pages, stock Material, the plugin with citations."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.adoption.conftest import KERNEL, Project, call, clean, code_of, quoted
from tests.transports.test_package import WHEEL_NAME, IndexServer, wheel

MKDOCS = """\
site_name: Elsewhere
theme: material
plugins:
  - metalworking:
      citations: true
"""


@pytest.fixture
def adopter(project: Project) -> Project:
    project.put("mkdocs.yml", MKDOCS)
    project.put("docs/index.md", "# Home\n\n<< excerpt {k}:src/add.metal#L1-2,L5-7 hl=5 >>\n- L5: The *store*.\n")
    project.put("docs/two.md", "# Two\n\nSaid [@acme/kernels:src/add.metal#L3-4].\n")
    (project.root / "sources.lock").unlink()
    return project


def test_the_distributions_are_clean(distributions: list[Path]) -> None:
    command = [sys.executable, "-m", "twine", "check", "--strict", *map(str, distributions)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=clean())
    assert done.returncode == 0, done.stdout
    assert [path.suffix for path in distributions] == [".whl", ".gz"]
    inside = zipfile.ZipFile(distributions[0]).namelist()
    for name in ("py.typed", "assets/metalworking.css", "schemas/sources.schema.json", "hosts/cli/page.md"):
        assert f"mkdocs_metalworking/{name}" in inside
    assert not [name for name in inside if name.startswith(("tests", "docs", "overrides", "code"))]
    with tarfile.open(distributions[1]) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "tests/support.py"} <= set(names)
    assert not [name for name in names if name.startswith(("docs", "code", "overrides"))]


def test_the_environment_is_empty(python: Path) -> None:
    code = "import importlib.metadata as m; print('\\n'.join(d.name.lower() for d in m.distributions()))"
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True, env=clean())
    found = set(done.stdout.split())
    assert {"mkdocs-metalworking", "mkdocs-material"} <= found
    assert not {"pytest", "pip", "mypy", "mike", "mkdocs-macros-plugin"} & found


def test_ten_minutes_with_a_local_repository(python: Path, adopter: Project) -> None:
    unlocked = call(python, adopter.root, "mkdocs", "build")
    assert unlocked.returncode == 1
    assert "docs/index.md:3: " in unlocked.stderr
    assert "is not in sources.lock (run: metalworking lock)" in unlocked.stderr
    lock = call(python, adopter.root, "mkdocs_metalworking", "lock")
    assert lock.returncode == 0, lock.stdout + lock.stderr
    check = call(python, adopter.root, "mkdocs_metalworking", "check", "--strict")
    assert check.returncode == 0, check.stdout
    built = call(python, adopter.root, "mkdocs", "build", "--strict")
    assert built.returncode == 0, built.stderr
    home = adopter.html("index.html")
    assert code_of(home) == [*quoted(1, 2), *quoted(5, 7)]
    assert re.search(r'<li class="mw-note" data-lines="5-5">.*The <em>store</em>', home)
    assert "assets/metalworking/metalworking.css" in home
    assert (adopter.root / "site/assets/metalworking/metalworking.js").is_file()
    assert 'class="mw-cite"' in adopter.html("two/index.html")


def test_the_same_site_from_a_package_index(python: Path, adopter: Project, serve, tools) -> None:  # type: ignore[no-untyped-def]
    archive = wheel([("inc/src/add.metal", KERNEL.encode()), ("inc/other.h", b"\n")])
    index = IndexServer(serve, tools, {WHEEL_NAME: archive})
    sources = (adopter.root / "sources.yml").read_text(encoding="utf-8")
    package = "license: MIT\n    packages:\n      - wheel: demo-pkg==1.0\n        root: inc/"
    adopter.put("sources.yml", sources.replace("license: MIT", package))
    settings = {"PIP_INDEX_URL": index.url, "PIP_EXTRA_INDEX_URL": "", "PIP_CONFIG_FILE": "/dev/null"}
    adopter.put("mkdocs.yml", MKDOCS.replace("      citations", "      store: store\n      citations"))
    lock = call(python, adopter.root, "mkdocs_metalworking", "lock", **settings)
    assert lock.returncode == 0, lock.stdout + lock.stderr
    assert "1 files, 1 archives, 1 newly bound" in lock.stderr
    shutil.rmtree(adopter.root / "code")
    shutil.rmtree(adopter.root / "store")
    built = call(python, adopter.root, "mkdocs", "build", "--strict", **settings)
    assert built.returncode == 0, built.stderr
    assert "Quoted 1 of 1 excerpts, 1 repositories: 1 from package" in built.stderr
    assert code_of(adopter.html("index.html")) == [*quoted(1, 2), *quoted(5, 7)]
    assert index.downloads() == 2, "once to lock, once to build"
