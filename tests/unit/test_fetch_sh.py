"""fetch.sh against real git repositories: a fresh run, a second one, one that fails."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support import commit_files, git

SCRIPT = Path(__file__).parents[2] / "fetch.sh"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for repo, files in {
        "acme/small": {"a.c": "int a;\n", "sub/b.c": "int b;\n"},
        "acme/large": {"wanted/a.c": "int a;\n", "other/b.c": "x" * 5000},
    }.items():
        source = tmp_path / "remote" / "github.com" / repo
        commit = commit_files(source, files)
        git(source, "config", "uploadpack.allowAnySHA1InWant", "true")
        git(source, "config", "uploadpack.allowFilter", "true")
        paths = "\n    paths: [wanted]" if repo == "acme/large" else ""
        with (tmp_path / "sources.yml").open("a") as out:
            head = "" if out.tell() else "repositories:\n"
            out.write(f"{head}  - repo: {repo}\n    commit: {commit}\n    license: MIT{paths}\n")
    shutil.copy(SCRIPT, tmp_path / "fetch.sh")
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "METALWORKING_GIT_BASE": f"file://{folder}/remote/", "GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.run(["bash", "fetch.sh", *arguments], cwd=folder, env=env, capture_output=True, text=True)


def test_all_then_nothing_to_do(folder: Path) -> None:
    done = run(folder)
    assert done.returncode == 0, done.stderr
    assert "2 repositories" in done.stdout
    assert done.stdout.count("fetched  ") == 2
    assert (folder / "code/acme/small/sub/b.c").read_text() == "int b;\n"
    assert (folder / "code/acme/large/wanted/a.c").exists()
    assert not (folder / "code/acme/large/other").exists(), "only the named paths"
    again = run(folder)
    assert again.returncode == 0
    assert again.stdout.count("present  ") == 2


def test_one_by_name(folder: Path) -> None:
    assert run(folder, "small").returncode == 0
    assert not (folder / "code/acme/large").exists()
    assert run(folder, "nothing").returncode == 1


def test_a_broken_tree_is_mended(folder: Path) -> None:
    assert run(folder).returncode == 0
    (folder / "code/acme/small/a.c").unlink()
    assert run(folder).returncode == 0
    assert (folder / "code/acme/small/a.c").exists()


def test_failures_are_named_and_the_rest_goes_on(folder: Path) -> None:
    shutil.rmtree(folder / "remote/github.com/acme/large")
    done = run(folder)
    assert done.returncode == 1
    assert "FAILED   acme/large@" in done.stderr
    assert "fetched  acme/small@" in done.stdout
