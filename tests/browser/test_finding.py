"""The lookup, the index, the table, the search, the page that is not there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import jsonschema
import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESK, Served, Tab, Tabs


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
    box.fill("memcpy")
    expect(page.get_by_role("option")).to_have_count(2)
    expect(page.get_by_role("option").nth(0)).to_contain_text("cudaMemcpyAsync")
    expect(page.get_by_role("option").nth(1)).to_contain_text("Also discussed in")
    box.press("ArrowDown")
    expect(page.get_by_role("option").nth(1)).to_have_attribute("aria-selected", "true")
    box.press("ArrowDown")
    expect(page.get_by_role("option").nth(0)).to_have_attribute("aria-selected", "true")
    box.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    assert box.get_attribute("aria-expanded") == "false"
    assert box.input_value() == "memcpy"
    box.press("ArrowDown")
    box.press("ArrowDown")
    box.press("Enter")
    page.wait_for_url("**/first/one/")


def test_a_name_in_any_script_is_found(page: Page, site: Served) -> None:
    page.goto(site.url)
    answers = {
        "поток": "поток",
        "ПОТ": "поток",
        "コア": "コア",
        "grosse": "Größe",
        "größe": "Größe",
        "gre": "",
        "그룹": "그룹",
    }
    found = page.evaluate(
        """async ([base, queries]) => {
          const { find, rowsOf } = await import(base + "assets/metalworking/lookup-find.js");
          const terms = ["поток", "コア", "Größe", "그룹", "warp"].map((name) => [name, "-", "", "", ""]);
          const rows = rowsOf({ pages: {}, terms, from: "" });
          return queries.map((text) => find(rows, text).map((row) => row.source).join());
        }""",
        [site.url, list(answers)],
    )
    assert dict(zip(answers, found, strict=True)) == answers


def test_lookup_forgives(page: Page, site: Served) -> None:
    page.goto(site.url)
    for typed, term in [
        ("shfl down sync", "__shfl_down_sync"),
        ("sync down shfl", "__shfl_down_sync"),
        ("cudamemcopyasync", "cudaMemcpyAsync"),
        ("__shlf_donw_sync", "__shfl_down_sync"),
        ("warp shuffle", "__shfl_down_sync"),
        ("simd_shuffle_down", "__shfl_down_sync"),
        ("lanes shift", "__shfl_down_sync"),
    ]:
        page.get_by_role("combobox").fill("")
        expect(page.get_by_role("option")).to_have_count(0)  # so that what comes is the answer to this
        page.get_by_role("combobox").fill(typed)
        expect(page.get_by_role("option").first, typed).to_contain_text(term)
        shown = [option.inner_text() for option in page.get_by_role("option").all()]
        assert sum(term in text for text in shown) == 1, typed  # a term stands once


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


@pytest.fixture(scope="module")
def mapping(tabs: Tabs, site: Served) -> Iterator[Page]:
    """The page of the table, loaded once; tests leave it with nothing typed and all closed."""
    yield from tabs.show("mapping", DESK, f"{site.url}second/three/")


def test_the_key_is_a_letter_where_one_types(mapping: Page) -> None:
    mapping.locator("[data-mw-filter]").press("c")
    expect(mapping.locator("[data-mw-filter]")).to_have_value("c")
    expect(mapping.get_by_role("dialog", name="CUDA lookup")).to_have_count(0)
    mapping.locator("[data-mw-filter]").fill("")


def test_mapping_table_is_filtered(mapping: Page) -> None:
    rows = mapping.locator(".mw-mapping tbody")
    expect(rows).to_have_count(3)
    mapping.locator("[data-mw-filter]").fill("mask")
    expect(mapping.locator(".mw-mapping output")).to_have_text("1 row")
    assert [row.is_visible() for row in rows.all()] == [True, False, False]
    expect(mapping.get_by_role("heading", name="Memory")).to_be_hidden()
    link = rows.first.get_by_role("link", name="One")
    assert (link.get_attribute("href") or "").endswith("/first/one/")
    mapping.locator("[data-mw-filter]").fill("shflup")
    expect(mapping.locator(".mw-mapping output")).to_have_text("1 row")
    mapping.locator("[data-mw-filter]").fill("")
    mapping.get_by_role("button", name="Unlearn this").click()
    expect(mapping.locator(".mw-mapping output")).to_have_text("1 row")
    assert [row.is_visible() for row in rows.all()] == [False, True, False]
    mapping.get_by_role("button", name="Unlearn this").click()
    expect(mapping.locator(".mw-mapping output")).to_have_text("3 rows")


def test_an_empty_table_offers_what_lies_near(mapping: Page) -> None:
    mapping.locator("[data-mw-filter]").fill("cudamemcopyasinc")
    expect(mapping.locator(".mw-mapping output")).to_have_text("0 rows")
    mapping.get_by_role("button", name="cudaMemcpyAsync").click()
    expect(mapping.locator(".mw-mapping output")).to_have_text("1 row")
    expect(mapping.locator(".mw-empty")).to_be_hidden()
    mapping.locator("[data-mw-filter]").fill("")
    expect(mapping.locator(".mw-mapping output")).to_have_text("3 rows")


def test_a_row_opens(mapping: Page) -> None:
    row = mapping.locator("#term-shfl-down-sync")
    expect(row.locator(".mw-more")).to_be_hidden()
    button = row.get_by_role("button", name="Code, sources and pages")
    expect(button).to_have_attribute("aria-expanded", "false")
    button.focus()
    button.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    for text in (
        "v += __shfl_down_sync(~0u, v, 16);",
        "v += simd_shuffle_down(v, 16);\n//",
        "warp shuffle, shift lanes",
    ):
        expect(row.locator(".mw-more")).to_contain_text(text)
    button.click()
    expect(row.locator(".mw-more")).to_be_hidden()


def test_the_row_of_the_address_is_open(page: Page, site: Served) -> None:
    page.goto(f"{site.url}second/three/#term-cudamemcpyasync")
    other = page.locator("#term-cudamemcpyasync")
    expect(other.locator(".mw-more")).to_contain_text("The Handbook")
    expect(other.locator(".mw-more").get_by_role("link", name="One", exact=True)).to_be_visible()


def test_a_row_has_an_address(page: Page, site: Served) -> None:
    page.goto(f"{site.url}second/three/")
    page.locator("#term-ncu th").hover()
    page.locator("#term-ncu").get_by_role("link", name="Link to this row").click()
    page.wait_for_url("**/second/three/#term-ncu")
    expect(page.locator("#term-ncu")).to_have_class(re.compile("mw-shown"))  # the row has been gone to
    below = "document.querySelector('#term-ncu').getBoundingClientRect().top > 40"
    page.wait_for_function(below)  # not under the header


def test_the_table_on_a_phone(phone: Page, site: Served) -> None:
    phone.goto(f"{site.url}second/three/")
    row = phone.locator("#term-cudamemcpyasync")
    expect(row).to_be_hidden()
    phone.get_by_role("navigation", name="Groups").get_by_role("link", name="Memory").click()
    expect(row).to_be_visible()
    cell = "document.querySelector('#term-cudamemcpyasync td[data-head=Metal]')"
    phone.wait_for_function(f"getComputedStyle({cell}, '::before').content === '\"Metal: \"'")
    phone.get_by_role("button", name="Within a warp").click()
    expect(phone.locator("#term-shfl-down-sync")).to_be_visible()
    phone.wait_for_function("document.documentElement.scrollWidth === 360")


def test_index_of_names(page: Page, site: Served) -> None:
    page.goto(f"{site.url}a-z/")
    index = page.locator(".mw-az")
    expect(index.locator("#letter-s + ul")).to_contain_text("__shfl_down_sync")
    expect(index.locator("#letter-w + ul li")).to_have_count(1)
    expect(index.locator("li", has_text="ncu").get_by_role("link", name="Three")).to_have_attribute(
        "href", re.compile(r"second/three/#term-ncu$")
    )
    expect(index.get_by_role("link", name="Three", exact=True).first).to_be_visible()
    page.locator("[data-mw-filter]").fill("warpshuffle")
    expect(index.locator("li:visible")).to_have_count(1)
    expect(index.locator("h2:visible")).to_have_text(re.compile("S"))


def test_sources_name_their_pages(page: Page, site: Served) -> None:
    page.goto(f"{site.url}sources/")
    used = page.locator("h3 ~ p .mw-used").first
    expect(used).to_contain_text(re.compile(r"One 1 quoted, 1 cited; Two 2 quoted"))
    expect(page.locator("li", has_text="The Handbook")).to_contain_text("Three")


def test_sources_are_narrowed(page: Page, site: Served) -> None:
    page.goto(f"{site.url}sources/")
    expect(page.get_by_role("navigation", name="Kinds").get_by_role("link")).to_have_text(
        ["Repositories", "Documentation"]
    )
    page.locator("[data-mw-filter]").fill("handbook")
    expect(page.locator(".mw-sources output")).to_have_text("1 row")
    expect(page.locator(".mw-source:visible")).to_have_count(0)
    expect(page.locator(".mw-sources h2:visible")).to_have_count(1)


def test_the_index_of_the_search_waits_until_the_search_is_used(page: Page, site: Served) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site.url}first/one/", wait_until="networkidle")
    assert not [url for url in asked if url.endswith(("search_index.json", "lookup.json", "lookup-find.js"))]
    page.keyboard.press("/")
    page.get_by_role("textbox", name="Search").press_sequentially("lanes")
    expect(page.locator(".md-search-result__link").first).to_be_visible()
    assert [url for url in asked if url.endswith("search_index.json")]


def test_the_search_has_terms_above_its_results(page: Page, site: Served) -> None:
    page.goto(f"{site.url}second/three/")
    page.keyboard.press("/")
    field = page.get_by_role("textbox", name="Search")
    field.press_sequentially("shlfdown")
    terms = page.get_by_role("navigation", name="Terms").get_by_role("link")
    expect(terms.first).to_contain_text("__shfl_down_sync")
    field.fill("")
    field.press_sequentially("__shfl_down_syn")
    expect(terms.first).to_contain_text("One")
    page.evaluate(
        """() => {
          const box = document.querySelector(".mw-search-terms");
          window.drawn = 0;
          new MutationObserver(() => window.drawn++).observe(box, { childList: true });
        }"""
    )
    field.press("c")
    page.wait_for_function("document.querySelector('.mw-search-terms').dataset.text === '__shfl_down_sync'")
    expect(terms.first).to_contain_text("One")
    assert page.evaluate("window.drawn") == 1
    field.press("Enter")
    page.wait_for_url("**/first/one/")


def test_a_result_names_the_lines_of_code_and_opens_at_one(page: Page, site: Served) -> None:
    page.goto(f"{site.url}second/three/")
    page.keyboard.press("/")
    field = page.get_by_role("textbox", name="Search")
    field.press_sequentially("threadgroup_barrier")
    line = page.locator(".md-search-result__item .mw-search-line")
    expect(line).to_have_count(1)
    expect(line.locator("b")).to_have_text("scale.metal:11")
    expect(line.locator("code")).to_have_text("threadgroup_barrier(mem_flags::mem_threadgroup);")
    expect(line.locator("mark")).to_have_text("threadgroup_barrier")
    field.fill("")
    field.press_sequentially("thread_index_in")  # the beginning of a name; L9 is no line of the excerpt
    expect(page.locator(".mw-search-line")).to_have_count(0)
    field.fill("")
    field.press_sequentially("mem_threadgr")
    expect(line.locator("mark")).to_have_text("mem_threadgroup")
    line.click()
    page.wait_for_url(re.compile(r"/first/one/#--[0-9a-f]{7}-L11$"))
    lit = page.locator(".mw-l:target")
    expect(lit).to_contain_text("threadgroup_barrier(mem_flags::mem_threadgroup);")
    expect(lit).to_be_in_viewport()


def test_a_result_names_the_lines_of_the_home_page(page: Page, site: Served) -> None:
    """Its address is ``./``, as MkDocs has it, and nothing in that of a result."""
    pages = {"./": [["home.metal", "home-L", "", [[7, ["kernel void contents();"]]]]]}
    page.route("**/code.json*", lambda route: route.fulfill(json=pages))
    page.goto(f"{site.url}second/three/")
    page.evaluate(
        """async ([script, home]) => {
          const { showLines } = await import(script);
          const list = document.createElement("ol");
          list.id = "results";
          list.innerHTML = `<li><a href="${home}">Home</a></li>`;
          document.body.append(list);
          await showLines(list, "contents");
        }""",
        [f"{site.url}assets/metalworking/search-code.js", site.url],
    )
    line = page.locator("#results .mw-search-line")
    expect(line.locator("b")).to_have_text("home.metal:7")
    assert line.get_attribute("href") == f"{site.url}#home-L7"


def test_lines_that_no_search_shall_read_are_not_in_its_data(site: Served) -> None:
    code = json.loads((site.root / "assets/metalworking/code.json").read_text(encoding="utf-8"))
    file, head, tail, parts = code["first/one/"][0]
    assert (file, tail, [first for first, _ in parts]) == ("scale.metal", "", [4, 10])
    html = (site.root / "first/one/index.html").read_text(encoding="utf-8")
    for first, lines in parts:
        for number, text in enumerate(lines, first):
            shown = BeautifulSoup(html, "html.parser").find(id=f"{head}{number}{tail}")
            assert shown is not None
            assert shown.get_text() == f"{text}\n"


def test_the_search_reads_no_drawing(site: Served) -> None:
    text = (site.root / "search/search_index.json").read_text(encoding="utf-8")
    assert "Two boxes." in text
    assert "filled" not in text
    assert "filled" in (site.root / "first/one/index.html").read_text(encoding="utf-8")


def test_search_shows_titles_and_summaries(page: Page, site: Served) -> None:
    page.goto(f"{site.url}first/one/")
    page.keyboard.press("/")
    page.get_by_role("textbox", name="Search").press_sequentially("lanes")
    first = page.locator(".md-search-result__item").first
    expect(first.locator("h1")).to_have_text("One")
    expect(first).to_contain_text("Thirty-two lanes & one counter.")


def test_the_page_that_is_not_there_searches(page: Page, desk: Tab, site: Served) -> None:
    page.goto(f"{site.url}first/won/tree")
    desk.errors.clear()  # the browser reports the 404 itself
    expect(page.get_by_role("heading", name="No page here")).to_be_visible()
    expect(page.locator(".mw-404-near").get_by_role("link", name="Three")).to_be_visible()
    field = page.get_by_role("searchbox", name="Search the text")
    expect(field).to_have_value("tree")
    field.fill("counter")
    field.press("Enter")
    expect(page.locator(".md-search-result__link").first).to_be_visible()


def test_pages_describe_themselves_to_others(page: Page, site: Served) -> None:
    page.goto(f"{site.url}first/one/")
    meta = "n => document.querySelector(`meta[property='${n}'],meta[name='${n}']`).content"
    assert page.evaluate(meta, "og:title") == "One"
    for name in ("og:description", "description"):
        assert page.evaluate(meta, name) == "Thirty-two lanes & one counter."
    assert page.evaluate(meta, "og:url") == f"{site.url}first/one/"


def test_lookup_data(site: Served) -> None:
    data = json.loads((site.root / "assets/metalworking/lookup.json").read_text(encoding="utf-8"))
    assert data["pages"]["first/one/"] == ["One", "Thirty-two lanes & one counter.", "Warp", "transfers"]
    rows = {row[0]: row[1:] for row in data["terms"]}
    assert rows["ncu"] == ["Xcode's GPU counters", "resized", "second/three/#term-ncu", "", [], []]
    assert rows["cudaMemcpyAsync"] == ["none needed", "unlearn", "first/two/", "One memory.", [], ["first/one/"]]
    shuffles = rows["__shfl_down_sync / __shfl_up_sync"]
    assert shuffles[2:] == ["first/one/", "No `mask` argument.", ["warp shuffle", "shift lanes"], []]
    assert rows["Warp"][2] == "first/one/"
    assert len(rows) == len(data["terms"])


def test_terms_for_programs(site: Served) -> None:
    folder = site.root / "assets/metalworking"
    document = json.loads((folder / "terms.json").read_text(encoding="utf-8"))
    schema = json.loads((folder / document["$schema"]).read_text(encoding="utf-8"))
    jsonschema.validate(document, schema)
    shuffles, copy, _ = document["terms"]
    assert shuffles["names"] == ["__shfl_down_sync", "__shfl_up_sync"]
    assert shuffles["code"]["cuda"] == "v += __shfl_down_sync(~0u, v, 16);"
    assert (copy["page"], copy["also"], copy["row"]) == (
        "first/two/",
        ["first/one/"],
        "second/three/#term-cudamemcpyasync",
    )
    title = "A. Writer, The Handbook, 2024-05"
    assert copy["sources"] == [{"title": title, "url": "https://example.org/handbook"}]
