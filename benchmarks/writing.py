"""What a writer waits for: the commands, the first page that ``serve`` shows, and each edit."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measure import BOOK, ENV, MKDOCS, Bench, Row, copy_of_the_book, seconds

OURS = [sys.executable, "-m", "mkdocs_metalworking"]


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve *site* on a free port."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    command = [*MKDOCS, "serve", "-q", "-a", f"127.0.0.1:{port}"]
    process = subprocess.Popen(command, cwd=site, env=ENV, stderr=subprocess.DEVNULL)
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


Change = Callable[[str, int], tuple[str, str]]
"""Takes the text of a file and the number of the edit; returns the new text and the words that show it. No words: the
page stays as it is, and the server says when it has built it."""


def edits(site: Path, page: str, repeats: int, change: Change, name: str = "") -> list[float]:
    """Return the seconds from saving the file *name*, or *page* itself, to what a browser is to see of *page*."""
    file = site / (name or f"docs/{page}")
    text = file.read_text(encoding="utf-8")
    samples = []
    try:
        with served(site) as base:
            address = f"{base}{page.removesuffix('.md')}/"
            _wait(address, "<h1")
            for number in range(repeats + 1):
                time.sleep(0.6)  # the watcher polls; a save while it starts would be missed
                new, words = change(text, number)
                build = _build(address)
                file.write_text(new, encoding="utf-8")
                samples.append(_wait(address, words) if words else _later(base, build))
    finally:
        file.write_text(text, encoding="utf-8")
    return samples[1:]


def _build(address: str) -> str:
    """Return which build of the site the page at *address* is of, and of which request."""
    with urllib.request.urlopen(address, timeout=60) as answer:
        found = re.search(r"\nlivereload\(([0-9]+), ([0-9]+)\)", answer.read().decode())
    assert found is not None
    return f"{found[1]}/{found[2]}"


def _later(base: str, build: str) -> float:
    """Wait for a later *build*, as a browser does."""
    start = time.perf_counter()
    while time.perf_counter() - start < 180:
        with urllib.request.urlopen(f"{base}livereload/{build}", timeout=60) as answer:
            if answer.read().decode() != build.partition("/")[0]:
                return time.perf_counter() - start
    raise TimeoutError(f"{base} was not built again")


def _line(text: str, number: int) -> tuple[str, str]:
    return f"{text}\nEdit number {number}.\n", f"Edit number {number}."


def _named(after: str) -> Change:
    """Return the change of the first quoted text, or title of a drawing, behind *after*."""

    def change(text: str, number: int) -> tuple[str, str]:
        at = text.index(after)
        end = re.compile(r"(?<=[\w.])(?='\n|</title>)").search(text, at)
        assert end is not None
        return f"{text[: end.start()]} (edit {number}){text[end.start() :]}", f"(edit {number})"

    return change


def _unseen(change: Change) -> Change:
    return lambda text, number: (change(text, number)[0], "")


FILES = {
    "sources.yml": ("sources.yml", _named("key: phosphor-soc-m5max\n")),
    "quantities.yml": ("quantities.yml", _unseen(_named("\n  m1.registers:\n"))),
    "a figure": ("docs/machine/registers.svg", _named("<title")),
    "sources.lock": ("sources.lock", lambda text, number: (f"{text}# edit {number}\n", "")),
}
"""Files that the page machine/registers.md of the book shows something of."""


def serve(bench: Bench) -> Iterator[Row]:
    """A one-line edit of a site of many pages, against the same code pasted into stock Material."""
    ours, theirs = (edits(bench.site(way), "page1.md", bench.repeats, _line) for way in ("metalworking", "fences"))
    what = f"one-line edit under serve, {bench.shape.pages} pages"
    yield Row(what, "stock Material, code pasted", 0.06, ours, theirs)


def commands(bench: Bench) -> Iterator[Row]:
    """The commands on the book: seconds, with a goal for each."""
    site = bench.site("metalworking") if bench.small else BOOK
    page = "docs/page1.md" if bench.small else "docs/kernels/steel-attention.md"
    wanted = {("check",): 0.8, ("check", page): 0.4, ("--version",): 0.15, ("--help",): 0.15}
    for arguments, goal in wanted.items():
        (ours,) = bench.alternate(lambda arguments=arguments: seconds([*OURS, *arguments], site))
        name = " ".join(arguments).replace(page, "FILE")
        yield Row(f"metalworking {name}, the book", "", None if bench.small else goal, ours)


def book(bench: Bench) -> Iterator[Row]:
    """The book under serve: the first page, a line of a page, and the front matter that every page shows."""
    site = bench.site("metalworking") if bench.small else copy_of_the_book(bench.folder / "served")
    page = "page1.md" if bench.small else "machine/registers.md"
    seconds([*MKDOCS, "build", "-q"], site)

    def first() -> float:
        start = time.perf_counter()
        with served(site) as base:
            _wait(f"{base}{page.removesuffix('.md')}/", "<h1")
            return time.perf_counter() - start

    (ours,) = bench.alternate(first)
    yield Row("first page under serve, the book, warm", "", None if bench.small else 3.0, ours)
    shown = edits(site, page, bench.repeats, _line)
    yield Row("one-line edit under serve, the book", "", None if bench.small else 0.7, shown)
    for told, (name, change) in () if bench.small else FILES.items():
        yield Row(f"the same, an edit of {told}", "", None, edits(site, page, bench.repeats, change, name))
