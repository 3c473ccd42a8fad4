"""``mkdocs serve``: what a writer sees after each save."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator

import pytest

from tests.builds.conftest import Site, copied, environment
from tests.support import PATIENCE


def free_port() -> int:
    """Return a port that nobody listens on, below those that a system gives away by itself meanwhile."""
    for port in range(20_000 + os.getpid() % 10_000, 32_768):
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port
    raise OSError("no port is free")


class Serving:
    """A running server and the text of its pages."""

    def __init__(self, site: Site) -> None:
        self.port = free_port()
        self.log = (site.root / "serve.log").open("w+", encoding="utf-8")
        command = [sys.executable, "-m", "mkdocs", "serve", "-a", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen(command, cwd=site.root, stdout=self.log, stderr=self.log, env=environment())

    def get(self, path: str) -> str:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=PATIENCE) as answer:
                return str(answer.read().decode())
        except (urllib.error.URLError, OSError):
            return ""

    def until(self, path: str, condition: Callable[[str], bool], seconds: float = PATIENCE) -> str:
        """Poll until the page meets the condition."""
        end = time.monotonic() + seconds
        text = ""
        while time.monotonic() < end:
            assert self.process.poll() is None, f"the server ended: {self.log.seek(0) or self.log.read()[-3000:]}"
            text = self.get(path)
            if text and condition(text):
                return text
            time.sleep(0.15)
        self.log.seek(0)
        pytest.fail(f"the page never changed; it has {len(text)} characters. Log:\n{self.log.read()[-3000:]}")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.log.close()


NUMBERS = 'quantities:\n  a: {value: 40, unit: W, sources: [{cite: "acme/kernels:add.metal#L1"}]}\n'


@pytest.fixture(scope="module")
def served(made_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Serving]]:
    """A site with a number that is told once, and its server, for the tests that only save."""
    site = copied(made_site, tmp_path_factory.mktemp("served"))
    (site.root / "quantities.yml").write_text(NUMBERS, encoding="utf-8")
    site.page("first/two.md", "# Two\n\nIt takes [=a].\n")
    server = Serving(site)
    yield site, server
    server.stop()


def test_save_by_save(served: tuple[Site, Serving]) -> None:
    site, serving = served
    page = "second/three/"
    serving.until(page, lambda html: "mw-excerpt" in html)

    site.page("second/three.md", "# Three\n\n<< excerpt {k}:add.metal#L1 >>\n")
    html = serving.until(page, lambda html: "add.metal:1" in html)
    assert "metal_stdlib" in html

    # A wrong range: the error stands where the excerpt would, and the server goes on.
    site.page("second/three.md", "# Three\n\n<< excerpt {k}:add.metal#L77 >>\n")
    html = serving.until(page, lambda html: "mw-error" in html)
    assert "L77 runs past the end: add.metal has 9 lines" in html
    assert "docs/second/three.md:3" in html

    site.page("second/three.md", "# Three\n\n<< excerpt {k}:notes.txt#L2 >>\n")
    serving.until(page, lambda html: "is not in sources.lock" in html)

    # The lock is edited: the page is rebuilt (zensical#148, vitepress#117).
    site.write([("acme/kernels", "add.metal"), ("acme/kernels", "notes.txt")])
    html = serving.until(page, lambda html: "notes.txt:2" in html)
    assert "mw-error" not in html
    assert "two" in html


def test_a_number_that_is_told_once_changes_everywhere(served: tuple[Site, Serving]) -> None:
    site, server = served
    numbers, page = site.root / "quantities.yml", "first/two/"
    server.until(page, lambda html: "40\u00a0W</abbr>" in html)
    numbers.write_text(NUMBERS.replace("40", "41"), encoding="utf-8")
    server.until(page, lambda html: "41\u00a0W</abbr>" in html)
    assert '"value":41' in server.get("assets/metalworking/quantities.json")
    numbers.write_text(NUMBERS.replace("40, unit: W", "40, unit: frobs"), encoding="utf-8")
    server.until(page, lambda html: "[=a]" in html)
    numbers.write_text(NUMBERS, encoding="utf-8")
    server.until(page, lambda html: "40\u00a0W</abbr>" in html)


def test_files_that_are_made_while_it_runs(site: Site) -> None:
    kept = {name: (site.root / name).read_text(encoding="utf-8") for name in ("sources.yml", "sources.lock")}
    for name in kept:
        (site.root / name).unlink()
    server = Serving(site)
    try:
        server.until("second/three/", lambda html: "mw-error" in html)
        for name, text in kept.items():
            (site.root / name).write_text(text, encoding="utf-8")
        server.until("second/three/", lambda html: "mw-excerpt" in html and "mw-error" not in html)
    finally:
        server.stop()


FROZEN = """import gc

def on_page_content(html, page, config, files):
    return f"{html}<i>{gc.get_freeze_count()} objects, {gc.get_threshold()[0]}</i>"
"""


def test_hooks_run_and_what_a_build_keeps_is_out_of_the_collectors_way_but_not_under_serve(
    site: Site,
) -> None:
    site.config("site_name: Test", "site_name: Test\nhooks: [hook.py]")
    (site.root / "hook.py").write_text(FROZEN, encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "-q"]
    subprocess.run(command, cwd=site.root, env=environment(), check=True, capture_output=True)
    found = re.search(r"<i>(\d+) objects, 20000</i>", site.html("second/three/index.html"))
    assert found is not None
    assert int(found[1]) > 10_000
    server = Serving(site)
    try:
        server.until("second/three/", lambda html: re.search(r"<i>0 objects, (?!20000)", html) is not None)
    finally:
        server.stop()
