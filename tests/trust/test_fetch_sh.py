"""fetch.sh with a sources.yml, and clones, that somebody wrote to have their program run."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from mkdocs_metalworking.deliver.project import Settings
from mkdocs_metalworking.git.alone import exclusive
from mkdocs_metalworking.git.clone import clone
from mkdocs_metalworking.git.interrupts import ENDING
from mkdocs_metalworking.git.places import Premises, find_clone
from mkdocs_metalworking.quote.repo import Repo
from tests.forked import python_m
from tests.support import PATIENCE, commit_files, git, wait_for

SCRIPT = Path(__file__).resolve().parents[2] / "fetch.sh"


@pytest.fixture
def evil(tmp_path: Path) -> tuple[Path, Path]:
    """A program that leaves a mark when it is run, and the mark."""
    script, mark = tmp_path / "evil.sh", tmp_path / "mark"
    script.write_text(f"#!/bin/sh\necho ran >> '{mark}'\ncat\n", encoding="utf-8")
    script.chmod(0o755)
    return script, mark


def serve(folder: Path, repo: str, files: dict[str, str | bytes]) -> str:
    source = folder / "remote" / ("" if "." in repo else "github.com") / repo
    commit = commit_files(source, files)
    git(source, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(source, "config", "uploadpack.allowFilter", "true")
    return commit


def pinned(folder: Path, pins: list[tuple[str, str]]) -> dict[str, str]:
    """Write sources.yml for *pins* in *folder*, and return the environment in which they are cloned."""
    entries = "".join(f"  - repo: {repo}\n    commit: '{commit}'\n    license: MIT\n" for repo, commit in pins)
    (folder / "sources.yml").write_text(f"repositories:\n{entries}", encoding="utf-8")
    return {"METALWORKING_GIT_BASE": f"file://{folder}/remote/", "JOBS": "1", "GIT_CONFIG_GLOBAL": os.devnull}


def fetch_sh(folder: Path, pins: list[tuple[str, str]]) -> subprocess.CompletedProcess[str]:
    """Run fetch.sh in *folder* for *pins*, one job, as a person would."""
    env = {**os.environ, **pinned(folder, pins), "PYTHON": sys.executable}
    shutil.copy(SCRIPT, folder / "fetch.sh")
    return subprocess.run(["bash", "fetch.sh"], cwd=folder, env=env, capture_output=True, text=True, timeout=120)


def fetch(folder: Path, pins: list[tuple[str, str]]) -> subprocess.CompletedProcess[str]:
    """Run the command that fetch.sh runs, in *folder* for *pins*, one job."""
    return python_m("mkdocs_metalworking", "clone", cwd=folder, env=pinned(folder, pins))


def hostile_config(script: Path) -> str:
    settings = {
        "core": ["worktree=..", "fsmonitor=!", "sshCommand=!", "hooksPath=/", "alternateRefsCommand=!", "bare=false"],
        'filter "evil"': ["smudge=!", "clean=!", "process=!"],
        "diff": ["external=!"],
        "credential": ["helper=!"],
        "uploadpack": ["packObjectsHook=!"],
        'remote "origin"': ["url=ext::!", "uploadpack=!", "promisor=true"],
        "extensions": ["partialClone=origin"],
        "protocol": ["allow=always"],
    }
    return "".join(
        f"[{section}]\n" + "".join(f"\t{line.replace('!', str(script))}\n" for line in lines)
        for section, lines in settings.items()
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [("owner/A", "write owner/name, or host/owner/name"), ("git.example.org/A", "would lie in the folder of")],
)
def test_a_repository_within_another_ones_tree(tmp_path: Path, evil: tuple[Path, Path], name: str, reason: str) -> None:
    """A tree that holds a bare repository, and a second pin that leads into it."""
    script, mark = evil
    inner = {
        "sub/HEAD": f"{'a' * 40}\n",
        "sub/objects/info/packs": "\n",
        "sub/refs/heads/x": "x\n",
        "sub/config": hostile_config(script),
        ".gitattributes": "* filter=evil\n",
        "a.c": "int a;\n",
    }
    outer = serve(tmp_path, name, inner)
    other = serve(tmp_path, "other/b", {"b.c": "int b;\n"})
    pins = [(name, outer), ("other/b", other), (f"{name}/sub", "a" * 40)]
    done = fetch_sh(tmp_path, pins)
    assert not mark.exists(), done.stdout + done.stderr
    assert done.returncode == 1
    assert reason in done.stdout
    assert not (tmp_path / "code").exists()


def test_what_a_tree_holds_is_never_a_clone(tmp_path: Path, evil: tuple[Path, Path]) -> None:
    """The outer clone came first, by a sources.yml that was honest by itself; now another names what is in it."""
    script, mark = evil
    tree = {
        "sub/HEAD": "ref: refs/heads/x\n",
        "sub/objects/x": "",
        "sub/refs/x": "",
        "sub/config": hostile_config(script),
    }
    outer = serve(tmp_path, "git.example.org/A", tree)
    assert fetch(tmp_path, [("git.example.org/A", outer)]).returncode == 0
    done = fetch(tmp_path, [("git.example.org/A/sub", "a" * 40)])
    assert (done.returncode, mark.exists()) == (1, False)
    assert "no clone is made inside of one" in done.stderr


@pytest.mark.parametrize("bare", [True, False])
def test_a_hostile_folder_where_a_clone_belongs(tmp_path: Path, evil: tuple[Path, Path], bare: bool) -> None:
    script, mark = evil
    commit = serve(tmp_path, "o/n", {"a.c": "int a;\n", ".gitattributes": "* filter=evil\n"})
    folder = tmp_path / "code/o/n"
    git_dir = folder if bare else folder / ".git"
    for name in ("objects", "refs/heads"):
        (git_dir / name).mkdir(parents=True)
    (git_dir / "HEAD").write_text("ref: refs/heads/main\n")
    (git_dir / "config").write_text(hostile_config(script))
    for _ in range(2):
        done = fetch(tmp_path, [("o/n", commit)])
        assert not mark.exists(), done.stdout + done.stderr
        assert done.returncode == 1
        assert "FAILED   o/n@" in done.stderr
    assert (git_dir / "config").read_text() == hostile_config(script), "what we did not make stays as it is"


@pytest.mark.parametrize("name", ["logs/HEAD", "index", "objects/pack"])
def test_nothing_is_written_through_a_link_in_a_clone(tmp_path: Path, name: str) -> None:
    """A folder with our very configuration, in which a link stands where git writes."""
    commit = serve(tmp_path, "o/n", {"a.c": "int a;\n"})
    assert fetch(tmp_path, [("o/n", commit)]).returncode == 0
    git_dir = tmp_path / "code/o/n/.git"
    planted, theirs = git_dir / name, tmp_path / "theirs"
    if planted.is_dir():
        shutil.rmtree(planted)
        theirs.mkdir()
    else:
        planted.unlink(missing_ok=True)
        theirs.write_text("theirs\n")
    planted.symlink_to(theirs)
    (git_dir / "HEAD").write_text("ref: refs/heads/main\n")
    done = fetch(tmp_path, [("o/n", commit)])
    assert list(theirs.iterdir()) == [] if theirs.is_dir() else theirs.read_text() == "theirs\n"
    assert (done.returncode, "was not made here" in done.stderr) in ((0, False), (1, True)), done.stderr


@pytest.mark.parametrize("to", ["../home/pack", "tests"])
@pytest.mark.parametrize("at", ["code", "code/stranger", "code/stranger/start"])
def test_no_clone_goes_through_a_link_that_a_branch_brought(tmp_path: Path, at: str, to: str) -> None:
    """A pin names a stranger's repository, and a link beside it the folder from which an editor loads programs."""
    book = tmp_path / "book"
    away = book / to
    away.mkdir(parents=True)
    git(book, "init", "-q")
    commit = serve(book, "stranger/start", {"x/plugin/x.vim": "\n"})
    (book / at).parent.mkdir(parents=True, exist_ok=True)
    (book / at).symlink_to(away.resolve(), target_is_directory=True)
    git(book, "add", "-f", at)
    done = fetch_sh(book, [("stranger/start", commit)])
    assert list(away.rglob("*")) == []
    assert done.returncode == 1
    assert f"This branch brings {at}, which nobody made here" in done.stderr
    done = fetch(book, [("stranger/start", commit)])
    assert list(away.rglob("*")) == []
    assert done.returncode == 1
    assert f"{at} is a link of the repository (git tracks it" in done.stderr


def test_a_link_that_the_person_made_is_gone_through(tmp_path: Path) -> None:
    """Clones on another disk: the link is no file of the repository. One behind it may belong to another one."""
    book, disk = tmp_path / "book", tmp_path / "disk"
    commit = serve(book, "o/n", {"a.c": "int a;\n"})
    git(book, "init", "-q")
    (disk / "clones").mkdir(parents=True)
    (book / "code").symlink_to(tmp_path / "via", target_is_directory=True)
    (tmp_path / "via").symlink_to(disk / "clones", target_is_directory=True)
    assert fetch_sh(book, [("o/n", commit)]).returncode == 0
    assert (disk / "clones/o/n/a.c").read_text() == "int a;\n"
    shutil.rmtree(disk / "clones/o")
    git(disk, "init", "-q")
    (disk / "clones/o").symlink_to(tmp_path, target_is_directory=True)
    git(disk, "add", ".")
    done = fetch(book, [("o/n", commit)])
    assert (done.returncode, (tmp_path / "n").exists()) == (1, False)
    assert "clones/o is a link of the repository" in done.stderr


def test_what_git_cannot_tell_of_a_link_is_not_gone_through(tmp_path: Path) -> None:
    book, away = tmp_path / "book", tmp_path / "away"
    commit = serve(book, "o/n", {"a.c": "int a;\n"})
    git(book, "init", "-q")
    (book / "code").symlink_to(away, target_is_directory=True)
    (book / ".git/index").write_bytes(b"no index")
    away.mkdir()
    assert fetch(book, [("o/n", commit)]).returncode == 1
    assert list(away.iterdir()) == []


@pytest.mark.parametrize("at", ["code", "code/stranger", "code/stranger/start"])
def test_no_clone_goes_through_a_link_out_of_an_unpacked_archive(tmp_path: Path, at: str) -> None:
    """No repository is around it that could tell whose the link is."""
    away = tmp_path / "home/pack"
    away.mkdir(parents=True)
    commit = serve(tmp_path / "book", "stranger/start", {"x/plugin/x.vim": "\n"})
    link = tmp_path / "book" / at
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to("/".join([".."] * at.count("/")) or ".", target_is_directory=True)
    assert fetch(tmp_path / "book", [("stranger/start", commit)]).returncode == 1, "nor is a clone anything behind one"
    link.unlink()
    link.symlink_to(away, target_is_directory=True)
    done = fetch_sh(tmp_path / "book", [("stranger/start", commit)])
    assert list(away.rglob("*")) == []
    assert done.returncode == 1
    assert f"{at} is a link of the site's folder (no repository is around the site" in done.stderr
    git(tmp_path / "book", "init", "-q")
    done = fetch(tmp_path / "book", [("stranger/start", commit)])
    assert done.returncode == (0 if at == "code" else 1), "it is the person's, who says so"


@pytest.mark.parametrize("to", ["../home/pack", "elsewhere"])
def test_no_clone_goes_through_a_link_beside_a_site_in_an_unpacked_archive(tmp_path: Path, to: str) -> None:
    """An archive is of a repository, of which the site may be one folder: mkdocs.yml keeps its clones beside it."""
    top, away = tmp_path / "proj", tmp_path / "proj" / to
    book = top / "book"
    commit = serve(book, "stranger/start", {"x/plugin/x.vim": "\n"})
    away.mkdir(parents=True)
    (book / "docs").mkdir()
    (book / "mkdocs.yml").write_text("site_name: T\nplugins: [{metalworking: {code: ../code}}]\n")
    (top / "code").symlink_to(to, target_is_directory=True)
    done = fetch(book, [("stranger/start", commit)])
    assert list(away.rglob("*")) == []
    assert done.returncode == 1
    said = "may have come with the site" if to == "elsewhere" else "../code is a link beside the site's folder"
    assert said in done.stderr
    git(top, "init", "-q")
    assert fetch(book, [("stranger/start", commit)]).returncode == 0, "it is the person's, who says so"
    assert (away / "stranger/start/x/plugin/x.vim").exists()


def test_a_bare_repository_beside_a_site_in_an_unpacked_archive_is_no_clone(tmp_path: Path) -> None:
    book = tmp_path / "proj/book"
    serve(book, "apple/mlx", {"a.c": "int evil;\n"})
    for name in ("code", "away"):
        git(tmp_path, "clone", "-q", "--bare", str(book / "remote/github.com/apple/mlx"), f"{name}/apple/mlx")
        git(tmp_path, "clone", "-q", "--bare", f"{name}/apple/mlx", str(tmp_path / f"proj/{name}/apple/mlx"))
    of = partial(Settings.of, base=book)
    for settings, found in (
        (of({"code": "../code"}), False),
        (of({"code": "../../code"}), False),
        (of({"code": "code", "store": "../../store"}), False),
        (of({"code": str(tmp_path / "code")}), True),
    ):
        clone = find_clone(settings.code, "apple/mlx", settings.premises)
        assert (clone is not None) is found, settings.code
    git(tmp_path / "proj", "init", "-q")
    settings = of({"code": "../code"})
    assert find_clone(settings.code, "apple/mlx", settings.premises) is not None, "git knows nothing of it"
    git(tmp_path / "proj", "add", "-f", "code")
    assert find_clone(settings.code, "apple/mlx", settings.premises) is None


def test_a_link_around_the_site_is_gone_through(tmp_path: Path) -> None:
    """Clones on another disk, by their own name in mkdocs.yml: no archive brings what it names by an absolute path."""
    book = tmp_path / "book"
    commit = serve(book, "o/n", {"a.c": "int a;\n"})
    (tmp_path / "disk").mkdir()
    (book / "docs").mkdir()
    (tmp_path / "clones").symlink_to("disk", target_is_directory=True)
    plugin = f"plugins: [{{metalworking: {{code: {tmp_path}/clones}}}}]"
    (book / "mkdocs.yml").write_text(f"site_name: T\n{plugin}\n")
    done = fetch(book, [("o/n", commit)])
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "disk/o/n/a.c").exists()
    assert find_clone(tmp_path / "clones", "o/n", Premises.of(book)) is not None


def test_a_link_to_a_clone_of_something_else_is_only_read(tmp_path: Path) -> None:
    """It has our very configuration, but it was made for another name, or another site."""
    git(tmp_path, "init", "-q")
    good = serve(tmp_path, "good/n", {"a.c": "int a;\n"})
    commit = serve(tmp_path, "stranger/x", {"evil.c": "int evil;\n"})
    assert fetch(tmp_path, [("good/n", good)]).returncode == 0
    (tmp_path / "code/stranger").mkdir()
    (tmp_path / "code/stranger/x").symlink_to("../good/n", target_is_directory=True)
    before = (tmp_path / "code/good/n/.git/config").read_bytes()
    done = fetch(tmp_path, [("stranger/x", commit)])
    assert done.returncode == 1
    assert "was not made here, so it is only read" in done.stderr
    assert [path.name for path in (tmp_path / "code/good/n").glob("*.c")] == ["a.c"]
    assert (tmp_path / "code/good/n/.git/config").read_bytes() == before


def test_a_clone_has_the_bytes_that_were_committed(tmp_path: Path) -> None:
    """Whatever attributes its tree has: those make a file many times as large, when it has been weighed."""
    ident = "[attr]more ident\n* more text\na.txt text ident eol=crlf\n"
    files = {"a.txt": "$Id$\n" * 1000, "b/c.txt": "$Id$\nx\n", "b/.gitattributes": "* ident text\n"}
    commit = serve(tmp_path, "o/n", {**files, ".gitattributes": ident})
    folder = tmp_path / "code/o/n"
    assert fetch(tmp_path, [("o/n", commit)]).returncode == 0
    assert {name: (folder / name).read_bytes().decode() for name in files} == files
    for made in ("b/c.txt", ".git/info/attributes"):  # as in a clone that was made before
        (folder / made).unlink()
    assert fetch(tmp_path, [("o/n", commit)]).returncode == 0
    assert {name: (folder / name).read_bytes().decode() for name in files} == files


def test_a_clone_goes_on_after_what_was_killed_in_it(tmp_path: Path) -> None:
    """Git by kill -9 leaves its locks, and we the folder in which a git directory is made."""
    commit = serve(tmp_path, "o/n", {"a.c": "int a;\n"})
    folder = tmp_path / "code/o/n"
    (folder / ".metalworking-abc/git").mkdir(parents=True)
    done = fetch(tmp_path, [("o/n", commit)])
    assert done.returncode == 0, done.stderr
    assert [path.name for path in folder.iterdir() if path.name != ".git"] == ["a.c"]
    git_dir = folder / ".git"
    commit = serve(tmp_path, "o/n", {"a.c": "int b;\n"})
    for name in ("shallow.lock", "index.lock", "HEAD.lock", "objects/pack/tmp_pack_abc"):
        (git_dir / name).write_bytes(b"half")
    (folder / "a.lock").write_text("a file of the work tree\n")
    done = fetch(tmp_path, [("o/n", commit)])
    assert done.returncode == 0, done.stderr
    assert (folder / "a.c").read_text() == "int b;\n"
    assert not [*git_dir.rglob("*.lock"), *git_dir.rglob("tmp_*")]
    assert (folder / "a.lock").exists()
    assert sorted(path.name for path in (tmp_path / "code").iterdir()) == ["o"]


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
@pytest.mark.parametrize("moment", ["write", "replace"])
def test_a_clone_that_is_told_another_address_stays_ours_whatever_kills_it(tmp_path: Path, moment: str) -> None:
    """By kill -9, or by a disk that is full, while its configuration is written: half of one is not ours."""
    commit = serve(tmp_path, "o/n", {"a.c": "int a;\n"})
    repo, code = Repo.named("o/n"), tmp_path / "code"
    address = (tmp_path / "remote/github.com/o/n").as_uri()
    assert clone(repo, commit, address, code) == "fetched"
    config = code / "o/n/.git/config"
    before, moved = config.read_bytes(), tmp_path / "moved"
    (tmp_path / "remote/github.com/o/n").rename(moved)
    (code / "o/n/a.c").unlink()
    strike = "os.kill(os.getpid(), signal.SIGKILL)"
    program = (
        "import builtins, io, os, pathlib, signal, sys\n"
        "from mkdocs_metalworking.git import clone as module\n"
        "from mkdocs_metalworking.quote.repo import Repo\n"
        "opened, replace = io.open, pathlib.Path.replace\n"
        "def half(path, mode='r', *rest, **more):\n"
        "    stream = opened(path, mode, *rest, **more)\n"
        f"    if 'config' in str(path) and set(mode) & set('wxa'): {strike}\n"
        "    return stream\n"
        + ("io.open = builtins.open = half\n" if moment == "write" else "")
        + (f"pathlib.Path.replace = lambda *_: {strike}\n" if moment == "replace" else "")
        + "_, commit, address, code = sys.argv\n"
        "module.clone(Repo.named('o/n'), commit, address, pathlib.Path(code))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, commit, moved.as_uri(), str(code)], stderr=subprocess.PIPE)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert config.read_bytes() == before
    assert clone(repo, commit, moved.as_uri(), code) == "fetched"
    assert (code / "o/n/a.c").exists()
    assert moved.as_uri() in config.read_text()
    assert not [*config.parent.rglob("*.lock")]


def test_nothing_is_unlocked_under_another_command(tmp_path: Path) -> None:
    commit = serve(tmp_path, "o/n", {"a.c": "int a;\n"})
    assert fetch(tmp_path, [("o/n", commit)]).returncode == 0
    shallow = tmp_path / "code/o/n/.git/shallow.lock"
    shallow.write_bytes(b"half")
    with exclusive(tmp_path / "code/.metalworking-o+n.lock", 0):
        done = fetch(tmp_path, [("o/n", commit)])
    assert (done.returncode, shallow.exists()) == (1, True)
    assert "another command clones it (wait for it)" in done.stderr


@contextlib.contextmanager
def not_ignored(number: signal.Signals) -> Iterator[None]:
    """Let a program that is started hear a signal that we ignore, as under nohup: it would ignore it too."""
    if signal.getsignal(number) != signal.SIG_IGN:
        yield
        return
    signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(number, signal.SIG_IGN)


@pytest.mark.skipif(os.name == "nt", reason="a program that waits is a shell script")
@pytest.mark.parametrize("number", ENDING, ids=lambda number: number.name)
def test_a_signal_ends_every_clone_and_its_git(tmp_path: Path, number: signal.Signals) -> None:
    """Two servers that do not answer: each git waits in a thread that no signal reaches."""
    commit = serve(tmp_path, "o/n", {"a.c": "int a;\n"})
    pids = cloning(tmp_path, commit, "n", "m", "l")
    with not_ignored(number), begun(tmp_path) as process:
        try:
            wait_for(lambda: len(list(pids.iterdir())) == 2)
            process.send_signal(number)
            _, said = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    interrupted = number == signal.SIGINT
    assert process.returncode == (1 if interrupted else 128 + number)
    assert said.decode().split() == ["Aborted!"] * interrupted
    for pid in pids.iterdir():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid.name), signal.SIGKILL)
    assert len(list(pids.iterdir())) == 2, "the third was not begun"


@pytest.mark.skipif(os.name == "nt", reason="a program that waits is a shell script")
def test_nothing_is_unlocked_under_a_git_whose_command_was_killed(tmp_path: Path) -> None:
    """By kill -9 no command ends its git; the lock of the command is gone, and git writes on."""
    commit = serve(tmp_path, "o/n", {"a.c": "int a;\n"})
    pids = cloning(tmp_path, commit, "n")
    with begun(tmp_path) as process:
        wait_for(lambda: len(list(pids.iterdir())) == 1)
        process.kill()
    shutil.rmtree(tmp_path / "tools")
    shallow = tmp_path / "code/o/n/.git/shallow.lock"
    shallow.write_bytes(b"half")
    with begun(tmp_path) as process:
        _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, shallow.exists()) == (1, True)
    assert b"a git goes on in it whose command was killed (wait for it, or end it)" in said
    (pid,) = pids.iterdir()
    os.kill(int(pid.name), signal.SIGKILL)

    def clones() -> bool:
        with begun(tmp_path) as process:
            process.communicate(timeout=PATIENCE)
        return process.returncode == 0

    wait_for(clones)
    assert (tmp_path / "code/o/n/a.c").exists()
    assert not shallow.exists()


def cloning(folder: Path, commit: str, *names: str) -> Path:
    """Pin *names* at *commit*, lay out a git whose fetches have no end; return the folder of their process ids."""
    pins = "".join(f"  - repo: o/{name}\n    commit: '{commit}'\n    license: MIT\n" for name in names)
    (folder / "sources.yml").write_text(f"repositories:\n{pins}", encoding="utf-8")
    tools, pids = folder / "tools", folder / "pids"
    tools.mkdir()
    pids.mkdir()
    real = shutil.which("git")
    script = f'#!/bin/sh\ncase " $* " in *" fetch "*) touch "{pids}/$$"; exec sleep 3600;; esac\nexec "{real}" "$@"\n'
    (tools / "git").write_text(script, encoding="utf-8")
    (tools / "git").chmod(0o755)
    return pids


def begun(folder: Path) -> subprocess.Popen[bytes]:
    """Start to clone what is pinned in *folder*, two at a time, with the git of its tools."""
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from mkdocs_metalworking.hosts.cli.main import main; main(['clone', '--jobs', '2'])"
    )
    env = {**os.environ, "PATH": f"{folder / 'tools'}{os.pathsep}{os.environ['PATH']}"}
    env |= {"METALWORKING_GIT_BASE": f"file://{folder}/remote/", "GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.Popen([sys.executable, "-c", program], cwd=folder, env=env, stderr=subprocess.PIPE)
