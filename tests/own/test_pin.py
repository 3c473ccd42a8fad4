"""One's own repository at a commit: by its objects, and never by the network."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest

from mkdocs_metalworking.hosts.mkdocs.answers import Answers
from mkdocs_metalworking.hosts.mkdocs.desk import Desk
from tests.own.conftest import STACK, Own
from tests.support import git


@pytest.fixture
def pinned(own: Own) -> Own:
    """The site at its first commit, with a second one that changed the code."""
    first = git(own.top, "rev-parse", "HEAD")
    own.sources(f'self: {{pin: "{first}"}}\n')
    own.page(
        "<< excerpt self:src/stack.py#symbol=empty hl=6 >>\n- L5: What.\n\n<< excerpt self:src/stack.py#L10-12 >>\n"
    )
    done = own.metalworking("lock")
    assert done.exit_code == 0, done.output
    own.commit({"src/stack.py": "import os\n" + STACK})
    return own


def test_the_commit_is_shown_and_not_the_working_tree(pinned: Own) -> None:
    assert pinned.problems() == []
    assert pinned.build("--strict").returncode == 0
    first = git(pinned.top, "rev-parse", "HEAD^")
    assert f"https://github.com/acme/own/blob/{first}/src/stack.py#L4-L6" in pinned.html
    assert f">{first[:7]}</a>" in pinned.html
    assert pinned.metalworking("lock", "--verify").exit_code == 0
    assert "1 proved by git" in pinned.metalworking("check").stderr


def test_an_agent_is_told_lines_that_are_published_nowhere(pinned: Own) -> None:
    first = git(pinned.top, "rev-parse", "HEAD^")
    for published in (True, False):
        if not published:
            pinned.replace("site/mkdocs.yml", "repo_url: https://github.com/acme/own\n", "")
        with closing(Desk(str(pinned.root / "mkdocs.yml"))) as desk:
            desk.complete()
            told = Answers(desk.reading).excerpt("self:src/stack.py#L6")
        assert told["code"] == "6\t    return Stack()"
        at = f"https://github.com/acme/own/blob/{first}/src/stack.py#L6"
        assert told["source"] == (at if published else f"self@{first[:7]}:src/stack.py")


def test_bump_moves_it_with_notes_and_lines(pinned: Own) -> None:
    done = pinned.metalworking("bump", "self")
    assert done.exit_code == 0, done.output
    page = pinned.text("site/docs/index.md")
    assert "#symbol=empty hl=7 >>\n- L6: What." in page
    assert "self:src/stack.py#L11-13 >>" in page
    head = git(pinned.top, "rev-parse", "HEAD")
    assert pinned.text("site/sources.yml") == f'self: {{pin: "{head}"}}\n'
    assert pinned.problems() == []
    assert pinned.build("--strict").returncode == 0
    again = pinned.metalworking("bump", "self")
    assert again.stdout == f"sources.yml:1: self is at {head[:7]} already\n"


def test_bump_stops_at_a_symbol_that_changed(pinned: Own) -> None:
    pinned.commit({"src/stack.py": STACK.replace("return Stack()", "return None")})
    before = pinned.text("site/sources.yml")
    done = pinned.metalworking("bump", "self", "--to", "HEAD")
    assert done.exit_code == 1
    assert "docs/index.md:3: changed src/stack.py L4-6" in done.stdout
    assert pinned.text("site/sources.yml") == before


def test_bump_has_nothing_to_move_in_a_working_tree(own: Own) -> None:
    own.metalworking("lock")
    done = own.metalworking("bump", "self")
    assert done.stdout.startswith("sources.yml:1: self is the working tree, which has no pin (metalworking accept")


def test_a_commit_that_is_not_here(pinned: Own) -> None:
    pinned.sources(f'self: {{pin: "{"1" * 40}"}}\n')
    done = pinned.metalworking("lock")
    assert done.exit_code == 1
    assert "this repository does not have the commit" in done.stdout
    assert "fetch-depth: 0" in done.stdout


def test_a_prefix_is_checked(pinned: Own) -> None:
    first = git(pinned.top, "rev-parse", "HEAD^")
    pinned.page(f"<< excerpt self@{first[:9]}:src/stack.py#L4 >>\n\n<< excerpt self@1234567:src/stack.py#L4 >>\n")
    assert pinned.problems() == [f"docs/index.md:5: commit 1234567 of self is not pinned (pinned: {first[:7]})"]


def test_a_shallow_checkout(pinned: Own, tmp_path: Path) -> None:
    pinned.commit({"src/stack.py": STACK})
    clone = Own(tmp_path / "clone")
    git(tmp_path, "clone", "-q", "--depth", "1", pinned.top.as_uri(), str(clone.top))
    done = clone.build("--strict")  # the file is as it was at the pin, so its blob is here without the commit
    assert done.returncode == 0, done.stderr
    assert "1 only locked" in clone.metalworking("check").stderr


def test_a_shallow_checkout_without_the_blob_is_a_card(pinned: Own, tmp_path: Path) -> None:
    clone = Own(tmp_path / "clone")
    pinned.commit()
    git(tmp_path, "clone", "-q", "--depth", "1", pinned.top.as_uri(), str(clone.top))
    done = clone.build()
    assert done.returncode == 0, done.stderr
    assert "mw-card" in clone.html
    assert "fetch-depth: 0" in done.stderr
    assert clone.build("--strict").returncode == 1


def test_the_working_tree_of_a_shallow_checkout(own: Own, tmp_path: Path) -> None:
    own.metalworking("lock")
    head = own.commit()
    clone = Own(tmp_path / "clone")
    git(tmp_path, "clone", "-q", "--depth", "1", own.top.as_uri(), str(clone.top))
    assert clone.build("--strict").returncode == 0
    assert f"blob/{head}/src/stack.py#L4-L6" in clone.html


def test_a_linked_worktree(own: Own, tmp_path: Path) -> None:
    own.metalworking("lock")
    own.commit()
    git(own.top, "worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    linked = Own(tmp_path / "linked")
    linked.replace("src/stack.py", "Stack()", "Stack(3)")
    assert own.problems() == []
    assert linked.problems() != []
    assert linked.metalworking("accept").exit_code == 0
    assert linked.build("--strict").returncode == 0


def test_no_repository(own: Own) -> None:
    own.metalworking("lock")
    (own.top / ".git").rename(own.top / "away")
    assert own.problems() == []
    done = own.build()
    assert done.returncode == 0, done.stderr
    assert "self:src/stack.py could not be read: no git repository encloses the site" in done.stderr
    assert "mw-card" in own.html
    assert own.build("--strict").returncode == 1
    assert own.metalworking("lock").exit_code == 0
    assert "symbol=empty" in own.text("site/sources.lock")
    assert own.metalworking("accept").exit_code == 1


def test_numbers_that_no_file_has_are_told_and_counted_by_nobody(own: Own) -> None:
    """Where the lines cannot be read, and in a line of the lock."""
    own.metalworking("lock")
    (own.top / ".git").rename(own.top / "away")
    own.page("<< excerpt self:src/stack.py#symbol=empty hl=1-999999999 >>\n")
    told = "docs/index.md:3: hl=L1-999999999 lies outside the excerpt (the excerpt shows L4-6, in source lines)"
    assert own.problems() == [told]
    text = own.text("site/sources.lock")
    wrong = re.sub(r" L[0-9]+(?:-[0-9]+)? ", " L1-999999999 ", text)
    assert wrong != text
    (own.top / "site/sources.lock").write_text(wrong)
    assert [problem for problem in own.problems() if "no file has that many lines" in problem]
