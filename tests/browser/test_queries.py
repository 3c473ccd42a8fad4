"""What people type finds the page that answers: 120 queries in the lookup and in the search, the score printed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Page, Route

from tests.browser.conftest import DESK, Served, Tabs
from tests.support import some

QUERIES = [
    (str(text), f"{page}/")
    for listed in yaml.safe_load(Path(__file__).with_name("queries.yml").read_text(encoding="utf-8")).values()
    for text, page in listed
]
FIND = """async ([base, queries]) => {
  const { find, rowsOf } = await import(base + "assets/metalworking/lookup-find.js");
  const rows = rowsOf(await (await fetch(base + "assets/metalworking/lookup.json")).json());
  return queries.map((text) => find(rows, text)[0]?.url ?? "");
}"""
SEARCH = """async (text) => {
  const field = document.querySelector("[data-md-component=search-query]");
  const list = document.querySelector(".md-search-result__list");
  const put = (value) => {
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("keyup", { bubbles: true }));
  };
  const next = () => new Promise((next) => setTimeout(next, 20));
  // The answer to this text, and not what the text before it left.
  const meta = document.querySelector(".md-search-result__meta");
  put("");
  while (list.childElementCount) await next();
  put(text);
  while (!list.childElementCount && !/no match/i.test(meta.textContent)) await next();
  const read = () => [
    [...document.querySelectorAll(".mw-search-terms a")].map((link) => link.href),
    [...list.querySelectorAll(":scope > li > a.md-search-result__link")].map((link) => link.href),
  ];
  let before = "";
  for (let same = 0; same < 3; ) {
    await new Promise((next) => setTimeout(next, 40));
    const now = JSON.stringify(read());
    same = now === before ? same + 1 : 0;
    before = now;
  }
  return read();
}"""


def told(capsys: pytest.CaptureFixture[str], name: str, missed: list[str], asked: int = len(QUERIES)) -> None:
    with capsys.disabled():
        print(f"\n{name}: {asked - len(missed)} of {asked}", *missed[:12], sep="\n  ")


def page_of(address: str, base: str) -> str:
    return address.removeprefix(base).partition("#")[0].partition("?")[0]


def test_120_queries() -> None:
    assert len(QUERIES) == len({text for text, _ in QUERIES}) == 120


def test_the_lookup_answers(page: Page, book: Served, capsys: pytest.CaptureFixture[str]) -> None:
    page.goto(book.url)
    found = page.evaluate(FIND, [book.url, [text for text, _ in QUERIES]])
    answers = zip(QUERIES, found, strict=True)
    missed = [f"{text}: {page_of(url, '')}" for (text, wanted), url in answers if page_of(url, "") != wanted]
    told(capsys, "lookup, first hit", missed)
    assert len(missed) <= 2, missed


def begin_search(page: Page, url: str) -> None:
    page.goto(url)
    page.keyboard.press("/")
    page.locator("[data-md-component=search-query]").press_sequentially("warp")
    page.locator(".md-search-result__link").first.wait_for()


@pytest.fixture(scope="module")
def searching(tabs: Tabs, book: Served) -> Iterator[Page]:
    """A page of the book whose search has the index."""
    for tab in tabs.lend("searching", DESK):
        begin_search(tab.page, book.url)
        yield tab.page


def test_the_search_answers(searching: Page, book: Served, capsys: pytest.CaptureFixture[str]) -> None:
    missed, first, alone = [], [], []
    asked = some(QUERIES, 40)
    for text, wanted in asked:
        terms, results = searching.evaluate(SEARCH, text)
        shown = [page_of(url, book.url) for url in terms + results]
        if wanted not in list(dict.fromkeys(shown))[:3]:
            missed.append(f"{text}: {shown[:3]}")
        pages = list(dict.fromkeys(page_of(url, book.url) for url in results))
        if pages[:1] != [wanted]:
            first.append(text)
        if wanted not in pages[:3]:
            alone.append(text)
    told(capsys, "search, first three", missed, len(asked))
    told(capsys, "the same without the terms above it", alone, len(asked))
    told(capsys, "and first", first, len(asked))
    assert len(missed) <= len(asked) // 12, missed
    # By the names in the index alone, for which a spelling mistake is another name.
    assert len(alone) <= len(asked) // 8, alone
    assert len(first) <= len(asked) * 2 // 9, first


def test_pages_that_list_stand_behind_those_that_tell(searching: Page, page: Page, book: Served) -> None:
    """Sources and the H200's rows name everything; in the search they stand behind the pages that use it."""

    def before_sources(page: Page, text: str) -> int:
        _, results = page.evaluate(SEARCH, text)
        pages = list(dict.fromkeys(page_of(url, book.url) for url in results))
        return pages.index("sources/") if "sources/" in pages else len(pages)

    def whole_weight(route: Route) -> None:
        index = json.loads((book.root / "search/search_index.json").read_text(encoding="utf-8"))
        for entry in index["docs"]:
            entry.pop("boost", None)
        route.fulfill(json=index)

    page.route("**/search_index.json", whole_weight)
    begin_search(page, book.url)
    behind, before = (
        {text: before_sources(one, text) for text in ("phosphor", "dougallj", "turboquant")}
        for one in (searching, page)
    )
    assert all(before[text] == 0 for text in before), before
    assert all(behind[text] >= 2 for text in behind), behind
