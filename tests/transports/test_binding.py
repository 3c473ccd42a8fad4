"""A file is bound to a commit by git's own objects, locally or by one small fetch."""

from __future__ import annotations

import logging
import zlib

import pytest

from mkdocs_metalworking.git.binding import Binder
from mkdocs_metalworking.quote.blob import FileKey, LockedFile
from mkdocs_metalworking.quote.diagnostics import MetalworkingError, Unavailable
from tests.support import PATIENCE
from tests.transports.gitserver import GitServer

LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12\n"
FILES = {
    "src/a.metal": b"kernel\r\n\tx\n",
    "run.sh": b"#!/bin/sh\n",
    "link": "src/a.metal",
    "lfs.bin": LFS,
    "image": b"\x89PNG\0\n",
    "empty": b"",
    "latin": b"ok\ncaf\xe9\n",
    "-rf": b"a name with a dash\n",
    "--help": b"another\n",
    ":(glob)*": b"no pathspec\n",
    "*": b"a star\n",
    "big": b"x" * 5000 + b"\n",
    "sp ace#1": b"odd\n",
}


@pytest.fixture
def no_network(tmp_path):
    def url(repo: str) -> str:
        raise AssertionError(f"{repo} was fetched")

    return Binder(tmp_path / "code", url=url, timeout=PATIENCE, max_bytes=4000)


def with_submodule(repo):
    """Commit a submodule entry and return the commit."""
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    repo.git("commit", "-q", "-m", "module")
    return repo.git("rev-parse", "HEAD")


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_local_clone_that_has_the_commit_is_enough(tmp_path, make_repo, no_network, object_format):
    repo = make_repo(tmp_path / "code/o/n", FILES, object_format)
    for path in ("src/a.metal", "run.sh", "-rf", "--help", ":(glob)*", "*", "sp ace#1"):
        key = FileKey("o/n", repo.commit, path)
        file = no_network.bind(key)
        assert file == LockedFile.of(key, FILES[path])
        assert file.blob == repo.git("rev-parse", f"HEAD:{path}")


@pytest.mark.parametrize(
    ("path", "code", "words"),
    [
        ("absent", "not-in-commit", "the commit has no such file"),
        ("src/A.metal", "not-in-commit", "did you mean src/a.metal"),
        ("src/a.metal/x", "not-in-commit", "a.metal is a file, not a folder"),
        ("src/../run.sh", "not-in-commit", "no such file"),
        ("/run.sh", "not-in-commit", "no such file"),
        ("run.sh/", "not-in-commit", "run.sh is a file, not a folder"),
        ("", "not-in-commit", "no such file"),
        ("link", "symlink", "a symbolic link, not a file"),
        ("module", "submodule", "a submodule, not a file"),
        ("src", "directory", "a directory, not a file"),
        ("lfs.bin", "lfs-pointer", "Git LFS pointer"),
        ("image", "binary-file", r"byte 5 is NUL"),
        ("empty", "empty-file", "empty"),
        ("latin", "not-utf-8", r"line 2 is not UTF-8 \(byte 7\)"),
        ("big", "oversized", "5001 bytes, more than the limit of 4000"),
    ],
)
def test_each_thing_that_is_not_a_text_file_has_its_own_message(tmp_path, make_repo, no_network, path, code, words):
    repo = make_repo(tmp_path / "code/o/n", FILES)
    commit = with_submodule(repo)
    with pytest.raises(MetalworkingError, match=words) as caught:
        no_network.bind(FileKey("o/n", commit, path))
    assert caught.value.diagnostic.code == code
    assert not isinstance(caught.value, Unavailable)


def test_a_mirror_with_the_same_commit_is_enough(tmp_path, make_repo):
    repo = make_repo(tmp_path / "code/fork/n", FILES)
    kept = []
    binder = Binder(tmp_path / "code", mirrors=["x/y", "fork/n"], offline=True, keep=lambda *pair: kept.append(pair))
    key = FileKey("o/n", repo.commit, "run.sh")
    file = binder.bind(key)
    assert file.key == key
    assert kept == [(file, FILES["run.sh"])]


def test_offline_without_a_clone_says_where_one_would_lie(tmp_path):
    with pytest.raises(Unavailable, match=r"o/n@aaaaaaa: offline, and no clone at code/o/n has it"):
        Binder(tmp_path / "code", offline=True).bind(FileKey("o/n", "a" * 40, "f"))


@pytest.mark.parametrize("commit", ["main", "v1.0", "abc1234", "-" * 40, "A" * 40, "--upload-pack=evil", ""])
def test_only_full_commit_ids(no_network, commit):
    with pytest.raises(MetalworkingError, match="not a full commit id"):
        no_network.bind(FileKey("o/n", commit, "f"))


def test_an_annotated_tag_is_not_a_commit(tmp_path, make_repo, no_network):
    repo = make_repo(tmp_path / "code/o/n", FILES)
    repo.git("tag", "-a", "-m", "t", "v1")
    tag = repo.git("rev-parse", "v1")
    with pytest.raises(MetalworkingError, match="is a tag, not a commit"):
        no_network.bind(FileKey("o/n", tag, "run.sh"))


def test_a_clone_with_altered_objects_binds_nothing(tmp_path, make_repo, caplog):
    repo = make_repo(tmp_path / "code/o/n", FILES)
    blob = repo.git("rev-parse", "HEAD:run.sh")
    path = repo.folder / ".git/objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    evil = b"#!/bin/ev\n"
    path.write_bytes(zlib.compress(b"blob %d\0" % len(evil) + evil))
    binder = Binder(tmp_path / "code", offline=True)
    with pytest.raises(MetalworkingError):
        binder.bind(FileKey("o/n", repo.commit, "run.sh"))
    assert "is damaged" in caplog.text
    assert binder.bind(FileKey("o/n", repo.commit, "src/a.metal"))


def test_a_replaced_tree_binds_what_was_committed(tmp_path, make_repo, no_network):
    repo = make_repo(tmp_path / "code/o/n", FILES)
    tree = repo.git("rev-parse", "HEAD^{tree}")
    (repo.folder / "run.sh").write_bytes(b"evil\n")
    repo.git("add", "run.sh")
    repo.git("replace", tree, repo.git("write-tree"))
    key = FileKey("o/n", repo.commit, "run.sh")
    assert no_network.bind(key) == LockedFile.of(key, FILES["run.sh"])


# Fetching -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_two_hundred_files_of_one_commit_are_one_fetch(tmp_path, make_repo, serve, object_format):
    contents = {f"f/{n}.metal": b"kernel %d\n" % n for n in range(200)} | {"huge": b"y" * 3_000_000}
    repo = make_repo(tmp_path / "served/o/n.git", contents, object_format, bare=True)
    repo.git("config", "uploadpack.allowFilter", "true")
    server = GitServer(serve, tmp_path / "served")
    binder = Binder(tmp_path / "code", url=server.url, timeout=PATIENCE)
    keys = [FileKey("o/n", repo.commit, path) for path in contents if path != "huge"]
    bound = binder.bind_many(keys)
    assert bound == {key: LockedFile.of(key, contents[key.path]) for key in keys}
    assert server.packs <= 4  # each fetch asks once for what there is, once for the objects: commit, then blobs


def test_fetched_files_have_the_same_messages(tmp_path, make_repo, serve):
    repo = make_repo(tmp_path / "served/o/n.git", FILES, bare=True)
    repo.git("config", "uploadpack.allowFilter", "true")
    binder = Binder(tmp_path / "code", url=GitServer(serve, tmp_path / "served").url, timeout=PATIENCE, max_bytes=4000)
    bound = binder.bind_many([FileKey("o/n", repo.commit, path) for path in [*FILES, "absent", "src"]])
    codes = {key.path: value.diagnostic.code for key, value in bound.items() if isinstance(value, MetalworkingError)}
    assert codes == {
        "link": "symlink",
        "lfs.bin": "lfs-pointer",
        "image": "binary-file",
        "empty": "empty-file",
        "latin": "not-utf-8",
        "big": "oversized",
        "absent": "not-in-commit",
        "src": "directory",
    }


@pytest.mark.parametrize("kind", ["old", "dumb"])
def test_a_server_that_refuses_ids_gets_a_deeper_fetch_and_the_cause_is_named(tmp_path, make_repo, serve, caplog, kind):
    repo = make_repo(tmp_path / "served/o/n.git", FILES, bare=True)
    # The pinned commit is not the tip, so that an old server does not advertise its id.
    child = repo.git("commit-tree", "-p", repo.commit, "-m", "second", f"{repo.commit}^{{tree}}")
    repo.git("update-ref", "refs/heads/main", child)
    repo.git("update-server-info")
    server = GitServer(serve, tmp_path / "served", old=kind == "old", dumb=kind == "dumb")
    binder = Binder(tmp_path / "code", url=server.url, timeout=PATIENCE)
    key = FileKey("o/n", repo.commit, "run.sh")
    with caplog.at_level(logging.WARNING):
        assert binder.bind(key) == LockedFile.of(key, FILES["run.sh"])
    assert "fetching the whole history" in caplog.text
    assert {"old": "unadvertised object", "dumb": "dumb http transport"}[kind] in caplog.text


def test_a_commit_that_no_server_has(tmp_path, make_repo, serve):
    make_repo(tmp_path / "served/o/n.git", FILES, bare=True)
    binder = Binder(tmp_path / "code", url=GitServer(serve, tmp_path / "served").url, timeout=PATIENCE)
    with pytest.raises(Unavailable, match="no branch or tag leads to commit dddddddddddd"):
        binder.bind(FileKey("o/n", "d" * 40, "f"))


def test_a_server_that_is_not_there(tmp_path, serve, tools, caplog):
    server = serve(lambda handler: tools.send(handler, b"", 404))
    binder = Binder(tmp_path / "code", url=lambda repo: f"{server.url}/{repo}", timeout=PATIENCE)
    with pytest.raises(Unavailable, match="cannot be fetched"):
        binder.bind(FileKey("o/n", "d" * 40, "f"))
    assert "whole history" not in caplog.text
    server.stop()
    with pytest.raises(Unavailable, match="cannot be fetched"):
        binder.bind(FileKey("o/n", "d" * 40, "f"))


def test_a_server_that_stalls_is_given_up(tmp_path, serve):
    server = serve(lambda handler: server.stopping.wait(10))
    binder = Binder(tmp_path / "code", url=lambda repo: f"{server.url}/{repo}", timeout=0.7)
    with pytest.raises(Unavailable, match=r"took longer than 0\.7 seconds"):
        binder.bind(FileKey("o/n", "d" * 40, "f"))


@pytest.mark.parametrize("url", ["ext::sh -c evil", "ssh://h/o/n", "git@h:o/n", "-oProxyCommand=evil", "git://h/o/n"])
def test_other_ways_to_fetch_are_refused(tmp_path, url):
    with pytest.raises(Unavailable, match="only file, http, https are fetched from"):
        Binder(tmp_path / "code", url=lambda repo: url).bind(FileKey("o/n", "d" * 40, "f"))


def test_credentials_in_a_url_are_not_told(tmp_path, serve, tools, caplog):
    server = serve(lambda handler: tools.send(handler, b"", 403))
    binder = Binder(
        tmp_path / "code", url=lambda repo: f"http://user:s3cret@{server.host}/{repo}?t=s3cret", timeout=PATIENCE
    )
    with pytest.raises(Unavailable) as caught:
        binder.bind(FileKey("o/n", "d" * 40, "f"))
    assert "s3cret" not in str(caught.value) + caplog.text


def test_what_stands_on_the_way_is_named(tmp_path, make_repo):
    files: dict[str, bytes | str] = dict.fromkeys(("Dir/x.c", "d/real/a.c", "caf\u00e9.c", "kernel.metal"), b"x\n")
    files["link"] = "d/real"
    repo = make_repo(tmp_path / "code/o/n", files)
    sub = repo.git("update-index", "--add", "--cacheinfo", f"160000,{'a' * 40},sub")
    repo.git("commit", "-q", "-m", "sub")
    assert sub == ""
    commit = repo.git("rev-parse", "HEAD")
    binder = Binder(tmp_path / "code", offline=True)
    for path, said in {
        "dir/x.c": "the commit has no such file (did you mean Dir?)",
        "Dir/X.C": "the commit has no such file (did you mean Dir/x.c?)",
        "kernels.metal": "the commit has no such file (did you mean kernel.metal?)",
        "link/a.c": "link is a symbolic link in the commit (quote the file by the folder it leads to)",
        "sub/a.c": "sub is a submodule (quote the submodule's own repository)",
        "kernel.metal/x": "kernel.metal is a file, not a folder (check the spelling of the path)",
        "cafe\u0301.c": "the same name there is made of other characters: U+00E9",
        "d/zzz": "check the spelling and case of the path",
    }.items():
        with pytest.raises(MetalworkingError) as raised:
            binder.bind(FileKey("o/n", commit, path))
        assert said in str(raised.value), path
