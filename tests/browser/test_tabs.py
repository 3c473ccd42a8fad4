"""A tab that one test after the other has is as if it were new."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import BLANK, DESK, Tabs


@pytest.fixture(scope="module")
def folder(server: tuple[Path, int]) -> str:
    """The address of a page and two files beside it."""
    root, port = server
    (root / "tabs").mkdir()
    shutil.copy(root / BLANK, root / "tabs/index.html")
    for name in ("one.txt", "other.txt"):
        (root / "tabs" / name).write_text(name, encoding="utf-8")
    return f"http://127.0.0.1:{port}/tabs/"


def lent(tabs: Tabs, name: str) -> tuple[object, Page]:
    lending = tabs.lend(name, DESK)
    return lending, next(lending).page


def given_back(lending: object) -> None:
    for _ in lending:  # type: ignore[attr-defined]
        raise AssertionError


def test_what_a_test_answers_itself_is_asked_of_the_server_again(tabs: Tabs, folder: str) -> None:
    for body in ("another", None):
        lending, page = lent(tabs, "answered")
        if body:
            page.route("**/one.txt", lambda route: route.fulfill(body="another"))
            page.context.route("**/other.txt", lambda route: route.fulfill(body="another"))
        page.goto(folder)
        for name in ("one.txt", "other.txt"):
            assert (page.evaluate("name => fetch(name).then(a => a.text())", name) == "another") == bool(body), name
        given_back(lending)


def test_a_script_that_a_test_runs_first_runs_in_no_other(tabs: Tabs, folder: str) -> None:
    for mine in (True, False):
        lending, page = lent(tabs, "scripted")
        if mine:
            page.add_init_script("window.mine = true")
        page.goto(folder)
        assert page.evaluate("!!window.mine") == mine
        given_back(lending)


def test_a_name_with_other_options_is_another_tab(tabs: Tabs, folder: str) -> None:
    for width in (1280, 1920):
        for page in tabs.show("sized", {"viewport": {"width": width, "height": 900}}, folder):
            assert page.evaluate("innerWidth") == width
