"""fetch.sh against real git repositories: a fresh run, a second one, one that fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mkdocs_metalworking.git.clone import clone
from mkdocs_metalworking.git.listing import extent
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from mkdocs_metalworking.quote.repo import Repo
from tests.support import commit_files, git

SCRIPT = Path(__file__).parents[2] / "fetch.sh"
CONFIG = '[url "ext::touch mark "]\n\tinsteadOf = file://\n\tinsteadOf = https://\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for repo, files in {
        "acme/small": {"a.c": "int a;\n", "sub/b.c": "int b;\n"},
        "acme/large": {"wanted/a.c": "int a;\n", "other/b.c": "x" * 5000},
    }.items():
        source = tmp_path / "remote" / "github.com" / repo
        commit = commit_files(source, files)
        git(source, "config", "uploadpack.allowAnySHA1InWant", "true")
        git(source, "config", "uploadpack.allowFilter", "true")
        paths = "\n    paths: [wanted]" if repo == "acme/large" else ""
        with (tmp_path / "sources.yml").open("a") as out:
            head = "" if out.tell() else "repositories:\n"
            out.write(f"{head}  - repo: {repo}\n    commit: {commit}\n    license: MIT{paths}\n")
    shutil.copy(SCRIPT, tmp_path / "fetch.sh")
    return tmp_path


def run(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "METALWORKING_GIT_BASE": f"file://{folder}/remote/", "PYTHON": sys.executable, **more}
    return subprocess.run(["bash", "fetch.sh", *arguments], cwd=folder, env=env, capture_output=True, text=True)


def test_all_then_nothing_to_do(folder: Path) -> None:
    done = run(folder)
    assert done.returncode == 0, done.stderr
    assert "2 repositories" in done.stdout
    assert done.stdout.count("fetched  ") == 2
    assert (folder / "code/acme/small/sub/b.c").read_text() == "int b;\n"
    assert (folder / "code/acme/large/wanted/a.c").exists()
    assert not (folder / "code/acme/large/other").exists(), "only the named paths"
    again = run(folder)
    assert again.returncode == 0
    assert again.stdout.count("present  ") == 2


def test_one_by_name(folder: Path) -> None:
    assert run(folder, "small").returncode == 0
    assert not (folder / "code/acme/large").exists()
    assert run(folder, "nothing").returncode == 1


def test_a_broken_tree_is_mended(folder: Path) -> None:
    assert run(folder).returncode == 0
    (folder / "code/acme/small/a.c").unlink()
    assert run(folder).returncode == 0
    assert (folder / "code/acme/small/a.c").exists()


def test_failures_are_named_and_the_rest_goes_on(folder: Path) -> None:
    shutil.rmtree(folder / "remote/github.com/acme/large")
    done = run(folder)
    assert done.returncode == 1
    assert "FAILED   acme/large@" in done.stderr
    assert "fetched  acme/small@" in done.stdout


def test_every_form_that_the_schema_takes(folder: Path) -> None:
    """Quoted names, any order of keys, a list of paths line by line."""
    commit = git(folder / "remote/github.com/acme/large", "rev-parse", "HEAD")
    (folder / "sources.yml").write_text(
        f"repositories:\n  - commit: '{commit}'\n    paths:\n      - wanted\n    license: MIT\n    repo: 'acme/large'\n"
    )
    done = run(folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "code/acme/large/wanted/a.c").exists()
    assert not (folder / "code/acme/large/other").exists()
    assert git(folder / "code/acme/large", "status", "--porcelain") == "", "what was left out is not missing"


def test_a_pin_that_moved(folder: Path) -> None:
    assert run(folder).returncode == 0
    source = folder / "remote/github.com/acme/small"
    old = git(source, "rev-parse", "HEAD")
    (source / "a.c").write_text("int new;\n")
    git(source, "commit", "-qam", "Next")
    text = (folder / "sources.yml").read_text().replace(old, git(source, "rev-parse", "HEAD"))
    (folder / "sources.yml").write_text(text)
    done = run(folder)
    assert "fetched  acme/small@" in done.stdout
    assert (folder / "code/acme/small/a.c").read_text() == "int new;\n"


def test_a_clone_made_by_hand_is_read_and_left_alone(folder: Path) -> None:
    source = folder / "remote/github.com/acme/small"
    git(folder, "clone", "-q", source.as_uri(), "code/acme/small")
    (folder / "code/acme/small/a.c").write_text("edited\n")
    done = run(folder, "small")
    assert done.returncode == 0
    assert "present  acme/small@" in done.stdout
    assert "read as objects only" in done.stdout
    assert (folder / "code/acme/small/a.c").read_text() == "edited\n"


def test_without_python_it_says_what_to_install(folder: Path) -> None:
    tools = folder / "bin"
    tools.mkdir()
    for name in ("bash", "dirname", "git"):
        (tools / name).symlink_to(shutil.which(name) or name)
    env = {"PATH": str(tools)}
    done = subprocess.run([tools / "bash", "fetch.sh"], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "Python 3.11 or later is needed: https://www.python.org/downloads\n"


@pytest.mark.skipif(os.name == "nt", reason="a shell script stands in for git")
def test_a_git_that_knows_no_switch_for_the_persons_settings(folder: Path) -> None:
    """Before 2.32 git does not heed GIT_CONFIG_GLOBAL: what it reads instead is kept out of force too."""
    tools, home = folder / "bin", folder / "home"
    tools.mkdir()
    home.mkdir()
    (home / ".gitconfig").write_text(CONFIG)
    real = shutil.which("git")
    script = f"#!/bin/sh\nunset GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM\nexec '{real}' \"$@\"\n"
    (tools / "git").write_text(script)
    (tools / "git").chmod(0o755)
    env = {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    done = run(folder, **env)
    assert done.returncode == 0, done.stderr
    assert (folder / "code/acme/small/a.c").exists()


def test_no_environment_that_a_branch_brings_is_run(folder: Path) -> None:
    """It is ignored, and may be tracked all the same."""
    python = folder / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\ntouch {folder}/ran\n")
    python.chmod(0o755)
    tools = folder / "tools"
    tools.mkdir()
    (tools / "python3").write_text("#!/bin/sh\nexit 1\n")
    (tools / "python3").chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    done = run(folder, PYTHON="", PATH=path)
    assert done.returncode == 1
    assert "Python 3.11 or later is needed" in done.stderr
    done = run(folder, PYTHON="", PATH=path.replace(str(tools), str(folder / "none"), 1))
    assert done.returncode == 0 or "PYTHON=.venv/bin/python ./fetch.sh" in done.stderr, done.stderr
    assert not (folder / "ran").exists(), "an unpacked archive"
    git(folder, "init", "-q")
    git(folder, "add", "-f", ".venv")
    done = run(folder, PYTHON="")
    assert done.returncode == 1
    assert "brings .venv/bin/python, which nobody made here" in done.stderr
    done = run(folder, PYTHON="", GIT_TEST_ASSUME_DIFFERENT_OWNER="1")
    assert "brings .venv/bin/python, which nobody made here" in done.stderr, "somebody else's checkout"
    (folder / ".git/index").write_bytes(b"nothing")
    run(folder, PYTHON="", PATH=path)
    assert not (folder / "ran").exists()


def tree(home: Path, entries: str) -> str:
    """Make a tree of *entries*, lines as ``git ls-tree`` prints them, in the repository *home*; return its name."""
    made = subprocess.run(["git", "-C", str(home), "mktree"], input=entries.encode(), capture_output=True, check=True)
    return made.stdout.decode().strip()


def publish(home: Path, entries: str) -> str:
    """Commit the tree of *entries* in *home*, where blobs can be had one by one; return the commit."""
    commit = git(home, "commit-tree", "-m", "Large", tree(home, entries))
    git(home, "update-ref", "refs/heads/large", commit)
    for name in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        git(home, "config", name, "true")
    return commit


def test_a_folder_of_a_repository_whose_files_are_a_long_list(tmp_path: Path) -> None:
    """22,000 files with paths of 3,000 bytes, made of one tree: as long as the list of 700,000 common ones."""
    home = tmp_path / "home"
    commit_files(home, {"kept/a.c": "int a;\n", "LICENSE": "MIT\n"})

    blob = git(home, "rev-parse", "HEAD:LICENSE")
    inner = tree(home, "".join(f"100644 blob {blob}\t{number:0240}\n" for number in range(200)))
    for _ in range(12):
        inner = tree(home, f"040000 tree {inner}\t{'d' * 240}\n")
    root = git(home, "ls-tree", "HEAD") + "\n" + "".join(f"040000 tree {inner}\t{n:03}\n" for n in range(110))
    commit = publish(home, root)
    repo, code = Repo.named("acme/large"), tmp_path / "code"
    assert clone(repo, commit, home.as_uri(), code, paths=["kept"]) == "fetched"
    assert clone(repo, commit, home.as_uri(), code, paths=["kept"]) == "present"
    folder = repo.folder(code)
    assert {path.name for path in folder.iterdir()} == {".git", "kept", "LICENSE"}
    assert (folder / "kept/a.c").read_text() == "int a;\n"
    assert git(folder, "status", "--porcelain") == ""


def bomb(home: Path) -> str:
    """Make a repository of some KB whose 4,000 paths are one blob of a million bytes; return its commit."""
    commit_files(home, {"kept/a.c": "int a;\n", "LICENSE": "MIT\n", "large": "x" * 1_000_000})

    blob = git(home, "rev-parse", "HEAD:large")
    inner = tree(home, "".join(f"100644 blob {blob}\t{number}\n" for number in range(200)))
    root = git(home, "ls-tree", "HEAD") + "\n" + "".join(f"040000 tree {inner}\tz{n}\n" for n in range(20))
    return publish(home, root)


def test_files_that_are_more_than_anybody_has_room_for_are_not_laid_out(tmp_path: Path) -> None:
    home, repo, code = tmp_path / "home", Repo.named("acme/large"), tmp_path / "code"
    commit = bomb(home)
    for _ in range(2):
        with pytest.raises(MetalworkingError) as raised:
            clone(repo, commit, home.as_uri(), code, most=2_000_000_000)
        assert "take 4,015,177,728 bytes on disk, and a clone may have 2,000,000,000" in str(raised.value)
        assert "(list the folders that you need as its paths: in sources.yml)" in str(raised.value)
        assert [path.name for path in repo.folder(code).iterdir()] == [".git"]
    assert clone(repo, commit, home.as_uri(), code, paths=["kept"], most=2_000_000_000) == "fetched"
    assert (repo.folder(code) / "kept/a.c").read_text() == "int a;\n"


@pytest.mark.parametrize(
    ("paths", "blocks"),
    [
        ("", 0),
        ("a", 1),
        ("a b c", 3),
        ("d/a d/b", 1 + 2),
        ("d/e/a d/e/b d/f", 2 + 3),
        ("a d/a d/e/a d/g/h/a f/a", 5 + 5),
        ("d/e/f/a d/g/f/a", 5 + 2),
        ("large d/large", 1 + 2 * 3),
    ],
)
def test_files_and_folders_take_whole_blocks(paths: str, blocks: int) -> None:
    files = [(path.encode(), "large" if "large" in path else "empty") for path in paths.split()]
    assert extent(files, {"large": 8193, "empty": 0}) == blocks * 4096
