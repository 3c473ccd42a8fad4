"""Repositories made to harm whoever reads them: nothing runs, nothing is left outside, everything has a bound."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mkdocs_metalworking.deliver.proofs import Proofs
from mkdocs_metalworking.deliver.resolver import Resolver
from mkdocs_metalworking.deliver.store import Store
from mkdocs_metalworking.deliver.transports.checkout import Checkout
from mkdocs_metalworking.git import process as child
from mkdocs_metalworking.git.binding import Binder
from mkdocs_metalworking.git.cat_file import CatFile
from mkdocs_metalworking.git.command import Git, GitError
from mkdocs_metalworking.git.executable import on_path
from mkdocs_metalworking.git.objects import Oversized, _starts, commit_date, files_below, resolve_path
from mkdocs_metalworking.git.process import Allowance, TooMuchSaid, run
from mkdocs_metalworking.hosts.cli.bump.plan import Fate
from mkdocs_metalworking.hosts.cli.main import main
from mkdocs_metalworking.hosts.cli.program import Program
from mkdocs_metalworking.quote.blob import FileKey, LockedFile
from mkdocs_metalworking.quote.diagnostics import MetalworkingError, Unavailable
from mkdocs_metalworking.quote.lines import LineRange
from mkdocs_metalworking.quote.relocate import PLACES, Outcome, relocate
from mkdocs_metalworking.quote.symbols import symbols_of
from tests.forked import python_m
from tests.support import PATIENCE, wait_for
from tests.transports.gitserver import GitServer
from tests.trust.conftest import outcome

DATA = b"kernel void k() {}\n"


@pytest.fixture
def mark(tmp_path: Path) -> tuple[Path, Path]:
    """A script that leaves a mark when it is run, and the mark."""
    script, made = tmp_path / "evil.sh", tmp_path / "mark"
    script.write_text(f"#!/bin/sh\necho ran >> '{made}'\ncat\n", encoding="utf-8")
    script.chmod(0o755)
    return script, made


# A clone on this machine


def bad_alternates(repo: Any, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (repo.folder / ".git/objects/info").mkdir(exist_ok=True)
    (repo.folder / ".git/objects/info/alternates").write_text(f"{tmp_path / 'pipe'}\n../../objects\n/dev/zero\n")


def alternates_is_a_pipe(repo: Any, tmp_path: Path) -> None:
    (repo.folder / ".git/objects/info").mkdir(exist_ok=True)
    os.mkfifo(repo.folder / ".git/objects/info/alternates")


def config_includes_a_pipe(repo: Any, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    repo.git("config", "include.path", str(tmp_path / "pipe"))


def config_is_junk(repo: Any, tmp_path: Path) -> None:
    (repo.folder / ".git/config").write_bytes(b"\xff\x00[[[[" * 1000)


def config_is_endless(repo: Any, tmp_path: Path) -> None:
    (repo.folder / ".git/config").unlink()
    (repo.folder / ".git/config").symlink_to("/dev/zero")


def head_is_junk(repo: Any, tmp_path: Path) -> None:
    (repo.folder / ".git/HEAD").write_text("ref: ../../../../etc/passwd\n" * 1000)


def packs_are_junk(repo: Any, tmp_path: Path) -> None:
    for name in range(300):
        (repo.folder / f".git/objects/pack/pack-{name:040x}.pack").write_bytes(b"PACK" + b"\xff" * 50)
        (repo.folder / f".git/objects/pack/pack-{name:040x}.idx").write_bytes(b"\xfftOc" + b"\xff" * 2000)


def git_is_a_loop(repo: Any, tmp_path: Path) -> None:
    (repo.folder / ".git").rename(repo.folder / "away")
    (repo.folder / ".git").symlink_to(".git")


def git_is_endless(repo: Any, tmp_path: Path) -> None:
    (repo.folder / ".git").rename(repo.folder / "away")
    with open(repo.folder / ".git", "wb") as stream:
        stream.truncate(1 << 40)  # sparse: more than any memory, and nothing on disk


def commondir_is_a_loop(repo: Any, tmp_path: Path) -> None:
    (repo.folder / ".git/commondir").write_text(".\n")


def object_is_a_pipe(repo: Any, tmp_path: Path) -> None:
    blob = repo.git("rev-parse", "HEAD:a.metal")
    path = repo.folder / ".git/objects" / blob[:2] / blob[2:]
    path.unlink()
    os.mkfifo(path)


def object_is_endless(repo: Any, tmp_path: Path) -> None:
    blob = repo.git("rev-parse", "HEAD:a.metal")
    path = repo.folder / ".git/objects" / blob[:2] / blob[2:]
    path.unlink()
    packer = zlib.compressobj(9)
    path.write_bytes(packer.compress(b"blob 4000000000\0") + packer.compress(b"\0" * 50_000_000) + packer.flush())


SPOILED = (
    bad_alternates,
    alternates_is_a_pipe,
    config_includes_a_pipe,
    config_is_junk,
    config_is_endless,
    head_is_junk,
    packs_are_junk,
    git_is_a_loop,
    git_is_endless,
    commondir_is_a_loop,
    object_is_a_pipe,
    object_is_endless,
)


@pytest.mark.parametrize("spoil", SPOILED, ids=lambda spoil: spoil.__name__)
def test_a_spoiled_clone_delivers_the_truth_or_says_no(tmp_path, make_repo, tools, scratch, spoil) -> None:
    repo = make_repo(tmp_path / "code/o/n", {"a.metal": DATA})
    file = tools.locked(DATA, "a.metal", commit=repo.commit)
    spoil(repo, tmp_path)
    checkout = Checkout(tmp_path / "code", timeout=0.4)
    with Resolver(Store(tmp_path / "store"), [checkout]) as resolver:
        told = outcome(lambda: resolver.resolve(file).data)
    assert told == DATA or isinstance(told, Unavailable)
    assert scratch() == set()
    binder = Binder(tmp_path / "code", offline=True, timeout=0.4)
    told = outcome(lambda: binder.bind(file.key))
    assert told == file or isinstance(told, MetalworkingError)
    assert str(told).isprintable()


# Objects that no git writes


def literally(repo: Any, kind: str, data: bytes) -> str:
    return repo.git("hash-object", "-t", kind, "--literally", "-w", "--stdin", stdin=data)


def commit_of(repo: Any, tree: str, extra: str = "") -> str:
    who = "A <a@example.org> 1 +0000"
    return literally(repo, "commit", f"tree {tree}\nauthor {who}\ncommitter {who}\n{extra}\nx\n".encode())


@pytest.mark.parametrize(
    "tree",
    [
        b"junk",
        b"100644 a.metal",
        b"100644 a.metal\0short",
        b"100644a.metal\0" + b"\x11" * 20,
        b" \0" + b"\x11" * 20,
        b"888888 a.metal\0" + b"\x11" * 20,
        b"-1 a.metal\0" + b"\x11" * 20,
        b"0 a.metal\0" + b"\x11" * 20,
        b"177777777777777777 a.metal\0" + b"\x11" * 20,
        b"100644 \0" + b"\x11" * 20,
        b"\0" * 100,
    ],
)
def test_a_malformed_tree_is_a_reason(tmp_path, make_repo, tree) -> None:
    repo = make_repo(tmp_path / "code/o/n", {"x": b"x\n"})
    commit = commit_of(repo, literally(repo, "tree", tree))
    with pytest.raises(MetalworkingError) as raised:
        Binder(tmp_path / "code", offline=True).bind(FileKey("o/n", commit, "a.metal"))
    assert str(raised.value).isprintable()


def test_modes_of_old_gits_and_names_that_look_like_options(tmp_path, make_repo) -> None:
    repo = make_repo(tmp_path / "code/o/n", {"x": b"x\n"})
    blob = repo.git("hash-object", "-w", "--stdin", stdin=DATA)
    inner = literally(repo, "tree", b"100664 -rf.c\0" + bytes.fromhex(blob) + b"100755 x.c\0" + bytes.fromhex(blob))
    names = (b"--upload-pack=touch mark", b"-c", b"...", b"ext::sh", b"$(touch mark)", b"a;b")
    entries = b"".join(b"0100644 " + name + b"\0" + bytes.fromhex(blob) for name in names)
    commit = commit_of(repo, literally(repo, "tree", entries + b"040000 d\0" + bytes.fromhex(inner)))
    binder = Binder(tmp_path / "code", offline=True)
    for path in (*(name.decode() for name in names), "d/-rf.c", "d/x.c"):
        key = FileKey("o/n", commit, path)
        assert binder.bind(key) == LockedFile.of(key, DATA), path


@pytest.mark.parametrize("when", ["99999999999999999999", "999999999999", "-5", "x", ""])
def test_a_commit_of_no_year(when: str) -> None:
    assert commit_date(f"tree {'a' * 40}\ncommitter A <a> {when} +0000\n\nx".encode()) == ""


def test_folders_on_the_way_to_a_file_have_a_bound(tmp_path, make_repo) -> None:
    """Entries that are all alike pack to nothing, and a folder of 64 MB is a few bytes of a repository."""
    repo = make_repo(tmp_path / "code/o/n", {"x": b"x\n"})
    blob = bytes.fromhex(repo.git("hash-object", "-w", "--stdin", stdin=DATA))
    files = b"".join(b"100644 a%d.c\0" % n + blob for n in range(300))
    fill = b"100644 a\0" + blob

    def nested(levels: int, size: int) -> str:
        tree = literally(repo, "tree", fill * (size // len(fill)) + files)
        for _ in range(levels):
            inner = b"40000 x\0" + bytes.fromhex(tree)
            tree = literally(repo, "tree", fill * (size // len(fill)) + inner)
        return commit_of(repo, tree)

    one = nested(0, 1_000_000)
    with closing(CatFile(Git(tmp_path / "code/o/n/.git"))) as objects:
        before = _starts.cache_info().misses
        found = [resolve_path(objects, one, f"a{n}.c") for n in range(300)]
        assert {entry and entry.oid for entry in found} == {blob.hex()}
        assert resolve_path(objects, one, "b.c") is None
        assert _starts.cache_info().misses == before + 1, "such a folder is looked through once"
        for levels, size in ((0, 5 << 20), (5, 3 << 20)):
            with pytest.raises(Oversized):
                resolve_path(objects, nested(levels, size), "x/" * levels + "a1.c")
        assert resolve_path(objects, nested(3, 3 << 20), "x/x/x/a1.c") is not None


def test_trees_within_trees_are_not_spelled_out(tmp_path, make_repo, monkeypatch) -> None:
    """Twenty small trees, each ten times in the one above it, are 10^20 files. An editor asks for their paths."""
    repo = make_repo(tmp_path / "code/o/n", {"x": b"x\n"})
    tree = repo.git("rev-parse", "HEAD^{tree}")
    for _ in range(20):
        entries = b"".join(b"40000 d%d\0" % n + bytes.fromhex(tree) for n in range(10))
        tree = literally(repo, "tree", entries)
    long = literally(repo, "tree", b"40000 " + b"d" * 60_000 + b"\0" + bytes.fromhex(tree))
    proofs = Proofs(Store(tmp_path / "store"), tmp_path / "code")
    monkeypatch.setattr("mkdocs_metalworking.git.objects._TREES_MAX", 2_000)
    with closing(proofs):
        for bomb in (tree, long):
            commit = commit_of(repo, bomb)
            assert proofs.paths("o/n", commit) == []
            with pytest.raises(Oversized):
                list(files_below(proofs._clones.objects("o/n"), commit, ""))
        assert proofs.paths("o/n", repo.commit) == ["x"]


def test_definitions_within_each_other_have_no_endless_names() -> None:
    found = symbols_of(["class A{" * 3_000 + "void f() {}" + "}" * 3_000], "a.metal")
    assert 0 < sum(len(one.name) for one in found) < 20_000
    assert symbols_of(["class A{" * 50 + "void f() {}" + "}" * 50], "a.metal")[-1].name == ".".join(["A"] * 50 + ["f"])


def test_of_a_line_that_is_everywhere_few_places_are_told() -> None:
    (found,) = relocate(["x"], ["y", *["x"] * 100_000], [LineRange(1, 1)])
    assert found.outcome is Outcome.AMBIGUOUS
    assert found.candidates[:2] == (LineRange(2, 2), LineRange(3, 3))
    assert len(found.candidates) == PLACES
    (details,) = Fate.of([found]).details
    assert details.startswith("stands on L2, L3, ")
    assert details.endswith(", …")


# Servers


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_both_object_formats_from_server_to_page(tmp_path, make_repo, serve, scratch, mark, object_format) -> None:
    """lock, fetch and a strict build, of a repository full of traps, with git's own hash or SHA-256."""
    script, made = mark
    traps = {
        "a.metal": DATA,
        ".gitattributes": b"* filter=evil diff=evil merge=evil export-subst ident eol=crlf\n",
        ".gitmodules": f'[submodule "s"]\n\tpath = s\n\turl = ext::{script}\n\tupdate = !{script}\n'.encode(),
        ".lfsconfig": b"[lfs]\n\turl = http://127.0.0.1:1/\n",
        "link": "/etc/passwd",
        "out": "../../../../outside",
        "-u": b"x\n",
    }
    repo = make_repo(tmp_path / "served/o/n.git", traps, object_format, bare=True)
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowReachableSHA1InWant", "true")
    server = GitServer(serve, tmp_path / "served")
    root = tmp_path / "site"
    (root / "docs").mkdir(parents=True)
    (root / "mkdocs.yml").write_text(
        "site_name: T\ntheme: {name: material, font: false}\nplugins: [{metalworking: {store: store}}]\n"
    )
    (root / "docs/index.md").write_text(f"# T\n\n<< excerpt o/n@{repo.commit[:12]}:a.metal >>\n")
    (root / "sources.yml").write_text(f"repositories:\n  - {{repo: o/n, commit: '{repo.commit}', license: MIT}}\n")
    program = Program(url=server.url)
    done = CliRunner().invoke(main, ["-f", str(root / "mkdocs.yml"), "lock"], obj=program)
    assert done.exit_code == 0, done.output
    lock = (root / "sources.lock").read_text()
    assert len(re.search(r"@(\w+) (\w+) sha256:", lock)[2]) == {"sha1": 40, "sha256": 64}[object_format]  # type: ignore[index]
    for entry in (root / "store/sha256").rglob("*"):
        entry.unlink() if entry.is_file() else None
    done = CliRunner().invoke(main, ["-f", str(root / "mkdocs.yml"), "fetch"], obj=program)
    assert done.exit_code == 0, done.output
    assert "1 from git" in done.output
    build = python_m("mkdocs", "build", "--strict", "-f", str(root / "mkdocs.yml"), cwd=root)
    assert build.returncode == 0, build.stderr
    html = (root / "site/index.html").read_text("utf-8")
    assert f"/blob/{repo.commit}/a.metal" in html
    assert "kernel" in html
    assert not made.exists(), "something of the repository ran"
    assert scratch() == set(), "something was left outside of the store"
    assert {path.name for path in root.iterdir()} == {
        "docs",
        "mkdocs.yml",
        "sources.yml",
        "sources.lock",
        "store",
        "site",
    }


def packet(band: int, data: bytes) -> bytes:
    return b"%04x" % (len(data) + 5) + bytes([band]) + data


def noise() -> Iterator[bytes]:
    while True:
        yield packet(2, b"noise \x1b[31m" * 4000 + b"\n")


def junk() -> Iterator[bytes]:
    while True:
        yield packet(1, b"\xff" * 60_000)


def failure() -> Iterator[bytes]:
    while True:
        yield packet(3, b"\x1b]0;x\x07" * 99)


def blob() -> Iterator[bytes]:
    """A well-formed pack of one blob whose end nobody will see."""
    packer = zlib.compressobj(0)
    size = bytes([0b10110000, *([0xFF] * 5), 0x7F])
    yield packet(1, b"PACK\0\0\0\2\0\0\0\1" + size)
    while True:
        if piece := packer.compress(b"\xaa" * 60_000):
            yield packet(1, piece[:65_000])


def endless(handler: Any, pieces: Callable[[], Iterator[bytes]]) -> None:
    """Answer a fetch with one side band that never ends (protocol 0)."""
    if handler.path.endswith("/info/refs?service=git-upload-pack"):
        body = b"001e# service=git-upload-pack\n0000"
        line = b"a" * 40 + b" HEAD\0side-band-64k allow-tip-sha1-in-want allow-reachable-sha1-in-want shallow filter\n"
        body += b"%04x" % (len(line) + 4) + line + b"0000"
        handler.send_response(200)
        handler.send_header("Content-Type", "application/x-git-upload-pack-advertisement")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
        return
    asked = handler.rfile.read(int(handler.headers.get("content-length") or 0))
    handler.send_response(200)
    handler.send_header("Content-Type", "application/x-git-upload-pack-result")
    handler.end_headers()
    handler.wfile.write(b"0034shallow " + b"a" * 40 + b"0000")
    if b"done" in asked:
        handler.wfile.write(b"0008NAK\n")
        for piece in itertools.islice(pieces(), 5000):
            handler.wfile.write(piece)


@pytest.mark.parametrize("pieces", [noise, junk, failure, blob])
def test_a_server_that_never_stops_talking(tmp_path, serve, scratch, pieces) -> None:
    server = serve(lambda handler: endless(handler, pieces))
    binder = Binder(tmp_path / "code", url=lambda repo: f"{server.url}/{repo}", timeout=3)
    tracemalloc.start()
    with pytest.raises(Unavailable) as raised:
        binder.bind(FileKey("o/n", "a" * 40, "a.metal"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000, "what it says is not kept"
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 2000
    assert scratch() == set()


def test_a_pack_has_a_bound_on_disk_and_a_bomb_one_in_memory(tmp_path, make_repo, scratch) -> None:
    noise = os.urandom(3_000_000)
    repo = make_repo(tmp_path / "big", {"noise": noise, "zeros": b"\0" * 130_000_000})
    repo.git("config", "core.bigFileThreshold", "1m")  # the other side has the same bounds here
    git_dir = tmp_path / "into.git"

    def fetch(allowance: Allowance) -> None:
        # Each thread of git's would reserve 64 MB of addresses without using them.
        git = Git(git_dir, timeout=PATIENCE, allowance=allowance, env={**os.environ, "MALLOC_ARENA_MAX": "1"})
        git.run("init", "--quiet", "--bare", "--template=")
        git.run("fetch", "--quiet", repo.folder.as_uri(), "HEAD", protocol="file")

    with pytest.raises(GitError):
        fetch(Allowance(file=1_000_000))
    assert sum(path.stat().st_size for path in git_dir.rglob("*") if path.is_file()) < 1_500_000
    fetch(Allowance(file=20_000_000, memory=110_000_000))  # less than the zeros are


@pytest.mark.skipif(sys.platform != "linux", reason="bounds are put on a process there")
def test_nothing_begins_before_it_has_its_bounds(tmp_path, monkeypatch) -> None:
    """However late whoever started it comes to that: here the program would long have written its file."""
    big, before, hold = tmp_path / "big", [], child.hold

    def late(process: Any, allowance: Allowance) -> None:
        wait_for(lambda: Path(f"/proc/{process.pid}/exe").resolve() == Path("/bin/sh").resolve())
        before.append(big.exists())
        hold(process, allowance)

    monkeypatch.setattr(child, "hold", late)
    command = [sys.executable, "-c", f"import sys; open({str(big)!r}, 'wb').write(sys.stdin.buffer.read() * 3_000_000)"]
    done = child.run(command, stdin=b"x", env=os.environ, timeout=PATIENCE, allowance=Allowance(file=1_000_000))
    assert before == [False]
    assert (done.code != 0, big.stat().st_size <= 1_000_000) == (True, True)


def test_all_that_a_fetch_brings_has_one_bound(tmp_path, make_repo, serve) -> None:
    """Static files are a git server too, of as many packs as somebody likes; one that goes on is not waited for."""
    repo = make_repo(tmp_path / "many", {"noise": os.urandom(600_000)})
    for _ in range(3):
        repo.git("repack", "-q", "-d")
        (repo.folder / "noise").write_bytes(os.urandom(600_000))
        repo.git("add", "noise")
        repo.git("commit", "-q", "-m", "More")
    repo.git("repack", "-q", "-d")
    repo.git("update-server-info")
    (git_dir,) = {path.parent for path in repo.folder.rglob("HEAD") if (path.parent / "objects").is_dir()}
    packs: list[str] = []

    def answer(handler: Any) -> None:
        path = git_dir / handler.path.partition("?")[0].lstrip("/")
        handler.send_response(200 if path.is_file() else 404)
        handler.end_headers()
        if path.suffix == ".pack":
            packs.append(path.name)
            if len(packs) > 2:
                wait_closed(handler)
                return
        if path.is_file():
            handler.wfile.write(path.read_bytes())

    server = serve(answer)
    for at, folder in enumerate((None, tmp_path / "room")):
        packs.clear()
        into = (folder or tmp_path) / "into.git"
        git = Git(into, timeout=PATIENCE, allowance=Allowance(file=1_000_000), room=folder)
        into.parent.mkdir(exist_ok=True)
        git.run("init", "--quiet", "--bare", "--template=")
        with pytest.raises(GitError, match="brought more than 1000000 bytes"):
            git.run("fetch", "--quiet", f"{server.url}/", "HEAD", protocol="http")
        # On a busy machine two may have come before anybody looked, and are too much; the third is never waited for.
        assert 2 <= len(packs) <= 3, at


def wait_closed(handler: Any) -> None:
    """Send nothing more until the other side goes."""
    handler.wfile.flush()
    handler.connection.settimeout(PATIENCE)
    handler.connection.recv(1)


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], str]:
    def make(text: str) -> str:
        path = tmp_path / "child.sh"
        path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    return make


def test_a_child_that_says_too_much_is_ended(script) -> None:
    command = [script("yes")]
    with pytest.raises(TooMuchSaid):
        run(command, stdin=b"", env=os.environ, timeout=PATIENCE, allowance=Allowance(output=1_000_000))
    done = run(
        [script("yes >&2 & sleep 0.5; kill $!; exit 3")],
        stdin=b"x" * 1_000_000,
        env=os.environ,
        timeout=PATIENCE,
        allowance=Allowance(),
    )
    assert done.code == 3
    assert len(done.stderr) <= 64 << 10


def test_what_a_child_started_ends_with_it(tmp_path, script) -> None:
    command = [script(f"sleep 300 & echo $! > '{tmp_path}/pid'; wait")]
    with pytest.raises(subprocess.TimeoutExpired):
        run(command, stdin=b"", env=os.environ, timeout=2, allowance=Allowance())
    pid = int((tmp_path / "pid").read_text())
    for _ in range(int(PATIENCE / 0.02)):
        state = Path(f"/proc/{pid}/stat").read_text().split()[2] if Path(f"/proc/{pid}").exists() else "gone"
        if state in ("gone", "Z"):
            break
        time.sleep(0.02)
    assert state in ("gone", "Z")


# fetch.sh


@pytest.mark.parametrize(
    ("repo", "commit"),
    [
        ("../../outside", "a" * 40),
        ("o/../../outside", "a" * 40),
        ("-c/x", "a" * 40),
        ("o/n", "--upload-pack=touch mark"),
        ("o/n;touch mark", "a" * 40),
        ("$(touch mark)/n", "a" * 40),
        ("/tmp/x/y", "a" * 40),
    ],
)
def test_fetch_sh_takes_no_name_that_is_none(tmp_path: Path, repo: str, commit: str) -> None:
    here = tmp_path / "a" / "b"
    here.mkdir(parents=True)
    original = Path(__file__).resolve().parents[2] / "fetch.sh"
    (here / "fetch.sh").write_bytes(original.read_bytes())
    (here / "sources.yml").write_text(f"repositories:\n  - repo: {repo}\n    commit: {commit}\n    license: MIT\n")
    env = {**os.environ, "METALWORKING_GIT_BASE": "file:///nonexistent/"}
    done = subprocess.run(["bash", "./fetch.sh"], cwd=here, capture_output=True, text=True, env=env, timeout=PATIENCE)
    assert done.returncode == 1
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    assert found <= {"a", "a/b", "a/b/fetch.sh", "a/b/sources.yml", "a/b/code"}, found
    assert not (here / "mark").exists()


@pytest.mark.parametrize("path", ["", ".", "bin"])
def test_no_program_of_the_folder_that_a_command_runs_in_is_started(
    tmp_path: Path, make_repo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """A git or a browser beside mkdocs.yml, which Windows starts by its bare name, and a PATH that names no folder."""
    repo = make_repo(tmp_path / "code/o/n", {"a.metal": b"int a;\n"})
    for folder in (tmp_path, tmp_path / "bin"):
        folder.mkdir(exist_ok=True)
        for name in ("git", "git.exe", "chromium", "chromium.exe"):
            if os.name == "nt":
                shutil.copy(sys.executable, folder / name)
            else:
                (folder / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
                (folder / name).chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([path, os.environ["PATH"]]))
    git = Git(repo.folder / ".git")
    assert git.run("rev-parse", "HEAD").decode().strip() == repo.commit
    assert os.path.isabs(git.command("version")[0])
    assert not on_path("chromium", os.environ).startswith(str(tmp_path))
    monkeypatch.setenv("PATH", path)
    with pytest.raises(GitError, match="git cannot be started: it is not on PATH"):
        Git(repo.folder / ".git").run("version")
    assert on_path("chromium", os.environ) == ""
    assert not (tmp_path / "ran").exists()
