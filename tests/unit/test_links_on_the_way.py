"""Where something may be written: what a link on the way means is read in one place."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mkdocs_metalworking.deliver.project import Settings
from mkdocs_metalworking.git import tracked_links
from mkdocs_metalworking.git.command import Git
from mkdocs_metalworking.git.links import place_of, target_of, way_out
from mkdocs_metalworking.git.places import Premises
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from tests.support import commit_files, git


@pytest.fixture
def top(tmp_path: Path) -> Path:
    folder = tmp_path / "top"
    folder.mkdir()
    git(folder, "init", "-q")
    return folder


@pytest.mark.parametrize("asked", [target_of, place_of])
def test_links_that_lead_in_a_circle(top: Path, asked: Callable[[Path], Path]) -> None:
    (top / "a").symlink_to("b")
    (top / "b").symlink_to("a")
    with pytest.raises(MetalworkingError, match="x cannot be written: a link leads back to itself"):
        asked(top / "a" / "x")


def test_links_of_links_are_looked_at_once(top: Path) -> None:
    """Each name leads through the one before it twice: as a tree, that is more links than anybody can count."""
    (top / "l0").symlink_to(".")
    for number in range(1, 60):
        (top / f"l{number}").symlink_to(f"l{number - 1}/l{number - 1}")
    git(top, "add", "l0")
    with pytest.raises(MetalworkingError, match="l0 is a link of the repository"):
        place_of(top / "l59")


def test_a_chain_of_links_costs_what_the_system_goes_of_it(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some forty links; of a longer one nothing is read, so that nobody need look at the rest for each of its links."""
    (top / "l300").write_text("x\n")
    for number in range(300):
        (top / f"l{number}").symlink_to(f"l{number + 1}")
    git(top, "add", "-A")
    asked: list[str] = []
    plain = os.readlink

    def counted(path: Any, **more: Any) -> Any:
        asked.append(path)
        return plain(path, **more)

    monkeypatch.setattr(os, "readlink", counted)
    assert way_out(top / "l0", Premises.of(top)) is None
    assert len(asked) == 0
    assert way_out(top / "l290", Premises.of(top)) is None
    assert 10 <= len(asked) <= 400


@pytest.mark.parametrize("inner", ["", "sub", "sub/deep"])
def test_a_link_is_found_from_where_it_lies(top: Path, tmp_path: Path, inner: str) -> None:
    """The way may lead into the repository by a link from outside, from a folder below its top, and out again."""
    folder = top / inner
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "out").symlink_to(tmp_path / "home")
    (tmp_path / "way").symlink_to(folder, target_is_directory=True)
    assert place_of(tmp_path / "way/out/x") == tmp_path / "home/x"
    git(top, "add", ".")
    with pytest.raises(MetalworkingError, match="out is a link of the repository"):
        place_of(tmp_path / "way/out/x")
    git(top, "mv", str(folder / "out"), str(folder / "OUT"))
    (folder / "out").mkdir()
    assert place_of(tmp_path / "way/out/x") == folder / "out/x"


def test_a_link_is_known_under_every_name_that_the_file_system_gives_it(top: Path, tmp_path: Path) -> None:
    """On a file system that knows no case, the index may spell it in another one; a second name stands for that."""
    (top / "Code").symlink_to(tmp_path / "home")
    git(top, "add", "Code")
    os.link(top / "Code", top / "code", follow_symlinks=False)
    with pytest.raises(MetalworkingError, match="code is a link of the repository"):
        place_of(top / "code/o/n")


def test_whose_a_link_is_can_be_told_in_a_large_repository(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its index is larger than what git may say."""
    blob = git(top, "hash-object", "-w", "--stdin")
    (top / "index.txt").write_text("".join(f"100644 {blob}\tthird_party/{number:05d}.c\n" for number in range(2000)))
    with (top / "index.txt").open() as stream:
        subprocess.run(["git", "update-index", "--index-info"], cwd=top, stdin=stream, check=True)
    (top / "code").symlink_to("..", target_is_directory=True)
    monkeypatch.setattr(tracked_links, "LISTED", 32 << 10)
    assert place_of(top / "code/x") == top.parent / "x"
    git(top, "add", "code")
    with pytest.raises(MetalworkingError, match="code is a link of the repository"):
        place_of(top / "code/x")


def test_of_many_links_git_is_asked_once(top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A branch may bring any number; each change of the index is seen."""
    asked: list[tuple[str, ...]] = []

    class Counted(Git):
        def run(self, *arguments: str, **more: Any) -> bytes:
            asked.append(arguments)
            return super().run(*arguments, **more)

    monkeypatch.setattr(tracked_links, "Git", Counted)
    monkeypatch.setattr(tracked_links, "_FRESH", 1e9)
    links = [top / "docs" / f"l{number}.txt" for number in range(50)]
    (top / "docs").mkdir()
    for link in links:
        link.symlink_to(tmp_path / "secret.txt")
    premises = Premises.of(top)
    assert [way_out(link, premises) for link in links] == [None] * 50, "they are the person's"
    assert len(asked) == 1
    git(top, "add", "docs")
    found = [way_out(link, premises) for link in links]
    assert [one and one.name for one in found] == [f"docs/l{number}.txt" for number in range(50)]
    assert len(asked) == 2
    git(top, "rm", "-q", "--cached", "docs/l7.txt")
    assert [link.name for link in links if not way_out(link, premises)] == ["l7.txt"]
    assert len(asked) == 3


@pytest.mark.parametrize("within", ["top/code/up", "top/code/up/deep", "other"])
@pytest.mark.parametrize(
    ("spelled", "tracked"), [("the file", True), ("the file", False), ("its folder", True), ("a folder above", True)]
)
def test_no_link_leads_into_another_repository(
    top: Path, tmp_path: Path, within: str, spelled: str, tracked: bool
) -> None:
    """A clone, a submodule, a checkout of one's own: what it tracks is not what this repository tracks.

    A link to the folder of one that is not tracked leads where the person wants it to.
    """
    folder = tmp_path / within
    commit_files(folder, {"sources.lock": "theirs\n", "sub/sources.lock": "theirs\n"})
    link = {"the file": "sources.lock", "its folder": "lists", "a folder above": "lists"}[spelled]
    (top / link).symlink_to(folder / "sources.lock" if spelled == "the file" else folder)
    path = top / {"the file": link, "its folder": "lists/sources.lock", "a folder above": "lists/sub/new"}[spelled]
    if tracked:
        git(top, "add", link)
    with pytest.raises(MetalworkingError, match="a link leads out of the repository"):
        target_of(path)


def test_a_repository_that_lies_in_another_one_is_written_to(top: Path) -> None:
    """The site is a submodule, or a work tree of its own in the folder of another."""
    commit_files(top / "site", {"locks/sources.lock": "ours\n"})
    (top / "site/sources.lock").symlink_to("locks/sources.lock")
    git(top / "site", "add", "sources.lock")
    assert target_of(top / "site/sources.lock") == top / "site/locks/sources.lock"
    (top / "way").symlink_to("site", target_is_directory=True)
    assert target_of(top / "way/sources.lock") == top / "site/locks/sources.lock"
    git(top, "add", "way")
    with pytest.raises(MetalworkingError, match="a link leads out of the repository"):
        target_of(top / "way/sources.lock")


@pytest.mark.parametrize(
    ("at", "to", "refused"),
    [
        ("code", "../away", True),
        ("code", "../away/../proj/site/x", False),
        ("code", "site", False),
        ("site/code", "../x", True),
        ("site/code", "x", False),
        ("build", "../away", True),
        ("../out", "away", False),
    ],
)
def test_how_far_a_link_leads_where_nobody_can_tell(tmp_path: Path, at: str, to: str, refused: bool) -> None:
    """No further than the folder that it shares with the site; what mkdocs.yml does not name came with nothing."""
    site = tmp_path / "proj/site"
    (site / "x").mkdir(parents=True)
    (tmp_path / "away").mkdir()
    (tmp_path / "proj" / at).symlink_to(to, target_is_directory=True)
    settings = Settings.of({"code": "../code", "store": "../build/store"}, base=site)
    path = Path(os.path.normpath(tmp_path / "proj" / at / "deep"))
    assert (way_out(path, settings.premises) is not None) is refused
    if refused:
        with pytest.raises(MetalworkingError, match="no repository is around the site"):
            place_of(path, settings.premises)
    else:
        assert place_of(path, settings.premises) == path.resolve()
    git(tmp_path / "proj", "init", "-q")
    assert way_out(path, settings.premises) is None
    assert place_of(path, settings.premises) == path.resolve()


def test_a_path_without_a_link_asks_no_git(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mkdocs_metalworking.git.places.Git", None)
    assert place_of(top / "code/o/n") == top / "code/o/n"
