"""A commit is one of the repository under whose name it was had: what lies here under another name proves nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from tests.cli.conftest import Desk
from tests.cli.conftest import desk as desk  # a fixture
from tests.support import git
from tests.transports.conftest import serve as serve  # a fixture of *desk*'s module

EVIL = "int evil;\n"


def _commit(desk: Desk) -> str:
    git(desk.root, "add", "-A")
    git(desk.root, "commit", "-q", "-m", "Next")
    return git(desk.root, "rev-parse", "HEAD")


def _alone(desk: Desk) -> None:
    """The change brings the commit, and nothing else."""


def _as_self(desk: Desk) -> None:
    """The same lines are quoted as one's own, too, which proves the commit and keeps the proof."""
    _own(desk, "self: {pin: COMMIT}\n")


def _as_self_by_that_name(desk: Desk) -> None:
    """sources.yml says that the site's own repository is published under that name."""
    _own(desk, "self: {pin: COMMIT, repo: acme/kernels}\n")


def _own(desk: Desk, entry: str) -> None:
    path = desk.root / "sources.yml"
    path.write_text(entry.replace("COMMIT", desk.commits["acme/kernels"]) + desk.text("sources.yml"))
    desk.page("first/one.md", "# One\n\n<< excerpt self:a.c >>\n\n<< excerpt {k}:a.c >>\n")


def _link(to: str, *, at: str = "code/acme/kernels") -> Callable[[Desk], None]:
    def made(desk: Desk) -> None:
        path = desk.root / at
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(to)

    return made


def _bare(desk: Desk) -> None:
    """The files of a bare repository, which a commit can hold, where a clone would lie."""
    folder = desk.root / "code/acme/kernels"
    git(desk.root, "clone", "-q", "--bare", str(desk.root), str(folder))
    (folder / "refs/heads/kept").write_text("")  # a commit holds no empty folder


def _submodule(desk: Desk) -> None:
    """A repository within the repository, where whoever builds brings those."""
    evil = git(desk.root, "rev-parse", desk.commits["acme/kernels"])
    (desk.root / "code/acme").mkdir(parents=True)
    git(
        desk.root,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(desk.root),
        "code/acme/kernels",
    )
    git(desk.root / "code/acme/kernels", "checkout", "-q", evil)


WAYS = {
    "alone": _alone,
    "self": _as_self,
    "self by that name": _as_self_by_that_name,
    "a link in code/": _link("../.."),
    "a link for code/": _link("elsewhere", at="code"),
    "a bare repository in code/": _bare,
    "a submodule in code/": _submodule,
}


@pytest.fixture
def change(desk: Desk, request: pytest.FixtureRequest) -> Desk:
    """A fresh checkout of a stranger's branch, whose own commit is pinned as one of acme/kernels, and its way."""
    git(desk.root, "init", "-q", "-b", "main")
    (desk.root / ".gitignore").write_text("store/\nhomes/\n")
    desk.add_repo("acme/kernels", {"a.c": "int a;\n", "LICENSE": "MIT\n"})
    desk.home()
    shutil.rmtree(desk.root / "code")
    _commit(desk)
    (desk.root / "a.c").write_text(EVIL)
    commit = _commit(desk)
    (desk.root / "a.c").unlink()
    desk.commits["acme/kernels"] = desk.pins[0]["commit"] = commit
    desk.write([])
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c >>\n")
    shutil.copytree(desk.root / ".git", desk.root / "code/acme/kernels/.git")
    desk.write([("acme/kernels", "a.c")])
    shutil.rmtree(desk.root / "code")
    WAYS[request.param](desk)
    if request.param == "a link for code/":
        folder = desk.root / "elsewhere/acme/kernels"
        folder.parent.mkdir(parents=True)
        folder.symlink_to("../..")
    if request.param.startswith("self"):
        assert desk.metalworking("lock").exit_code == 0
        assert len(desk.text("sources.lock").splitlines()) == 3
        shutil.rmtree(desk.root / "store")
    _commit(desk)
    folder = desk.root.parent / f"{desk.root.name}-checkout"
    options = ("-c", "protocol.file.allow=always", "clone", "-q", "--recurse-submodules")
    git(desk.root, *options, str(desk.root), str(folder))
    return Desk(folder, desk.pins, desk.commits, homes=desk.homes)


@pytest.mark.parametrize("change", WAYS, indirect=True)
def test_no_commit_of_a_change_is_one_of_another_repository(change: Desk) -> None:
    """acme/kernels, which can be asked, has no such commit."""
    own = 1 if (change.root / "sources.yml").read_text().startswith("self") else 0
    for _ in range(2):  # what one command keeps is no proof for the next one
        told = change.metalworking("check", "--changed-from", "origin/main~2").stdout
        assert "a.c` is locked as blob" in told
        assert told.count("proved by git") == own, told
        verified = change.metalworking("lock", "--verify")
        assert verified.exit_code == 2, verified.output
        assert f"{1 + own} files, {own} proved by git, 1 not proved, 0 wrong" in verified.stderr
        assert "no branch or tag leads to commit" in verified.stdout
    (change.root / "sources.lock").write_text("metalworking-lock 2\n")
    assert change.metalworking("lock").exit_code == 1
    assert "blob acme/kernels" not in change.text("sources.lock")


@pytest.mark.parametrize("unpacked", [False, True])
@pytest.mark.parametrize("change", [*WAYS][3:], indirect=True)
def test_what_a_change_brings_as_a_clone_delivers_nothing(change: Desk, unpacked: bool) -> None:
    """Nor where it is an unpacked archive of the branch, around which no repository is that could tell."""
    if unpacked:
        shutil.rmtree(change.root / ".git")
        (change.root / "code/acme/kernels/.git").unlink(missing_ok=True)
    done = change.build()
    assert "no git repository at code/acme/kernels" in done.stderr
    assert "evil" not in change.html("first/one/index.html")
    cloned = change.metalworking("clone")
    assert cloned.exit_code == 1
    said = ("came with the site's own repository", "a link of the repository", "may have come with the site, around")
    alone = ("is a symbolic link", "holds something else than a clone") if unpacked else ()
    assert any(one in cloned.stderr for one in (*said, *alone))


def test_where_git_cannot_tell_a_store_proves_nothing_and_delivers(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    """An image without git, say: its bytes are hashed, and no hash tells of which repository a commit is."""
    git(desk.root, "init", "-q", "-b", "main")
    desk.add_repo("acme/kernels", {"a.c": "int a;\n", "LICENSE": "MIT\n"})
    desk.home()
    desk.write([("acme/kernels", "a.c")])
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c >>\n")
    assert desk.metalworking("fetch").exit_code == 0
    shutil.rmtree(desk.root / "code")
    assert "1 proved by git" in desk.metalworking("check").output
    (desk.root / ".git/index").write_bytes(b"no index")
    caplog.set_level("INFO", "mkdocs_metalworking")
    done = desk.metalworking("check", "--strict")
    assert done.exit_code == 0, done.output
    assert "nobody can tell whether the store store came with the site's repository" in caplog.text
    assert "0 proved by git, 1 only locked" in done.output
    built = desk.build("--strict")
    assert built.returncode == 0, built.stderr
    assert "so it proves nothing: git ls-files: fatal" in built.stderr
    assert "Quoted 1 of 1 excerpts" in built.stderr


def test_a_store_that_a_change_brings_proves_nothing(desk: Desk) -> None:
    """Three files named by hashes, which hold commit, tree and bytes: as if they had been asked for."""
    git(desk.root, "init", "-q", "-b", "main")
    (desk.root / ".gitignore").write_text("code/\nstore/\nhomes/\n")
    desk.add_repo("acme/kernels", {"a.c": EVIL, "LICENSE": "MIT\n"})
    desk.home()
    desk.write([("acme/kernels", "a.c")])
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c >>\n")
    shutil.rmtree(desk.root / "code")
    assert desk.metalworking("lock", "--verify").exit_code == 0
    _commit(desk)
    desk.addresses["acme/kernels"] = f"file://{desk.root}/nowhere"
    assert desk.metalworking("lock", "--verify").exit_code == 0, "the store of whoever works here is none of a change"
    git(desk.root, "add", "-f", "store")
    for command in (("lock", "--verify"), ("check",), ("fetch",)):
        done = desk.metalworking(*command)
        assert done.exit_code == 1, command
        assert "the store store came with the site's own repository" in done.output
    done = desk.build()
    assert done.returncode == 1
    assert "came with the site's own repository" in done.stderr


@pytest.mark.parametrize("command", [("lock", "--update"), ("lock", "--verify"), ("check",)])
def test_what_a_mirror_gave_is_kept_as_the_mirror_s(desk: Desk, command: tuple[str, ...]) -> None:
    """A store outlives the change that named a mirror, and serves other sites."""
    desk.add_repo("else/fork", {"a.c": EVIL, "LICENSE": "MIT\n"})
    commit = desk.pins[0]["commit"]
    desk.addresses["acme/kernels"] = f"file://{desk.root}/nowhere"
    desk.pins[0] = {"repo": "acme/kernels", "commit": commit, "license": "MIT", "extra": "mirrors: [else/fork]"}
    desk.commits["acme/kernels"] = commit
    desk.write([])
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c >>\n")
    assert desk.metalworking("lock").exit_code == 0
    assert "blob acme/kernels" in desk.text("sources.lock")
    assert desk.metalworking(*command).exit_code == 0
    shutil.rmtree(desk.root / "code")
    verified = desk.metalworking("lock", "--verify")
    assert verified.exit_code == 0, "the pin names the mirror, and the store has it of the mirror"
    path = desk.root / "sources.yml"
    path.write_text(path.read_text().replace("mirrors: [else/fork]", ""))
    verified = desk.metalworking("lock", "--verify")
    assert verified.exit_code == 2, verified.output
    assert "1 files, 0 proved by git, 1 not proved, 0 wrong" in verified.stderr


def test_no_commit_of_the_site_is_kept_for_another_one(desk: Desk) -> None:
    """The checkout of a change to acme/site has commits that acme/site never had; the store serves all sites."""
    desk.config("site_name: Test\n", "site_name: Test\nrepo_url: https://github.com/acme/site\n")
    (desk.root / ".gitignore").write_text("code/\nstore/\nhomes/\n")
    (desk.root / "a.c").write_text(EVIL)
    git(desk.root, "init", "-q", "-b", "main")
    desk.quote_own_commit(_commit(desk), "a.c")
    assert desk.metalworking("lock").exit_code == 0
    assert desk.metalworking("lock", "--verify").exit_code == 0
    (desk.root / ".git").rename(desk.root / "gone")
    verified = desk.metalworking("lock", "--verify")
    assert verified.exit_code == 2, verified.output
