"""One Chromium for every test that opens a page: a process can drive Playwright only once at a time.

Properties are tried with the same examples in every run of ``make test``, and with new ones in ``make nightly``.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, Error, sync_playwright

_CALM = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}  # other programs run here too
settings.register_profile("steady", derandomize=True, **_CALM)
settings.register_profile("fresh", database=None, print_blob=True, **_CALM)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

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
