"""A signal at the very moment when something is there and nobody knows of it yet: Ctrl-C, or another that ends it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mkdocs_metalworking.git import process as child
from mkdocs_metalworking.git.interrupts import ENDING, hear, held_back, leave
from mkdocs_metalworking.git.scratch import Scratch
from mkdocs_metalworking.hosts.files import write
from tests.support import PATIENCE, commit_files, wait_for

Strike = Callable[[Callable[..., Any]], Callable[..., Any]]
ENDED = (KeyboardInterrupt, SystemExit)


@pytest.fixture(autouse=True, params=ENDING, ids=lambda number: number.name)
def number(request: pytest.FixtureRequest) -> Any:
    """The signal, meaning what it means to a command: below a job in the background Ctrl-C is ignored, for one."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in ENDING}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    taken = hear()
    yield request.param
    leave(taken)
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def struck(number: signal.Signals) -> Strike:
    def struck(made: Callable[..., Any]) -> Callable[..., Any]:
        """Return *made*, struck by the signal when it has done its work."""

        def strike(*arguments: Any, **options: Any) -> Any:
            found = made(*arguments, **options)
            signal.raise_signal(number)
            return found

        return strike

    return struck


def test_no_program_goes_on_that_nobody_knows_of(monkeypatch: pytest.MonkeyPatch, number: signal.Signals) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Started(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            started.append(self)
            super().__init__(*arguments, **options)
            signal.raise_signal(number)

    monkeypatch.setattr(subprocess, "Popen", Started)
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    with pytest.raises(ENDED):
        child.run(command, stdin=b"", env=os.environ, timeout=600, allowance=child.Allowance())
    (process,) = started
    ended = process.returncode
    process.kill()
    process.wait()
    assert ended == -signal.SIGKILL


def test_a_program_that_is_not_watched_yet_ends_too(monkeypatch: pytest.MonkeyPatch, struck: Strike) -> None:
    pids: list[int] = []
    monkeypatch.setattr(child, "hold", struck(lambda process, _allowance: pids.append(process.pid)))
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    with pytest.raises(ENDED):
        child.run(command, stdin=b"", env=os.environ, timeout=600, allowance=child.Allowance())
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], signal.SIGKILL)


def test_a_wait_that_was_struck_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C between the taking of the lock within ``wait`` and the ``try`` behind it leaves it taken for ever."""
    started: list[subprocess.Popen[bytes]] = []

    def wait(process: subprocess.Popen[bytes], *_: object) -> int:
        started.append(process)
        process._waitpid_lock.acquire()  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    monkeypatch.setattr(child, "_wait", wait)
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    with pytest.raises(ENDED):
        child.run(command, stdin=b"", env=os.environ, timeout=600, allowance=child.Allowance())
    (process,) = started
    assert process.returncode == -signal.SIGKILL
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)


def test_what_runs_in_any_thread_is_ended_by_a_process_that_goes_at_once() -> None:
    """A language server ends without waiting for its threads, one of which may be waiting for git."""
    ended: list[int] = []

    def wait() -> None:
        command = [sys.executable, "-c", "import time; time.sleep(600)"]
        done = child.run(command, stdin=b"", env=os.environ, timeout=600, allowance=child.Allowance())
        ended.append(done.code)

    thread = threading.Thread(target=wait)
    thread.start()
    wait_for(lambda: bool(child._running))
    child.end_all()
    thread.join(PATIENCE)
    assert ended == [-signal.SIGKILL]
    assert not child._running


def test_no_folder_stays_that_was_only_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, struck: Strike) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(tempfile, "mkdtemp", struck(tempfile.mkdtemp))
    with pytest.raises(ENDED):
        Scratch()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_taken_away_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, struck: Strike) -> None:
    scratch = Scratch(tmp_path)
    for name in ("a", "b"):
        Path(scratch.name, name).write_text("x")
    monkeypatch.setattr(os, "unlink", struck(os.unlink))
    monkeypatch.setattr(shutil.os, "unlink", os.unlink)  # type: ignore[attr-defined]
    with pytest.raises(ENDED):
        scratch.cleanup()
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_a_file_is_written_or_not_and_nothing_lies_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, struck: Strike
) -> None:
    path = tmp_path / "sources.lock"
    path.write_text("old\n")
    monkeypatch.setattr(os, moment, struck(getattr(os, moment)))
    with pytest.raises(ENDED):
        write(path, "new\n")
    monkeypatch.undo()
    assert path.read_text() == "new\n"
    assert list(tmp_path.iterdir()) == [path]


def test_it_counts_when_the_block_ends_and_in_the_first_thread_alone(number: signal.Signals) -> None:
    done: list[str] = []

    def wrong() -> None:
        with held_back():
            signal.raise_signal(number)
            done.append("inside")
            raise OSError

    with pytest.raises(ENDED):
        wrong()

    def right() -> None:
        with held_back():
            signal.raise_signal(number)
            done.append("inside")
        done.append("behind")

    with pytest.raises(ENDED):
        right()

    def elsewhere() -> None:
        with held_back():
            done.append("elsewhere")

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert done == ["inside", "inside", "elsewhere"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_what_nobody_listens_to_ends_a_program_when_the_block_ends(tmp_path: Path, number: signal.Signals) -> None:
    """A program that writes by way of ours: the file is whole, and the program is ended by the signal as before."""
    program = (
        "import pathlib, signal, sys; from mkdocs_metalworking.hosts.files import write\n"
        f"signal.signal({int(number)}, signal.SIG_DFL); replace = pathlib.Path.replace\n"
        f"pathlib.Path.replace = lambda *both: (signal.raise_signal({int(number)}), replace(*both))\n"
        "write(pathlib.Path(sys.argv[1]), 'new')"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "a.yml")])
    assert done.returncode == -number
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.yml", "new")]


def test_what_is_ignored_or_listened_to_by_somebody_stays(number: signal.Signals) -> None:
    for theirs in (signal.SIG_IGN, lambda *_: None):
        signal.signal(number, theirs)
        assert hear() == []
        assert signal.getsignal(number) is theirs


@pytest.mark.skipif(os.name == "nt", reason="a program that waits is a shell script")
def test_a_build_that_is_ended_ends_its_git(tmp_path: Path, number: signal.Signals) -> None:
    """MkDocs listens to Ctrl-C alone."""
    site, tools, pids = tmp_path / "site", tmp_path / "tools", tmp_path / "pids"
    commit_files(site, {"mkdocs.yml": "site_name: T\nplugins: [metalworking]\n", "docs/index.md": "# Hi\n"})
    (tmp_path / "a.txt").touch()
    (site / "docs/a.txt").symlink_to("../../a.txt")  # of which git is asked
    tools.mkdir()
    pids.mkdir()
    (tools / "git").write_text(f'#!/bin/sh\ntouch "{pids}/$$"; exec sleep 3600\n', encoding="utf-8")
    (tools / "git").chmod(0o755)
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from mkdocs.__main__ import cli; cli(['build', '-q'])"
    )
    env = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    with subprocess.Popen([sys.executable, "-c", program], cwd=site, env=env, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: any(pids.iterdir()))
            process.send_signal(number)
            code = process.wait(PATIENCE)
        finally:
            process.kill()
    assert code == (1 if number == signal.SIGINT else 128 + number)
    (pid,) = pids.iterdir()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.name), signal.SIGKILL)
