"""A tab that one test after the other has is as if it were new."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.conftest import DESK, Served, Tabs


def lent(tabs: Tabs, name: str) -> tuple[object, Page]:
    lending = tabs.lend(name, DESK)
    return lending, next(lending).page


def given_back(lending: object) -> None:
    for _ in lending:  # type: ignore[attr-defined]
        raise AssertionError


def test_what_a_test_answers_itself_is_asked_of_the_server_again(tabs: Tabs, site: Served) -> None:
    for body in ("another", None):
        lending, page = lent(tabs, "answered")
        if body:
            page.route("**/sitemap.xml", lambda route: route.fulfill(body="another"))
            page.context.route("**/search/search_index.json", lambda route: route.fulfill(body="another"))
        page.goto(site.url)
        for name in ("sitemap.xml", "search/search_index.json"):
            assert (page.evaluate("name => fetch(name).then(a => a.text())", name) == "another") == bool(body), name
        given_back(lending)


def test_a_script_that_a_test_runs_first_runs_in_no_other(tabs: Tabs, site: Served) -> None:
    for mine in (True, False):
        lending, page = lent(tabs, "scripted")
        if mine:
            page.add_init_script("window.mine = true")
        page.goto(site.url)
        assert page.evaluate("!!window.mine") == mine
        given_back(lending)
