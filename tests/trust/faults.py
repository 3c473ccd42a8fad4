"""A site whose commands are killed, starved and crowded; and what must be true of it afterwards, every time."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import random
import re
import shutil
import signal
import subprocess
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mkdocs_metalworking.quote.lock import load_lock
from tests.forked import Zygote
from tests.support import commit_files, git

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    f"src/k{n}.metal": f"// file {n}\n" + "".join(f"kernel void k{n}_{i}() {{}}\n" for i in range(400))
    for n in range(10)
}
PACKED = {f"inc/p{n}.h": "".join(f"int p{n}_{i};\n" for i in range(300)) for n in range(6)}
MKDOCS = """\
site_name: Faults
plugins: [metalworking: {store: store, transports: [checkout, package]}]
nav: [index.md, packed.md]
"""


@dataclass
class Site:
    """A site below *root* that quotes a served repository and a package in a local folder."""

    root: Path
    served: Path
    zygote: Zygote
    env: dict[str, str] = field(default_factory=dict)

    @classmethod
    def make(cls, root: Path, served: Path, zygote: Zygote) -> Site:
        """Write pages and sources; repositories and the wheel are made once in *served*."""
        commits = {}
        for repo, files in (("o/n", FILES), ("o/p", PACKED)):
            bare = served / f"{repo}.git"
            if not bare.exists():
                work = served / "work" / repo
                commit_files(work, files)
                git(served, "clone", "-q", "--bare", str(work), str(bare))
                git(bare, "config", "uploadpack.allowFilter", "true")
                git(bare, "config", "uploadpack.allowAnySHA1InWant", "true")
            commits[repo] = git(bare, "rev-parse", "HEAD")
        wheels = served / "wheels"
        if not wheels.exists():
            wheels.mkdir()
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bundle:
                for name, text in PACKED.items():
                    bundle.writestr(name, text)
                bundle.writestr("filler", random.Random(1).randbytes(3_000_000))
            (wheels / "packed-1.0-py3-none-any.whl").write_bytes(out.getvalue())
        (root / "docs").mkdir(parents=True)
        (root / "mkdocs.yml").write_text(MKDOCS, encoding="utf-8")
        (root / "sources.yml").write_text(
            f"repositories:\n  - {{repo: o/n, commit: '{commits['o/n']}', license: MIT}}\n"
            f"  - {{repo: o/p, commit: '{commits['o/p']}', license: MIT,\n"
            "     packages: [{wheel: packed==1.0, root: ''}]}\n",
            encoding="utf-8",
        )
        for name, repo, files in (("index", "o/n", FILES), ("packed", "o/p", PACKED)):
            directives = "".join(f"<< excerpt {repo}@{commits[repo][:9]}:{path}#L2-9 >>\n\n" for path in files)
            (root / f"docs/{name}.md").write_text(f"# {name}\n\n{directives}", encoding="utf-8")
        env = {"PIP_FIND_LINKS": str(wheels), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
        return cls(root, served, zygote, env)

    def order(self, command: str, **more: Any) -> dict[str, Any]:
        temporary = self.root.parent / "tmp"
        temporary.mkdir(exist_ok=True)
        temporary.chmod(0o777)
        order = {
            "cwd": str(self.root),
            "stdout": str(self.root.parent / "log"),
            "stderr": str(self.root.parent / "log"),
            "served": self.served.as_uri(),
            "env": {**self.env, "TMPDIR": str(temporary)},
            "program": "mkdocs" if command == "build" else "metalworking",
            "arguments": ["build", "-q", "--strict"] if command == "build" else [command],
        }
        return {**order, **more}

    def run(self, command: str, **more: Any) -> int:
        """Run one command to its end and return its exit code."""
        self.zygote.start(self.order(command, **more))
        return self.zygote.wait()

    @property
    def log(self) -> str:
        return (self.root.parent / "log").read_text("utf-8", "replace")

    # What is there

    def authored(self) -> dict[str, bytes]:
        """Return what people wrote."""
        found = {path: path.read_bytes() for path in (self.root / "docs").rglob("*") if path.is_file()}
        found |= {self.root / name: (self.root / name).read_bytes() for name in ("mkdocs.yml", "sources.yml")}
        return {str(path.relative_to(self.root)): data for path, data in found.items()}

    @property
    def lock(self) -> str:
        path = self.root / "sources.lock"
        return path.read_text("utf-8") if path.exists() else ""

    def entries(self) -> set[str]:
        """Return the entries of the store, each of which must be what its name says."""
        found = set()
        for kind in ("sha256", "archives"):
            for path in (self.root / "store" / kind).rglob("*"):
                if path.is_file() and not path.name.startswith("."):
                    digest = hashlib.sha256(path.read_bytes()).hexdigest()
                    assert digest == path.name, f"a store entry that is not sound: {path.name[:12]}"
                    found.add(f"{kind}:{path.name}")
        return found

    def built(self) -> dict[str, str]:
        """Return the pages that were built, without what differs from build to build."""
        pages = {}
        for path in sorted((self.root / "site").rglob("*.html")):
            text = path.read_text("utf-8")
            pages[path.name if path.parent == self.root / "site" else path.parent.name] = re.sub(
                r"Build Date UTC : [^\n]*", "", text
            )
        return pages


@dataclass
class Outcome:
    """Counts over many faults."""

    tried: Counter[str] = field(default_factory=Counter)
    survived: int = 0
    wrong: int = 0
    lost: int = 0
    slowest: float = 0.0

    @property
    def struck(self) -> int:
        """How many were struck before they were done."""
        return sum(count for name, count in self.tried.items() if "done before" not in name)


class Trial:
    """Faults at random points, and the checks behind each."""

    def __init__(self, root: Path, zygote: Zygote, *, seed: int = 0) -> None:
        self.rng = random.Random(seed)
        self.site = Site.make(root / "site", root / "served", zygote)
        self.outcome = Outcome()
        self.told = ""
        """What the last command that was struck had said."""
        self.seconds = {}
        for command in ("lock", "fetch", "build"):
            start = time.monotonic()
            code = self.site.run(command)
            assert code == 0, f"{command}: {self.site.log}"
            self.seconds[command] = time.monotonic() - start
        self.lock = self.site.lock
        self.pages = self.site.built()
        self.whole = self.site.entries()
        assert len(self.whole) == len(FILES) + len(PACKED) + 1, self.whole
        assert len(self.pages) >= 3
        assert all("mw-l" in self.pages[name] for name in ("index.html", "packed"))
        self.authored = self.site.authored()

    def spoil(self) -> str:
        """Choose a command, and put the site into a state from which it has something to do."""
        command = self.rng.choice(("lock", "fetch", "build"))
        store = self.site.root / "store"
        if self.rng.random() < 0.5:
            shutil.rmtree(store, ignore_errors=True)
        else:
            for path in (p for p in store.rglob("*") if p.is_file() and self.rng.random() < 0.4):
                path.unlink()
        if command == "lock":
            lines = self.lock.splitlines(keepends=True)
            kept = [line for line in lines if self.rng.random() < 0.4]
            path = self.site.root / "sources.lock"
            path.write_text("".join(kept), encoding="utf-8") if self.rng.random() < 0.7 else path.unlink()
        if self.rng.random() < 0.3:
            shutil.rmtree(self.site.root / "site", ignore_errors=True)
        if command == "build":
            self.site.run("fetch")
            if self.rng.random() < 0.5:
                (store / "highlight.sqlite").unlink(missing_ok=True)
        return command

    def strikes(self, count: int, how: int = signal.SIGKILL) -> Iterator[None]:
        """Strike until *count* commands were hit while they were working; a machine with other work takes longer."""
        before, tries = self.outcome.struck, 0
        while self.outcome.struck < before + count:
            tries += 1
            assert tries <= 5 * count, f"commands are done before they can be struck: {self.outcome.tried}"
            self.strike(how)
            yield

    def strike(self, how: int = signal.SIGKILL) -> None:
        """Strike one command at a random moment, check what it left, run it again and check what it made."""
        site = self.site
        command = self.spoil()
        lock, entries = site.lock, site.entries()
        start = time.monotonic()
        pid = site.zygote.start(site.order(command))
        time.sleep(self.rng.uniform(0, self.seconds[command]))
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, how)
        code = site.zygote.wait()
        self.told = site.log
        if not code:  # how long it takes depends on what else there is to do
            self.seconds[command] = time.monotonic() - start
        self.outcome.tried[f"{command}, {signal.Signals(how).name}" if code else f"{command}, done before"] += 1
        self.check(lock, entries)
        start = time.monotonic()
        self.recover(command)
        self.outcome.slowest = max(self.outcome.slowest, time.monotonic() - start)
        self.outcome.survived += 1

    def check(self, lock: str, entries: set[str]) -> None:
        """Check what a fault left behind."""
        site = self.site
        if site.authored() != self.authored or not entries <= site.entries():
            self.outcome.lost += 1
            raise AssertionError("something of the author's or a sound entry of the store is lost")
        if site.lock not in (lock, self.lock):
            self.outcome.lost += 1
            raise AssertionError(f"half a lock: {site.lock[-300:]}")
        assert load_lock(site.lock)[1] == []

    def recover(self, command: str) -> None:
        """Run *command*, and then a build, as people do."""
        site = self.site
        for again in dict.fromkeys((command, "lock", "fetch", "build")):
            code = site.run(again)
            assert code == 0, f"{again} after the fault: {site.log}"
        # An archive comes back only when a file of it is missing.
        needed = {entry for entry in self.whole if entry.startswith("sha256:")}
        if site.lock != self.lock or site.built() != self.pages or not needed <= site.entries():
            self.outcome.wrong += 1
            raise AssertionError("the next run made something else")


@contextlib.contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[bool]:
    """Mount a disk of *kilobytes* on *folder*; False where that is not possible."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k,mode=777", "tmpfs", str(folder)]
    mounted = shutil.which("mount") is not None and subprocess.run(command, capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True, capture_output=True)
