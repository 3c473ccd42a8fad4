"""What a writer waits for: the commands, the first page that ``serve`` shows, and each edit."""

from __future__ import annotations

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


def edits(site: Path, page: str, repeats: int, change: Callable[[str, int], tuple[str, str]]) -> list[float]:
    """Return the seconds from saving the file *page* to what a browser is to see, several times.

    *change* takes the text and the number of the edit, and returns the new text and the words that show it.
    """
    file = site / "docs" / page
    text = file.read_text(encoding="utf-8")
    samples = []
    try:
        with served(site) as base:
            address = f"{base}{page.removesuffix('.md')}/"
            _wait(address, "<h1")
            for number in range(repeats + 1):
                time.sleep(0.6)  # the watcher polls; a save while it starts would be missed
                new, words = change(text, number)
                file.write_text(new, encoding="utf-8")
                samples.append(_wait(address, words))
    finally:
        file.write_text(text, encoding="utf-8")
    return samples[1:]


def _line(text: str, number: int) -> tuple[str, str]:
    return f"{text}\nEdit number {number}.\n", f"Edit number {number}."


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
