"""Excerpts, notes, links to lines, previews, tables, keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from tests.browser.conftest import DESK, Served, Tabs, open_with_links, ready
from tests.browser.content import SCALE
from tests.support import PATIENCE

FIGURE = "figure.mw-excerpt"


def _top(page: Page, selector: str) -> float:
    return float(page.evaluate("s => document.querySelector(s).getBoundingClientRect().top", selector))


@pytest.fixture(scope="module")
def one(tabs: Tabs, site: Served) -> Iterator[Page]:
    """The first page, loaded once for what leaves no trace on it or one that nobody minds."""
    yield from tabs.show("one", DESK, f"{site.url}first/one/")


def test_copied_code_is_the_code_and_nothing_else(page: Page, site: Served) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{site.url}first/one/")
    page.locator(FIGURE).get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator(FIGURE).get_by_role("button", name="Copied")).to_be_visible()
    lines = SCALE.split("\n")
    assert page.evaluate("navigator.clipboard.readText()") == "\n".join(
        [*lines[3:6], "// lines 7-9 left out", *lines[9:16]]
    )


def test_copied_code_gives_back_what_cannot_be_seen(page: Page, site: Served) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{site.url}first/two/")
    page.locator(FIGURE).first.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator(FIGURE).first.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "int a; /* bell \x07 */\nint b;\t/* zero\u200bwidth */\n\nint c;"


def test_selected_code_has_no_numbers_and_no_gap_marks(one: Page) -> None:
    text = one.evaluate(
        "s => { const r = document.createRange(); r.selectNodeContents(document.querySelector(s));"
        " const x = getSelection(); x.removeAllRanges(); x.addRange(r); return x.toString(); }",
        f"{FIGURE} .mw-pre",
    )
    assert "left out" not in text
    assert "kernel void scale" in text
    assert not re.search(r"^\s*\d+\s", text, re.MULTILINE)


def test_a_note_lights_its_lines_and_a_line_its_note(one: Page) -> None:
    lit = one.locator(".mw-l.mw-on > a")
    one.locator(".mw-under").nth(0).hover()
    expect(lit).to_have_count(2)
    assert lit.evaluate_all("all => all.map(a => a.dataset.n)") == ["5", "6"]
    one.locator('.mw-l:has(> a[data-n="11"])').hover()
    expect(one.locator(".mw-under.mw-on")).to_have_text(re.compile("Everyone waits"))
    one.locator('.mw-l:has(> a[data-n="14"])').hover()
    expect(one.locator(".mw-on")).to_have_count(0)


def test_notes_work_from_the_keyboard_and_by_touch(page: Page, phone: Page, site: Served) -> None:
    page.goto(f"{site.url}first/one/")
    page.locator(".mw-under .mw-ref").nth(2).focus()
    expect(page.locator(".mw-l.mw-on > a")).to_have_attribute("data-n", "12")
    phone.goto(f"{site.url}first/one/")
    phone.locator('.mw-l:has(> a[data-n="11"])').tap()
    expect(phone.locator(".mw-under.mw-on")).to_have_text(re.compile("Everyone waits"))
    phone.locator(".mw-under").nth(0).tap()
    expect(phone.locator(".mw-l.mw-on")).to_have_count(2)


def test_a_link_to_a_line_lands_below_the_header(page: Page, site: Served) -> None:
    name = f"--{site.blobs['scale.metal']}-L12"
    page.goto(f"{site.url}first/one/#{name}")
    line = page.locator(f'[id="{name}"]')
    page.wait_for_function(
        "() => { const [line, header] = [':target', '.md-header'].map((s) => document.querySelector(s));"
        " const top = line?.getBoundingClientRect().top;"
        " return top < 900 && top >= header.getBoundingClientRect().bottom; }"
    )
    other = page.locator('.mw-l:has(> a[data-n="13"])')
    colour = "e => getComputedStyle(e).backgroundColor"
    assert line.evaluate(colour) != other.evaluate(colour), "the line is lit"


def test_a_link_to_a_line_opens_a_closed_excerpt(page: Page, site: Served) -> None:
    page.goto(f"{site.url}first/two/#--{site.blobs['long.c']}-L150")
    expect(page.locator(".mw-fold")).to_have_attribute("open", "")
    expect(page.locator('.mw-l:has(> a[data-n="150"])')).to_be_in_viewport()


def test_long_lines_scroll_inside_their_figure(one: Page) -> None:
    one.set_viewport_size({"width": 700, "height": 900})
    expect(one.locator(".mw-under")).to_have_count(3)
    pre = one.locator(f"{FIGURE} .mw-pre")
    assert pre.evaluate("e => e.scrollWidth > e.clientWidth + 50")
    pre.evaluate("e => e.scrollLeft = 300")
    left = "e => e.getBoundingClientRect().left"
    assert abs(one.locator('.mw-l > a[data-n="12"]').evaluate(left) - pre.evaluate(left)) < 2, "the number stays"


def test_previews_by_hover_focus_and_escape(page: Page, site: Served) -> None:
    page.goto(f"{site.url}first/one/")
    link = page.locator("article p > a", has_text="two").first
    preview = page.get_by_role("tooltip")
    link.hover()
    for text in ("One memory for all.", "Unlearn this", "CUDA: Global memory"):
        expect(preview).to_contain_text(text)
    assert link.get_attribute("aria-describedby") == preview.get_attribute("id")
    preview.hover()
    page.wait_for_timeout(350)
    expect(preview).to_be_visible()
    page.keyboard.press("Escape")
    expect(preview).to_be_hidden()
    page.mouse.move(5, 5)
    page.locator(".mw-callout-carries a").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(preview).to_be_visible()
    page.keyboard.press("Tab")
    expect(preview).to_be_hidden()


def test_previews_by_touch(phone: Page, site: Served) -> None:
    phone.goto(f"{site.url}first/one/")
    link = phone.locator("article p > a", has_text="two").first
    link.tap()
    expect(phone.get_by_role("tooltip")).to_contain_text("One memory for all.")
    assert phone.url.endswith("first/one/"), "the first tap shows, it does not go"
    link.tap()
    phone.wait_for_url("**/first/two/")
    expect(phone.get_by_role("tooltip")).to_be_hidden()


def test_n_walks_from_home_to_the_last_page_and_p_back(page: Page, site: Served) -> None:
    page.goto(site.url)
    order = ["first/", "first/one/", "first/two/", "second/", "second/three/", "a-z/", "sources/"]
    for name in order:
        press(page, "n", site.url + name)
        ready(page)
    press(page, "p", f"{site.url}a-z/")


def press(page: Page, key: str, address: str) -> None:
    """Press *key* until the page at *address* is there: one that comes right after a load was seen to be lost."""
    for _ in range(int(PATIENCE // 10)):
        page.keyboard.press(key)
        try:
            page.wait_for_url(address, timeout=10_000)
        except TimeoutError:
            continue
        # The address changes before what stands there: a key pressed in between would go on from the page before.
        page.wait_for_function("at => document.querySelector('link[rel=canonical]').href === at", arg=address)
        return
    raise AssertionError(f"{key} never led to {address}")


def test_a_chapter_ends_into_the_next(page: Page, site: Served) -> None:
    page.goto(f"{site.url}first/two/")
    expect(page.locator(".mw-where-you-are")).to_contain_text("First, 2 of 2")
    card = page.locator("a[rel=next].mw-next-card")
    expect(card).to_contain_text("Chapter 2: Second")
    expect(card).to_contain_text("The second chapter.")
    expect(page.locator(".mw-path")).to_contain_text("2 of 2")


def test_tables_sort_as_numbers_and_say_so(one: Page) -> None:
    table = one.locator(".mw-sortable table")
    heads, firsts = table.locator("th"), table.locator("tbody td:first-child")
    table.get_by_role("button", name="Registers").click()
    expect(firsts).to_have_text(["M1", "M2", "M10"])
    expect(heads.nth(1)).to_have_attribute("aria-sort", "ascending")
    table.get_by_role("button", name="Registers").click()
    expect(firsts).to_have_text(["M10", "M2", "M1"])
    table.get_by_role("button", name="Chip").click()
    expect(firsts).to_have_text(["M1", "M2", "M10"])
    expect(heads.nth(1)).not_to_have_attribute("aria-sort", re.compile("."))


def test_a_cell_sorts_by_the_number_that_people_read(one: Page) -> None:
    footnote = '<sup id="fnref:2"><a class="footnote-ref" href="#fn:2">2</a></sup>'
    column = "[...document.querySelectorAll('.mw-sortable tbody td:last-child')]"
    head = one.locator(".mw-sortable th", has_text="Rate")
    for cells in (
        [f"3 ns{footnote}", "5\u20139 ns", "10 ns"],
        ["\u22127 ns", "-5.5 ns", "\u2248 1,620 MHz<small>M9 Max 40</small>"],
        ["2.5e\u22123 s", "2<sup>10</sup>", "3 \u00d7 10<sup>12</sup>"],
    ):
        fill = f"cells => {column}.forEach((cell, i) => cell.innerHTML = cells[i])"
        one.evaluate(fill, [cells[2], cells[0], cells[1]])
        texts = one.evaluate(f"{column}.map(cell => cell.textContent)")
        head.get_by_role("button").click()
        expect(head).to_have_attribute("aria-sort", "ascending")
        assert one.evaluate(f"{column}.map(cell => cell.textContent)") == [texts[1], texts[2], texts[0]]
        head.get_by_role("button").click()
        head.get_by_role("button").click()
        expect(head).not_to_have_attribute("aria-sort", re.compile("."))


def test_scripts_survive_instant_navigation(page: Page, site: Served) -> None:
    open_with_links(page, f"{site.url}first/")
    page.evaluate("window.kept = true")
    page.locator(".mw-contents a", has_text="One").click()
    page.wait_for_url("**/first/one/")
    expect(page.locator(FIGURE).get_by_role("button", name="Copy")).to_be_visible()
    ready(page)
    page.locator(".mw-under").nth(1).hover()
    expect(page.locator(".mw-l.mw-on > a")).to_have_attribute("data-n", "11")
    expect(page.locator(".mw-sortable th button").first).to_be_visible()
    page.locator(".mw-toc a", has_text="In code").click()
    page.keyboard.press("c")
    expect(page.get_by_role("dialog", name="CUDA lookup")).to_be_visible()
    page.keyboard.press("Escape")
    assert page.evaluate("window.kept"), "the page was never loaded anew"


def test_our_scripts_shift_nothing(fresh: Page, site: Served) -> None:
    page = fresh
    page.add_init_script(
        "window.shift = 0; window.shifted = []; new PerformanceObserver(l => l.getEntries().forEach(e => {"
        " window.shift += e.value;"
        " window.shifted.push(...e.sources.map(s => s.node?.className || s.node?.nodeName)); }))"
        ".observe({type: 'layout-shift', buffered: true})"
    )
    for name in ("", "first/one/", "second/three/"):
        page.goto(site.url + name)
        page.wait_for_timeout(300)
        assert page.evaluate("window.shift") < 0.01, (name, page.evaluate("window.shifted"))
