"""What a path of one's own repository may lead to, and what is read of it: files that git tracks, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mkdocs_metalworking.quote.blob import MAX_FILE
from tests.own.conftest import STACK, Own
from tests.support import commit_files, git


def answer(own: Own, target: str) -> str:
    """Return what check says of an excerpt of *target*, without its place."""
    own.page(f"<< excerpt self:{target} >>\n")
    own.metalworking("lock")
    (told,) = own.problems()
    return told.removeprefix("docs/index.md:3: ")


@pytest.mark.parametrize(
    "path", ["../secret.py", "src/../../secret.py", "/etc/passwd", "src//stack.py", "./src/stack.py", "C:/secret.py"]
)
def test_paths_that_are_not_plain(own: Own, path: str) -> None:
    (own.top.parent / "secret.py").write_text("def secret():\n    return 1\n")
    assert "plain path" in (told := answer(own, path)) or "absolute path" in told


def test_links(own: Own) -> None:
    (own.top.parent / "away").mkdir()
    (own.top.parent / "away/secret.py").write_text(STACK)
    os.symlink("../../away/secret.py", own.top / "src/link.py")
    os.symlink("../away", own.top / "out")
    assert answer(own, "src/link.py").startswith("self:src/link.py: git does not track it")
    assert answer(own, "out/secret.py") == "self:out/secret.py: out is a symbolic link (quote by the real folder)"
    own.commit()
    assert answer(own, "src/link.py") == "self:src/link.py: a symbolic link, not a file (quote the file it leads to)"


def test_a_link_that_takes_the_place_of_a_tracked_file_or_folder(own: Own) -> None:
    own.page("<< excerpt self:src/stack.py#symbol=empty >>\n")
    own.metalworking("lock")
    secret = own.top.parent / "secret.py"
    secret.write_text(STACK)
    (own.top / "src/stack.py").unlink()
    os.symlink(secret, own.top / "src/stack.py")
    (told,) = own.problems()
    assert "self:src/stack.py: src/stack.py is a symbolic link in the working tree" in told
    (own.top / "src/stack.py").unlink()
    (own.top / "src").rmdir()
    os.symlink(own.top.parent, own.top / "src")
    (own.top.parent / "stack.py").write_text(STACK)
    (told,) = own.problems()
    assert "self:src/stack.py: src is a symbolic link in the working tree" in told
    assert own.build().returncode == 1


def test_a_submodule_and_a_repository_inside(own: Own, tmp_path: Path) -> None:
    commit_files(tmp_path / "other", {"a.py": "def f():\n    return 1\n"})
    git(own.top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", (tmp_path / "other").as_uri(), "sub")
    assert answer(own, "sub") == "self:sub: a submodule, not a file (quote its own repository)"
    assert answer(own, "sub/a.py") == "self:sub/a.py: sub is a repository itself (quote that repository)"
    commit_files(own.top / "inner", {"b.py": "x = 1\n"})
    assert answer(own, "inner/b.py") == "self:inner/b.py: inner is a repository itself (quote that repository)"


def test_files_that_git_does_not_track(own: Own) -> None:
    own.write({"run.log": "line\n", "new.py": "x = 1\n"})
    assert answer(own, "run.log") == "self:run.log: git ignores it (only files that git tracks are quoted)"
    assert answer(own, "new.py") == "self:new.py: git does not track it (git add it first)"
    assert answer(own, "src") == "self:src: a directory, not a file (quote a file in it)"
    assert answer(own, ".git/config").startswith("self:.git/config: ")
    git(own.top, "add", "new.py")
    own.page("<< excerpt self:new.py >>\n")
    own.metalworking("lock")
    assert own.problems() == []


def test_a_file_that_is_gone(own: Own) -> None:
    (own.top / "src/stack.py").unlink()
    assert answer(own, "src/stack.py").startswith("self:src/stack.py: the working tree lacks it")
    (own.top / "src/stack.py").mkdir()
    assert answer(own, "src/stack.py").startswith("self:src/stack.py: no regular file")


def test_a_pipe_is_not_waited_for(own: Own) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes here")
    (own.top / "src/stack.py").unlink()
    os.mkfifo(own.top / "src/stack.py")
    assert answer(own, "src/stack.py").startswith("self:src/stack.py: no regular file")


def test_what_is_no_text(own: Own) -> None:
    big = b"x = 1\n" * (MAX_FILE // 6 + 1)
    own.commit({"a.bin": b"a\0b\n", "latin.py": b"# caf\xe9\n", "empty.py": "", "big.py": big})
    assert "a binary file (byte 2 is NUL)" in answer(own, "a.bin")
    assert "line 1 is not UTF-8" in answer(own, "latin.py")
    assert "the file is empty" in answer(own, "empty.py")
    assert "more than the limit of 4194304 bytes" in answer(own, "big.py")


def test_line_ends_of_the_working_tree_do_not_matter(own: Own) -> None:
    own.metalworking("lock")
    own.write({"src/stack.py": STACK.replace("\n", "\r\n")})
    git(own.top, "config", "core.autocrlf", "true")
    assert own.problems() == []
    assert own.build("--strict").returncode == 0
    assert "uncommitted" not in own.html
    own.metalworking("accept")
    assert own.metalworking("accept").stderr == "sources.lock: nothing to accept\n"


def test_a_site_at_the_top_and_names_with_blanks(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    git(top, "init", "-q")
    own = Own(top)
    own.write(
        {"my code/é #1.py": "def f():\n    return 1\n", "site/mkdocs.yml": "site_name: S\nplugins: [metalworking]\n"}
    )
    own.sources("self: working-tree\n")
    own.page('<< excerpt self:"my code/é #1.py"#symbol=f >>\n')
    own.commit()
    assert own.metalworking("lock").exit_code == 0
    assert own.problems() == []
    assert "my%20code/" in own.text("site/sources.lock")
    assert own.metalworking("accept").exit_code == 0


def test_settings_of_the_repository_start_nothing(own: Own) -> None:
    witness = own.top.parent / "witness"
    for name in (
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "core.sshCommand",
        "filter.x.smudge",
        "filter.x.clean",
    ):
        git(own.top, "config", name, f"touch {witness}")
    own.write({".gitattributes": "*.py filter=x\n"})
    own.metalworking("lock")
    assert own.problems() == []
    own.build()
    assert not witness.exists()


def test_a_lock_that_was_written_by_hand(own: Own) -> None:
    own.metalworking("lock")
    good = own.text("site/sources.lock")
    for old, new in [("L4-6", "L6-4"), ("L4-6", "L4-"), ("symbol=empty", "symbol="), ("symbol=empty", "guards=a")]:
        own.write({"site/sources.lock": good.replace(old, new)})
        assert any("not a lock line" in told for told in own.problems()), new
    line = good.splitlines()[-1]
    own.write({"site/sources.lock": good + line.replace("sha256:", "sha256:0")[:-1] + "\n"})
    assert own.problems() != []
    own.write({"site/sources.lock": good + line.replace("L4-6", "L4-5") + "\n"})
    assert any("listed twice, in two ways" in told for told in own.problems())


def test_entries_of_sources_yml_that_are_none(own: Own) -> None:
    for text, told in [
        ("self: HEAD\n", "write working-tree, or a mapping with pin:"),
        ("self: {}\n", "has no 'pin'"),
        ("self: {pin: main}\n", "write working-tree or the full commit id"),
        ("self: {pin: working-tree, repo: nobody}\n", "'nobody' is not a repository"),
        ("self: {pin: working-tree, license: Mine}\n", "'Mine' is not SPDX"),
        ("self: {pin: working-tree, licence: MIT}\n", "did you mean license?"),
        ("self: 7\n", "it should be string or object"),
        ("references: []\n", "the document has no 'repositories'"),
    ]:
        own.sources(text)
        assert any(told in line for line in own.problems()), (text, own.problems())
