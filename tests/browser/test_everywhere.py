"""Every width, every scheme, paper, no scripts; accessibility, size, and nothing from elsewhere."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import HERE, Served
from tests.support import NIGHT, some

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
ALLOWED: dict[str, str] = {
    # rule: why it may fail. Empty: nothing may.
}
KINDS = ["", "first/", "first/one/", "first/two/", "second/three/", "a-z/", "sources/", "404.html"]


SEEN = ["color-contrast", "link-in-text-block"]


def violations(page: Page, rules: list[str] | None = None, where: str = "html") -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    found = page.evaluate("([where, options]) => axe.run(where, options)", [where, options])["violations"]
    return [
        f"{rule['id']}: {node['target']} {node['html'][:100]}"
        for rule in found
        if rule["id"] not in ALLOWED
        for node in rule["nodes"][:3]
    ]


def in_both_schemes(page: Page, where: str = "html", *, dark: bool = True) -> list[str]:
    """Return what axe finds in the light, and of what is seen in the *dark*: a scheme changes colours and no more."""
    found = violations(page, where=where)
    if dark:
        assert page.evaluate("document.body.dataset.mdColorScheme") == "default"
        page.evaluate("document.body.dataset.mdColorScheme = 'slate'")
        found += [f"in the dark, {one}" for one in violations(page, SEEN, where)]
        page.evaluate("document.body.dataset.mdColorScheme = 'default'")
    return found


@dataclass
class Visit:
    """What a page loads of the plugin's and the book's styles and scripts, and what axe finds on it."""

    loads: list[str]
    found: list[str]


OURS = """() => performance.getEntriesByType("resource").map((one) => new URL(one.name).pathname)
  .filter((path) => /[/]assets[/](metalworking|site)[/][^/]+[.](css|js)$/.test(path))"""


@pytest.fixture(scope="module")
def visits(browser: Browser, site: Served) -> dict[str, Visit]:
    """A page of each kind, loaded once."""
    context = browser.new_context(viewport={"width": 1300, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    dark = some(KINDS, 4)
    made = {}
    for kind in KINDS:
        page.goto(site.url + kind, wait_until="networkidle")
        loads = page.evaluate(OURS)
        made[kind] = Visit(loads, in_both_schemes(page, dark=kind in dark))
    context.close()
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing(visits: dict[str, Visit], kind: str) -> None:
    assert visits[kind].found == []


@pytest.mark.parametrize("kind", KINDS)
def test_size_of_what_a_page_loads(visits: dict[str, Visit], site: Served, kind: str) -> None:
    """The plugin's and the book's styles and scripts, uncompressed; an instrument comes on top."""
    loads = visits[kind].loads
    assert loads
    assert not [url for url in loads if url.endswith(("previews.js", "search.js", "search-code.js", "lookup.js"))]
    annotated = kind in ("first/one/", "first/two/")  # notes, Copy and citations come with excerpts
    sizes = [(site.root.parent / url.lstrip("/")).stat().st_size for url in set(loads)]
    assert sum(sizes) < (66_500 if annotated else 60_000)


def test_axe_finds_nothing_in_what_opens(page: Page, site: Served) -> None:
    """The rest of such a page is that of its kind."""
    page.goto(site.url)
    page.get_by_role("combobox").fill("shfl")
    expect(page.get_by_role("option").first).to_be_visible()
    assert in_both_schemes(page, ".mw-lookup") == []
    page.goto(f"{site.url}first/one/")
    page.locator("article p > a", has_text="two").first.hover()
    expect(page.get_by_role("tooltip")).to_be_visible()
    assert in_both_schemes(page, "[role=tooltip]") == []
    page.keyboard.press("c")
    page.get_by_role("dialog", name="CUDA lookup").get_by_role("combobox").fill("nothing such")
    expect(page.get_by_role("option")).to_have_count(1)
    assert in_both_schemes(page, "dialog[open]") == []


def test_axe_finds_nothing_on_a_phone_with_the_drawer_open(phone: Page, site: Served) -> None:
    phone.goto(f"{site.url}first/one/")
    assert violations(phone) == []
    phone.locator("label[for=__drawer].md-header__button").tap()
    expect(phone.locator(".mw-nav").get_by_role("link", name="Two")).to_be_visible()
    assert violations(phone, where=".md-sidebar--primary") == []


OVER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def too_wide(page: Page, url: str, names: Iterable[str], *widths: int) -> dict[tuple[str, int], int]:
    """Return by how much pages are wider than the window, by name and width."""
    wide = {}
    for name in names:
        page.goto(url + name)  # until all styles are there
        for width in widths:
            page.set_viewport_size({"width": width, "height": 740})
            if (over := page.evaluate(OVER)) > 0:
                wide[name, width] = over
    return wide


def test_no_page_is_wider_than_a_phone(phone: Page, site: Served) -> None:
    assert too_wide(phone, site.url, site.pages, 360) == {}


def test_no_page_of_the_book_is_wider_than_a_phone_fails_or_asks_another_host(phone: Page, book: Served) -> None:
    assert too_wide(phone, book.url, some(book.pages, 8), 360) == {}


def test_no_page_of_the_book_scrolls_sideways_on_a_phone_or_zoomed_four_times(browser: Browser, book: Served) -> None:
    """By day every fourth page, without scripts and at the narrower width: a window of 1,280 that is zoomed so."""
    context = browser.new_context(viewport={"width": 320, "height": 740}, java_script_enabled=NIGHT)
    pages = some(book.pages, len(book.pages) // 4)
    found = too_wide(context.new_page(), book.url, pages, *((320, 360) if NIGHT else (320,)))
    context.close()
    assert found == {}


def test_the_drawer_of_a_phone(phone: Page, site: Served) -> None:
    phone.goto(f"{site.url}first/one/")
    nav = phone.locator(".mw-nav")
    expect(nav.get_by_role("link", name="Two")).not_to_be_in_viewport()
    phone.locator("label[for=__drawer].md-header__button").tap()
    expect(nav.get_by_role("link", name="Two")).to_be_in_viewport()
    expect(nav.locator(".mw-nav-here")).to_contain_text("Warp")
    nav.get_by_label("Pages of Second").tap()
    nav.get_by_role("link", name="Three").tap()
    phone.wait_for_url("**/second/three/")
    expect(phone.locator(".mw-nav").get_by_role("link", name=re.compile("^One"))).not_to_be_in_viewport()


def test_the_sidebar_names_the_cuda_term(page: Page, site: Served) -> None:
    page.goto(f"{site.url}first/one/")
    chip = page.locator(".mw-nav-here .mw-nav-chip")
    expect(chip).to_have_text("Warp")
    expect(page.locator(".mw-nav a[aria-current=page]")).to_have_attribute("href", re.compile(r"/first/one/$|^\./$"))


def test_both_schemes_by_the_toggle(page: Page, site: Served) -> None:
    page.goto(f"{site.url}first/one/")
    colour = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(colour)
    page.locator("label[title='Switch to dark']").click()
    page.wait_for_function(f"{colour} !== '{before}'")


def test_a_printed_kernel_page_has_its_code_and_links(page: Page, site: Served, tmp_path: Path) -> None:
    page.goto(f"{site.url}first/one/")
    pdf = page.pdf(format="A4")
    streams = []
    for raw in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        try:
            streams.append(zlib.decompress(raw))
        except zlib.error:
            streams.append(raw)
    assert b"https://github.com/acme/kernels/blob/" in pdf + b"".join(streams), "links stay links"
    page.emulate_media(media="print")
    expect(page.locator(".mw-excerpt .mw-pre")).to_be_visible()
    for hidden in (".md-header", ".mw-copy", ".mw-place", ".mw-path", ".mw-footer", ".mw-nav"):
        expect(page.locator(hidden).first).to_be_hidden()
    assert page.locator(".mw-pre").first.evaluate("e => e.scrollWidth <= e.clientWidth"), "long lines are broken"
    after = page.locator(".mw-file").first.evaluate("e => getComputedStyle(e, '::after').content")
    assert "github.com" in after, "the address is printed"


def test_everything_can_be_read_without_scripts(browser: Browser, site: Served) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1300, "height": 900})
    page = context.new_page()
    page.goto(f"{site.url}first/one/")
    for selector in (
        ".mw-callout",
        ".mw-pre",
        ".mw-notes",
        ".footnote",
        ".mw-place",
        ".mw-diagram svg",
        ".mw-nav-here",
    ):
        expect(page.locator(selector).first).to_be_visible()
    expect(page.locator(".mw-code")).to_contain_text("kernel void scale")
    page.locator(".mw-nav").get_by_label("Pages of Second").click()
    page.locator(".mw-nav").get_by_role("link", name="Three").click()
    expect(page.locator(".mw-mapping tbody")).to_have_count(3)
    expect(page.locator(".mw-mapping pre").first).to_be_visible()
    expect(page.locator(".mw-filter")).to_be_hidden()
    page.goto(site.url)
    expect(page.locator(".mw-lookup")).to_be_hidden()
    expect(page.get_by_role("link", name="Every term, A to Z")).to_be_visible()
    context.close()


def test_no_page_of_the_book_names_another_host_for_what_it_loads(book: Served) -> None:
    loads = re.compile(
        r'<(?:script|img|iframe|link rel="(?:stylesheet|icon|preload|preconnect)")[^>]*(?:src|href)="(?:https?:)?//'
    )
    for file in book.root.rglob("*.html"):
        assert not loads.search(file.read_text(encoding="utf-8").replace(book.url, "")), file


def test_templates_keep_to_plain_jinja() -> None:
    """No Python method calls: another engine must be able to render them."""
    for file in (HERE / "overrides").rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        for code in re.findall(r"\{[{%](.*?)[%}]\}", text, re.DOTALL):
            calls = re.findall(r"\.(\w+)\(", code)
            assert set(calls) <= {"t", "chapter", "single"}, f"{file.name}: {calls}"
        assert "style=" not in text, file
        assert "<style" not in text, file
