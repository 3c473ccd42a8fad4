"""Whatever happens to a command, the next one does its work, and nothing of anybody's is lost."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mkdocs_metalworking.deliver.store import Store
from tests.forked import Zygote
from tests.support import NIGHT, git
from tests.transports.gitserver import GitServer
from tests.trust.faults import Site, Trial, small_disk

KILLS = int(os.environ.get("TRUST_KILLS", "20" if NIGHT else "10"))
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    made = Zygote()
    yield made
    made.close()


@pytest.fixture(scope="module")
def crowd(zygote: Zygote) -> Iterator[Callable[[int], list[Zygote]]]:
    """So many that run at once; each takes longer to start than what it is asked for."""
    started = [zygote]

    def of(count: int) -> list[Zygote]:
        started.extend(Zygote() for _ in range(count - len(started)))
        return started[:count]

    yield of
    for one in started[1:]:
        one.close()


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder that every user may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="trust-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(scope="module")
def trial(place: Path, zygote: Zygote) -> Trial:
    return Trial(place / "trial", zygote)


@pytest.fixture
def fresh(trial: Trial, place: Path, zygote: Zygote, request: pytest.FixtureRequest) -> Iterator[Site]:
    """A copy of the site with its lock, and an empty store."""
    root = place / request.node.name.replace("[", "-").replace("]", "") / "site"
    shutil.copytree(trial.site.root, root, ignore=shutil.ignore_patterns("store", "site"))
    yield Site(root, trial.site.served, zygote, trial.site.env)
    forbid(root, mode=0o755)


def test_killed_at_any_moment(trial: Trial) -> None:
    for _ in trial.strikes(KILLS):
        pass
    assert trial.outcome.survived >= KILLS
    assert (trial.outcome.wrong, trial.outcome.lost) == (0, 0)


def test_control_c_leaves_no_litter(trial: Trial) -> None:
    temporary = trial.site.root.parent / "tmp"
    shutil.rmtree(temporary, ignore_errors=True)
    for _ in trial.strikes(max(4, KILLS // 6), signal.SIGINT):
        assert "Traceback" not in trial.told, trial.told
        left = [path.name for path in temporary.iterdir()] if temporary.exists() else []
        assert left == [], left
        assert list(trial.site.root.glob("store/*/*/.*.tmp")) == []


@pytest.mark.parametrize("size", [0, 1000, 20_000])
def test_a_disk_that_takes_only_small_files(fresh: Site, trial: Trial, size: int) -> None:
    """RLIMIT_FSIZE stands in for a full disk where no disk can be mounted: writing fails in the middle of a file."""
    assert fresh.run("lock", file_size=size) in (0, 1)
    assert "Traceback" not in fresh.log
    assert fresh.lock == trial.lock
    fresh.run("fetch", file_size=size)
    assert "Traceback" not in fresh.log
    assert fresh.entries() <= trial.whole
    fresh.run("build", file_size=size)
    assert fresh.authored() == trial.authored
    assert fresh.lock == trial.lock
    assert (fresh.run("fetch"), fresh.run("build")) == (0, 0), fresh.log
    assert fresh.built() == trial.pages


@pytest.mark.parametrize("kilobytes", [4, 64, 3200])
def test_a_full_disk_under_the_store(fresh: Site, trial: Trial, kilobytes: int) -> None:
    with small_disk(fresh.root / "store", kilobytes) as mounted:
        if not mounted:
            pytest.skip("no disk can be mounted here")
        assert fresh.run("fetch") == (0 if kilobytes == 3200 else 1), fresh.log
        assert ("store is not written, and nothing is kept: No space" in fresh.log) == (kilobytes != 3200)
        assert "Traceback" not in fresh.log
        assert fresh.entries() <= trial.whole
        assert not list((fresh.root / "store").glob("*/*/.*.tmp"))
        assert fresh.run("lock") == 0, fresh.log
        fresh.run("build")
        assert "Traceback" not in fresh.log
    assert fresh.lock == trial.lock


def test_a_full_disk_under_the_lock(fresh: Site, trial: Trial) -> None:
    whole = fresh.root
    with small_disk(whole.parent / "disk", 64) as mounted:
        if not mounted:
            pytest.skip("no disk can be mounted here")
        root = whole.parent / "disk"
        shutil.copytree(whole, root, dirs_exist_ok=True)
        (root / "sources.lock").unlink()
        config = (root / "mkdocs.yml").read_text("utf-8").replace("store: store", f"store: {whole.parent}/store")
        (root / "mkdocs.yml").write_text(config, encoding="utf-8")
        filler = root / "filler"
        with open(filler, "wb", buffering=0) as stream:
            try:
                while True:
                    stream.write(b"x" * 4096)
            except OSError:
                pass
        site = Site(root, fresh.served, fresh.zygote, fresh.env)
        assert site.run("lock") == 1
        assert "sources.lock cannot be written: No space left on device (it is as it was)" in site.log
        assert "Traceback" not in site.log
        assert site.lock == ""
        assert [path.name for path in root.iterdir() if path.name.endswith(".new")] == []
        filler.unlink()
        assert site.run("lock") == 0
        assert site.lock == trial.lock


needs_root = pytest.mark.skipif(not ROOT, reason="only root can become somebody who may not write")


def forbid(*folders: Path, mode: int = 0o555) -> None:
    for folder in folders:
        for path in [folder, *folder.rglob("*")]:
            if path.is_dir():
                path.chmod(mode)


@needs_root
def test_folders_that_may_not_be_written(fresh: Site, trial: Trial) -> None:
    for command in ("lock", "fetch", "build"):
        assert fresh.run(command, plain=True) == 0
    entries = fresh.entries()
    forbid(fresh.root / "store", fresh.root / "docs")
    fresh.root.chmod(0o555)
    assert fresh.run("build", plain=True) == 0, fresh.log
    assert fresh.built() == trial.pages
    assert fresh.run("fetch", plain=True) == 0, fresh.log
    fresh.root.chmod(0o755)
    (fresh.root / "sources.lock").unlink()
    fresh.root.chmod(0o555)
    assert fresh.run("lock", plain=True) == 1
    assert "sources.lock cannot be written: Permission denied" in fresh.log
    assert "Traceback" not in fresh.log
    assert fresh.run("sources", plain=True) == 1
    assert "SOURCES.md cannot be written: Permission denied" in fresh.log
    assert fresh.entries() == entries
    assert fresh.authored() == trial.authored


@needs_root
def test_an_empty_store_that_may_not_be_written(fresh: Site, trial: Trial) -> None:
    (fresh.root / "store").mkdir()
    (fresh.root / "store").chmod(0o555)
    assert fresh.run("fetch", plain=True) == 1, fresh.log
    assert "store is not written, and nothing is kept: Permission denied" in fresh.log
    assert "Traceback" not in fresh.log
    assert list((fresh.root / "store").iterdir()) == []
    assert list((fresh.root.parent / "tmp").iterdir()) == []


@needs_root
def test_files_that_may_not_be_read(fresh: Site, trial: Trial) -> None:
    assert fresh.run("fetch") == 0
    entries = fresh.entries()
    forbid(fresh.root / "store/sha256", mode=0)
    assert fresh.run("fetch", plain=True) == 1, fresh.log
    assert "store is not written, and nothing is kept: Permission denied" in fresh.log
    forbid(fresh.root / "store/sha256", mode=0o755)
    for entry in (fresh.root / "store/sha256").rglob("*"):
        entry.chmod(0o000 if entry.is_file() else 0o755)
    assert fresh.run("fetch", plain=True) == 0, fresh.log
    for name in ("sources.yml", "sources.lock"):
        (fresh.root / name).chmod(0)
        for command in ("build", "fetch", "check"):
            assert fresh.run(command, plain=True) == 1
            assert f"{name}: cannot read it: Permission denied" in fresh.log
            assert "Traceback" not in fresh.log
        (fresh.root / name).chmod(0o644)
    for name in ("sources.lock", "docs/index.md"):
        (fresh.root / name).chmod(0)
        assert fresh.run("lock", plain=True) == 1
        assert f"{Path(name).name}: " in fresh.log
        assert "Permission denied" in fresh.log
        assert "Traceback" not in fresh.log
        (fresh.root / name).chmod(0o644)
    assert fresh.lock == trial.lock
    assert entries <= fresh.entries()
    assert fresh.run("build") == 0
    assert fresh.built() == trial.pages


@pytest.mark.parametrize("when", [0, 2_000_000_000, 4_000_000_000])
def test_a_clock_that_jumps(fresh: Site, trial: Trial, when: int) -> None:
    assert fresh.run("fetch") == 0
    assert fresh.run("build") == 0
    leftover = next((fresh.root / "store/sha256").iterdir()) / ".x.tmp"
    leftover.write_bytes(b"half")
    for path in fresh.root.rglob("*"):
        os.utime(path, (when, when))
    entries = fresh.entries()
    assert fresh.run("build") == 0, fresh.log
    assert fresh.built() == trial.pages
    assert entries <= fresh.entries()
    Store(fresh.root / "store").folder._sweep()
    assert leftover.exists() == (when > time.time()), "what seems new may be somebody's"


@pytest.mark.parametrize("count", [2, 8] if os.environ.get("TRUST_LONG") else [4])
def test_builds_at_once_on_one_store(
    trial: Trial, place: Path, crowd: Callable[[int], list[Zygote]], count: int
) -> None:
    store = place / f"shared-{count}"
    sites = []
    for number, zygote in enumerate(crowd(count)):
        root = place / f"crowd-{count}-{number}" / "site"
        shutil.copytree(trial.site.root, root, ignore=shutil.ignore_patterns("store", "site", "sources.lock"))
        (root / "store").symlink_to(store)
        git(root, "init", "-q")  # which does not track the link: it is ours
        sites.append(Site(root, trial.site.served, zygote, trial.site.env))
    store.mkdir()
    for command in ("lock", "fetch", "build", "build"):
        pids = [site.zygote.start(site.order(command)) for site in sites]
        if command == "fetch":
            time.sleep(trial.seconds["fetch"] / 2)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pids[0], signal.SIGKILL)
        codes = [site.zygote.wait() for site in sites]
        assert codes[1:] == [0] * (count - 1), [site.log for site in sites]
    for site in sites:
        assert site.lock == trial.lock
        assert site.built() == trial.pages
    assert sites[0].entries() == trial.whole


def test_two_locks_of_one_site_at_once(fresh: Site, trial: Trial, crowd: Callable[[int], list[Zygote]]) -> None:
    other = Site(fresh.root, fresh.served, crowd(2)[1], fresh.env)
    for _ in range(2):
        (fresh.root / "sources.lock").unlink()
        shutil.rmtree(fresh.root / "store", ignore_errors=True)
        fresh.zygote.start(fresh.order("lock"))
        log = str(fresh.root.parent / "log2")
        other.zygote.start(other.order("lock", stdout=log, stderr=log))
        assert (fresh.zygote.wait(), other.zygote.wait()) == (0, 0), fresh.log
        assert fresh.lock == trial.lock
        left = {path.name for path in fresh.root.iterdir()}
        assert left <= {"docs", "mkdocs.yml", "sources.yml", "sources.lock", "store"}, left


class Cut:
    """A git server whose answers break off after so many bytes."""

    def __init__(self, serve: Any, root: Path, keep: int) -> None:
        self.keep = keep
        inner = GitServer(lambda respond: self._served(serve, respond), root)
        self.url = inner.server.url

    def _served(self, serve: Any, respond: Any) -> Any:
        def cutting(handler: Any) -> None:
            real, left = handler.wfile, [self.keep]

            class Writer:
                def write(self, data: bytes) -> int:
                    if left[0] <= 0:
                        raise BrokenPipeError
                    real.write(data[: left[0]])
                    left[0] -= len(data)
                    return len(data)

                def flush(self) -> None:
                    real.flush()

            handler.wfile = Writer()
            try:
                respond(handler)
            finally:
                handler.wfile = real
                handler.close_connection = True

        return serve(cutting)


@pytest.mark.parametrize("keep", [0, 200, 700, 1500, 4000] if os.environ.get("TRUST_LONG") else [0, 700, 4000])
def test_a_network_that_is_lost_in_the_middle(fresh: Site, trial: Trial, serve: Any, keep: int) -> None:
    server = Cut(serve, fresh.served, keep)
    assert fresh.run("fetch", served=server.url) == 1
    assert "Traceback" not in fresh.log
    assert "could not be read" in fresh.log
    assert fresh.entries() <= trial.whole
    (fresh.root / "sources.lock").rename(fresh.root / "kept")
    assert fresh.run("lock", served=server.url) == 1
    assert "Traceback" not in fresh.log
    (fresh.root / "kept").replace(fresh.root / "sources.lock")
    assert fresh.run("fetch") == 0, fresh.log
    assert fresh.entries() == trial.whole
    assert list((fresh.root.parent / "tmp").iterdir()) == []


KILLED = """
import os, signal, sys
from mkdocs_metalworking.hosts.cli.main import main

def stage(left):
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    def look(event, _):
        nonlocal left
        if event in ("os.remove", "os.rmdir", "shutil.rmtree"):
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
    if left is not None:
        sys.addaudithook(look)
    try:
        main(["stage", "out"])
    except SystemExit as end:
        os._exit(end.code or 0)

try:
    main(["stage", "out"])  # and all is imported, for every child
except SystemExit as end:
    assert not end.code
killed = 0
while stage(killed) == -signal.SIGKILL:
    assert stage(None) == 0, f"killed after {killed}"
    killed += 1
print(killed)
"""


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL there")
def test_a_stage_that_was_killed_while_it_was_emptied_is_made_anew(tmp_path: Path) -> None:
    """At each file or folder that goes, one after the other, by one Python that forks."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("# Home\n")
    (tmp_path / "mkdocs.yml").write_text("site_name: S\nplugins: [metalworking]\n")
    done = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 3
    assert (tmp_path / "out/docs/index.md").read_text() == "# Home\n\n"
