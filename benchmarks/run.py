"""``make bench``: the table of docs/plugin/speed.md, measured in one run on one machine.

Every row is a ratio of two things measured alternately in this run; figures of different runs are not compared.
``--small`` runs everything on a tiny site, which is what the test does; ``--only NAME`` runs one row.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import os
import platform
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.gitserver import serving
from benchmarks.sites import Corpus, Shape, write_site
from mkdocs_metalworking.deliver.project import Project, Settings
from mkdocs_metalworking.deliver.resolver import Resolver
from mkdocs_metalworking.deliver.store import Store
from mkdocs_metalworking.deliver.transports.remote import Remote
from mkdocs_metalworking.quote.blob import FileKey, LockedFile
from mkdocs_metalworking.quote.directive import parse_directive
from mkdocs_metalworking.quote.quantity_mentions import fill_plain

ENV = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
MKDOCS = [sys.executable, "-m", "mkdocs"]


@dataclass
class Row:
    """One comparison. *ours* and *theirs* are samples of the same unit; the ratio is of their medians."""

    what: str
    against: str
    goal: str
    ours: list[float]
    theirs: list[float]
    unit: str = "s"
    note: str = ""

    @property
    def ratio(self) -> float:
        return statistics.median(self.ours) / statistics.median(self.theirs)

    def cells(self) -> list[str]:
        return [
            self.what,
            self.against,
            self.goal,
            f"{self.ratio:.2f}",
            self._spread(self.ours),
            self._spread(self.theirs),
        ]

    def _spread(self, samples: list[float]) -> str:
        middle = statistics.median(samples)
        spread = f" ({min(samples):.3g} to {max(samples):.3g})" if len(samples) > 1 else ""
        return f"{middle:.3g} {self.unit}{spread}"


@dataclass
class Bench:
    """Where the sites are, and how large."""

    folder: Path
    shape: Shape
    repeats: int
    sites: dict[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.corpus = Corpus(self.folder / "corpus", self.shape)
        self.corpus.commit_to(self.folder / "corpus")

    def site(self, way: str) -> Path:
        if way not in self.sites:
            self.sites[way] = write_site(self.corpus, self.folder / way, way)
        return self.sites[way]

    def build(self, way: str, *, cold: bool = False) -> float:
        """Return the seconds of one full build."""
        site = self.site(way)
        if cold:
            for path in self.folder.glob("store/highlight.sqlite*"):
                path.unlink()
        start = time.perf_counter()
        subprocess.run([*MKDOCS, "build", "-q"], cwd=site, env=ENV, check=True)
        return time.perf_counter() - start

    def alternate(self, *runs: Callable[[], float]) -> list[list[float]]:
        """Run each in turn, *repeats* times, after one round that is thrown away."""
        for run in runs:
            run()
        samples: list[list[float]] = [[] for _ in runs]
        for _ in range(self.repeats):
            for run, kept in zip(runs, samples, strict=True):
                kept.append(run())
        return samples


def full_build(bench: Bench) -> Iterator[Row]:
    what = f"full build, {bench.shape.pages} pages x {bench.shape.excerpts} x {bench.shape.lines} lines, all warm"
    ours, unsearched, none = bench.alternate(
        lambda: bench.build("metalworking"), lambda: bench.build("unsearched"), lambda: bench.build("none")
    )
    yield Row(what, "the same site with no code at all", "at most 1.10", ours, none)
    yield Row(f"{what}, code not searched", "the same site with no code at all", "", unsearched, none)


def cold_build(bench: Bench) -> Iterator[Row]:
    names = {
        "fences": ("the same code pasted as fences", "at most 0.45"),
        "snippets": ("pymdownx.snippets with line ranges", "below 1"),
        "include": ("mkdocs-include-markdown", "below 1"),
        "codeinclude": ("mkdocs-codeinclude", "below 1"),
    }
    runs = [lambda way=way: bench.build(way) for way in names]
    ours, *theirs = bench.alternate(lambda: bench.build("metalworking", cold=True), *runs)
    for (against, goal), samples in zip(names.values(), theirs, strict=True):
        yield Row("the same, nothing highlighted yet", against, goal, ours, samples)


@contextmanager
def served(site: Path) -> Iterator[str]:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    command = [*MKDOCS, "serve", "-q", "-a", f"127.0.0.1:{port}"]
    process = subprocess.Popen(command, cwd=site, env=ENV)
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(30)


def _wait(url: str, words: str, limit: float = 180) -> float:
    start = time.perf_counter()
    while time.perf_counter() - start < limit:
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                if words.encode() in answer.read():
                    return time.perf_counter() - start
        except OSError:
            pass
        time.sleep(0.02)
    raise TimeoutError(f"{url} never showed {words!r}")


def edits(bench: Bench, way: str) -> list[float]:
    """Return the seconds from saving a one-line edit to the served page, several times."""
    site = bench.site(way)
    page = site / "docs" / "page1.md"
    text = page.read_text(encoding="utf-8")
    samples = []
    try:
        with served(site) as base:
            _wait(f"{base}page1/", "Page 1")
            for number in range(bench.repeats + 1):
                time.sleep(0.6)  # the watcher polls; a save while it starts would be missed
                page.write_text(f"{text}\nEdit number {number}.\n", encoding="utf-8")
                samples.append(_wait(f"{base}page1/", f"Edit number {number}."))
    finally:
        page.write_text(text, encoding="utf-8")
    return samples[1:]


def serve(bench: Bench) -> Iterator[Row]:
    what = f"one-line edit under serve, {bench.shape.pages} pages"
    yield Row(
        what,
        "stock Material, code pasted",
        "at most 0.20, aim at 0.06",
        edits(bench, "metalworking"),
        edits(bench, "fences"),
    )


def growth(bench: Bench) -> Iterator[Row]:
    """Cost per excerpt as their number grows, the cost of the same pages without excerpts taken off."""
    largest = bench.shape.pages * bench.shape.excerpts
    per: list[float] = []
    few = max(5, largest // 15)
    for count in (few, largest):
        shape = Shape(pages=max(1, count // 5), excerpts=5, lines=bench.shape.lines, files=bench.shape.files)
        with tempfile.TemporaryDirectory() as folder:
            inner = Bench(Path(folder), shape, bench.repeats)
            ours, none = inner.alternate(lambda b=inner: b.build("metalworking"), lambda b=inner: b.build("none"))
            start = Bench(Path(folder) / "empty", Shape(pages=1, excerpts=1, lines=5, files=1), bench.repeats)
            base, bare = start.alternate(lambda b=start: b.build("metalworking"), lambda b=start: b.build("none"))
            fixed = statistics.median(base) - statistics.median(bare)
            per.append((statistics.median(ours) - statistics.median(none) - fixed) / count * 1000)
    yield Row(f"cost per excerpt, {largest} excerpts", f"{few} excerpts", "0.8 to 1.2", [per[1]], [per[0]], "ms")


def resolving(bench: Bench) -> Iterator[Row]:
    """10,000 directives over 1,000 files against reading those files and slicing their lines."""
    count, files = (10_000, 1_000) if bench.shape.pages >= 300 else (200, 20)
    with tempfile.TemporaryDirectory() as folder:
        shape = Shape(pages=count // 5, excerpts=5, lines=30, files=files, length=200)
        corpus = Corpus(Path(folder) / "corpus", shape)
        corpus.commit_to(corpus.folder)
        site = write_site(corpus, Path(folder) / "site", "metalworking")
        quotes = [quote for page in corpus.pages for quote in page]
        settings = Settings.of({"store": "../store", "offline": True}, base=site)
        texts = [f"<< excerpt bench/corpus@{corpus.commit[:7]}:{q.file}#L{q.first}-{q.last} >>" for q in quotes]
        with_store = Project.load(settings)
        for file in with_store.lock.files.values():
            with_store.resolver.resolve(file)
        with_store.close()

        def ours() -> float:
            start = time.perf_counter()
            project = Project.load(settings)
            for text in texts:
                assert project.quoter.quote(parse_directive(text)).segments
            project.close()
            return time.perf_counter() - start

        def plain() -> float:
            start = time.perf_counter()
            kept: dict[str, list[str]] = {}
            for quote in quotes:
                lines = kept.get(quote.file)
                if lines is None:
                    lines = kept[quote.file] = (corpus.folder / quote.file).read_text(encoding="utf-8").split("\n")
                assert lines[quote.first - 1 : quote.last]
            return time.perf_counter() - start

        mine, theirs = bench.alternate(ours, plain)
    yield Row(
        f"resolving {count:,} directives over {files:,} files, warm",
        "reading the files and slicing lines",
        "at most 3",
        mine,
        theirs,
    )


def memory(bench: Bench) -> Iterator[Row]:
    def peak(way: str) -> float:
        program = (
            "import sys; sys.argv = ['mkdocs', 'build', '-q']\n"
            "from mkdocs.__main__ import cli\n"
            "try: cli()\nexcept SystemExit: pass\n"
            "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=bench.site(way), env=ENV, check=True, capture_output=True
        )
        return int(done.stdout.split()[-1]) / 1024

    ours, none = bench.alternate(lambda: peak("metalworking"), lambda: peak("none"))
    yield Row("peak memory of the build", "the same site without code", "at most 1.15", ours, none, "MiB")


def weight(bench: Bench) -> Iterator[Row]:
    """What a first visit to a page loads, compressed: its HTML and every style and script that it names."""
    for way in ("metalworking", "fences"):
        bench.build(way)
    ours, theirs = (
        [_loaded(page) for page in sorted((bench.site(way) / "site").glob("page*/index.html"))]
        for way in ("metalworking", "fences")
    )
    against = "stock Material, code pasted"
    html = ([first for first, _ in pair] for pair in (ours, theirs))
    yield Row(
        "page weight, HTML, CSS and JS, gzip",
        against,
        "at most 1.15",
        *([sum(p) for p in x] for x in (ours, theirs)),
        "KiB",
    )
    yield Row("page weight, HTML alone, gzip", against, "", *html, "KiB")


def _loaded(page: Path) -> tuple[float, float]:
    """Return the KiB of a page's HTML and of the styles and scripts that it names."""
    text = page.read_text(encoding="utf-8")
    names = re.findall(r'<link rel="stylesheet" href="([^"?#]+)|<script src="([^"?#]+)', text)
    files = [(page.parent / (style or script)).resolve() for style, script in names]
    return len(gzip.compress(text.encode())) / 1024, sum(len(gzip.compress(f.read_bytes())) for f in files) / 1024


def fetching(bench: Bench) -> Iterator[Row]:
    """A cold fetch of what is quoted, from git servers on this machine, against shallow clones one after another."""
    small = bench.shape.pages < 300
    repositories, files, quoted = (2, 12, 2) if small else (4, 800, 8)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        keys: list[LockedFile] = []
        for index in range(repositories):
            shape = Shape(pages=1, excerpts=1, files=files, length=400, seed=index)
            corpus = Corpus(root / f"bench/repo{index}", shape)
            commit = corpus.commit_to(corpus.folder)
            config = ["git", "-C", str(corpus.folder), "config"]
            subprocess.run([*config, "uploadpack.allowReachableSHA1InWant", "true"], check=True)
            subprocess.run([*config, "uploadpack.allowFilter", "true"], check=True)
            chosen = list(corpus.files)[:: max(1, files // quoted)][:quoted]
            keys += [
                LockedFile.of(FileKey(f"bench/repo{index}", commit, path), corpus.files[path].encode())
                for path in chosen
            ]
        blobs = sum(len(zlib.compress(corpus_bytes(root, key))) for key in keys)
        with serving(root) as (base, counter):

            def ours() -> float:
                shutil.rmtree(root / "store", ignore_errors=True)
                start = time.perf_counter()
                transport = Remote(wanted=keys, url=lambda repo: f"{base}/{repo}/.git")
                resolver = Resolver(Store(root / "store"), [transport])
                resolver.prefetch(keys)
                assert resolver.counts()["git"] == len({key.blob for key in keys})
                resolver.close()
                return time.perf_counter() - start

            def clones() -> float:
                start = time.perf_counter()
                for index in range(repositories):
                    target = root / f"clone{index}"
                    shutil.rmtree(target, ignore_errors=True)
                    address = f"{base}/bench/repo{index}/.git"
                    subprocess.run(["git", "clone", "-q", "--depth", "1", address, str(target)], check=True)
                return time.perf_counter() - start

            counter.sent = 0
            ours()
            mine = counter.sent
            counter.sent = 0
            clones()
            theirs = counter.sent
            fetch, clone = bench.alternate(ours, clones)
    what = f"cold fetch of {len(keys)} quoted files of {repositories} repositories"
    yield Row(f"{what}: bytes", "the quoted blobs, compressed", "at most 2", [mine / 1024], [blobs / 1024], "KiB")
    yield Row(f"{what}: bytes", "git clone --depth 1 of each", "at most 0.10", [mine / 1024], [theirs / 1024], "KiB")
    yield Row(f"{what}: time", "git clone --depth 1, one after another", "at most 0.25", fetch, clone)


def numbers(bench: Bench) -> Iterator[Row]:
    """The book as it is against the same book with its numbers written out and no quantities.yml; CPU time."""
    book = Path(__file__).resolve().parents[1]
    told = Project.load(Settings.of({"offline": True}, base=book)).quantities
    folders = [bench.folder / name for name in ("book", "written")]
    for folder in folders:
        shutil.copytree(book / "docs", folder / "docs")
        for name in ("mkdocs.yml", "sources.yml", "sources.lock", "quantities.yml"):
            shutil.copy(book / name, folder / name)
        for name in ("overrides", "code"):
            if (book / name).exists():
                (folder / name).symlink_to((book / name).resolve())
    for page in (folders[1] / "docs").rglob("*.md"):
        page.write_text(fill_plain(page.read_text(encoding="utf-8"), told)[0], encoding="utf-8")
    (folders[1] / "quantities.yml").unlink()

    def build(folder: Path) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*MKDOCS, "build", "-q"], cwd=folder, env=ENV, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    ours, theirs = bench.alternate(*(lambda folder=folder: build(folder) for folder in folders))
    what = f"build of the book, {len(told.by_key)} quantities, CPU time"
    yield Row(what, "the same book, its numbers written out", "at most 1.03", ours, theirs)


def servers(bench: Bench) -> Iterator[Row]:
    """What an editor and a coding agent wait for on the book, or on a small site, beside one ``check`` of it."""
    from benchmarks.servers import asked, check, written

    small = bench.repeats == 1
    site = bench.site("metalworking") if small else Path(__file__).resolve().parents[1]
    pages = sorted((site / "docs").rglob("*.md"), key=lambda page: page.stat().st_size)
    chosen = pages[:: max(1, len(pages) // 12)] + pages[-1:]
    typed, slowest, lists = asyncio.run(written(site, chosen[:2] if small else chosen, 1 if small else 5))
    questions = [("search", {"query": "page"}), ("page", {"page": pages[-1].stem})]
    if not small:
        questions = [("look_up", {"term": "warp"}), ("quantity", {"key": "m1.fp32"}), ("chip", {"name": "M4 Max"})]
    answers = asyncio.run(asked(site, questions, bench.repeats))
    whole = [check(site) for _ in range(bench.repeats)]
    against = "one metalworking check"
    yield Row("keystroke to what is wrong, pages of the book", against, "150 ms at most", typed, whole, unit="ms")
    yield Row("the same, the slowest keystroke of each page", against, "150 ms at most", slowest, whole, unit="ms")
    yield Row("completion of a citation", "a keystroke, as above", "", lists, typed, unit="ms")
    yield Row("an answer of the context server", "a keystroke, as above", "", answers, typed, unit="ms")


def corpus_bytes(root: Path, file: LockedFile) -> bytes:
    """Return the bytes of *file* in the repository made for it."""
    return (root / file.key.repo / file.key.path).read_bytes()


ROWS: dict[str, Callable[[Bench], Iterator[Row]]] = {
    "full": full_build,
    "cold": cold_build,
    "serve": serve,
    "growth": growth,
    "resolve": resolving,
    "fetch": fetching,
    "memory": memory,
    "weight": weight,
    "numbers": numbers,
    "servers": servers,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a tiny site, to see that everything runs")
    parser.add_argument("--only", choices=ROWS, action="append", help="one row; may be repeated")
    parser.add_argument("--repeats", type=int, default=0)
    options = parser.parse_args()
    shape = Shape(pages=6, files=4, length=80, excerpts=2, lines=10) if options.small else Shape()
    rows: list[Row] = []
    folder = Path(tempfile.mkdtemp(prefix="metalworking-bench-"))
    try:
        bench = Bench(folder, shape, options.repeats or (1 if options.small else 5))
        for name in options.only or ROWS:
            for row in ROWS[name](bench):
                rows.append(row)
                print("| " + " | ".join(row.cells()) + " |", file=sys.stderr, flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("| what | compared with | goal | ratio | ours | theirs |\n|---|---|---|--:|--:|--:|")
    for row in rows:
        print("| " + " | ".join(row.cells()) + " |")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    total = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    machine = f"{platform.machine()}, {cores} cores, {platform.system()}, Python {platform.python_version()}"
    print(f"\n{machine}; {total:.0f} s of CPU time.")


if __name__ == "__main__":
    main()
