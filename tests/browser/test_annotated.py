"""Annotated code, citations in the margin and in a sheet, fences, contrast of lit lines, colors of the reader's own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import DRAWN, Served, Tabs, open_with_links
from tests.browser.content import SCALE
from tests.forked import python_m
from tests.support import Bench

FIGURE = "figure.mw-excerpt"
NOON = datetime(2026, 1, 1, 12)
KERNELS = ["kernels/gemm-tiled/", "kernels/steel-attention/", "kernels/steel-gemm-fused/", "kernels/nax-gemm/"]
# Columns of the longest line, and by how much the code scrolls.
WIDTHS = """() => [...document.querySelectorAll("figure.mw-excerpt:not(.mw-card)")].map((figure) => {
  const pre = figure.querySelector("pre");
  const lines = [...pre.querySelectorAll(".mw-l")].map((line) => line.textContent.replace(/\\n$/, "").length);
  return [Math.max(...lines), pre.scrollWidth - pre.clientWidth];
})"""
# Contrast of every kind of token on every kind of line, as WCAG 2.2 defines it.
CONTRAST = """() => {
  const kinds = ("k kc kd kn kp kr kt ow nf fm nd ne nc nb n m mb mf mh mi mo il s s1 s2 sa sb sc sd se sh si sx sr "
    + "ss dl c c1 cm cs ch cp cpf o p na").split(" ");
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const light = (...colors) => {
    for (const color of colors) { canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); }
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => v / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const pre = document.querySelector("figure.mw-excerpt .mw-pre");
  const ground = getComputedStyle(pre.closest("figure")).backgroundColor;
  const found = {};
  for (const classes of ["mw-l", "mw-l mw-hl", "mw-l mw-on", "mw-l mw-hl mw-on"]) {
    const line = document.createElement("span");
    line.className = classes;
    line.innerHTML = "<a data-n='1'></a>" + kinds.map((kind) => `<span class="${kind}">x</span>`).join("");
    pre.querySelector("code").append(line);
    const back = light(ground, getComputedStyle(line).backgroundColor);
    for (const token of line.children) {
      const ink = light(ground, getComputedStyle(token).color);
      found[`${classes}: ${token.className || "number"}`] = (Math.max(back, ink) + 0.05) / (Math.min(back, ink) + 0.05);
    }
    line.remove();
  }
  return found;
}"""


@pytest.fixture(scope="module")
def tiled(tabs: Tabs, book: Served) -> Iterator[Page]:
    """A kernel page of the book on a screen with room beside the code."""
    yield from tabs.show("tiled", {"viewport": {"width": 1920, "height": 900}}, f"{book.url}kernels/gemm-tiled/")


def test_notes_stand_under_their_lines_where_they_have_no_room_beside(page: Page, phone: Page, site: Served) -> None:
    for one in (page, phone):  # the small site's excerpt has a line of 240 columns
        one.goto(f"{site.url}first/one/")
        under = one.locator(f"{FIGURE} .mw-under")
        expect(under).to_have_count(3)
        order = under.evaluate_all("all => all.map((el) => el.previousElementSibling.firstElementChild.dataset.n)")
        assert order == ["6", "11", "12"]
        expect(one.locator(".mw-notes")).to_be_hidden()
        box = under.first.evaluate("el => [el.offsetWidth, el.closest('figure').clientWidth]")
        assert box[0] == box[1], "a note is as wide as the figure, however far the code scrolls"


def test_notes_stand_beside_code_that_leaves_room(tiled: Page) -> None:
    first = tiled.locator(f"{FIGURE}:has(> .mw-notes)").first
    expect(first.locator(".mw-notes")).to_be_visible()
    beside = "f => f.querySelector('.mw-notes').offsetTop <= f.querySelector('.mw-code-block').offsetTop + 1"
    assert first.evaluate(beside)
    tiled.set_viewport_size({"width": 700, "height": 900})
    expect(first.locator(".mw-under").first).to_be_visible()
    tiled.set_viewport_size({"width": 1920, "height": 900})
    expect(first.locator(".mw-notes")).to_be_visible()
    expect(first.locator(".mw-under")).to_have_count(0)


def test_what_is_lit_comes_into_view(tiled: Page) -> None:
    tiled.set_viewport_size({"width": 1920, "height": 300})
    note = tiled.locator(f"{FIGURE} .mw-note[data-lines]").last
    note.scroll_into_view_if_needed()
    note.click(position={"x": 200, "y": 6})
    expect(tiled.locator(".mw-l.mw-on").first).to_be_in_viewport()


def test_no_kernel_excerpt_of_a_hundred_columns_scrolls(page: Page, book: Served) -> None:
    for name in KERNELS:
        page.goto(book.url + name)
        for width in (1280, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate(DRAWN)
            found = page.evaluate(WIDTHS)
            assert found, name
            assert [pair for pair in found if pair[0] <= 100 and pair[1] > 1] == [], (name, width)


def test_a_fade_shows_where_code_goes_on(page: Page, phone: Page, site: Served) -> None:
    fade = "e => getComputedStyle(e, '::after').opacity"
    phone.goto(f"{site.url}first/one/")
    block = phone.locator(f"{FIGURE} .mw-code-block")
    phone.wait_for_function(f"({fade})(document.querySelector('.mw-code-block')) === '1'")
    block.locator(".mw-pre").evaluate("e => { e.scrollLeft = e.scrollWidth; }")
    phone.wait_for_function(f"({fade})(document.querySelector('.mw-code-block')) === '0'")
    page.goto(f"{site.url}first/two/")
    assert page.locator(".mw-code-block").first.evaluate(fade) == "0", "nothing is hidden there"


def test_a_link_to_a_line_lands_at_a_third_with_its_note_lit_scripts_or_not(browser: Browser, site: Served) -> None:
    name = f"--{site.blobs['scale.metal']}-L12"
    for scripts in (True, False):
        context = browser.new_context(java_script_enabled=scripts, viewport={"width": 1300, "height": 900})
        page = context.new_page()
        page.goto(f"{site.url}first/one/#{name}")
        line = page.locator(f'[id="{name}"]')
        expect(line).to_be_in_viewport()
        if scripts:
            page.wait_for_function("document.querySelector('.mw-under')")
            page.wait_for_function(
                "Math.abs(document.querySelector('.mw-l:target').getBoundingClientRect().top - 297) < 12"
            )
        else:
            box = line.bounding_box()
            assert box
            assert abs(box["y"] - 297) < 12, "a third of 900"
        notes = page.locator(".mw-under" if scripts else ".mw-note")
        colors = [notes.nth(at).evaluate("e => getComputedStyle(e).borderLeftColor") for at in range(3)]
        assert colors[2] not in colors[:2], "the third note is that of line 12"
        context.close()


def test_copy_marks_gaps_and_offers_the_indentation(fresh: Page, site: Served) -> None:
    page = fresh
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.clock.install(time=NOON)
    page.goto(f"{site.url}first/four/")
    figure = page.locator(FIGURE)
    expect(figure.locator(".mw-dedented")).to_have_text("indent −4")
    expect(figure.get_by_role("button", name="Copy with indent")).to_be_visible()
    page.clock.pause_at(NOON + timedelta(hours=1))  # the button says for a moment that it did it
    figure.get_by_role("button", name="Copy", exact=True).click()
    expect(figure.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == 'shared[lane] = data[i];\n// lines 11-13 left out\nconst char* name = "scale";'
    figure.get_by_role("button", name="Copy with indent").click()
    expect(figure.get_by_role("button", name="Copied")).to_have_count(2)
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == '    shared[lane] = data[i];\n    // lines 11-13 left out\n    const char* name = "scale";'


def test_a_fence_can_be_copied(page: Page, site: Served) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{site.url}first/one/")
    fence = page.locator("article > .highlight")
    fence.hover()
    fence.get_by_role("button", name="Copy").click()
    expect(fence.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "kernel void f(device half* x [[buffer(0)]]) { x[0] = half(1.5h); } // fenced"


def test_every_fence_of_the_book_has_copy(page: Page, book: Served) -> None:
    for name in ("metal/msl/", "techniques/gemm-ladder/", "plugin/theming/"):
        page.goto(book.url + name)
        page.wait_for_function(
            "[...document.querySelectorAll('article .highlight > pre > code')]"
            ".every((code) => code.closest('.highlight').querySelector('.mw-copy-fence'))"
        )


def test_every_token_can_be_read_on_every_lit_line(page: Page, site: Served) -> None:
    page.goto(f"{site.url}first/one/")
    grounds = []
    for scheme in ("default", "slate"):
        page.evaluate("scheme => { document.body.dataset.mdColorScheme = scheme; }", scheme)
        grounds.append(page.locator(FIGURE).evaluate("e => getComputedStyle(e).backgroundColor"))
        found: dict[str, float] = page.evaluate(CONTRAST)
        assert len(found) > 150
        assert {token: ratio for token, ratio in found.items() if ratio < 4.5} == {}, scheme
    assert grounds[0] != grounds[1]


def test_citations_stand_in_the_margin_when_wide(page: Page, site: Served) -> None:
    page.goto(f"{site.url}first/one/")
    notes = page.locator(".mw-side > p")
    expect(notes).to_have_count(2)
    expect(notes.first).to_contain_text("The Handbook")
    overlaps = page.evaluate("""() => {
      const boxes = [...document.querySelectorAll(".mw-side>p,article>figure,article>p,.mw-callout")]
        .map((el) => el.getBoundingClientRect());
      const side = document.querySelectorAll(".mw-side>p").length;
      const cross = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
      return boxes.some((a, i) => boxes.some((b, j) => i < j && cross(a, b)));
    }""")
    assert not overlaps
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    page.set_viewport_size({"width": 900, "height": 900})
    expect(page.locator(".mw-side")).to_be_hidden()


def test_a_citation_opens_a_sheet_on_touch_and_the_page_stays(phone: Page, site: Served) -> None:
    phone.goto(f"{site.url}first/one/", wait_until="networkidle")
    ref = phone.locator("article > p .footnote-ref").first
    ref.scroll_into_view_if_needed()
    before = phone.evaluate("scrollY")
    ref.tap()
    sheet = phone.get_by_role("dialog", name=re.compile("^Source"))
    expect(sheet).to_contain_text("The Handbook")
    bottom = sheet.evaluate("e => innerHeight - e.getBoundingClientRect().bottom")
    assert abs(bottom) < 2
    assert phone.evaluate("scrollY") == before
    sheet.get_by_role("button", name="Close").tap()
    expect(sheet).to_be_hidden()
    assert "#" not in phone.url


def test_a_citation_is_a_target_of_24_pixels(phone: Page, site: Served) -> None:
    phone.goto(f"{site.url}first/one/")
    size = phone.locator(".footnote-ref").first.evaluate(
        "e => { const s = getComputedStyle(e, '::after'); return [parseFloat(s.width), parseFloat(s.height)]; }"
    )
    assert min(size) >= 24


SLOW = """(() => {
  const { send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.send = function (...body) { setTimeout(() => send.apply(this, body), 300); };
})()"""
SCROLL_AND_CLICK = """async () => {
  scrollTo(0, document.documentElement.scrollHeight);
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  document.querySelector("a[rel=next].mw-next-card").click();
}"""


def test_next_leaves_no_section_in_the_address(page: Page, book: Served) -> None:
    page.add_init_script(SLOW)  # a page comes later than Material notes where the one before stood
    open_with_links(page, f"{book.url}machine/registers/")
    for _ in range(3):
        before = page.url.split("#")[0]
        # Before Material has noted where the page stands: it would begin the next page there.
        page.evaluate(SCROLL_AND_CLICK)
        page.wait_for_function(f"!location.href.startsWith({json.dumps(before)})")
        page.wait_for_function("scrollY === 0")
        page.wait_for_timeout(700)
        assert "#" not in page.url
    page.evaluate("document.querySelectorAll('article h2')[1].scrollIntoView()")
    page.wait_for_function("location.hash === '#' + document.querySelectorAll('article h2')[1].id")


def test_back_to_top_covers_nothing_of_a_page(page: Page, phone: Page, book: Served) -> None:
    for one in (page, phone):
        one.goto(f"{book.url}machine/registers/", wait_until="networkidle")
        one.evaluate("scrollTo(0, 3000)")
        one.wait_for_timeout(200)
        one.evaluate("scrollTo(0, 2500)")
        one.wait_for_timeout(400)
        covers = one.evaluate(
            "() => { const top = document.querySelector('.md-top');"
            " if (getComputedStyle(top).display === 'none') return false; const box = top.getBoundingClientRect();"
            " return box.bottom > document.querySelector('.md-header').getBoundingClientRect().bottom; }"
        )
        assert not covers


def test_no_chip_of_the_sidebar_is_cut_off(page: Page, book: Served) -> None:
    page.goto(f"{book.url}machine/registers/")
    names = page.locator(".mw-nav details[open] .mw-nav-page > a > span:first-child")
    assert names.evaluate_all("all => all.filter((el) => el.scrollWidth > el.clientWidth + 1).length") == 0
    chips = page.locator(".mw-nav details[open] .mw-nav-chip")
    signs = chips.evaluate_all("all => all.map((el) => getComputedStyle(el, '::before').content)")
    assert len(signs) > 8
    assert set(signs) <= {'"="', '"≈"', '"≠"', '"∅"'}
    assert chips.evaluate_all("all => Math.max(...all.map((el) => el.offsetWidth))") < 24


def test_colors_of_the_readers_own(browser: Browser, site: Served) -> None:
    context = browser.new_context(viewport={"width": 1300, "height": 900}, forced_colors="active")
    page = context.new_page()
    page.goto(f"{site.url}first/one/")
    side = "e => getComputedStyle(e).borderLeftWidth + ' ' + getComputedStyle(e).borderLeftColor"
    lit, plain = page.locator(".mw-l.mw-hl"), page.locator(".mw-l:not(.mw-hl)").first
    assert lit.evaluate(side).startswith("3px"), "a lit line keeps a mark"
    assert plain.evaluate(side).startswith("0px")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    items = page.locator(".mw-nav details[open] .mw-nav-page:not(.mw-nav-here) > a")
    assert set(items.evaluate_all("all => all.map((e) => getComputedStyle(e).borderLeftColor)")) == {ground}
    notes = page.locator(".mw-under")
    expect(notes).to_have_count(3)
    assert set(notes.evaluate_all("all => all.map((e) => getComputedStyle(e).borderLeftColor)")) == {ground}
    context.close()


def test_the_fragment_of_the_home_page_turns_line_by_line(browser: Browser, site: Served) -> None:
    context = browser.new_context(viewport={"width": 1300, "height": 900})
    page = context.new_page()
    page.goto(site.url)
    lines = page.locator(".mw-morph li")
    page.wait_for_function("document.querySelectorAll('.mw-morph li.mw-turned').length === 6")
    expect(page.locator(".mw-morph .mw-from").first).to_be_hidden()
    page.get_by_role("button", name="Next line").click()
    expect(page.locator(".mw-morph li.mw-turned")).to_have_count(0)
    page.get_by_role("combobox").fill("__syncthreads")
    expect(page.locator(".mw-morph li.mw-turned")).to_have_count(1)
    expect(lines.nth(4).locator(".mw-to")).to_be_visible()
    context.close()


@pytest.mark.parametrize("how", [{"java_script_enabled": False}, {"reduced_motion": "reduce"}])
def test_the_fragment_is_quiet_and_whole(browser: Browser, site: Served, how: dict[str, Any]) -> None:
    context = browser.new_context(viewport={"width": 1300, "height": 900}, **how)
    page = context.new_page()
    page.goto(site.url)
    for code in page.locator(".mw-morph code").all():
        expect(code).to_be_visible()
    expect(page.locator(".mw-morph-keys")).to_be_hidden()
    context.close()


WITHIN = """\
# Within

<< excerpt acme/kernels@{sha}:scale.metal#L9-11 >>
- L9: A note that shows

    << excerpt acme/kernels@{sha}:long.c#L9-11 >>
    - L10: A note of its own, *marked*{{: .mw-on }}.

    words behind it

- L11: The last.
"""


def test_an_excerpt_in_a_note_stays_whole_and_keeps_its_lines(page: Page, site: Served, small: Bench) -> None:
    """Where the notes stand under their lines it stands within the code above it, with lines of the same numbers."""
    config, docs = small.root / "within.yml", small.root / "within"
    docs.mkdir()
    (docs / "index.md").write_text(WITHIN.format(sha=small.commits["acme/kernels"][:7]), encoding="utf-8")
    url = site.url.replace("/small/", "/within/")
    config.write_text(
        f"site_name: within\nsite_url: {url}\nsite_dir: {site.root.parent}/within\ndocs_dir: within\n"
        "theme: {name: material, font: false}\nmarkdown_extensions: [attr_list]\n"
        "plugins: [metalworking: {store: store, offline: true}]\n",
        encoding="utf-8",
    )
    done = python_m("mkdocs", "build", "-q", "-s", "-f", str(config), cwd=small.root)
    assert done.returncode == 0, done.stderr
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.set_viewport_size({"width": 500, "height": 900})
    page.goto(url)
    page.add_style_tag(content=".md-grid { max-width: none }")
    outer = page.locator(f"article > {FIGURE}")
    for width in (500, 2600, 500):
        page.set_viewport_size({"width": width, "height": 900})
        under = outer.locator("> .mw-code-block > pre > .mw-code > code > .mw-under")
        expect(under).to_have_count(0 if width == 2600 else 2)
        expect(outer.get_by_text("words behind it")).to_be_visible()
        of = {"scale.metal": SCALE.split("\n")[8:11], "long.c": [f"int line{n} = {n};" for n in (9, 10, 11)]}
        for name, lines in of.items():
            caption = page.locator(".mw-caption").filter(has_text=name)
            caption.get_by_role("button", name="Copy", exact=True).click()
            expect(caption.get_by_role("button", name="Copied")).to_be_visible()
            copied = page.evaluate("navigator.clipboard.readText()").split("\n")
            assert [line.strip() for line in copied] == [line.strip() for line in lines]
            expect(caption.get_by_role("button", name="Copy", exact=True)).to_be_visible()
        outer.get_by_text("The last.").hover()
        expect(outer.locator(".mw-l.mw-on")).to_have_count(1)
