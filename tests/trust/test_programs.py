"""A program that a branch has in the folder of the site, under the name of one that commands start."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from mkdocs_metalworking.git.command import Git, GitError, safe_environment
from mkdocs_metalworking.git.programs import installed, search_path
from tests.builds.conftest import Site
from tests.builds.conftest import made_site as made_site  # a fixture
from tests.builds.conftest import site as site  # a fixture


def plant(folder: Path, name: str) -> Path:
    """Put a program there and return the mark that it leaves; on Windows it is one that is not git."""
    mark = folder / "mark"
    if os.name == "nt":
        shutil.copy(sys.executable, folder / f"{name}.exe")
    else:
        (folder / name).write_text(f"#!/bin/sh\necho ran >> '{mark}'\nexit 1\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return mark


@pytest.mark.parametrize("command", ["mkdocs_metalworking check", "mkdocs_metalworking lock --verify", "mkdocs build"])
@pytest.mark.parametrize("entry", [".", "", "bin"])
def test_no_program_of_the_current_folder_is_started(site: Site, command: str, entry: str) -> None:
    """Windows looks there by itself; elsewhere a PATH may hold such an entry."""
    folder = site.root / (entry or ".")
    folder.mkdir(exist_ok=True)
    mark = plant(folder, "git")
    path = os.pathsep.join((entry, os.environ["PATH"]))
    done = site.run_with({"PATH": path}, *command.split())
    assert done.returncode == 0, done.stdout + done.stderr
    assert not mark.exists()
    if "check" in command or "lock" in command:
        assert "1 proved by git" in done.stdout + done.stderr


def test_git_finds_no_program_of_its_own_there_either(tmp_path: Path) -> None:
    env = {"PATH": os.pathsep.join((".", os.environ["PATH"], "", "bin"))}
    for protocol in (None, "https"):
        given = safe_environment(env, protocol=protocol)["PATH"].split(os.pathsep)
        assert given == [folder for folder in os.environ["PATH"].split(os.pathsep) if os.path.isabs(folder)]


def test_the_first_folder_that_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("none", "one", "two"):
        (tmp_path / name).mkdir()
    for name in ("one", "two"):
        plant(tmp_path / name, "tool")
    (tmp_path / "none/tool").mkdir()
    path = os.pathsep.join(str(tmp_path / name) for name in ("none", "one", "two"))
    assert Path(installed("tool", path)).parent == tmp_path / "one"
    monkeypatch.chdir(tmp_path / "one")
    for relative in ("", ".", os.pathsep):
        assert search_path({"PATH": relative}) == ""
        with pytest.raises(FileNotFoundError):
            installed("tool", search_path({"PATH": relative}))
        with pytest.raises(GitError, match=r"no folder of PATH has git.*install git"):
            Git(tmp_path, env={"PATH": relative}).run("version")


def test_no_browser_of_the_current_folder_prints_the_book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pikepdf")
    from mkdocs_metalworking.hosts.forms.pdf import chromium

    monkeypatch.delenv("CHROMIUM", raising=False)
    (tmp_path / "bin").mkdir()
    for folder in (tmp_path, tmp_path / "bin"):
        plant(folder, "chromium")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    assert chromium() == ""
    monkeypatch.setenv("PATH", os.pathsep.join((".", str(tmp_path / "bin"))))
    assert Path(chromium()).parent == tmp_path / "bin"
