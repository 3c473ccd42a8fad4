"""A Chromium with WebGPU on its software adapter, and the book's assets served to it on loopback."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.conftest import SHELL
from tests.support import NIGHT, PATIENCE

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan", "--no-sandbox")
WITHOUT_ZEROS = "--enable-dawn-features=disable_workgroup_init"
"""Workgroup memory holds anything at first, which no kernel may read. For the zeros that a browser writes there the
software adapter compiles for seconds; the night has them."""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def docs() -> Iterator[str]:
    """The address of docs/, as it lies in the repository."""
    handler = functools.partial(_Quiet, directory=str(ROOT / "docs"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{made.server_port}"
        made.shutdown()


@pytest.fixture(scope="session")
def chromium(browser: Browser) -> Iterator[Browser]:
    """A second Chromium, with the flags that give it a GPU in software."""
    made = browser.browser_type.launch(executable_path=SHELL, args=[*FLAGS, *([] if NIGHT else [WITHOUT_ZEROS])])
    yield made
    made.close()


@pytest.fixture
def modules(chromium: Browser, docs: str) -> Iterator[Page]:
    """An empty page of the origin that the modules come from, with WebGPU."""
    page = chromium.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.route(f"{docs}/empty", lambda route: route.fulfill(body="<p>", content_type="text/html"))
    page.goto(f"{docs}/empty")
    if not page.evaluate("async () => !!(await navigator.gpu?.requestAdapter())"):
        page.close()
        pytest.skip("this Chromium has no WebGPU adapter")
    yield page
    page.close()
