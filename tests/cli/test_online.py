"""``metalworking check --online``: what changed at the sources since their pins."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Desk
from tests.support import git
from tests.transports.gitserver import GitServer

FILES: dict[str, str | bytes] = {"a.c": "a\n", "b.c": "b\n", "c.c": "c\n", "LICENSE": "MIT\n"}


@pytest.fixture
def desk(desk: Desk) -> Desk:
    desk.add_repo("acme/kernels", FILES)
    desk.write([("acme/kernels", name) for name in ("a.c", "b.c", "c.c")])
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c#L1 >>\n\n[@acme/kernels:b.c#L1]\n")
    return desk


def test_nothing_new_is_nothing_to_say(desk: Desk) -> None:
    done = desk.metalworking("check", "--online", "--strict")
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1] == "1 pin asked: 0 findings"
    desk.commit({"c.c": "locked, but neither quoted nor cited\n"})
    assert desk.metalworking("check", "--online", "--strict").exit_code == 0


def test_each_finding_is_one_line_and_fatal_only_when_strict(desk: Desk) -> None:
    desk.commit({"a.c": "changed\n", "b.c": None, "LICENSE": "GPL\n"})
    done = desk.metalworking("check", "--online")
    assert done.exit_code == 0
    head = git(desk.home(), "rev-parse", "HEAD")
    hint = "(metalworking bump acme/kernels --dry-run shows what moves)"
    assert done.stdout.splitlines() == [
        f"sources.yml:2: acme/kernels: LICENSE changed upstream since {desk.sha} "
        f"(read it: https://github.com/acme/kernels/tree/{head})",
        f"sources.yml:2: acme/kernels: a.c changed upstream since {desk.sha} {hint}",
        f"sources.yml:2: acme/kernels: b.c is gone upstream since {desk.sha} {hint}",
    ]
    assert desk.metalworking("check", "--online", "--strict").exit_code == 1
    found = desk.json("check", "--online")
    assert [(one["path"], one["line"], one["severity"], one["code"]) for one in found] == [
        ("sources.yml", 2, "warning", "license"),
        ("sources.yml", 2, "warning", "drift"),
        ("sources.yml", 2, "warning", "drift"),
    ]


def test_a_pin_without_its_license_file(desk: Desk) -> None:
    (desk.root / "sources.yml").write_text(
        desk.text("sources.yml").replace("license: MIT", "license: MIT\n    license_file: COPYING"), encoding="utf-8"
    )
    desk.commit({"c.c": "x\n"})
    assert f"commit {desk.sha} has no COPYING (name the file with license_file:)" in (
        desk.metalworking("check", "--online").stdout
    )


def test_a_commit_that_is_gone(desk: Desk) -> None:
    home = desk.home()
    git(home, "checkout", "-q", "--orphan", "other")
    git(home, "commit", "-q", "-m", "Rewritten")
    for branch in ("main", "master"):
        if branch in git(home, "branch", "--list", branch):
            git(home, "branch", "-D", branch)
    git(home, "update-ref", "-d", "refs/remotes/origin/HEAD")
    shutil.rmtree(home / ".git/refs/remotes", ignore_errors=True)
    (home / ".git/packed-refs").unlink(missing_ok=True)
    git(home, "reflog", "expire", "--expire=now", "--all")
    git(home, "gc", "-q", "--prune=now")
    done = desk.metalworking("check", "--online")
    assert done.exit_code == 0, done.output
    (line,) = done.stdout.splitlines()
    assert line.startswith(f"sources.yml:2: acme/kernels: commit {desk.sha} can no longer be fetched (")


def test_a_repository_that_cannot_be_asked_does_not_hide_the_others(desk: Desk) -> None:
    desk.add_repo("acme/other", {"x.c": "x\n", "LICENSE": "MIT\n"})
    desk.write([("acme/kernels", "a.c"), ("acme/kernels", "b.c"), ("acme/other", "x.c")])
    desk.page("first/two.md", "# Two\n\n[@acme/other:x.c#L1]\n")
    desk.commit({"x.c": "y\n"}, "acme/other")
    desk.addresses["acme/kernels"] = (desk.root / "nowhere").as_uri()
    done = desk.metalworking("check", "--online")
    assert done.exit_code == 0, done.output
    first, second = done.stdout.splitlines()
    assert first.startswith("sources.yml:2: acme/kernels: file://")
    assert "git ls-remote: fatal: " in first
    assert second.startswith("sources.yml:5: acme/other: x.c changed upstream")
    assert done.stderr.splitlines()[-1] == "2 pins asked, 1 could not be asked: 1 finding"


def test_a_repository_that_moved(desk: Desk, tmp_path: Path, serve) -> None:  # type: ignore[no-untyped-def]
    shutil.copytree(desk.home(), tmp_path / "served/new/name.git", symlinks=True)
    real = GitServer(serve, tmp_path / "served/new")

    def respond(handler) -> None:  # type: ignore[no-untyped-def]
        handler.send_response(301)
        handler.send_header("Location", handler.path.replace("/acme/kernels", f"{real.server.url}/name"))
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    desk.addresses["acme/kernels"] = f"{serve(respond).url}/acme/kernels.git"
    done = desk.metalworking("check", "--online")
    assert done.stdout == (
        "sources.yml:2: acme/kernels: the repository is now at "
        f"{real.server.url}/name.git (change repo: in its entry)\n"
    )


def test_errors_of_the_pages_come_first(desk: Desk) -> None:
    desk.page("first/two.md", "# Two\n\n<< excerpt {k}:a.c#L9 >>\n")
    desk.commit({"a.c": "changed\n"})
    done = desk.metalworking("check", "--online")
    assert done.exit_code == 1
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["docs/first/two.md", "sources.yml"]
