"""The instruments under a hand: drawings that are dragged, touched and driven by keys, and one state beside another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESK, PHONE, Served, Tabs
from tests.browser.instruments import (
    HANDS,
    PLACES,
    SLUGS,
    begin_with,
    choose_by_keyboard,
    drag,
    says,
    set_by_keyboard,
    stage,
    violations,
)
from tests.support import NIGHT

HEADER = 48
NOON = datetime(2026, 1, 1, 12)
OF = dict(zip(SLUGS, PLACES.values(), strict=True))
"""The instrument on each page: two pages begin with other numbers in the same one."""
KEYS = {
    # Keys on the drawing, what it then says of itself, what the result says.
    "roofline": (["ArrowLeft"] * 8, "15.9 FLOP per byte", "Bound by memory: 15.9 FLOP per byte"),
    "fragment-map": (["ArrowDown", "ArrowRight"], "row 3, column 3, lane 7", "Element (3, 3) is number 1 of lane 7"),
    "tiling": (["ArrowRight", "ArrowDown"], "80 by 80", "70 of 128 registers per lane"),
    "register-blocking": (["ArrowRight", "ArrowDown"], "80 by 80", "70 of 128 registers per lane"),
    "occupancy": (
        ["ArrowLeft"] * 8,
        "56 registers, 5,376 bytes, 128 threads: 7 threadgroups",
        "7 threadgroups per core",
    ),
    "double-buffer": (["ArrowDown"], "two tiles, the load runs during the math", "does math 100% of the time"),
    "online-softmax": (["Home", "ArrowRight"], "tile 2 of 4, m 3, l 1.875, O 9", "After 2 of 4 tiles"),
    "decode-ceiling": (["End"], "1,048,576 tokens of context", "Decode: at most 1.08 tokens per second"),
    "kv-cache": (["PageUp"], "65,536 tokens, 8.59 GB, fits", "8.59 GB, 131,072 bytes per token"),
    "dispatch-geometry": (["Home", "ArrowDown", "ArrowRight"], "thread (33, 0, 0)", "simdgroup 1, lane 1"),
    "matmul-dispatch": (["PageDown"] * 5, "M 6, N 4,096: gemv_wide", "gemv_wide_float16"),
}
ON = {"matmul-dispatch": ["PageUp"] * 5, "decode-ceiling": ["Home"], "occupancy": ["ArrowLeft"] * 8}
"""Keys that lead on from there to another result; for the rest ArrowDown and twice ArrowLeft."""
DRAGS = {
    # From and to in shares of the drawing, what the address has afterwards.
    "roofline": ((0.5, 0.4), (0.2, 0.6), r"[?&]m=\d\b"),
    "fragment-map": ((0.1, 0.1), (0.2, 0.3), r"by=element"),
    "tiling": ((0.5, 0.8), (0.35, 0.55), r"bm=\d+&bn=\d+"),
    "register-blocking": ((0.5, 0.8), (0.35, 0.55), r"bm=\d+&bn=\d+"),
    "occupancy": ((0.15, 0.63), (0.1, 0.63), r"registers=40"),
    "double-buffer": ((0.2, 0.6), (0.3, 0.6), r"way=ahead&wait=\d{3,}"),
    "online-softmax": ((0.9, 0.4), (0.3, 0.4), r"step=2"),
    "decode-ceiling": ((0.1, 0.4), (0.7, 0.4), r"tokens=\d{5}"),
    "kv-cache": ((0.5, 0.4), (0.2, 0.4), r"tokens=\d{3}\b"),
    "dispatch-geometry": ((0.5, 0.62), (0.2, 0.62), r"px=9999\d\d"),
    "matmul-dispatch": ((0.2, 0.3), (0.15, 0.6), r"M=\d+&N=\d+"),
}
MORE = {
    "occupancy": ["?family=10", "?family=9", "?registers=88&threads=64&memory=32768&pinned="],
    "roofline": ["?over=M4+Max&m=8&ms=0.05&pinned=chip%3DM2+Max", "?kernel=c8", "?m=16384"],
    "fragment-map": ["?size=16&shuffles=1"],
    "dispatch-geometry": ["?nx=1200&ny=64&gx=24&gy=8", "?gx=1024&call=groups"],
    "matmul-dispatch": ["?chip=17s&pinned=", "?chip=14g&type=complex64"],
    "decode-ceiling": ["?tokens=1048576&pinned=chip%3DM1", "?chip=M1+Ultra"],
    "kv-cache": ["?memory=8&tokens=4194304", "?batch=256&memory=512"],
    "tiling": ["?bm=256&bn=256", "?bm=16&bn=16&bk=512"],
    "register-blocking": ["?bm=256&bn=256"],
    "online-softmax": ["?step=1&tile=1", "?scores=-9%2C900&values=1%2C-2&tile=1"],
    "double-buffer": ["?groups=16&wait=8192", "?wait=0&way=registers"],
}
OUTSIDE = """svg => [...svg.querySelectorAll('text')].filter(text => {
  const box = text.getBBox();
  const { width, height } = svg.viewBox.baseVal;
  return box.x < -1 || box.x + box.width > width + 1 || box.y + box.height > height + 2;
}).map(text => text.textContent)"""


@pytest.fixture(scope="module", params=SLUGS)
def loaded(request: pytest.FixtureRequest, tabs: Tabs, bench: Served) -> Iterator[Page]:
    """The page of each instrument on a wide screen, loaded once; tests take it as *wide*."""
    for tab in tabs.lend("instrument", DESK):
        tab.page.goto(f"{bench.url}{request.param}/", wait_until="networkidle")
        yield tab.page


@pytest.fixture
def wide(loaded: Page) -> Page:
    """The page of each instrument with its first state."""
    expect(stage(loaded).locator("svg")).to_be_visible()
    if "?" in loaded.url:
        loaded.get_by_role("button", name="Reset").click()
        expect(loaded).to_have_url(re.compile(r"/$"))
    loaded.set_viewport_size(DESK["viewport"])
    return loaded


@pytest.fixture(scope="module", params=SLUGS)
def in_hand(request: pytest.FixtureRequest, tabs: Tabs, bench: Served) -> Iterator[Page]:
    """The page of each instrument on a phone, loaded once."""
    for tab in tabs.lend("instrument in hand", {**PHONE, "viewport": {"width": 360, "height": 800}}):
        tab.page.goto(f"{bench.url}{request.param}/")
        expect(says(tab.page)).not_to_be_empty()
        yield tab.page


def slug(page: Page) -> str:
    return page.url.partition("?")[0].rstrip("/").rpartition("/")[2]


def outside(page: Page) -> list[str]:
    """Return the words of the drawing that lie beyond its edge."""
    page.wait_for_function("document.querySelector('.mw-i-stage svg')")
    found: list[str] = stage(page).locator("svg").evaluate(OUTSIDE)
    return found


def test_nothing_is_wider_than_a_phone_and_text_stays_legible(in_hand: Page) -> None:
    assert in_hand.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    scales = in_hand.locator(".mw-i-live svg").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().width / e.viewBox.baseVal.width)"
    )
    assert min(scales) >= 0.95


def test_control_and_result_share_one_screen(in_hand: Page) -> None:
    """From the top of the first control to the end of drawing, sentence and sliders; with a pinned state too."""
    for query in ("", "?pinned="):
        begin_with(in_hand, query)
        expect(in_hand.get_by_role("button", name="Unpin A")).to_have_count(1 if query else 0)
        assert outside(in_hand) == []
        boxes = in_hand.locator(".mw-i-front .mw-i-field, .mw-i-stage, .mw-i-says, .mw-i-dial")
        tops, bottoms = zip(
            *boxes.evaluate_all("all => all.map(e => e.getBoundingClientRect()).map(box => [box.top, box.bottom])"),
            strict=True,
        )
        assert max(bottoms) - min(tops) <= 800 - HEADER


LOADED = """() => performance.getEntriesByType("resource").map((one) => new URL(one.name).pathname)
  .filter((path) => path.includes("/assets/instruments/")).map((path) => path.split("/").at(-1))"""


def test_one_to_three_sliders_and_the_rest_under_more(wide: Page, bench: Served) -> None:
    """And the page loads its own instrument and what it needs, no other, and draws no word beyond its edge."""
    expect(says(wide)).not_to_be_empty()
    assert outside(wide) == []
    assert 1 <= wide.locator(".mw-i-range:visible").count() <= 3
    assert wide.locator(".mw-i-front select").count() <= 2
    # Beside those, only the boxes of the sliders take a value before More is opened.
    assert wide.locator(".mw-i-form :is(input, select):visible").count() == (
        wide.locator(".mw-i-dial :is(input):visible").count() + wide.locator(".mw-i-front select").count()
    )
    for slider in wide.get_by_role("slider").all():
        assert slider.get_attribute("aria-valuetext")
    loaded = set(wide.evaluate(LOADED))
    others = {f"{name}.js" for name in PLACES.values()} - {f"{OF[slug(wide)]}.js"}
    assert not others & loaded
    assert {f"{name}.js" for name in HANDS} - {"play.js", "plot.js", "quantities.js"} <= loaded
    assert sum((bench.root / "assets/instruments" / name).stat().st_size for name in loaded) < 72_000, loaded


def test_the_worked_example_on_paper(wide: Page) -> None:
    expect(wide.locator(".mw-i-live")).to_be_visible()
    wide.emulate_media(media="print")
    expect(wide.locator(".mw-i-live")).to_be_hidden()
    expect(wide.locator(".mw-i-static").locator("table, svg").first).to_be_visible()
    wide.emulate_media(media="screen")


def test_the_drawing_by_arrow_keys(wide: Page) -> None:
    keys, text, result = KEYS[slug(wide)]
    expect(stage(wide)).to_have_role("slider")
    expect(stage(wide)).to_have_accessible_name(re.compile(r"\w"))
    stage(wide).focus()
    for key in keys:
        wide.keyboard.press(key)
    expect(stage(wide)).to_have_attribute("aria-valuetext", re.compile(re.escape(text)))
    expect(stage(wide)).to_be_focused()
    expect(says(wide)).to_contain_text(result)
    now, least, most = (float(stage(wide).get_attribute(f"aria-value{end}") or "") for end in ("now", "min", "max"))
    assert least <= now <= most
    assert "?" in wide.url


def test_the_drawing_by_a_drag(wide: Page) -> None:
    start, end, address = DRAGS[slug(wide)]
    stage(wide).scroll_into_view_if_needed()
    before = says(wide).inner_text()
    drag(wide, start, end)
    expect(wide).to_have_url(re.compile(address))
    assert says(wide).inner_text() != before


def test_a_is_pinned_against_b_and_the_address_brings_both_back(wide: Page) -> None:
    keys, _, said = KEYS[slug(wide)]
    stage(wide).focus()
    for key in keys:
        wide.keyboard.press(key)
    expect(says(wide)).to_contain_text(said)
    first = wide.locator(".mw-i-result").inner_text()
    wide.get_by_role("button", name="Pin A").click()
    expect(says(wide)).to_contain_text("A and B are the same.")
    stage(wide).focus()
    for key in ON.get(slug(wide), ["ArrowDown", "ArrowLeft", "ArrowLeft"]):
        wide.keyboard.press(key)
    expect(says(wide)).to_contain_text("A → B: ")
    assert stage(wide).locator("[class*=i-ghost]").count() > 0
    second = wide.locator(".mw-i-result").inner_text()
    assert second != first
    assert "pinned=" in wide.url
    wide.reload()
    expect(says(wide)).to_contain_text("A → B: ")
    wide.get_by_role("button", name="Swap A and B").click()
    expect(wide.locator(".mw-i-result")).to_have_text(first)
    wide.get_by_role("button", name="Swap A and B").click()
    expect(wide.locator(".mw-i-result")).to_have_text(second)
    wide.get_by_role("button", name="Unpin A").click()
    expect(says(wide)).not_to_contain_text("A → B")
    assert "pinned" not in wide.url


def test_no_word_of_a_drawing_is_cut_off(wide: Page) -> None:
    """In states where there is more to say than at first; each at one of the widths by day."""
    cut = {}
    states = MORE[slug(wide)]
    for width in (360, 1280):
        wide.set_viewport_size({"width": width, "height": 800})
        for query in states if NIGHT else states[width == 360 :: 2]:
            begin_with(wide, query)
            if found := outside(wide):
                cut[query, width] = found
    assert cut == {}


def test_axe_finds_nothing_in_either_scheme(wide: Page) -> None:
    """With a pinned state beside the present one, and all under More in sight; each at one of the widths by day."""
    for width in (360, 1280) if NIGHT else (360,) if SLUGS.index(slug(wide)) % 2 else (1280,):
        wide.set_viewport_size({"width": width, "height": 800})
        begin_with(wide, "?pinned=")
        expect(says(wide)).to_contain_text("A and B are the same.")
        if (more := wide.locator(".mw-i-more > summary")).count():
            more.click()
        scheme = wide.evaluate("document.body.dataset.mdColorScheme")
        assert violations(wide) == [], width
        wide.evaluate("document.body.dataset.mdColorScheme = 'slate'")
        assert violations(wide, only="color-contrast") == [], f"{width}, in the dark"
        wide.evaluate("scheme => { document.body.dataset.mdColorScheme = scheme; }", scheme)


def test_axe_finds_nothing_on_the_page_around_nor_in_an_error(page: Page, bench: Served) -> None:
    page.goto(f"{bench.url}occupancy/?registers=130")
    expect(says(page)).to_have_class(re.compile("mw-i-wrong"))
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert violations(page, "html") == [], width


@pytest.fixture
def small(phone: Page) -> Page:
    phone.set_viewport_size({"width": 360, "height": 800})
    return phone


def test_a_finger_taps_and_a_swipe_scrolls(small: Page, bench: Served) -> None:
    """A tap picks the cell under it. A swipe up over the drawing moves the page and no value."""
    small.goto(f"{bench.url}fragment-map/")
    expect(stage(small).locator("svg")).to_be_visible()
    stage(small).scroll_into_view_if_needed()
    box = stage(small).bounding_box()
    assert box is not None
    x, y = box["x"] + 24 + 1.5 * 32, box["y"] + 18 + 3.5 * 32
    small.touchscreen.tap(x, y)
    expect(says(small)).to_contain_text("Element (3, 1)")
    address, top = small.url, small.evaluate("scrollY")
    touch = small.context.new_cdp_session(small)
    for kind, at in [("touchStart", 0), *(("touchMove", -12 * step) for step in range(1, 14)), ("touchEnd", None)]:
        points = [] if at is None else [{"x": x, "y": y + at}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    small.wait_for_function("top => scrollY > top + 50", arg=top)
    assert small.url == address


def test_a_slider_by_pointer_and_by_typing(page: Page, bench: Served) -> None:
    page.goto(f"{bench.url}kv-cache/")
    slider = page.get_by_role("slider", name="Tokens", exact=True)
    expect(slider).to_have_attribute("aria-valuetext", "32,768")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    expect(slider).to_have_attribute("aria-valuetext", "4,194,304")
    expect(says(page)).to_contain_text("550 GB")
    # A value between two stops stays as it was typed; the next arrow goes to the stop beside it.
    set_by_keyboard(page, "Tokens", "33000")
    expect(slider).to_have_attribute("aria-valuetext", "33,000")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "38,968")
    assert "tokens=38968" in page.url


def test_the_reached_point_is_dragged_by_itself(page: Page, bench: Served) -> None:
    page.goto(f"{bench.url}roofline/")
    expect(stage(page).locator("svg")).to_be_visible()
    stage(page).focus()
    for _ in range(12):
        page.keyboard.press("ArrowDown")
    expect(says(page)).to_contain_text("Reached")
    assert "ms=" in page.url
    spot = stage(page).locator(".i-spot").bounding_box()
    assert spot is not None
    x, y = spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2
    before = says(page).inner_text()
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 40, steps=3)
    page.mouse.up()
    expect(says(page)).not_to_have_text(before)
    assert "m=" not in page.url.replace("ms=", ""), "the intensity stayed"


def test_the_difference_is_said_with_its_ratio(page: Page, bench: Served) -> None:
    page.goto(f"{bench.url}occupancy/?registers=88&threads=64&pinned=memory%3D16384")
    expect(says(page)).to_contain_text("9 threadgroups per core, 18 simdgroups")
    expect(says(page)).to_contain_text("A → B: threadgroups 3 → 9 (× 3); simdgroups 12 → 18 (+50%).")
    begin_with(page, "?pinned=registers%3D140")
    expect(says(page)).to_contain_text("A: 140 registers: a thread can name 128")
    begin_with(page, "?pinned=registers%3Dmany")
    expect(says(page)).to_contain_text("A and B are the same.")


def test_play_moves_on_by_itself_and_stops_for_a_hand(fresh: Page, bench: Served) -> None:
    page = fresh
    page.clock.install(time=NOON)
    page.goto(f"{bench.url}online-softmax/")
    expect(says(page)).to_contain_text("After 4 of 4 tiles")
    page.clock.pause_at(NOON + timedelta(hours=1))
    page.get_by_role("button", name="Play").click()
    expect(says(page)).to_contain_text("After 1 of 4 tiles: m = 2, l = 1.5, O = 10")
    page.clock.run_for(1000)
    expect(says(page)).to_contain_text("After 2 of 4 tiles: m = 3, l = 1.875, O = 9")
    page.get_by_role("slider", name="Keys per tile").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.clock.run_for(5000)
    expect(says(page)).to_contain_text("After 2 of 8 tiles")
    page.clock.resume()
    page.goto(f"{bench.url}fragment-map/")
    expect(says(page)).to_contain_text("Lane 5 holds")
    page.clock.pause_at(NOON + timedelta(hours=3))
    page.get_by_role("button", name="Play the row sum").click()
    expect(says(page)).to_contain_text("After XOR 1 it has added up its own and lane 4's part of row 2.")
    page.clock.run_for(1000)
    expect(says(page)).to_contain_text("all four lanes have the sum of row 2")
    page.clock.run_for(1000)
    expect(page.get_by_role("button", name="Play the row sum")).to_be_visible()


def test_what_nobody_knows_is_drawn_as_such(page: Page, bench: Served) -> None:
    page.goto(f"{bench.url}occupancy/")
    expect(stage(page).locator(".i-slot")).to_have_count(0)
    choose_by_keyboard(page, "Chip", "M5")
    expect(stage(page).locator(".i-slot")).to_have_count(96 + 3)
    expect(stage(page)).to_contain_text("their number is not published")
    expect(stage(page)).to_contain_text("measured, M5 Max: 8 to 120 registerswithin 6%")
    page.keyboard.press("ArrowUp")
    expect(stage(page)).to_contain_text("measured, M4 Pro: 70 to 96 registers0.2 to 0.6% slower in all")


def test_the_map_of_decisions_is_that_of_the_rules(page: Page, bench: Served) -> None:
    """Every cell of the map is the route of its own product."""
    page.goto(f"{bench.url}matmul-dispatch/?chip=17s")
    expect(stage(page).locator("svg")).to_be_visible()
    wrong = page.evaluate(
        f"""async () => {{
          const {{ decisions, SIZES }} = await import('{bench.url}assets/instruments/matmul-dispatch.js');
          const {{ route }} = await import('{bench.url}assets/instruments/matmul-route.js');
          const wrong = [];
          for (const chip of ['13g', '15d', '16s', '17g', '17s']) {{
            const given = {{
              chip, type: 'float16', K: 4096, batch: 1, shared: true, a: 'n', b: 't', nax: true, tf32: true
            }};
            const map = decisions(given);
            SIZES.forEach((M, m) => SIZES.forEach((N, n) => {{
              const {{ kind }} = route({{ ...given, M, N, generation: Number(chip.slice(0, 2)), letter: chip.at(-1) }});
              if (map[m][n] !== kind) wrong.push([chip, M, N, map[m][n], kind]);
            }}));
          }}
          return wrong;
        }}"""
    )
    assert wrong == []
