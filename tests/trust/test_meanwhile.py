"""Somebody saves a file, or another command writes the lock, while a command is at work: nobody's work is lost."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from filelock import FileLock

from mkdocs_metalworking.hosts.cli.main import main
from mkdocs_metalworking.hosts.cli.program import Program
from mkdocs_metalworking.hosts.files import Rewrite, read_page, write_all
from mkdocs_metalworking.hosts.lockfile import locked_lock, read_lock
from mkdocs_metalworking.hosts.lsp.commands import accept
from mkdocs_metalworking.hosts.lsp.editing import Bench
from mkdocs_metalworking.hosts.mkdocs.desk import Desk as EditorDesk
from mkdocs_metalworking.quote.blob import FileKey, LockedFile
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from mkdocs_metalworking.quote.lines import parse_ranges
from mkdocs_metalworking.quote.lock import Lock, LockedRegion
from mkdocs_metalworking.quote.selection import Selection, text_hash
from tests.cli.conftest import Desk
from tests.cli.conftest import desk as desk  # a fixture
from tests.own.conftest import Own
from tests.own.conftest import own as own  # a fixture
from tests.support import PATIENCE, git

LINES = "".join(f"line {n};\n" for n in range(1, 9))
QUOTE = "# One\n\n<< excerpt {k}:a.c#L3-5 >>\n"


@pytest.fixture
def moving(desk: Desk) -> Desk:
    """A site whose pin has moved by two lines upstream, named on two pages and in a data file."""
    desk.add_repo("acme/kernels", {"a.c": LINES, "b.c": "b\n"})
    desk.write([("acme/kernels", "a.c")])
    for name in ("first/one.md", "first/two.md"):
        desk.page(name, QUOTE)
    (desk.root / "docs/data.json").write_text('{"src": "acme/kernels:a.c#L8"}\n')
    desk.commit({"a.c": f"new\nnew\n{LINES}"})
    assert desk.metalworking("sources").exit_code == 0
    return desk


def while_held(path: Path, command: Callable[[], Result], change: Callable[[], object]) -> Result:
    """Run a command that has read everything and waits for the lock, and change something before it gets it."""
    guard = FileLock(f"{path}.lock")
    guard.acquire()
    done: list[Result] = []
    thread = threading.Thread(target=lambda: done.append(command()))
    waits = threading.Event()
    asked = FileLock.acquire

    def acquire(self: FileLock, *args: object, **more: object) -> object:
        if self is not guard:
            waits.set()
        return asked(self, *args, **more)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FileLock, "acquire", acquire)
        thread.start()
        assert waits.wait(PATIENCE)
        change()
        guard.release()
        thread.join(PATIENCE)
    return done[0]


@pytest.mark.parametrize("name", ["docs/first/two.md", "docs/data.json", "sources.yml", "SOURCES.md"])
def test_a_bump_writes_over_no_file_that_somebody_saved_meanwhile(moving: Desk, name: str) -> None:
    path, before = moving.root / name, moving.state()
    mine = path.read_text() + "\n# mine\n"
    done = while_held(
        moving.root / "sources.lock",
        lambda: moving.metalworking("bump", "acme/kernels"),
        lambda: path.write_text(mine),
    )
    assert done.exit_code == 1
    assert f"{path.name} cannot be written: it was changed meanwhile" in done.output
    assert path.read_text() == mine
    now = moving.state()
    assert {one for one in now if now[one] != before[one]} <= {name}, "all or nothing"
    path.write_text(mine.removesuffix("\n# mine\n"))
    assert moving.metalworking("bump", "acme/kernels").exit_code == 0


def test_a_page_of_two_names_is_bumped_once_and_data_of_another_encoding_is_none(moving: Desk) -> None:
    for name, up in (("index", ".."), ("en/index", "../..")):
        path = moving.root / f"docs/{name}.md"
        path.parent.mkdir(exist_ok=True)
        if name == "index":
            text = (moving.root / "docs/first/two.md").read_text()
            (moving.root / "README.md").write_text(text)
            path.unlink()
        path.symlink_to(f"{up}/README.md")
    git(moving.root, "init", "-q")  # within a repository a link may be written through
    (moving.root / "docs/odd.json").write_bytes('{"name": "caf\u00e9"}'.encode("utf-16"))
    done = moving.metalworking("bump", "acme/kernels")
    assert done.exit_code == 0, done.output
    assert (moving.root / "README.md").read_text() == (moving.root / "docs/first/two.md").read_text() != text
    assert (moving.root / "docs/index.md").is_symlink()


def test_of_a_file_with_two_names_one_text_is_written(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a\n")
    (tmp_path / "b").symlink_to("a")
    write_all([Rewrite(tmp_path / name, "a\n", "b\n") for name in "ab"])
    assert (tmp_path / "a").read_text() == "b\n"
    with pytest.raises(MetalworkingError, match="a is the same file, and would be written otherwise"):
        write_all([Rewrite(tmp_path / name, "b\n", f"{name}\n") for name in "ab"])
    assert (tmp_path / "a").read_text() == "b\n"


@pytest.mark.parametrize("name", ["docs/first/two.md", "sources.lock"])
def test_a_bump_that_cannot_write_one_file_writes_none(moving: Desk, name: str) -> None:
    path = moving.root / name
    outside = moving.root.parent / f"outside-{path.name}"
    outside.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(outside)
    assert "link of the site's folder and leads out of it" in moving.refused("bump", "acme/kernels").output
    git(moving.root, "init", "-q")  # a link of the person's is read, but an author's file stays in the repository
    done = moving.refused("bump", "acme/kernels")
    assert f"{path.name} cannot be written: a link leads out of the repository" in done.output


def test_of_files_written_together_a_failure_takes_all_back(tmp_path: Path) -> None:
    files = [tmp_path / "one.md", tmp_path / "below/new.md", tmp_path / "wrong/three.md"]
    files[0].write_bytes(b"\xef\xbb\xbfone\r\ntwo\n")
    (tmp_path / "wrong").touch()  # where a folder would have to be
    rewrites = [Rewrite(files[0], read_page(files[0]), "1\n2\n"), *(Rewrite(path, None, "x\n") for path in files[1:])]
    with pytest.raises(MetalworkingError, match=r"three\.md cannot be written"):
        write_all(rewrites)
    assert files[0].read_bytes() == b"\xef\xbb\xbfone\r\ntwo\n"
    assert not files[1].exists()
    write_all(rewrites[:2])
    assert files[0].read_bytes() == b"\xef\xbb\xbf1\r\n2\n", "each line ends as it did"
    assert files[1].read_text() == "x\n"


@pytest.mark.parametrize("name", ["one.md", "two.md", "new.md"])
def test_what_is_saved_while_others_are_written_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """In the very last moment that takes time: the files to come are on the disk, beside those that are there."""
    (tmp_path / "one.md").write_text("1\n")
    (tmp_path / "two.md").write_text("2\n")
    rewrites = [Rewrite(tmp_path / "one.md", "1\n", "x\n"), Rewrite(tmp_path / "new.md", None, "x\n")]
    rewrites.append(Rewrite(tmp_path / "two.md", "2\n", "x\n"))
    synced: list[int] = []

    def sync(descriptor: int) -> None:
        synced.append(descriptor)
        if len(synced) == len(rewrites):
            (tmp_path / name).write_text("mine\n")

    monkeypatch.setattr("os.fsync", sync)
    with pytest.raises(MetalworkingError, match=f"{name} cannot be written: it was changed meanwhile"):
        write_all(rewrites)
    monkeypatch.undo()
    kept = {"one.md": "1\n", "two.md": "2\n", name: "mine\n"}
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == kept


def test_of_two_commands_that_pin_at_once_both_are_kept(desk: Desk) -> None:
    """As from a terminal and an editor: the one that waits reads what the other one wrote."""
    terms = "This software is provided 'as-is', without any express or implied warranty.\n"
    for repo in ("acme/kernels", "acme/other"):
        desk.add_repo(repo, {"a.c": LINES, "LICENSE": terms})
    path = desk.root / "sources.yml"
    entry = f"  - repo: acme/other\n    commit: {desk.commits['acme/other']}\n    license: MIT\n"
    link = f"https://github.com/acme/kernels/blob/{desk.commits['acme/kernels']}/a.c#L1"
    done = while_held(
        desk.root / "sources.lock",
        lambda: desk.metalworking("add", "--pin", link),
        lambda: path.write_text(f"repositories:\n{entry}"),
    )
    assert done.exit_code == 0, done.output
    assert [pin.repo for pin in desk.project().sources.pins] == ["acme/other", "acme/kernels"]


def test_of_two_commands_that_pin_one_s_own_code_none_is_lost(own: Own) -> None:
    (own.root / "sources.yml").unlink()
    other = f"repositories:\n  - repo: acme/other\n    commit: {'a' * 40}\n    license: MIT\n"
    done = while_held(
        own.root / "sources.lock",
        lambda: own.metalworking("add", "--pin", "src/stack.py#L1"),
        lambda: own.write({"site/sources.yml": other}),
    )
    assert done.exit_code == 0, done.output
    assert own.text("site/sources.yml").startswith(other)
    assert "self: {pin: " in own.text("site/sources.yml")


def test_of_two_new_pages_both_are_in_the_nav(desk: Desk) -> None:
    config = desk.root / "mkdocs.yml"
    text = config.read_text()
    done = while_held(
        desk.root / "sources.lock",
        lambda: desk.metalworking("new", "first/a", "--after", "one"),
        lambda: config.write_text(text.replace("      - first/two.md\n", "      - first/two.md\n      - first/b.md\n")),
    )
    assert done.exit_code == 0, done.output
    assert "      - A: first/a.md\n      - first/two.md\n      - first/b.md\n" in config.read_text()


def test_the_list_of_sources_is_not_written_over_what_was_saved(moving: Desk) -> None:
    path = moving.root / "SOURCES.md"
    path.write_text("old\n")
    done = while_held(
        moving.root / "sources.lock", lambda: moving.metalworking("sources"), lambda: path.write_text("mine\n")
    )
    assert done.exit_code == 1
    assert "SOURCES.md cannot be written: it was changed meanwhile" in done.output
    assert path.read_text() == "mine\n"


def lock_meanwhile(desk: Desk) -> tuple[LockedFile, LockedRegion]:
    """Lock a file and named lines of it as another command does."""
    file = LockedFile.of(FileKey("acme/kernels", desk.commits["acme/kernels"], "b.c"), b"b\n")
    ranges = parse_ranges("L1")
    region = LockedRegion(file.key, Selection("region", "all"), ranges, text_hash(["b"], ranges), file.blob)
    settings = desk.project().settings
    with locked_lock(settings) as current:
        settings.lock.write_text(current.with_entries([file], regions=[region]).format())
    return file, region


def now_locked(desk: Desk) -> Lock:
    return read_lock(desk.project().settings)[0]


@pytest.mark.parametrize("command", ["lock", "bump"])
def test_what_another_command_locked_meanwhile_stays(moving: Desk, command: str) -> None:
    """``add`` locks a file whose directive is pasted later: a lock that read the pages before knows of neither."""
    words = [command]
    if command == "bump":
        words.append("acme/kernels")
    else:  # a file that is quoted, and of which git must be asked
        other = moving.add_repo("acme/other", {"x.c": "x\n"})
        moving.write([("acme/kernels", "a.c")])
        moving.page("index.md", f"# Home\n\n<< excerpt acme/other@{other[:7]}:x.c >>\n")
        moving.home("acme/other")
        shutil.rmtree(moving.root / "code/acme/other")
    locked: list[tuple[LockedFile, LockedRegion]] = []

    def url(repo: str) -> str:
        """Where git fetches from: who asks has read the lock."""
        if not locked:
            locked.append(lock_meanwhile(moving))
        return moving.url(repo)

    command_line = ["-f", str(moving.root / "mkdocs.yml"), *words]
    done = CliRunner(catch_exceptions=False).invoke(main, command_line, obj=Program(url=url))
    assert done.exit_code == 0, done.output
    file, region = locked[0]
    now = now_locked(moving)
    assert now.files[file.key] == file
    assert now.regions[region.key, region.selection] == region


def test_accept_writes_over_no_page_that_somebody_saved_meanwhile(own: Own) -> None:
    own.page('<< excerpt self:src/stack.py first="class Stack" last="return x" hl=11 >>\n\n- L11: The call.\n')
    assert own.metalworking("accept").exit_code == 0
    own.replace("src/stack.py", "class Stack:", "# A stack.\n\n\nclass Stack:")
    page, lock = own.root / "docs/index.md", own.root / "sources.lock"
    mine, locked = f"Put in front.\n\n{page.read_text()}", lock.read_bytes()
    done = while_held(lock, lambda: own.metalworking("accept"), lambda: page.write_text(mine))
    assert done.exit_code == 1, done.output
    assert "index.md cannot be written: it was changed meanwhile" in done.output
    assert page.read_text() == mine
    assert lock.read_bytes() == locked
    assert own.metalworking("accept").exit_code == 0
    assert "hl=14" in page.read_text()
    assert "- L14: The call." in page.read_text()


def test_an_editor_accepts_nothing_while_its_author_types(own: Own) -> None:
    """The edit of the page would land where the text stood before."""
    own.page('<< excerpt self:src/stack.py first="class Stack" last="return x" hl=11 >>\n')
    assert own.metalworking("accept").exit_code == 0
    own.replace("src/stack.py", "class Stack:", "# A stack.\n\n\nclass Stack:")
    page, locked = own.root / "docs/index.md", (own.root / "sources.lock").read_bytes()
    desk = EditorDesk(str(own.root / "mkdocs.yml"))
    try:
        desk.complete()
        bench = Bench(desk)
        bench.typed[page] = f"Typed.\n\n{page.read_text()}"
        with pytest.raises(MetalworkingError, match="changed while it was read"):
            accept(bench, str, ["src/stack.py"])
        assert (own.root / "sources.lock").read_bytes() == locked
        bench.typed.clear()
        edit = accept(bench, str, ["src/stack.py"])
    finally:
        desk.close()
    assert [one.new_text for one in edit.changes[page.as_uri()]] == ["14"]
    assert (own.root / "sources.lock").read_bytes() != locked
