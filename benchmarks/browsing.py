"""What a reader waits for, in Chromium slowed down: a page of the book as it comes, the lookup, each instrument.

The network is that of Lighthouse's mobile test (1.6 Mbit/s, 150 ms for a round trip) and the processor four times
slower: https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md. What is good enough is what
https://web.dev/articles/vitals says: 2.5 s to the largest paint, 200 ms from a key to the next paint.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from benchmarks.measure import BOOK, MKDOCS, Bench, Row, seconds
from benchmarks.static import static_site

SLOWER = 4
NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8}
PAGE = "kernels/steel-attention/"
_WATCH = """
window.seen = { largest: 0, shift: 0, keys: [] };
new PerformanceObserver((list) => { for (const one of list.getEntries()) window.seen.largest = one.startTime; })
  .observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver((list) => { for (const one of list.getEntries()) window.seen.shift += one.value; })
  .observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (one.interactionId) window.seen.keys.push(one.duration);
}).observe({ type: "event", durationThreshold: 16, buffered: true });
"""


def reader(bench: Bench) -> Iterator[Row]:
    """A kernel page on a slow network, then keys on its lookup and on the sliders of each instrument."""
    chromium = shutil.which("chromium")
    if bench.small:
        bench.run("metalworking")
        site, name = bench.site("metalworking") / "site", "page1/"
    else:
        site, name = bench.folder / "read", PAGE
        seconds([*MKDOCS, "build", "-q", "-d", str(site)], BOOK)
    with static_site(site) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        loads = [_load(browser, base + name) for _ in range(bench.repeats)]
        sizes, requests, largest, shifts = (list(samples) for samples in zip(*loads, strict=True))
        goals = (None, None, None) if bench.small else (120.0, 2.5, 0.0)
        yield Row("first visit to a page of a kernel, all it loads", "", goals[0], sizes, unit="KiB")
        yield Row("the same, requests", "", None, requests, unit="requests")
        yield Row("the same, largest paint on a slow network and processor", "", goals[1], largest)
        yield Row("the same, what moved (cumulative layout shift), scrolled to its end", "", goals[2], shifts, unit="")
        if not bench.small:
            yield Row(
                "slowest key to the next paint, lookup, processor four times slower",
                "",
                200.0,
                _lookup(browser, base),
                unit="ms",
            )
            for page, instrument in _instruments(site):
                keys = _sliders(browser, base + page, instrument)
                yield Row(f"the same, {instrument} on {page}", "", 200.0, keys, unit="ms")
        browser.close()


def _open(browser: Browser, *, network: bool) -> tuple[Page, CDPSession]:
    page = browser.new_page(viewport={"width": 412, "height": 823})
    page.add_init_script(_WATCH)
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    if network:
        session.send("Network.emulateNetworkConditions", NETWORK)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.goto("about:blank")
    return page, session


def _load(browser: Browser, address: str) -> tuple[float, float, float, float]:
    """Return KiB, requests, seconds to the largest paint and the layout shift of a first visit."""
    page, session = _open(browser, network=True)
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda told: sizes.append(told["encodedDataLength"]))
    page.goto(address, wait_until="networkidle", timeout=120_000)
    page.wait_for_function("window.seen.largest > 0")
    loaded, requests = sum(sizes) / 1024, len(sizes)
    seen = page.evaluate("window.seen")
    for _ in range(40):
        page.mouse.wheel(0, 800)
        page.wait_for_timeout(50)
    shift = page.evaluate("window.seen.shift")
    page.close()
    return loaded, requests, seen["largest"] / 1000, shift


def _slowest(page: Page) -> list[float]:
    """Return the milliseconds from the slowest key to the next paint (Interaction to Next Paint)."""
    page.wait_for_timeout(300)
    found: list[float] = page.evaluate("window.seen.keys")
    page.close()
    return [max(found, default=16.0)]  # the browser tells of nothing that took less than a frame


def _lookup(browser: Browser, base: str) -> list[float]:
    page, _ = _open(browser, network=False)
    page.goto(base, wait_until="networkidle")
    page.keyboard.press("/")
    for letter in "cudaMemcpyAsync":
        page.keyboard.press(letter)
    return _slowest(page)


def _sliders(browser: Browser, address: str, instrument: str) -> list[float]:
    page, _ = _open(browser, network=False)
    page.goto(address, wait_until="networkidle")
    root = page.locator(f'[data-instrument="{instrument}"]').first
    root.scroll_into_view_if_needed()
    for slider in root.locator('input[type="range"]:visible').all():
        slider.focus()
        for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home"):
            page.keyboard.press(key)
    return _slowest(page)


def _instruments(site: Path) -> list[tuple[str, str]]:
    """Return the page and the name of each instrument of a built book."""
    found = []
    for path in sorted(site.rglob("index.html")):
        for name in re.findall(r'<div [^>]*data-instrument="([\w-]+)"', path.read_text(encoding="utf-8")):
            if name not in ("lab", "probe"):  # those measure a GPU
                found.append((f"{path.parent.relative_to(site).as_posix()}/", name))
    return found
