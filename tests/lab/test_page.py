"""The page Lab and a probe in place, under the strict policy, as a reader uses them."""

from __future__ import annotations

import base64
import functools
import http.server
import json
import re
import shutil
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from playwright.sync_api import Browser, Page, expect

from lab import probes
from tests.browser.conftest import DRAWN, Watch, _build
from tests.browser.test_everywhere import SEEN, violations
from tests.lab.conftest import ROOT
from tests.support import NIGHT, PATIENCE

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)
CITATION = re.compile(r" ?\[@[^\]]+\]")
LINK = re.compile(r"(?<!\!)\[([^\]]+)\]\((?!#)[^)]+\)")
BLOCK = re.compile(r'<div class="mw-instrument" data-instrument="probe".*?\n</div>\n', re.DOTALL)
PROBES = [probe["id"] for probe in probes.load()]
SCHEMA = json.loads((ROOT / "lab/measurement.schema.json").read_text(encoding="utf-8"))


class _Strict(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A small site with the Lab's page and two pages of the book's blocks, served with the strict policy."""
    project = tmp_path_factory.mktemp("lab")
    docs = project / "docs"
    for folder in ("site", "instruments", "lab"):
        shutil.copytree(ROOT / "docs/assets" / folder, docs / "assets" / folder)
    tables = docs / "assets/lab/tables/all.txt"
    tables.write_text(CITATION.sub("", tables.read_text(encoding="utf-8")), encoding="utf-8")
    (docs / "index.md").write_text("---\nsummary: None.\n---\n\n# Home\n\n[The Lab](lab.md)\n", encoding="utf-8")
    text = (ROOT / "docs/lab.md").read_text(encoding="utf-8").partition("\n---\n")[2]
    page = "---\nsummary: One.\n---\n" + LINK.sub(r"\1", CITATION.sub("", text))
    (docs / "lab.md").write_text(page, encoding="utf-8")
    for name in ("machine/threadgroup-memory", "machine/unified-memory"):
        block = BLOCK.search((ROOT / f"docs/{name}.md").read_text(encoding="utf-8"))
        assert block
        place = f"---\nsummary: One.\n---\n\n# A page\n\n{block.group(0)}\n\n[Back](index.md)\n"
        (docs / f"{Path(name).name}.md").write_text(place, encoding="utf-8")
    for name in ("sources.yml", "sources.lock", "quantities.yml"):
        shutil.copy(ROOT / name, project / name)
    (project / "mkdocs.yml").write_text(
        f"INHERIT: {ROOT / 'mkdocs.yml'}\nsite_name: lab\nsite_url: http://127.0.0.1/\nsite_dir: {project / 'site'}\n"
        f"docs_dir: docs\nwatch: []\ntheme:\n  custom_dir: {ROOT / 'overrides'}\nplugins:\n  - search\n"
        "  - metalworking:\n      offline: true\nnav:\n  - Home: index.md\n  - The Lab: lab.md\n"
        "  - One: threadgroup-memory.md\n  - Two: unified-memory.md\n",
        encoding="utf-8",
    )
    done = _build(project / "mkdocs.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    handler = functools.partial(_Strict, directory=str(project / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{made.server_port}/"
        made.shutdown()


def opened(browser: Browser, watch: Watch, **options: Any) -> Page:
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", **options})
    watch.on(context)
    context.set_default_timeout(PATIENCE * 1000)
    return context.new_page()


@pytest.fixture(scope="module")
def watch() -> Iterator[Watch]:
    made = Watch()
    yield made
    assert made.errors == []
    assert made.foreign == []


def opened_lab(chromium: Browser, site: str, watch: Watch) -> Iterator[Page]:
    page = opened(chromium, watch)
    page.goto(f"{site}lab/")
    expect(page.locator(".mw-lab-card svg").first).to_be_visible()
    if not page.evaluate("async () => !!(await navigator.gpu?.requestAdapter())"):
        pytest.skip("this Chromium has no WebGPU adapter")
    yield page
    page.context.close()


@pytest.fixture
def lab(chromium: Browser, site: str, watch: Watch) -> Iterator[Page]:
    """The page Lab, for a test that runs something there."""
    yield from opened_lab(chromium, site, watch)


@pytest.fixture(scope="module")
def still(chromium: Browser, site: str, watch: Watch) -> Iterator[Page]:
    """The page Lab, where no test runs anything."""
    yield from opened_lab(chromium, site, watch)


@pytest.fixture(scope="module")
def measured(chromium: Browser, site: str, watch: Watch) -> Iterator[Page]:
    """The page Lab once a probe has run there, begun by the keyboard; its clipboard takes nothing."""
    for page in opened_lab(chromium, site, watch):
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
        one = card(page, "special")
        one.get_by_role("button").focus()
        page.keyboard.press("Enter")
        expect(one.get_by_role("button")).to_have_text("Stop")
        expect(one.get_by_role("button")).to_have_text("Run again")
        yield page


def card(page: Page, probe: str) -> Any:
    return page.locator(f"section[aria-labelledby=lab-{probe}]")


def test_every_probe_has_a_card_with_the_h200_before_anything_runs(still: Page) -> None:
    expect(still.locator(".mw-lab-card[aria-labelledby]")).to_have_count(len(PROBES))
    expect(still.get_by_role("button", name="Copy as JSON")).to_be_disabled()
    for probe in PROBES:
        one = card(still, probe)
        expect(one.locator("svg desc")).to_have_text(re.compile("H200, the same WGSL"))
        expect(one.get_by_role("status")).to_have_text("Not run yet on this machine.")


def test_a_probe_runs_by_keyboard_and_shows_its_numbers(measured: Page) -> None:
    one = card(measured, "special")
    expect(one.get_by_role("status")).to_contain_text("of 3 cases")
    one.locator("summary").focus()
    measured.keyboard.press("Enter")
    cells = one.locator("tbody tr td:nth-child(2)").all_inner_texts()
    assert all(re.match(r"[\d,.]+$|not stable: ", cell) for cell in cells), cells
    expect(measured.locator(".mw-lab-device")).to_contain_text("swiftshader")


def test_run_all_tells_where_it_is_and_stop_stops(lab: Page) -> None:
    panel = lab.get_by_role("region", name="All probes")
    # What it says is written down as it comes: a machine with other work looks too late.
    panel.locator(".mw-lab-left").evaluate(
        "left => { window.told = []; new MutationObserver(() => told.push(left.textContent))"
        ".observe(left, {childList: true, characterData: true, subtree: true}); }"
    )
    panel.get_by_role("button", name="Run all").click()
    first = f"of {sum(len(p['cases']) for p in probes.load())}: fma"
    for words in (first, "left."):
        lab.wait_for_function("words => told.some((one) => one.includes(words))", arg=words)
    expect(card(lab, "barrier").get_by_role("button")).to_be_disabled()
    panel.get_by_role("button", name="Stop").click()
    expect(panel.get_by_role("status")).to_have_text("Stopped. What was measured stands.")
    expect(panel.get_by_role("button", name="Run all")).to_be_enabled()
    expect(card(lab, "barrier").get_by_role("button")).to_be_enabled()


def test_a_chip_stands_beside_and_stays_in_the_address(still: Page) -> None:
    still.get_by_label("Beside the book's figures of").select_option("M4 Max")
    expect(card(still, "bandwidth").locator("svg desc")).to_have_text(re.compile("M4 Max, in this book 546 GB/s"))
    still.wait_for_url("**chip=M4+Max**")
    still.reload()
    expect(card(still, "fma").locator("svg desc")).to_have_text(re.compile("M4 Max, in this book"))


def test_results_go_out_as_json_and_as_a_link_only_when_asked(measured: Page, chromium: Browser, watch: Watch) -> None:
    measured.get_by_role("button", name="Copy as JSON").click()
    expect(measured.get_by_label("Text to copy")).to_have_value(re.compile(r"^\{"))
    told = json.loads(measured.get_by_label("Text to copy").input_value())
    jsonschema.validate(told, SCHEMA)
    assert [row["probe"] for row in told["results"]] == ["special"] * 3
    measured.get_by_role("button", name="Copy as link").click()
    expect(measured.get_by_label("Text to copy")).to_have_value(re.compile(r"\?run=[\w-]+$"))
    link = measured.get_by_label("Text to copy").input_value()
    assert len(link) < 2000
    other = opened(chromium, watch)
    other.goto(link)
    done = [row for row in told["results"] if row["state"] == "ok"]
    if done:
        expect(card(other, "special").locator("svg desc")).to_have_text(re.compile("unknown, from the link"))
    other.goto(link.split("?")[0] + "?run=nonsense")
    expect(card(other, "special").locator("svg")).to_be_visible()
    other.context.close()


def packed(told: object, blanks: int = 0) -> str:
    """Return what an address carries of a run."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = packer.compress(json.dumps(told).encode() + b" " * blanks) + packer.flush()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def test_a_link_of_somebody_else_is_bounded_and_named_as_text(still: Page) -> None:
    """It may unpack to more than a browser has, and its name is shown beside the words "from the link"."""
    read = """async (run) => {
      const session = await import(new URL("assets/lab/session.js", new URL("../", location.href)).href);
      const told = await session.fromLink(`${location.origin}/?run=${run}`);
      return told && { ...told };
    }"""
    rows = [("chains", 1), ("huge", 1e300), ("tiny", 1e-300), ("text", "1"), ("less", -1)]
    results = [{"probe": "fma", "case": name, "state": "ok", "value": value} for name, value in rows]
    told = {"machine": {"chip": "M4\u202e\u2066 kni\nl <b>" + "x" * 99}, "results": results}
    found = still.evaluate(read, packed(told))
    assert found == {"name": ("M4 kni l <b>" + "x" * 99)[:60], "values": {"fma/chains": 1}}
    assert still.evaluate(read, packed(told, blanks=5_000_000)) is not None
    bomb = packed(told, blanks=50_000_000)
    assert len(bomb) < 100_000
    assert still.evaluate(read, bomb) is None


def test_the_contribution_takes_what_the_browser_does_not_tell(measured: Page) -> None:
    measured.get_by_text("Contribute this machine", exact=True).click()
    measured.get_by_label("Chip, as in Chips").fill("M9")
    measured.get_by_role("button", name="Copy the file").click()
    expect(measured.get_by_label("Text to copy")).to_have_value(re.compile(r'^\{.*"M9"', re.DOTALL))
    told = json.loads(measured.get_by_label("Text to copy").input_value())
    jsonschema.validate(told, SCHEMA)
    assert told["machine"]["chip"] == "M9"


def test_a_reader_who_leaves_the_page_ends_the_run(lab: Page, site: str) -> None:
    lab.get_by_role("button", name="Run all").click()
    expect(lab.locator(".mw-lab-left")).to_contain_text("fma")
    lab.get_by_role("link", name="Home").first.click()
    expect(lab.get_by_role("heading", name="Home")).to_be_visible()
    session = f"{site}assets/lab/session.js"
    lab.wait_for_function("async (url) => !(await import(url)).busy()", arg=session)


def test_a_probe_in_place_runs_and_leads_to_the_lab(chromium: Browser, site: str, watch: Watch) -> None:
    page = opened(chromium, watch)
    page.goto(f"{site}unified-memory/")
    expect(card(page, "chase").locator("svg")).to_be_visible()
    expect(page.locator(".mw-lab-card")).to_have_count(2)
    expect(page.locator(".mw-i-static")).to_be_hidden()
    expect(page.get_by_role("link", name="the Lab", exact=True)).to_have_attribute("href", f"{site}lab/")
    page.context.close()


def test_without_webgpu_the_results_stand_and_the_page_says_what_to_do(
    browser: Browser, site: str, watch: Watch
) -> None:
    page = opened(browser, watch)
    page.add_init_script("Object.defineProperty(Navigator.prototype, 'gpu', {get: () => undefined})")
    page.goto(f"{site}lab/")
    expect(card(page, "fma").get_by_role("status")).to_contain_text("gives pages no WebGPU")
    expect(card(page, "fma").get_by_role("button")).to_be_disabled()
    expect(card(page, "fma").locator("svg desc")).to_have_text(re.compile("H200, the same WGSL"))
    expect(page.locator(".mw-lab-device")).to_contain_text("What to switch on")
    expect(page.get_by_role("heading", name="Without WebGPU")).to_be_visible()
    page.context.close()


def test_without_scripts_the_table_stands(browser: Browser, site: str, watch: Watch) -> None:
    page = opened(browser, watch, java_script_enabled=False)
    page.goto(f"{site}threadgroup-memory/")
    expect(page.locator(".mw-instrument table")).to_be_visible()
    page.context.close()


LOOKS = [("default", 360), ("slate", 1280), ("default", 1280), ("slate", 360)]


@pytest.mark.parametrize("name", ["lab/", "unified-memory/"])
def test_axe_finds_nothing_and_nothing_is_too_wide(chromium: Browser, site: str, watch: Watch, name: str) -> None:
    """By day light on a phone's width and dark on a wide screen."""
    page = opened(chromium, watch)
    page.goto(site + name)
    expect(page.locator(".mw-lab-card svg").first).to_be_visible()
    page.locator("details.mw-lab-more").evaluate_all("all => all.forEach((e) => { e.open = true; })")
    for scheme, width in LOOKS if NIGHT else LOOKS[:2]:
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate("scheme => { document.body.dataset.mdColorScheme = scheme; }", scheme)
        page.evaluate(DRAWN)
        assert violations(page, SEEN if scheme == "slate" else None) == [], (scheme, width)
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, width
        for svg in page.locator(".mw-lab-card svg").all():
            scale = svg.evaluate("e => e.getBoundingClientRect().width / e.viewBox.baseVal.width")
            assert scale >= 0.95, (width, scale)
    page.context.close()
