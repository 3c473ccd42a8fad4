"""One Chromium for every test that opens a page: a process can drive Playwright only once at a time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not here; make test installs it, or CHROMIUM names one")
    with sync_playwright() as playwright:
        try:
            made = playwright.chromium.launch(executable_path=CHROMIUM)
        except Error as error:
            pytest.skip(f"Chromium does not start: {error}")
        yield made
        made.close()
