"""The lookup, the index, the table, the search, the page that is not there."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Served


def test_lookup_by_typing(page: Page, site: Served) -> None:
    page.goto(site.url)
    box = page.get_by_role("combobox", name="CUDA term or API")
    box.fill("__shfl_down_sync")
    option = page.get_by_role("option").first
    for text in ("__shfl_down_sync", "simd_shuffle_down", "Transfers, other numbers", "No mask argument."):
        expect(option).to_contain_text(text)
    expect(option).to_have_attribute("aria-selected", "true")
    assert box.get_attribute("aria-expanded") == "true"
    assert box.get_attribute("aria-activedescendant") == option.get_attribute("id")
    box.press("Enter")
    page.wait_for_url("**/first/one/")


def test_lookup_with_arrows_and_escape(page: Page, site: Served) -> None:
    page.goto(site.url)
    box = page.get_by_role("combobox")
    box.fill("shfl")
    expect(page.get_by_role("option")).to_have_count(2)
    box.press("ArrowDown")
    expect(page.get_by_role("option").nth(1)).to_have_attribute("aria-selected", "true")
    box.press("ArrowDown")
    expect(page.get_by_role("option").nth(0)).to_have_attribute("aria-selected", "true")
    box.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    assert box.get_attribute("aria-expanded") == "false"
    assert box.input_value() == "shfl"


def test_lookup_by_picking(page: Page, site: Served) -> None:
    page.goto(site.url)
    page.get_by_role("button", name="warp", exact=True).click()
    expect(page.get_by_role("option").first).to_contain_text("Thirty-two lanes & one counter.")
    page.get_by_role("option").first.click()
    page.wait_for_url("**/first/one/")


def test_lookup_offers_the_search_for_what_it_does_not_know(page: Page, site: Served) -> None:
    page.goto(site.url)
    page.get_by_role("combobox").fill("multiplication")
    expect(page.get_by_role("option")).to_contain_text("Search the text")
    page.get_by_role("option").click()
    expect(page.locator(".md-search-result__link").first).to_be_visible()


def test_lookup_everywhere_and_offline(page: Page, site: Served) -> None:
    page.goto(f"{site.url}second/three/")
    page.keyboard.press("c")
    dialog = page.get_by_role("dialog", name="CUDA lookup")
    dialog.get_by_role("combobox").fill("ncu")
    expect(dialog.get_by_role("option").first).to_contain_text("Xcode's GPU counters")
    page.context.set_offline(True)
    dialog.get_by_role("combobox").fill("cudamemcpyasync")
    expect(dialog.get_by_role("option").first).to_contain_text("Unlearn this")
    page.context.set_offline(False)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_the_key_is_a_letter_where_one_types(page: Page, site: Served) -> None:
    page.goto(f"{site.url}second/three/")
    page.locator("[data-mw-filter]").press("c")
    expect(page.get_by_role("dialog", name="CUDA lookup")).to_have_count(0)


def test_mapping_table_is_filtered(page: Page, site: Served) -> None:
    page.goto(f"{site.url}second/three/")
    rows = page.locator(".mw-mapping tbody tr")
    expect(rows).to_have_count(3)
    page.locator("[data-mw-filter]").fill("mask")
    assert [row.is_visible() for row in rows.all()] == [True, False, False]
    expect(page.locator(".mw-mapping output")).to_have_text("1 row")
    expect(page.get_by_role("heading", name="Memory")).to_be_hidden()
    link = rows.first.get_by_role("link", name="One")
    assert (link.get_attribute("href") or "").endswith("/first/one/")


def test_index_of_names(page: Page, site: Served) -> None:
    page.goto(f"{site.url}a-z/")
    index = page.locator(".mw-az")
    expect(index.locator("#letter-s + ul")).to_contain_text("__shfl_down_sync")
    expect(index.locator("#letter-w + ul li")).to_have_count(2)
    expect(index.get_by_role("link", name="Three", exact=True).first).to_be_visible()


def test_sources_name_their_pages(page: Page, site: Served) -> None:
    page.goto(f"{site.url}sources/")
    used = page.locator("h3 ~ p .mw-used").first
    expect(used).to_contain_text(re.compile(r"One 1 quoted, 1 cited; Two 2 quoted"))
    expect(page.locator("li", has_text="The Handbook")).to_contain_text("Three")


def test_search_shows_titles_and_summaries(page: Page, site: Served) -> None:
    page.goto(f"{site.url}first/one/")
    page.keyboard.press("/")
    page.get_by_role("textbox", name="Search").press_sequentially("lanes")
    first = page.locator(".md-search-result__item").first
    expect(first.locator("h1")).to_have_text("One")
    expect(first).to_contain_text("Thirty-two lanes & one counter.")


def test_the_page_that_is_not_there_searches(page: Page, site: Served, watch: object) -> None:
    page.goto(f"{site.url}first/won/one")
    watch.errors.clear()  # type: ignore[attr-defined]  # the browser reports the 404 itself
    expect(page.get_by_role("heading", name="No page here")).to_be_visible()
    expect(page.locator(".mw-404-near").get_by_role("link", name="One")).to_be_visible()
    field = page.get_by_role("searchbox", name="Search the text")
    assert field.input_value() == "one"
    field.fill("counter")
    field.press("Enter")
    expect(page.locator(".md-search-result__link").first).to_be_visible()


def test_pages_describe_themselves_to_others(page: Page, site: Served) -> None:
    page.goto(f"{site.url}first/one/")
    meta = "n => document.querySelector(`meta[property='${n}'],meta[name='${n}']`).content"
    assert page.evaluate(meta, "og:title") == "One"
    for name in ("og:description", "twitter:description", "description"):
        assert page.evaluate(meta, name) == "Thirty-two lanes & one counter."
    assert page.evaluate(meta, "og:url") == f"{site.url}first/one/"


def test_lookup_data(site: Served) -> None:
    data = json.loads((site.root / "assets/metalworking/lookup.json").read_text(encoding="utf-8"))
    assert data["pages"]["first/one/"] == ["One", "Thirty-two lanes & one counter.", "Warp", "transfers"]
    assert ["warpSize", "One", "transfers", "first/one/", "Thirty-two lanes & one counter."] in data["terms"]
    assert ["ncu", "Xcode's GPU counters", "resized", "", ""] in data["terms"]
