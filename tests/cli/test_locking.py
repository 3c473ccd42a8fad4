"""``lock``: what is sound stays, whatever else is in the file; what is written is proved, and a forged line is told."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from mkdocs_metalworking.deliver.project import Settings
from mkdocs_metalworking.hosts.files import write
from mkdocs_metalworking.hosts.lockfile import locked_lock
from mkdocs_metalworking.quote.blob import FileKey, LockedFile
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from mkdocs_metalworking.quote.lock import load_lock
from tests.cli.conftest import Desk
from tests.support import commit_files, git

FILES = {"a.c": "int a;\n", "b.c": "int b;\n", "LICENSE": "MIT\n"}


@pytest.fixture
def two(desk: Desk) -> Desk:
    """A site that quotes two files, both locked; the repository's home is the only other place that has them."""
    desk.add_repo("acme/kernels", FILES)
    desk.write([("acme/kernels", "a.c"), ("acme/kernels", "b.c")])
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c >>\n\n<< excerpt {k}:b.c >>\n")
    desk.home()
    shutil.rmtree(desk.root / "code")
    return desk


@pytest.mark.parametrize(
    ("name", "command"),
    [("sources.lock", ("lock",)), ("SOURCES.md", ("sources",)), ("docs/first", ("new",)), ("staged", ("stage",))],
)
@pytest.mark.parametrize("where", ["outside", "git's own"])
def test_no_command_writes_through_a_link_out_of_the_repository(
    two: Desk, tmp_path_factory: pytest.TempPathFactory, name: str, command: tuple[str, ...], where: str
) -> None:
    """Somebody's branch has a link where a command writes: to a file of ours, or into what git reads."""
    git(two.root, "init", "-q")
    away = tmp_path_factory.mktemp("home") if where == "outside" else two.root / ".git"
    theirs = away / ".bashrc"
    theirs.write_text("alias ll='ls -l'\n", encoding="utf-8")
    path = two.root / name
    if command == ("new",):
        shutil.rmtree(path)
        path.symlink_to(away, target_is_directory=True)
        command = ("new", "first/deep/bashrc", "--after", "index")
    elif command == ("stage",):
        (away / "empty").mkdir()
        path.symlink_to(away / "empty", target_is_directory=True)
        command = ("stage", str(path))
    else:
        path.unlink(missing_ok=True)
        path.symlink_to(theirs)
    done = two.metalworking(*command)
    assert done.exit_code == 1
    assert "a link leads out of the repository" in done.output
    assert theirs.read_text("utf-8") == "alias ll='ls -l'\n"
    assert not (away / "deep").exists()
    assert not list(away.glob("empty/*"))


def test_a_stage_is_laid_out_through_no_link_that_a_branch_brought(two: Desk) -> None:
    """It leads back into the repository, where the marker of a stage lies too: its docs would be taken away."""
    git(two.root, "init", "-q")
    (two.root / "staged").symlink_to(".", target_is_directory=True)
    (two.root / ".metalworking-stage").touch()
    git(two.root, "add", "staged", ".metalworking-stage")
    before = two.state()
    done = two.metalworking("stage", str(two.root / "staged"))
    assert done.exit_code == 1
    assert "staged is a link of the repository" in done.output
    assert two.state() == before


def test_a_stage_may_lie_beside_the_site_s_repository(two: Desk) -> None:
    """By ``..``, as a person names it; what stands before one may be a link, and then the place is another."""
    site = two.root / "site"
    site.mkdir()
    for path in list(two.root.iterdir()):
        if path != site:
            shutil.move(path, site / path.name)
    git(site, "init", "-q")
    two.root = site
    assert two.metalworking("stage", str(site / "../staged")).exit_code == 0
    assert (site.parent / "staged/mkdocs.yml").is_file()
    (site / "within").symlink_to("docs", target_is_directory=True)
    done = two.metalworking("stage", str(site / "within/../staged"))
    assert done.exit_code == 0, done.output
    assert (site / "staged/mkdocs.yml").is_file()


@pytest.mark.parametrize("way", ["tracked", "left", "the site"])
def test_no_engine_reads_what_a_stage_held_before(
    two: Desk, tmp_path_factory: pytest.TempPathFactory, way: str
) -> None:
    """Zensical takes a zensical.toml before our mkdocs.yml, and runs what that names; it believes its cache."""
    git(two.root, "init", "-q")
    folder = two.root if way == "the site" else two.root / "build/zensical"
    folder.mkdir(parents=True, exist_ok=True)
    theirs = tmp_path_factory.mktemp("theirs")
    (theirs / "kept.txt").write_text("theirs\n", encoding="utf-8")
    for name in (".metalworking-stage", "zensical.toml", "hooks/a.py", ".cache/kept"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x\n", encoding="utf-8")
    (folder / "site").symlink_to(theirs, target_is_directory=True)
    if way == "tracked":
        git(two.root, "add", "-f", "build/zensical/zensical.toml")
    before = two.state()
    done = two.metalworking("stage", str(folder))
    if way == "left":
        assert done.exit_code == 0, done.output
        assert sorted(one.name for one in folder.iterdir()) == [".metalworking-stage", "docs", "mkdocs.yml"]
    else:
        assert done.exit_code == 1
        said = "git tracks something in" if way == "tracked" else "holds the site itself"
        assert said in done.output
        assert two.state() == before
    assert (theirs / "kept.txt").exists()


@pytest.mark.parametrize("command", ["check", "fetch", "lock", "build"])
def test_no_store_lies_behind_a_link_that_a_branch_brought(
    two: Desk, tmp_path_factory: pytest.TempPathFactory, command: str
) -> None:
    """It would be written there, and what looks half-written would be swept away."""
    git(two.root, "init", "-q")
    away = tmp_path_factory.mktemp("away")
    (away / "a/b").mkdir(parents=True)
    theirs = away / "a/b/.notes.tmp"
    theirs.write_text("theirs\n", encoding="utf-8")
    os.utime(theirs, (1, 1))
    (two.root / "store").symlink_to(away, target_is_directory=True)
    git(two.root, "add", "store")
    if command == "build":
        built = two.build()
        code, said = built.returncode, built.stdout + built.stderr
    else:
        done = two.metalworking(command)
        code, said = done.exit_code, done.output
    assert code == 1
    assert "store is a link of the repository" in said
    assert "Traceback" not in said
    assert [path for path in away.rglob("*") if path.is_file()] == [theirs]
    git(two.root, "rm", "-q", "--cached", "store")
    assert two.metalworking("fetch").exit_code == 0, "one of the person's own"
    assert (away / "sha256").is_dir()


def test_the_file_that_says_who_writes_the_lock_is_made_behind_no_link(
    two: Desk, tmp_path_factory: pytest.TempPathFactory
) -> None:
    git(two.root, "init", "-q")
    settings = Settings.of({"lock": "locks/sources.lock"}, base=two.root)
    away = tmp_path_factory.mktemp("away")
    (away / "sources.lock.lock").write_text("theirs\n", encoding="utf-8")
    (two.root / "locks").symlink_to(away, target_is_directory=True)
    with pytest.raises(MetalworkingError, match="out of the repository"), locked_lock(settings):
        pass
    assert (away / "sources.lock.lock").read_text("utf-8") == "theirs\n"


@pytest.mark.parametrize("name", [".GIT", ".git.", "git~1"])
def test_no_name_that_some_system_takes_for_git_is_written_to(tmp_path: Path, name: str) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / name / "hooks").mkdir(parents=True, exist_ok=True)
    (tmp_path / "sources.lock").symlink_to(f"{name}/hooks/pre-commit")
    with pytest.raises(MetalworkingError, match="out of the repository"):
        write(tmp_path / "sources.lock", "x\n")


def test_what_a_command_writes_first_goes_through_no_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody's branch has links under every name that a file may have before it is whole."""
    git(tmp_path, "init", "-q")
    theirs = tmp_path / "home/.bashrc"
    theirs.parent.mkdir()
    theirs.write_text("alias\n", encoding="utf-8")
    repository = tmp_path / "repository"
    git(tmp_path, "init", "-q", str(repository))
    for known in (str(os.getpid()), "0" * 12):
        (repository / f".sources.lock.{known}.new").symlink_to(theirs)
    write(repository / "sources.lock", "x\n")
    assert not (repository / "sources.lock").is_symlink()
    monkeypatch.setattr("secrets.token_hex", lambda count: "0" * 2 * count)  # one that was guessed
    with pytest.raises(MetalworkingError, match="cannot be written"):
        write(repository / "sources.lock", "y\n")
    assert theirs.read_text(encoding="utf-8") == "alias\n"
    assert (repository / "sources.lock").read_text(encoding="utf-8") == "x\n"


@pytest.mark.parametrize("spelled", ["the file", "its folder"])
def test_no_command_writes_into_an_environment_through_a_link(two: Desk, spelled: str) -> None:
    """What `about:` of a pin says stands in SOURCES.md as it is: in a .pth file, Python would run a line of it."""
    git(two.root, "init", "-q")
    packages = two.root / ".venv/packages"
    packages.mkdir(parents=True)
    theirs = packages / "SOURCES.md"
    theirs.write_text("/somewhere/package\n", encoding="utf-8")
    (two.root / "linked").symlink_to(".venv/packages", target_is_directory=True)
    (two.root / "SOURCES.md").symlink_to(theirs if spelled == "the file" else Path("linked/SOURCES.md"))
    (two.root / ".gitignore").write_text("/.venv\n", encoding="utf-8")
    git(two.root, "add", "SOURCES.md" if spelled == "the file" else "linked")
    done = two.metalworking("sources")
    assert done.exit_code == 1
    name = "SOURCES.md" if spelled == "the file" else "linked"
    assert f"{name} is a link of the repository to what git does not track" in done.output
    assert theirs.read_text("utf-8") == "/somewhere/package\n"


def test_no_command_writes_into_a_clone_through_a_link(two: Desk) -> None:
    """A path that a change names stands in the lock, which would be a file of a clone, or a script of a submodule."""
    two.write([])
    commit_files(two.root / "code/up/stream", {"run.sh": "echo theirs\n"})
    git(two.root, "init", "-q")
    (two.root / ".gitignore").write_text("/code\n", encoding="utf-8")
    (two.root / "sources.lock").unlink()
    (two.root / "sources.lock").symlink_to("code/up/stream/run.sh")
    git(two.root, "add", "sources.lock")
    done = two.metalworking("lock")
    assert done.exit_code == 1
    assert "sources.lock cannot be written: a link leads out of the repository" in done.output
    assert (two.root / "code/up/stream/run.sh").read_text("utf-8") == "echo theirs\n"
    assert git(two.root / "code/up/stream", "status", "--short") == ""


def test_a_link_that_git_tracks_is_written_through_to_what_it_tracks(two: Desk) -> None:
    git(two.root, "init", "-q")
    (two.root / "lists").mkdir()
    (two.root / "lists/SOURCES.md").write_text("# Ours\n", encoding="utf-8")
    (two.root / "SOURCES.md").symlink_to("lists/SOURCES.md")
    (two.root / "docs/first").rename(two.root / "chapter")
    (two.root / "docs/first").symlink_to("../chapter", target_is_directory=True)
    git(two.root, "add", "SOURCES.md", "lists", "docs", "chapter")
    assert two.metalworking("sources").exit_code == 0
    assert "acme/kernels" in (two.root / "lists/SOURCES.md").read_text("utf-8")
    assert two.metalworking("new", "first/more", "--after", "index").exit_code == 0
    assert (two.root / "chapter/more.md").is_file()


def test_a_link_within_the_repository_is_written_through(two: Desk) -> None:
    git(two.root, "init", "-q")
    (two.root / "locks").mkdir()
    (two.root / "sources.lock").rename(two.root / "locks/sources.lock")
    (two.root / "sources.lock").symlink_to("locks/sources.lock")
    write(two.root / "sources.lock", "x\n")
    assert (two.root / "sources.lock").is_symlink()
    assert (two.root / "locks/sources.lock").read_text("utf-8") == "x\n"


def entries(desk: Desk) -> list[str]:
    lines = desk.text("sources.lock").splitlines()
    return sorted(line.rsplit(" ", 1)[1] for line in lines if line.startswith("blob "))


def spoil(desk: Desk, how: str) -> None:
    path = desk.root / "sources.lock"
    head, a, b = desk.text("sources.lock").splitlines()
    other = a.replace("lines:1", "lines:2")
    path.write_text(
        {
            "conflict": f"{head}\n<<<<<<< HEAD\n{a}\n=======\n{other}\n>>>>>>> theirs\n{b}\n",
            "duplicate": f"{head}\n{a}\n{a}\n{b}\n",
            "byte order mark": f"\ufeff{head}\n{a}\n{b}\n",
            "mark before a line": f"\ufeff{a}\n{b}\n",
            "trailing blank": f"{head}\n{a} \n{b}\n",
            "no such size": f"{head}\n{a.replace('lines:1', 'lines:9')}\n{b}\n",
            "another program's line": f"{head}\n{a}\n{b}\ntree o/n@x y\n",
        }[how],
        encoding="utf-8",
    )


HOW = ("conflict", "duplicate", "byte order mark", "mark before a line", "trailing blank", "no such size")


@pytest.mark.parametrize("how", HOW)
def test_lock_as_advised_mends_a_bad_line_and_keeps_the_rest(two: Desk, how: str) -> None:
    good = two.text("sources.lock")
    spoil(two, how)
    told = two.metalworking("check")
    assert (told.exit_code == 0) == (how == "byte order mark"), told.output
    done = two.metalworking("lock")
    assert done.exit_code == 0, done.output
    assert two.text("sources.lock") == good


@pytest.mark.parametrize("how", HOW)
def test_without_a_network_nothing_is_lost(two: Desk, how: str) -> None:
    spoil(two, how)
    two.addresses["acme/kernels"] = f"file://{two.root}/nowhere"
    done = two.metalworking("lock")
    assert set(entries(two)) == {"a.c", "b.c"}, done.output
    doubted = how in ("conflict", "no such size")
    assert done.exit_code == int(doubted)
    if doubted:
        assert "cannot be fetched" in done.output


def test_a_line_that_is_not_understood_stays(two: Desk) -> None:
    spoil(two, "another program's line")
    done = two.metalworking("lock")
    assert done.exit_code == 1
    assert "not a lock line: tree o/n@x y (take it out" in done.output
    assert "tree o/n@x y" in two.text("sources.lock").splitlines()
    assert entries(two) == ["a.c", "b.c"]


def test_a_page_with_an_error_takes_nothing_out(two: Desk) -> None:
    two.page("first/one.md", "# One\n\n<< excerpt {k}:a.c >>\n\n<< exerpt {k}:b.c >>\n")
    done = two.metalworking("lock")
    assert "1 error on the pages: nothing was taken out" in done.output
    assert entries(two) == ["a.c", "b.c"]
    two.page("first/one.md", "# One\n\n<< excerpt {k}:a.c >>\n")
    assert two.metalworking("lock").exit_code == 0
    assert entries(two) == ["a.c"]


def test_what_another_command_locked_meanwhile_stays(desk: Desk) -> None:
    for repo in ("acme/kernels", "acme/other"):
        desk.add_repo(repo, FILES)
    desk.write([])
    desk.page("first/one.md", "# One\n\n<< excerpt {k}:a.c >>\n")
    desk.page("first/two.md", f"# Two\n\n<< excerpt acme/other@{desk.commits['acme/other'][:9]}:b.c >>\n")
    desk.home()
    shutil.rmtree(desk.root / "code")
    added = LockedFile.of(FileKey("acme/other", desk.commits["acme/other"], "b.c"), b"int b;\n")
    settings = Settings.of({}, base=desk.root)

    class Busy(Desk):
        def url(self, repo: str) -> str:
            if repo == "acme/other":  # out of reach here, and locked by somebody else while we ask
                with locked_lock(settings) as current:
                    write(settings.lock, current.with_entries([added]).format())
                return f"file://{self.root}/nowhere"
            return super().url(repo)

    busy = Busy(desk.root, desk.pins, desk.commits, homes=desk.homes)
    assert busy.metalworking("lock").exit_code == 1
    assert entries(desk) == ["a.c", "b.c"]


def test_the_guard_is_there_while_it_is_held(two: Desk) -> None:
    guard = two.root / "sources.lock.lock"
    with locked_lock(Settings.of({}, base=two.root)):
        assert guard.exists()
    assert not guard.exists()


# Proof


def forge(desk: Desk, path: Path) -> bytes:
    """Put a stranger's blob, which a branch of the home holds and the commit does not, into the line of a.c."""
    data = b"int evil;\n"
    stranger = desk.commit({"a.c": data.decode()})
    git(desk.home(), "branch", "stranger", stranger)
    git(desk.home(), "config", "uploadpack.allowReachableSHA1InWant", "true")
    lock, _ = load_lock(path.read_text())
    key = FileKey("acme/kernels", desk.commits["acme/kernels"], "a.c")
    path.write_text(lock.with_entries([LockedFile.of(key, data)]).format())
    return data


def test_a_stranger_s_blob_does_not_pass_fetch_verify_or_build(two: Desk) -> None:
    """The sequence of the publishing workflow, without any clone."""
    assert two.metalworking("lock", "--verify").exit_code == 0
    data = forge(two, two.root / "sources.lock")
    verified = two.metalworking("lock", "--verify")
    assert verified.exit_code == 1
    assert "a.c: the commit has git file" in verified.output
    assert "2 files, 1 proved by git, 0 not proved, 1 wrong" in verified.output
    done = two.metalworking("fetch")
    assert done.exit_code == 1, done.output
    assert "a.c: the commit has git file" in done.output
    assert not any(data == path.read_bytes() for path in (two.root / "store").rglob("*") if path.is_file())
    assert two.metalworking("check").exit_code == 1


def test_what_the_store_does_not_take_is_not_fetched(two: Desk) -> None:
    shutil.rmtree(two.root / "store", ignore_errors=True)
    (two.root / "store").write_text("a file\n")
    done = two.metalworking("fetch")
    assert done.exit_code == 1
    assert "store is not written, and nothing is kept: Not a directory (name another store:" in done.output
    (two.root / "store").unlink()
    assert two.metalworking("fetch").exit_code == 0


@pytest.mark.parametrize(
    ("field", "said"), [("sha256:", "SHA-256"), ("size:", "bytes instead of"), ("lines:", "lines")]
)
def test_every_field_of_a_line_is_proved(two: Desk, field: str, said: str) -> None:
    path = two.root / "sources.lock"
    text = path.read_text()
    at = text.index(field) + len(field)
    path.write_text(text[:at] + ("3" if text[at] != "3" else "4") + text[at + 1 :])
    done = two.metalworking("lock", "--verify")
    assert done.exit_code == 1
    assert said in done.output


def test_a_clone_that_contradicts_wins_over_the_store(two: Desk) -> None:
    data = forge(two, two.root / "sources.lock")
    git(two.root, "clone", "-q", str(two.home()), "code/acme/kernels")
    lock, _ = load_lock(two.text("sources.lock"))
    file = next(file for file in lock.files.values() if file.key.path == "a.c")
    with two.project(offline=True).resolver as resolver:
        resolver._store.put(file, data)
    done = two.build("--strict")
    assert done.returncode != 0
    assert "the commit has git file" in done.stdout + done.stderr


def test_the_proof_is_kept_and_asked_for_once(two: Desk) -> None:
    assert "2 only locked (metalworking lock --verify proves them)" in two.metalworking("check").stderr
    assert two.metalworking("lock", "--verify").exit_code == 0
    two.addresses["acme/kernels"] = f"file://{two.root}/nowhere"
    assert two.metalworking("lock", "--verify").exit_code == 0
    told = two.metalworking("check").stderr.splitlines()[-1]
    assert told == "sources.lock: 2 files, 2 proved by git"


def test_a_proof_that_was_altered_proves_nothing(two: Desk) -> None:
    assert two.metalworking("lock", "--verify").exit_code == 0
    for path in (two.root / "store/git").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"a.c", b"b.c"))
    assert "only locked" in two.metalworking("check").stderr


def test_verify_says_what_it_could_not_ask(two: Desk) -> None:
    two.addresses["acme/kernels"] = f"file://{two.root}/nowhere"
    done = two.metalworking("lock", "--verify")
    assert done.exit_code == 2
    assert "2 files, 0 proved by git, 2 not proved, 0 wrong" in done.stderr
    assert json.loads(two.metalworking("check", "--json").stdout) == []


@pytest.mark.parametrize("name", ["::error::x", "##[error]x", "../x/y", "o/n/../../x", "-o/n", "o", "o/.git"])
def test_a_line_of_no_repository_is_told_with_its_number(two: Desk, name: str) -> None:
    """A name that no repository has is no name, and none begins a line of a log."""
    path = two.root / "sources.lock"
    region = f"region {name}@{'1' * 40} {'1' * 40} sha256:{'1' * 64} L1-2 symbol=x a.c"
    path.write_text(
        f"{path.read_text()}blob {name}@{'1' * 40} {'1' * 40} sha256:{'1' * 64} size:5 lines:1 a\n{region}\n"
    )
    for command in (("check",), ("lock", "--verify")):
        done = two.metalworking(*command)
        assert done.exit_code == 1
        told = done.stdout.splitlines()
        assert [line.partition(": ")[0] for line in told] == ["sources.lock:4", "sources.lock:5"], told


def test_nobody_is_asked_for_what_no_pin_names(two: Desk) -> None:
    """A line of the lock alone sends nobody to a server, be it one inside."""
    lock, _ = load_lock(two.text("sources.lock"))
    more = LockedFile.of(FileKey("127.0.0.1:9443/o/n", "1" * 40, "a.c"), b"int a;\n")
    other = LockedFile.of(FileKey("acme/kernels", "2" * 40, "a.c"), b"int a;\n")
    (two.root / "sources.lock").write_text(lock.with_entries([more, other]).format())

    class Heard(Desk):
        def url(self, repo: str) -> str:
            asked.append(repo)
            return super().url(repo)

    asked: list[str] = []
    done = Heard(two.root, two.pins, two.commits, homes=two.homes).metalworking("lock", "--verify")
    assert done.exit_code == 2
    assert asked == ["acme/kernels"]
    assert done.stdout.count(": not proved: no pin names it, so nobody is asked") == 2
    assert "4 files, 2 proved by git, 2 not proved, 0 wrong" in done.stderr


# What is on this machine already


def test_the_site_s_own_commits_need_no_network(desk: Desk) -> None:
    """One's own code under the name that mkdocs.yml gives the repository which the site lies in."""
    desk.config("site_name: Test\n", "site_name: Test\nrepo_url: https://github.com/acme/site\n")
    (desk.root / "kernel.c").write_text("int own;\n")
    (desk.root / ".gitignore").write_text("code\nstore\n")
    git(desk.root, "init", "-q", "-b", "main")
    git(desk.root, "add", "-A")
    git(desk.root, "commit", "-q", "-m", "Site")
    desk.quote_own_commit(git(desk.root, "rev-parse", "HEAD"), "kernel.c")
    assert desk.metalworking("lock").exit_code == 0
    assert desk.metalworking("lock", "--verify").exit_code == 0
    shutil.rmtree(desk.root / "store")
    done = desk.metalworking("check")
    assert done.stderr.splitlines()[-1] == "sources.lock: 1 file, 1 proved by git"
    assert "1 excerpt, 0 citations" in done.stderr, "and its bytes are here"


def test_a_clone_of_the_mirror_alone_is_enough(two: Desk) -> None:
    git(two.root, "clone", "-q", str(two.home()), "code/else/fork")
    path = two.root / "sources.yml"
    path.write_text(path.read_text().replace("    license: MIT\n", "    license: MIT\n    mirrors: [else/fork]\n"))
    done = two.build("--strict")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 from checkout" in done.stdout + done.stderr
    assert "2 proved by git" in two.metalworking("check").stderr


def test_a_shallow_clone_without_the_commit_is_passed_over(two: Desk) -> None:
    two.commit({"a.c": "int later;\n"})
    (two.root / "code/acme").mkdir(parents=True)
    git(two.root, "clone", "-q", "--depth=1", two.home().as_uri(), "code/acme/kernels")
    (two.root / "sources.lock").unlink()
    done = two.metalworking("lock")
    assert done.exit_code == 0, done.output
    assert entries(two) == ["a.c", "b.c"]
