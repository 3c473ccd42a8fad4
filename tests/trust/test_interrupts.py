"""Ctrl-C at the very moment when something is there and nobody knows of it yet."""

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
from mkdocs_metalworking.git.interrupts import held_back
from mkdocs_metalworking.git.scratch import Scratch
from mkdocs_metalworking.hosts.files import write


@pytest.fixture(autouse=True)
def listening() -> Any:
    """Ctrl-C means what it means in a terminal: below a job in the background it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def struck(made: Callable[..., Any]) -> Callable[..., Any]:
    """Return *made*, struck by Ctrl-C when it has done its work."""

    def strike(*arguments: Any, **options: Any) -> Any:
        found = made(*arguments, **options)
        signal.raise_signal(signal.SIGINT)
        return found

    return strike


def test_no_program_goes_on_that_nobody_knows_of(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Started(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            started.append(self)
            super().__init__(*arguments, **options)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(subprocess, "Popen", Started)
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    with pytest.raises(KeyboardInterrupt):
        child.run(command, stdin=b"", env=os.environ, timeout=600, allowance=child.Allowance())
    (process,) = started
    ended = process.returncode
    process.kill()
    process.wait()
    assert ended == -signal.SIGKILL


def test_a_program_that_is_not_watched_yet_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    pids: list[int] = []
    monkeypatch.setattr(child, "hold", struck(lambda pid, _allowance: pids.append(pid)))
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    with pytest.raises(KeyboardInterrupt):
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
    with pytest.raises(KeyboardInterrupt):
        child.run(command, stdin=b"", env=os.environ, timeout=600, allowance=child.Allowance())
    (process,) = started
    assert process.returncode == -signal.SIGKILL
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)


def test_no_folder_stays_that_was_only_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(tempfile, "mkdtemp", struck(tempfile.mkdtemp))
    with pytest.raises(KeyboardInterrupt):
        Scratch()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_taken_away_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = Scratch(tmp_path)
    for name in ("a", "b"):
        Path(scratch.name, name).write_text("x")
    monkeypatch.setattr(os, "unlink", struck(os.unlink))
    monkeypatch.setattr(shutil.os, "unlink", os.unlink)  # type: ignore[attr-defined]
    with pytest.raises(KeyboardInterrupt):
        scratch.cleanup()
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_a_file_is_written_or_not_and_nothing_lies_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    path = tmp_path / "sources.lock"
    path.write_text("old\n")
    monkeypatch.setattr(os, moment, struck(getattr(os, moment)))
    with pytest.raises(KeyboardInterrupt):
        write(path, "new\n")
    monkeypatch.undo()
    assert path.read_text() == "new\n"
    assert list(tmp_path.iterdir()) == [path]


def test_it_counts_when_the_block_ends_and_in_the_first_thread_alone() -> None:
    done: list[str] = []

    def wrong() -> None:
        with held_back():
            signal.raise_signal(signal.SIGINT)
            done.append("inside")
            raise OSError

    with pytest.raises(KeyboardInterrupt):
        wrong()

    def right() -> None:
        with held_back():
            signal.raise_signal(signal.SIGINT)
            done.append("inside")
        done.append("behind")

    with pytest.raises(KeyboardInterrupt):
        right()

    def elsewhere() -> None:
        with held_back():
            done.append("elsewhere")

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert done == ["inside", "inside", "elsewhere"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


KILLED = """
import os, signal, sys
left = int(sys.argv.pop())
def look(event, arguments):
    global left
    if event in ("os.remove", "os.rmdir", "shutil.rmtree"):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(look)
from mkdocs_metalworking.hosts.cli.main import main
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL there")
def test_a_stage_that_was_killed_while_it_was_emptied_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("# Home\n")
    (tmp_path / "mkdocs.yml").write_text("site_name: S\nplugins: [metalworking]\n")

    def stage(*code: str) -> int:
        command = [sys.executable, *(code or ("-m", "mkdocs_metalworking", "stage", "out"))]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode

    assert stage() == 0
    killed = 0
    while stage("-c", KILLED, "stage", "out", str(killed)) == -signal.SIGKILL:
        assert stage() == 0, f"killed after {killed}"
        killed += 1
    assert killed >= 3
    assert (tmp_path / "out/docs/index.md").read_text() == "# Home\n\n"
