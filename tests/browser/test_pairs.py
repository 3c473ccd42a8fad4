"""Pairs on the book's kernel pages: side by side, one under the other, lit together, without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from bs4 import BeautifulSoup, SoupStrainer
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import DESK, HERE, Served, Tabs

KERNELS = sorted(page.stem for page in (HERE / "docs/kernels").glob("*.md") if page.stem != "index")
LIT = re.compile("inset")


@pytest.fixture(scope="module")
def plain(browser: Browser, book: Served) -> Iterator[Page]:
    """A kernel page, wide, that runs no scripts."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{book.url}kernels/gemm-tiled/")
    yield page
    context.close()


def tops(pair: Locator) -> list[float]:
    boxes = [pair.locator(part).bounding_box() for part in ("figure.mw-excerpt", "div.highlight")]
    return [box["y"] for box in boxes if box]


@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_page_has_its_pair_and_every_tie_both_ends(book: Served, name: str) -> None:
    html = (book.root / f"kernels/{name}/index.html").read_text(encoding="utf-8")
    (pair,) = BeautifulSoup(html, "html.parser", parse_only=SoupStrainer(class_="mw-twins")).select(".mw-twins")
    left, right = (pair.select(f"{side} .mw-tie > a") for side in (".mw-l", ".mw-tl"))
    assert len(right) == len(left) >= 4
    for mark in left + right:
        (line,) = pair.select(f'[id="{str(mark["href"]).removeprefix("#")}"]')
        assert f"mw-t{mark['data-tie']}" in line["class"], "the other side's line, which has the same tie"


def test_side_by_side_where_there_is_room_without_scripts(plain: Page) -> None:
    pair = plain.locator(".mw-twins")
    pair.scroll_into_view_if_needed()
    expect(pair).to_have_css("display", "grid")
    pre = pair.locator("div.highlight pre")
    assert pre.evaluate("el => el.scrollWidth - el.clientWidth") <= 0, "long lines wrap"
    code = pair.locator("pre.mw-pre")
    assert code.evaluate("el => el.scrollWidth - el.clientWidth") <= 0
    expect(pair.locator("figure")).to_be_visible()
    figure, fence = pair.locator("figure").bounding_box(), pair.locator("div.highlight").bounding_box()
    assert figure
    assert fence
    assert figure["x"] + figure["width"] <= fence["x"]


def test_pointing_at_one_lights_the_other_without_scripts(plain: Page) -> None:
    metal, cuda = plain.locator(".mw-l.mw-t4"), plain.locator(".mw-tl.mw-t4")
    expect(metal).to_have_css("box-shadow", "none")
    cuda.hover()
    expect(metal).to_have_css("box-shadow", LIT)
    expect(plain.locator(".mw-l.mw-t1")).to_have_css("box-shadow", "none")
    metal.hover()
    expect(cuda).to_have_css("box-shadow", LIT)


def test_materials_copy_has_each_line_end_once(plain: Page) -> None:
    """It sets an attribute, and takes what the browser shows."""
    code = plain.locator(".mw-twins div.highlight code")
    copied = "el => { el.setAttribute('data-md-copying', ''); const text = el.innerText; "
    copied += "el.removeAttribute('data-md-copying'); return [text.trimEnd(), el.textContent.trimEnd()]; }"
    text, written = code.evaluate(copied)
    assert "\n" in written
    assert text == written


@pytest.fixture(scope="module")
def tiled(tabs: Tabs, book: Served) -> Iterator[Page]:
    """The same page with its scripts."""
    yield from tabs.show("tiled", DESK, f"{book.url}kernels/gemm-tiled/")


def test_by_keyboard_a_tie_lights_both_and_leads_to_the_other(tiled: Page) -> None:
    mark = tiled.locator(".mw-l.mw-t4 .mw-tie > a")
    mark.focus()
    expect(tiled.locator(".mw-tl.mw-t4")).to_have_css("box-shadow", LIT)
    tiled.keyboard.press("Enter")
    expect(tiled).to_have_url(re.compile("#twin-1-L18$"))
    expect(tiled.locator("#twin-1-L18")).to_be_in_viewport()


def test_copying_takes_no_number_of_a_tie(tiled: Page) -> None:
    tiled.context.grant_permissions(["clipboard-read", "clipboard-write"])
    begins = {
        ".mw-copy": "uint k_tiles = k / BK;\nfor (uint l = 0; l < k_tiles; l++) {\n",
        ".mw-copy-fence": "#include <mma.h>\nusing namespace nvcuda;\n\n__global__ void __launch_bounds__(128)\n",
    }
    for name, text in begins.items():
        button = tiled.locator(f".mw-twins {name}")
        button.click()
        expect(button).to_have_text("Copied")
        assert tiled.evaluate("navigator.clipboard.readText()").startswith(text)


def test_one_under_the_other_on_a_phone(phone: Page, book: Served) -> None:
    phone.goto(f"{book.url}kernels/gemm-tiled/")
    pair = phone.locator(".mw-twins")
    pair.scroll_into_view_if_needed()
    expect(pair).to_have_css("display", "block")
    above, below = tops(pair)
    assert above < below
    mark = pair.locator(".mw-l .mw-tie > a").first
    mark.scroll_into_view_if_needed()
    expect(mark).to_be_in_viewport()
    assert pair.locator("pre.mw-pre").evaluate("el => el.scrollLeft") == 0, "at the left, beside the line's number"
