"""A site of a few pages with this book's theme, and the book itself, served on loopback and opened in Chromium."""

from __future__ import annotations

import functools
import http.server
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Response

from tests.browser import content
from tests.forked import python_m
from tests.support import PATIENCE, Bench, book_elsewhere

HERE = Path(__file__).resolve().parents[2]
BLANK = "blank.html"
"""A page of nothing on the origin of every site."""


@dataclass(frozen=True)
class Served:
    """A built site and its address; ``pages`` are the addresses of all its pages, in order of the sitemap."""

    root: Path
    url: str
    bench: Bench | None = None
    blobs: dict[str, str] = field(default_factory=dict)

    @property
    def pages(self) -> list[str]:
        found = sorted(path.parent.relative_to(self.root).as_posix() for path in self.root.rglob("index.html"))
        return ["" if name == "." else f"{name}/" for name in found]


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    def send_error(self, code: int, *rest: object) -> None:  # type: ignore[override]
        body = (Path(self.directory) / self.path.split("/")[1] / "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128
    """Five, the default, refuses connections of a page that asks for twenty files while the machine is busy."""


@pytest.fixture(scope="session")
def server() -> Iterator[tuple[Path, int]]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / BLANK).write_text(
            "<!doctype html><title>-</title><link rel=icon href=data:,>", encoding="utf-8"
        )
        handler = functools.partial(_Handler, directory=folder)
        with _Server(("127.0.0.1", 0), handler) as made:
            thread = threading.Thread(target=made.serve_forever, daemon=True)
            thread.start()
            yield Path(folder), made.server_port
            made.shutdown()


def _build(config: Path) -> subprocess.CompletedProcess[str]:
    return python_m("mkdocs", "build", "-q", "-f", str(config), cwd=config.parent)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The sources of a small site with every feature; its kernels are our own."""
    bench = Bench(tmp_path_factory.mktemp("browser"))
    bench.add_repo("acme/kernels", content.FILES)
    bench.references = content.REFERENCES
    # Locked, but to be had nowhere: its excerpt is a card.
    bench.add_repo("acme/gone", {"far.c": "int a;\nint b;\n", "LICENSE": "Test license\n"})
    bench.write([*(("acme/kernels", name) for name in content.FILES), ("acme/gone", "far.c")])
    shutil.rmtree(bench.root / "code/acme/gone")
    return bench


@pytest.fixture(scope="session")
def site(small: Bench, server: tuple[Path, int]) -> Served:
    """The small site, built with the real overrides, styles and scripts."""
    root, port = server
    url = f"http://127.0.0.1:{port}/small/"
    sha = small.commits["acme/kernels"][:7]
    files = small.project().lock.files.values()
    blobs = {entry.key.path: entry.blob[:7] for entry in files}
    for name, text in content.pages(sha, small.commits["acme/gone"][:7], blobs).items():
        path = small.root / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for folder in ("site", "instruments"):
        shutil.copytree(HERE / "docs/assets" / folder, small.root / "docs/assets" / folder, dirs_exist_ok=True)
    config = content.config(HERE, url, root / "small")
    (small.root / "mkdocs.yml").write_text(config, encoding="utf-8")
    done = _build(small.root / "mkdocs.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    return Served(root / "small", url, small, blobs)


@pytest.fixture(scope="session")
def book(server: tuple[Path, int], tmp_path_factory: pytest.TempPathFactory) -> Served:
    """The book itself."""
    root, port = server
    url = f"http://127.0.0.1:{port}/book/"
    config = tmp_path_factory.mktemp("book") / "mkdocs.yml"
    config.write_text(f"{book_elsewhere(HERE)}site_url: {url}\nsite_dir: {root / 'book'}\n", encoding="utf-8")
    done = _build(config)
    if done.returncode:
        pytest.skip(f"the book does not build: {(done.stdout + done.stderr).strip()[-300:]}")
    return Served(root / "book", url)


@pytest.fixture(scope="session")
def bench(server: tuple[Path, int], tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A site of the instruments, each as it stands in the book."""
    from tests.browser import instruments

    root, port = server
    url = f"http://127.0.0.1:{port}/instruments/"
    return instruments.site(root / "instruments", url, tmp_path_factory.mktemp("instruments"))


READY = """async () => {
  const loaded = performance.getEntriesByType("resource").map((one) => one.name);
  const script = loaded.find((name) => name.endsWith("/assets/metalworking/metalworking.js"));
  if (script) await (await import(script)).ready();
}"""


def ready(page: Page) -> None:
    """Wait until the modules that the page needs listen: what is done to it before is lost."""
    page.evaluate(READY)


DRAWN = "() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"


def open_with_links(page: Page, url: str) -> None:
    """Open *url* and wait until Material takes links over, which it does once it has read the sitemap."""
    with page.expect_event("requestfinished", lambda request: request.url.endswith("/sitemap.xml")):
        page.goto(url)
    page.evaluate(DRAWN)


@dataclass
class Watch:
    """What a page did that it should not."""

    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def on(self, context: BrowserContext) -> None:
        context.on("console", lambda m: self.errors.append(f"{m.text} ({m.location})") if m.type == "error" else None)
        context.on("weberror", lambda e: self.errors.append(str(e.error)))
        context.on("request", self._request)

    def _request(self, request: object) -> None:
        url = request.url  # type: ignore[attr-defined]
        if not url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            self.foreign.append(url)


class Tab(Watch):
    """A page that one test after the other has, each as if it were new; a context of its own costs more than a test."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        super().__init__()
        self._size = options["viewport"]
        self.context = browser.new_context(reduced_motion="reduce", **options)
        self.on(self.context)
        self.context.set_default_timeout(PATIENCE * 1000)
        self.page = self.context.new_page()
        self._listeners: list[tuple[Any, Any]] = []
        self._scripted = False
        go, listen, begin = self.page.goto, self.page.on, self.page.add_init_script

        def goto(url: str, **more: Any) -> Response | None:
            answer = go(url, **more)
            if more.get("wait_until") != "domcontentloaded":
                ready(self.page)
            return answer

        def on(event: Any, heard: Any) -> None:
            self._listeners.append((event, heard))
            listen(event, heard)

        def add_init_script(*script: Any, **more: Any) -> None:
            self._scripted = True  # nothing takes it out again
            begin(*script, **more)

        self.page.goto = goto  # type: ignore[method-assign]
        self.page.on = on  # type: ignore[method-assign]
        self.page.add_init_script = add_init_script  # type: ignore[method-assign]

    def take_back(self) -> bool:
        """Undo what a test may have left and return whether that could be done."""
        for event, heard in self._listeners:
            self.page.remove_listener(event, heard)
        self._listeners.clear()
        if self._scripted:
            return False
        try:
            self.page.unroute_all()
            self.context.unroute_all()
            self.context.set_offline(False)
            self.context.clear_permissions()
            self.context.clear_cookies()
            if self.page.url.startswith("http:"):
                self.page.goto(urljoin(self.page.url, f"/{BLANK}"), wait_until="domcontentloaded")
                self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
            self.page.emulate_media(media="null")
            self.page.set_viewport_size(self._size)
            self.page.mouse.move(0, 0)
        except Error:
            return False
        return True


DESK = {"viewport": {"width": 1440, "height": 900}}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


class Tabs:
    """The tabs of a process by what they are opened with."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._open: dict[str, Tab] = {}

    def lend(self, name: str, options: dict[str, Any], *, again: bool = True) -> Iterator[Tab]:
        """Give a tab for one test, and keep it for the next unless *again* is false.

        The next one gets it by the same *name* and *options*: one name may be that of a narrow page and of a wide one.
        """
        kept = f"{name} {options}"
        tab = self._open.pop(kept, None) or Tab(self._browser, **options)
        yield tab
        if again and tab.take_back():
            self._open[kept] = tab
        else:
            tab.context.close()
        errors, tab.errors = tab.errors, []
        foreign, tab.foreign = tab.foreign, []
        assert errors == []
        assert foreign == []

    def show(self, name: str, options: dict[str, Any], url: str) -> Iterator[Page]:
        """Give a tab in which *url* is loaded once, for the tests of a file."""
        for tab in self.lend(name, options):
            tab.page.goto(url)
            yield tab.page

    def close(self) -> None:
        for tab in self._open.values():
            tab.context.close()


@pytest.fixture(scope="session")
def tabs(browser: Browser) -> Iterator[Tabs]:
    made = Tabs(browser)
    yield made
    made.close()


@pytest.fixture
def desk(tabs: Tabs) -> Iterator[Tab]:
    yield from tabs.lend("desk", DESK)


@pytest.fixture
def page(desk: Tab) -> Page:
    """A page on a wide screen."""
    return desk.page


@pytest.fixture
def handset(tabs: Tabs) -> Iterator[Tab]:
    yield from tabs.lend("phone", PHONE)


@pytest.fixture
def phone(handset: Tab) -> Page:
    """A page on a phone with a touch screen."""
    return handset.page


@pytest.fixture
def fresh(tabs: Tabs) -> Iterator[Page]:
    """A page on a wide screen that has loaded nothing yet and that nobody has afterwards."""
    for tab in tabs.lend("fresh", DESK, again=False):
        yield tab.page
