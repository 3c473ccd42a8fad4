"""One Chromium for every test that opens a page: a process can drive Playwright only once at a time.

Properties are tried with the same examples in every run of ``make test``, and with new ones in ``make nightly``, which
sets ``NIGHTLY=1``: *NIGHT* of tests/support.py is the one place that reads it.
"""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, Error, expect, sync_playwright

from tests.support import NIGHT, PATIENCE

_CALM = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}  # other programs run here too
settings.register_profile("steady", derandomize=True, **_CALM)
settings.register_profile("fresh", database=None, print_blob=True, **_CALM)
settings.load_profile("fresh" if NIGHT else "steady")
expect.set_options(timeout=PATIENCE * 1000)

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
SHELL = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or CHROMIUM
"""Chromium without windows and tabs of its own: the same engine, and a new page costs less than half as much."""
TOGETHER = {
    "the book's site": tuple(
        f"browser/test_{name}.py"
        for name in ("everywhere", "axe_everywhere", "annotated", "terms", "queries", "shared_links", "pairs")
    ),
    "the site of instruments": ("browser/test_hands.py", "browser/test_instruments.py", "browser/test_arithmetic.py"),
    "the book's pages": ("book/test_depth.py", "book/test_verbatim.py"),
    "the wheel": ("adoption/test_alone.py", "adoption/test_engines.py"),
}
"""Files that share what is made once in a process and costs more than they do."""
FIRST = ("browser", "lab", "adoption", "trust", "docs", "builds", "book", "benchmarks", "ladder", "own")
"""Folders whose files take long: begun first, so that none is left over at the end for one process alone."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Name the tests that one process runs, file by file but for those of *TOGETHER*, and put the long ones first."""
    here = Path(__file__).parent
    groups = {here / name: group for group, names in TOGETHER.items() for name in names}
    for path in {item.path for item in items}:
        groups.setdefault(path, path.relative_to(here).as_posix())

    def group(item: pytest.Item) -> str:
        return groups[item.path]

    for item in items:
        item.add_marker(pytest.mark.xdist_group(group(item)))
    places = {folder: place for place, folder in enumerate(FIRST)}
    order = {name: place for place, name in enumerate(dict.fromkeys(map(group, items)))}
    folders = {group: path.relative_to(here).parts[0] for path, group in groups.items()}
    items.sort(key=lambda item: (places.get(folders[group(item)], len(places)), order[group(item)]))


def pytest_collection_finish() -> None:
    """Take what was imported and the thousands of tests out of the collector's way: it walked them 40 times."""
    gc.collect()
    gc.freeze()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name an argument of bytes, or of a long text, by its place: bytes may hold the second in which they were made.

    Then the processes would collect different tests; and a name of megabytes fits into no environment.
    """
    return argname if isinstance(val, bytes) or (isinstance(val, str) and len(val) > 200) else None


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if SHELL is None:
        pytest.skip("Chromium is not here; make test installs it, or CHROMIUM names one")
    with sync_playwright() as playwright:
        try:
            made = playwright.chromium.launch(executable_path=SHELL)
        except Error as error:
            pytest.skip(f"Chromium does not start: {error}")
        yield made
        made.close()
