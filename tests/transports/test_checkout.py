"""Objects out of real clones, with nothing of the clone's own settings in force."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from mkdocs_metalworking.deliver.resolver import Resolver
from mkdocs_metalworking.deliver.transport import NotDelivered
from mkdocs_metalworking.deliver.transports.checkout import Checkout
from mkdocs_metalworking.git.cat_file import CatFile
from mkdocs_metalworking.git.command import Git, GitError, find_git_dir, safe_environment
from mkdocs_metalworking.git.objects import MissingObject, Oversized, resolve_path
from mkdocs_metalworking.quote.blob import FileKey, LockedFile

DATA = b"line 1\r\n\ttab\nlast without newline"


@pytest.fixture
def checkout(tmp_path):
    transport = Checkout(tmp_path / "code", timeout=5)
    yield transport
    transport.close()


def key(commit: str, path: str, repo: str = "o/n") -> FileKey:
    return FileKey(repo, commit, path)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("bare", [False, True])
def test_delivers_the_committed_bytes(tmp_path, make_repo, checkout, object_format, bare, tools):
    if bare:
        tools.git(tmp_path, "init", "-q")  # which tells that no branch brought it
    repo = make_repo(
        tmp_path / "code/o/n", {"a b/x#.metal": DATA, ".gitattributes": b"* text eol=lf"}, object_format, bare
    )
    if not bare:
        (repo.folder / "a b/x#.metal").write_bytes(b"edited")
    objects = CatFile(Git(find_git_dir(repo.folder)))
    entry = resolve_path(objects, repo.commit, "a b/x#.metal")
    data = objects.verified(entry.oid, kind="blob")
    objects.close()
    file = LockedFile.of(key(repo.commit, "a b/x#.metal"), data)
    assert file.blob == entry.oid
    assert checkout.get(file) == data
    assert file.mismatch(data) is None


def test_finds_clones_of_every_shape(tmp_path, make_repo):
    repo = make_repo(tmp_path / "real", {"a": b"a\n"})
    bare = make_repo(tmp_path / "bare.git", {"a": b"a\n"}, bare=True)
    (tmp_path / "link").symlink_to(bare.folder)
    (tmp_path / "linked-work").symlink_to(repo.folder)
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    for name in ("real", "bare.git", "link", "linked-work", "tree"):
        git_dir = find_git_dir(tmp_path / name)
        assert git_dir is not None, name
        assert Git(git_dir).run("cat-file", "-t", repo.commit) == b"commit\n"
    (tmp_path / "empty").mkdir()
    (tmp_path / "real" / "sub").mkdir()
    assert find_git_dir(tmp_path / "empty") is None
    assert find_git_dir(tmp_path / "real" / "sub") is None
    assert find_git_dir(tmp_path / "absent") is None


@pytest.mark.parametrize(
    "repo", ["o/absent", "codeberg.org/o/n", "../o/n", "o/..", "-o/n", "o/-n", "n", "o/n;x", "/o/n"]
)
def test_no_clone_is_a_reason_in_one_line(checkout, tools, repo):
    with pytest.raises(NotDelivered) as caught:
        checkout.get(tools.locked(DATA, repo=repo))
    message = caught.value.diagnostic.message
    assert "no git repository at" in message or "object" in message
    assert "\n" not in message


def test_a_clone_of_another_host_lies_under_its_name(tmp_path, make_repo, checkout, tools):
    repo = make_repo(tmp_path / "code/codeberg.org/o/n", {"a": DATA})
    assert checkout.get(tools.locked(DATA, "a", "codeberg.org/o/n", repo.commit)) == DATA


def test_a_missing_object_is_named(tmp_path, make_repo, checkout, tools):
    make_repo(tmp_path / "code/o/n", {"a": DATA})
    with pytest.raises(NotDelivered, match=r"code/o/n: object [0-9a-f]{12} is not in the repository"):
        checkout.get(tools.locked(b"never committed\n"))
    assert checkout.get(tools.locked(DATA)) == DATA


def test_an_oversized_object_is_not_read(tmp_path, make_repo, tools):
    big = b"x" * 100_000
    make_repo(tmp_path / "code/o/n", {"big": big, "small": DATA})
    transport = Checkout(tmp_path / "code", max_bytes=50_000, timeout=5)
    with pytest.raises(NotDelivered, match="100000 bytes, more than the limit of 50000"):
        transport.get(tools.locked(big))
    assert transport.get(tools.locked(DATA)) == DATA
    transport.close()


def test_one_process_for_two_hundred_files_and_none_when_warm(tmp_path, make_repo, checkout, store, tools):
    contents = {f"f/{n}.metal": b"kernel %d\n" % n for n in range(200)}
    repo = make_repo(tmp_path / "code/o/n", contents)
    files = [tools.locked(data, path, commit=repo.commit) for path, data in contents.items()]
    resolver = Resolver(store, [checkout])
    resolver.prefetch(files, max_workers=4)
    assert resolver.counts() == {"store": 0, "checkout": 200, "cards": 0, "errors": 0}
    assert checkout.processes == 1
    warm = Resolver(store, [Checkout(tmp_path / "nowhere")])
    warm.prefetch(files)
    assert warm.counts() == {"store": 200, "checkout": 0, "cards": 0, "errors": 0}


def test_a_process_that_dies_is_started_again(tmp_path, make_repo, tools):
    repo = make_repo(tmp_path / "r", {"a": DATA})
    objects = CatFile(Git(find_git_dir(repo.folder)))
    file = tools.locked(DATA)
    assert objects.read(file.blob) == DATA
    objects._process.kill()
    objects._process.wait()
    assert objects.read(file.blob) == DATA
    assert objects.started == 2
    objects.close()
    objects.close()


def test_many_threads_share_one_process(tmp_path, make_repo, tools):
    contents = {f"{n}": b"%d\n" % n * 2000 for n in range(20)}
    repo = make_repo(tmp_path / "r", contents)
    objects = CatFile(Git(find_git_dir(repo.folder)))
    wrong: list[str] = []

    def read() -> None:
        for name, data in contents.items():
            if objects.read(tools.locked(data).blob) != data:
                wrong.append(name)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert objects.started == 1
    objects.close()


def test_a_git_that_hangs_is_ended(tmp_path, make_repo):
    repo = make_repo(tmp_path / "r", {"a": DATA})
    script = tmp_path / "slow-git"
    script.write_text("#!/bin/sh\nexec sleep 60\n")
    script.chmod(0o755)
    slow = Git(find_git_dir(repo.folder), timeout=0.2, executable=str(script))
    with pytest.raises(GitError, match=r"took longer than 0\.2 seconds"):
        slow.run("cat-file", "-t", repo.commit)
    objects = CatFile(slow, timeout=0.2)
    for _ in range(5):
        with pytest.raises(GitError, match=r"did not answer within 0\.2 seconds; not asked again"):
            objects.read(repo.commit, kind="commit")
    assert objects.started == 1
    objects.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the system offers no such bound for another process")
def test_a_git_that_stays_open_is_held_to_the_same_memory(tmp_path, make_repo):
    """A clone may hold a few bytes that unpack to any number, as a fetched pack may."""
    repo = make_repo(tmp_path / "r", {"a": DATA})
    git = Git(find_git_dir(repo.folder))
    with open(os.devnull, "wb") as nowhere:
        process = git.popen("cat-file", "--batch", stderr=nowhere.fileno())
        limits = Path(f"/proc/{process.pid}/limits").read_text()
        process.communicate(b"")
    assert [line.split()[3] for line in limits.splitlines() if line.startswith("Max address space")] == [str(4 << 30)]


def test_no_git_is_an_error_that_says_what_to_install(tmp_path):
    with pytest.raises(GitError, match="install git"):
        Git(tmp_path, executable="/nonexistent/git").run("version")


def test_only_full_ids_reach_git(tmp_path, make_repo):
    repo = make_repo(tmp_path / "r", {"a": DATA})
    objects = CatFile(Git(find_git_dir(repo.folder)))
    for name in ("HEAD", "--batch", "-p", f"{repo.commit}:a", f"{repo.commit}\nHEAD", repo.commit[:12], ""):
        with pytest.raises(GitError, match="not a full object id"):
            objects.read(name)
    assert objects.started == 0


def test_what_is_read_has_the_kind_that_was_asked_for(tmp_path, make_repo):
    repo = make_repo(tmp_path / "r", {"a": DATA})
    objects = CatFile(Git(find_git_dir(repo.folder)))
    with pytest.raises(GitError, match="is a commit, not a blob"):
        objects.read(repo.commit)
    with pytest.raises(Oversized):
        objects.read(repo.commit, kind="commit", max_bytes=3)
    with pytest.raises(MissingObject):
        objects.read("0" * 40)
    objects.close()


def test_nothing_a_repository_sets_is_run(tmp_path, make_repo, checkout, tools):
    """fsmonitor, hooks, aliases, filters, textconv, pagers and helpers all point at a script that leaves a mark."""
    files = {"a.metal": DATA, ".gitattributes": b"* filter=evil diff=evil\n"}
    repo = make_repo(tmp_path / "code/o/n", files)
    mark = tmp_path / "mark"
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\necho ran >> '{mark}'\ncat\n")
    script.chmod(0o755)
    hooks = repo.folder / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-checkout", "pre-auto-gc", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        (hooks / hook).symlink_to(script)
    settings = {
        "core.fsmonitor": script,
        "core.hooksPath": hooks,
        "core.pager": script,
        "core.sshCommand": script,
        "core.askPass": script,
        "core.gitProxy": script,
        "core.alternateRefsCommand": script,
        "core.editor": script,
        "credential.helper": script,
        "filter.evil.smudge": script,
        "filter.evil.clean": script,
        "filter.evil.process": script,
        "diff.evil.textconv": script,
        "diff.evil.command": script,
        "diff.external": script,
        "alias.cat-file": f"!{script}",
        "uploadpack.packObjectsHook": script,
        "remote.origin.url": f"ext::{script}",
        "remote.origin.uploadpack": script,
        "remote.origin.promisor": "true",
        "remote.origin.partialclonefilter": "blob:none",
        "extensions.partialClone": "origin",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "core.repositoryformatversion": "1",
    }
    for name, value in settings.items():
        repo.git("config", name, str(value))
    mark.unlink(missing_ok=True)
    assert checkout.get(tools.locked(DATA, "a.metal", commit=repo.commit)) == DATA
    with pytest.raises(NotDelivered):
        checkout.get(tools.locked(b"would be fetched lazily\n"))
    assert not mark.exists()


def test_a_partial_clone_does_not_fetch_what_it_lacks(tmp_path, make_repo, checkout, tools):
    origin = make_repo(tmp_path / "origin", {"a": DATA})
    origin.git("config", "uploadpack.allowFilter", "true")
    (tmp_path / "code/o").mkdir(parents=True)
    tools.git(tmp_path, "init", "-q")
    tools.git(
        tmp_path, "clone", "-q", "--bare", "--filter=blob:none", origin.folder.as_uri(), str(tmp_path / "code/o/n")
    )
    before = sorted((tmp_path / "code/o/n/objects").rglob("*"))
    with pytest.raises(NotDelivered, match="object"):
        checkout.get(tools.locked(DATA))
    assert sorted((tmp_path / "code/o/n/objects").rglob("*")) == before


def test_a_replace_ref_changes_nothing(tmp_path, make_repo, checkout, tools):
    repo = make_repo(tmp_path / "code/o/n", {"a": DATA, "b": b"other\n"})
    true, false = tools.locked(DATA).blob, tools.locked(b"other\n").blob
    repo.git("replace", true, false)
    assert repo.git("cat-file", "-p", true) == "other"
    assert checkout.get(tools.locked(DATA)) == DATA


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_clone_that_belongs_to_somebody_else_is_read(tmp_path, make_repo, checkout, tools):
    repo = make_repo(tmp_path / "code/o/n", {"a": DATA})
    for path in [repo.folder, *repo.folder.rglob("*")]:
        os.lchown(path, 65534, 65534)
    assert checkout.get(tools.locked(DATA)) == DATA


def test_the_environment_brings_nothing_of_git_along():
    inherited = {"GIT_DIR": "/x", "GIT_ALTERNATE_OBJECT_DIRECTORIES": "/y", "GIT_SSH_COMMAND": "evil", "HOME": "/h"}
    inherited |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "evil"}
    inherited |= {"GIT_SSL_CAINFO": "/ca", "GIT_EXTERNAL_DIFF": "evil", "SSH_ASKPASS": "evil"}
    reading, fetching = safe_environment(inherited), safe_environment(inherited, protocol="https")
    for env in (reading, fetching):
        assert "evil" not in env.values()
        assert not {"GIT_DIR", "GIT_ALTERNATE_OBJECT_DIRECTORIES"} & env.keys()
        assert env["GIT_TERMINAL_PROMPT"] == "0"
        assert env["HOME"] == os.devnull
    assert reading["GIT_NO_LAZY_FETCH"] == "1"
    assert reading["GIT_ALLOW_PROTOCOL"] == "none"
    assert fetching["GIT_ALLOW_PROTOCOL"] == "https"
    assert fetching["GIT_SSL_CAINFO"] == "/ca"


def test_a_git_file_that_leads_nowhere_is_no_repository(tmp_path):
    for text in ("gitdir: /nonexistent", "no gitdir", "gitdir:", "\x00\xff"):
        (tmp_path / ".git").write_text(text, encoding="latin-1")
        assert find_git_dir(Path(tmp_path)) is None
