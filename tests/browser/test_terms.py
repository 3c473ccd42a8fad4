"""The table of terms as the book has it: one verdict a term, names whole, heads that stay, light pages."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import DESK, DRAWN, Served, Tabs

# Where a line ends inside a name: behind a character that no reader would break at.
BREAKS = """() => {
  const found = [];
  const good = (before, after) =>
    /[\\s_(:.]/.test(before) || /\\s/.test(after) || (/[a-z0-9]/.test(before) && /[A-Z]/.test(after));
  for (const cell of document.querySelectorAll(".mw-terms tbody>tr:first-child>*")) {
    for (const code of cell.querySelectorAll("code")) {
      const walk = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
      let last;
      while (walk.nextNode()) {
        const { data } = walk.currentNode;
        for (let at = 0; at < data.length; at++) {
          const range = document.createRange();
          range.setStart(walk.currentNode, at);
          range.setEnd(walk.currentNode, at + 1);
          const top = range.getBoundingClientRect().top;
          if (last && top > last.top + 4 && !good(last.letter, data[at])) found.push(code.textContent);
          last = { top, letter: data[at] };
        }
      }
    }
  }
  return found;
}"""
OUTSIDE = """() => [...document.querySelectorAll(".mw-terms tbody>tr:first-child>*")]
  .filter((cell) => cell.scrollWidth > cell.clientWidth + 1)
  .map((cell) => cell.textContent)"""


# The filter has come to stand right below the header.
STUCK = """() => {
  const box = (name) => document.querySelector(name).getBoundingClientRect();
  return Math.abs(box(".mw-filter").top - box(".md-header").bottom) < 2;
}"""


@pytest.fixture(scope="module")
def table(tabs: Tabs, book: Served) -> Iterator[Page]:
    """The page of the table, loaded once."""
    yield from tabs.show("table", DESK, f"{book.url}cuda-to-metal/")


@pytest.mark.parametrize("width", [1280, 1920])
def test_no_name_is_broken(table: Page, width: int) -> None:
    table.set_viewport_size({"width": width, "height": 900})
    table.evaluate(DRAWN)
    assert table.evaluate(BREAKS) == []
    assert table.evaluate(OUTSIDE) == []


def test_the_head_and_the_filter_stay(page: Page, book: Served) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{book.url}cuda-to-metal/#term-cudamemcpyasync")
    page.locator("#term-cudamemcpyasync.mw-shown").wait_for()
    top = "element => element.getBoundingClientRect().top"
    bottom = "element => element.getBoundingClientRect().bottom"
    bar = page.locator(".mw-filter")
    head = page.locator("table:has(#term-cudamemcpyasync) thead th").first
    row = page.locator("#term-cudamemcpyasync")
    page.wait_for_function(STUCK)
    assert abs(head.evaluate(top) - bar.evaluate(bottom)) < 3
    assert row.evaluate(top) >= head.evaluate(bottom) - 2


def test_the_row_of_the_address_is_open_whatever_stands_in_the_address_by_then(fresh: Page, book: Served) -> None:
    """A script that tells the section in view, as Material's and the book's own do, may come before ours."""
    fresh.route(re.compile(r"/terms\.js$"), lambda route: route.fulfill(body="", content_type="text/javascript"))
    fresh.goto(f"{book.url}cuda-to-metal/#term-cudamemcpyasync")
    fresh.wait_for_function("document.querySelector(':target') !== null")
    fresh.evaluate("history.replaceState(history.state, '', '#group-memory')")
    fresh.add_script_tag(url=f"{book.url}assets/metalworking/terms.js?late", type="module")
    fresh.locator("#term-cudamemcpyasync.mw-shown").wait_for()


def test_a_term_has_one_verdict(table: Page, book: Served) -> None:
    rows = table.evaluate(
        """() => [...document.querySelectorAll(".mw-terms tbody")].map((row) => [
          row.id, [...row.querySelectorAll("tr:first-child .mw-verdict")].map((chip) => chip.textContent).join()])"""
    )
    assert len(rows) > 300
    assert [count for count in Counter(name for name, _ in rows).values() if count > 1] == []
    assert {verdict for _, verdict in rows} == {
        "Transfers",
        "Transfers, other numbers",
        "Unlearn this",
        "No counterpart",
    }
    data = table.evaluate("async (url) => (await fetch(url)).json()", f"{book.url}assets/metalworking/lookup.json")
    names = Counter(
        name.strip().casefold().removesuffix("()")
        for term in data["terms"]
        for name in dict.fromkeys([*term[0].split(" / "), *term[5]])
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_the_table_is_short_on_a_phone(phone: Page, book: Served) -> None:
    phone.goto(f"{book.url}cuda-to-metal/")
    phone.locator(".mw-folded").wait_for()
    phone.wait_for_function("document.documentElement.scrollHeight < 4000")
    assert phone.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("address", ["", "kernels/steel-gemm-fused/"])
def test_a_page_is_light_before_a_search(browser: Browser, book: Served, address: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    sizes: dict[str, int] = {}
    page.on("response", lambda answer: sizes.update({answer.url: len(gzip.compress(answer.body()))}))
    page.goto(f"{book.url}{address}", wait_until="networkidle")
    context.close()
    assert not [url for url in sizes if url.endswith("search_index.json")]
    assert sum(sizes.values()) < 120_000, sorted(sizes.items(), key=lambda item: -item[1])[:8]


def test_ten_thousand_keystrokes_stay_small(page: Page, book: Served) -> None:
    """Counted, not timed: how many cells of the table of edits a keystroke fills."""
    page.goto(book.url)
    most, strokes = page.evaluate(
        """async (base) => {
          const { find, rowsOf, work } = await import(base + "assets/metalworking/lookup-find.js");
          const rows = rowsOf(await (await fetch(base + "assets/metalworking/lookup.json")).json());
          const names = rows.flatMap((row) => row.names.map((name) => name.raw)).filter((name) => name.length > 3);
          let most = 0;
          let strokes = 0;
          for (let n = 0; strokes < 10000; n++) {
            const name = names[(n * 7) % names.length];
            const typed = n % 2 ? name : name.slice(0, 2) + name[3] + name[2] + name.slice(4);
            for (let length = 1; length <= typed.length && strokes < 10000; length++, strokes++) {
              const before = work.cells;
              find(rows, typed.slice(0, length));
              most = Math.max(most, work.cells - before);
            }
          }
          return [most, strokes];
        }""",
        book.url,
    )
    assert strokes == 10_000
    assert most < 30_000
