"""The instruments in the page: each one driven as a reader would, and what holds for all of them."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import HERE, Served, open_with_links
from tests.browser.instruments import (
    ASSETS,
    BLOCK,
    LAB,
    PLACES,
    SHARED,
    choose_by_keyboard,
    says,
    set_by_keyboard,
    slide_by_keyboard,
)


def test_roofline_by_keyboard(page: Page, bench: Served) -> None:
    page.goto(f"{bench.url}roofline/")
    expect(says(page)).to_contain_text("Bound by arithmetic: 62.1 FLOP per byte")
    choose_by_keyboard(page, "Path", "matrix")
    expect(says(page)).to_contain_text("Bound by memory")
    expect(says(page)).to_contain_text("At most 32 TFLOPS")
    expect(page.locator(".mw-i-facts")).to_contain_text("Rows at the ridge120")
    slide_by_keyboard(page, "Chip", "M4 Max")
    expect(says(page)).to_contain_text("unknown: no faster matrix unit is known before M5")
    choose_by_keyboard(page, "Kernel", "m5-gemm fp32, 4")
    expect(says(page)).to_contain_text("Reached 13.5, 100% of the bound")
    expect(page.get_by_role("slider", name="Chip", exact=True)).to_have_attribute("aria-valuetext", "M5 Max")
    slide_by_keyboard(page, "Laid over it", "M1 Ultra")
    expect(says(page)).to_contain_text("M1 Ultra: 21.2 TFLOPS, ridge 31.2")


def test_tile_budget_by_keyboard(page: Page, bench: Served) -> None:
    page.goto(f"{bench.url}register-blocking/")
    expect(says(page)).to_contain_text("48 of 128 registers per lane, 8,192 bytes")
    choose_by_keyboard(page, "Kernel", "m5-gemm, the")
    expect(says(page)).to_contain_text("160 registers exceed the ceiling of 128")
    choose_by_keyboard(page, "Kernel", "m5-gemm, fp")
    set_by_keyboard(page, "BN", "60")
    expect(says(page)).to_contain_text("does not divide")
    page.goto(f"{bench.url}tiling/")
    expect(page.get_by_label("Kernel", exact=True).locator("option:checked")).to_have_text("steel fp16, medium device")
    expect(says(page)).to_contain_text("5,376 bytes of threadgroup memory, 32 FLOP per byte")
    expect(page.locator(".mw-i-facts")).to_contain_text("8 threadgroups, 32 simdgroups")
    expect(page.locator(".mw-i-facts")).to_contain_text("Resident from M3 onunknown")


def test_occupancy_by_keyboard(page: Page, bench: Served) -> None:
    page.goto(f"{bench.url}occupancy/")
    expect(says(page)).to_contain_text("6 threadgroups per core, 24 simdgroups, limited by registers")
    set_by_keyboard(page, "Threadgroup memory, bytes", "16384")
    expect(says(page)).to_contain_text("3 threadgroups per core, 12 simdgroups, limited by threadgroup memory")
    set_by_keyboard(page, "Registers per thread", "130")
    expect(says(page)).to_contain_text("a thread can name 128")
    set_by_keyboard(page, "Registers per thread", "64")
    choose_by_keyboard(page, "Chip", "M3")
    expect(says(page)).to_have_text(re.compile("^Unknown. On M3 and M4"))


def test_kv_cache_and_decode_by_keyboard(page: Page, bench: Served) -> None:
    page.goto(f"{bench.url}kv-cache/")
    expect(says(page)).to_contain_text("4.29 GB, 131,072 bytes per token. Reading it once takes at least 8.32 ms")
    choose_by_keyboard(page, "Model shape", "Qwen")
    expect(says(page)).to_contain_text("1.88 GB, 57,344 bytes per token")
    choose_by_keyboard(page, "V stored as", "llama.cpp q4_0")
    expect(page.locator(".mw-i-facts")).to_contain_text("refuses that at the pin")
    page.goto(f"{bench.url}decode-ceiling/")
    expect(says(page)).to_contain_text("Decode: at most 37.2 tokens per second")
    expect(says(page)).to_contain_text("Published: 26.59 and 608.1 tokens per second, 71% and 55% of these bounds")
    slide_by_keyboard(page, "Chip", "M3 Ultra")
    expect(says(page)).to_contain_text("Prefill: unknown, no faster matrix unit is known before M5")
    expect(says(page)).not_to_contain_text("Published")


def test_dispatch_geometry_by_keyboard(page: Page, bench: Served) -> None:
    page.goto(f"{bench.url}dispatch-geometry/")
    expect(says(page)).to_contain_text("3,907 threadgroups of 256 threads, 31,250 simdgroups")
    choose_by_keyboard(page, "Call", "dispatchThreadg")
    expect(says(page)).to_contain_text("192 threads have no element and must leave")
    expect(page.locator(".mw-i-shows")).to_contain_text("if (!(x < 1000000)) return;")
    choose_by_keyboard(page, "Launch", "Groups 24")
    expect(says(page)).to_contain_text("lane 24 of a simdgroup is in another row than lane 0")
    set_by_keyboard(page, "Thread limit of the pipeline", "128")
    expect(says(page)).to_contain_text("192 threads per group exceed the pipeline's 128")


def test_sliders_by_keyboard(page: Page, bench: Served) -> None:
    page.goto(f"{bench.url}online-softmax/")
    expect(says(page)).to_contain_text("The result is 14 / 3 = 4.667")
    page.get_by_role("slider", name="Tiles done", exact=True).focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(says(page)).to_contain_text("After 2 of 4 tiles: m = 3, l = 1.875, O = 9")
    set_by_keyboard(page, "Scores", "1, 2")
    expect(says(page)).to_contain_text("2 scores and 8 values")
    set_by_keyboard(page, "Values", "3 5")
    expect(says(page)).to_contain_text("After 1 of 1 tiles")
    page.goto(f"{bench.url}fragment-map/")
    expect(says(page)).to_contain_text("Lane 5 holds (2, 2), (2, 3)")
    page.get_by_role("slider", name="Lane", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(says(page)).to_contain_text("Lane 6 holds (3, 0), (3, 1)")
    set_by_keyboard(page, "Row", "7")
    set_by_keyboard(page, "Column", "7")
    expect(says(page)).to_contain_text("number 1 of lane 31")
    page.goto(f"{bench.url}double-buffer/")
    expect(says(page)).to_contain_text("the core does math 55% of the time")
    page.get_by_role("slider", name="Resident threadgroups", exact=True).focus()
    page.keyboard.press("ArrowUp")
    expect(says(page)).to_contain_text("With 2 threadgroups the core does math 100% of the time")


def test_matmul_dispatch_by_keyboard(page: Page, bench: Served) -> None:
    page.goto(f"{bench.url}matmul-dispatch/")
    expect(says(page)).to_contain_text("steel_gemm_fused_nt_float16_float16_bm64_bn64_bk16_wm2_wn2, 4,096 threadgroups")
    choose_by_keyboard(page, "Chip", "M5 (")
    expect(says(page)).to_contain_text("NAX: steel_gemm_fused_nax_nt_float16_float16_bm128_bn128_bk512_wm4_wn4")
    set_by_keyboard(page, "M", "15")
    expect(says(page)).to_contain_text("gemv_wide_float16_nv5_kl16")
    expect(page.locator(".mw-i-mark a")).to_have_attribute("href", re.compile(r"3a62199.*/matmul\.cpp#L1299-L1354$"))
    page.locator(".mw-i-more > summary").click()
    page.get_by_label("macOS 26.2 and a library with NAX").focus()
    page.keyboard.press("Space")
    set_by_keyboard(page, "M", "4096")
    expect(says(page)).to_contain_text("steel: steel_gemm_fused_nt_float16_float16_bm64_bn32_bk32_wm2_wn2")


def test_the_state_is_in_the_address(page: Page, bench: Served) -> None:
    page.goto(f"{bench.url}occupancy/?other=1#after")
    set_by_keyboard(page, "Registers per thread", "88")
    set_by_keyboard(page, "Threads per threadgroup", "64")
    # Only what differs, and nothing lost.
    page.wait_for_url(lambda url: url.startswith(f"{bench.url}occupancy/?other=1&registers=88&threads=64"))
    expect(says(page)).to_contain_text("9 threadgroups per core, 18 simdgroups")
    page.reload()
    expect(says(page)).to_contain_text("9 threadgroups per core, 18 simdgroups")
    expect(page.get_by_label("Kernel", exact=True).locator("option:checked")).to_have_text(
        re.compile("two simdgroups, 88")
    )
    page.get_by_role("button", name="Reset").click()
    page.wait_for_url(lambda url: "registers" not in url)
    page.goto(f"{bench.url}occupancy/?registers=nonsense&threads=-4&family=99&memory=1e99")
    expect(says(page)).to_contain_text("6 threadgroups per core, 24 simdgroups")


def test_instant_navigation_and_pages_without_an_instrument(page: Page, bench: Served) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_with_links(page, bench.url)
    assert [url for url in asked if "/instruments/assets/instruments/" in url] == [
        f"{bench.url}assets/instruments/load.js"
    ]
    page.evaluate("window.kept = true")
    page.locator("article a", has_text="First").click()
    expect(says(page)).to_contain_text("Bound by arithmetic")
    slide_by_keyboard(page, "Chip", "M2 Max")
    page.wait_for_url("**/roofline/?chip=M2+Max")
    page.locator(".mw-nav a", has_text="occupancy").first.click()
    expect(says(page)).to_contain_text("6 threadgroups per core")
    assert "chip" not in page.url
    page.go_back()
    page.wait_for_url("**/roofline/?chip=M2+Max")
    expect(page.get_by_role("slider", name="Chip", exact=True)).to_have_attribute("aria-valuetext", "M2 Max")
    assert page.evaluate("window.kept"), "the page was never loaded anew"
    expect(page.locator(".mw-i-live")).to_have_count(1)


def test_the_worked_example_without_scripts(browser: Browser, bench: Served) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1200, "height": 900})
    page = context.new_page()
    for instrument in bench.pages:
        if not instrument:
            continue
        page.goto(bench.url + instrument)
        place = page.locator(".mw-instrument")
        expect(place.locator("table, svg").first).to_be_visible()
        expect(place.locator(".mw-i-live")).to_have_count(0)
    context.close()


def test_no_inline_style_and_no_foreign_address() -> None:
    """A strict policy allows them: no style attribute, no inline handler, nothing fetched from elsewhere."""
    for file in (ASSETS / "instruments").glob("*.js"):
        text = file.read_text(encoding="utf-8")
        for word in ("style:", ".style", "innerHTML", "eval(", "Function(", 'setAttribute("on'):
            assert word not in text, (file.name, word)
        assert set(re.findall(r"https?://([^/\"`]+)", text)) <= {"www.w3.org", "github.com"}, file.name
    assert (ASSETS / "instruments/load.js").stat().st_size < 1000


def test_the_book_has_every_instrument_and_loads_them() -> None:
    found = {}
    for path in sorted((HERE / "docs").rglob("*.md")):
        text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for match in BLOCK.finditer(text):
            if match.group(1) not in LAB:
                found[path.relative_to(HERE / "docs").as_posix()] = match.group(1)
    assert found == PLACES
    assert {f"{name}.js" for name in [*PLACES.values(), *LAB, *SHARED]} | {"instruments.css"} == {
        file.name for file in (ASSETS / "instruments").iterdir()
    }
    assert "path: assets/instruments/load.js\n    type: module" in (HERE / "mkdocs.yml").read_text(encoding="utf-8")
