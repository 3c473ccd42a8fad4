"""What the tests of the instruments share: where each stands, a site of them, and hands that use them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import HERE, Served, _build
from tests.browser.test_everywhere import AXE
from tests.support import ASK

ASSETS = HERE / "docs/assets"
# Where each instrument stands in the book.
PLACES = {
    "machine/occupancy.md": "occupancy",
    "metal/dispatch-geometry.md": "dispatch-geometry",
    "metal/simdgroup-matrix.md": "fragment-map",
    "mlx/how-an-op-becomes-a-kernel.md": "matmul-dispatch",
    "techniques/roofline.md": "roofline",
    "techniques/tiling.md": "tile-budget",
    "techniques/register-blocking.md": "tile-budget",
    "techniques/double-buffering.md": "double-buffer",
    "techniques/online-softmax.md": "online-softmax",
    "techniques/kv-cache.md": "kv-cache",
    "techniques/decode-vs-prefill.md": "decode-ceiling",
}
LAB = ("lab", "probe")  # tests/lab has them
# Modules that an instrument brings in: what all of them have, and the arithmetic that more than one uses.
HANDS = ("instrument", "address", "fields", "slider", "hand", "pin", "play", "plot", "ui", "quantities")
SHARED = ("load", *HANDS, "roofs", "residency", "cache", "matmul-route")
SLUGS = [name if name != "tile-budget" else Path(page).stem for page, name in PLACES.items()]
"""The page of each on the site below."""
BLOCK = re.compile(r'<div class="mw-instrument" data-instrument="([a-z-]+)".*?\n</div>\n', re.DOTALL)
CITATION = re.compile(r" ?\[@[^\]]+\]")
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def block(page: str) -> str:
    found = BLOCK.search((HERE / "docs" / page).read_text(encoding="utf-8"))
    assert found, page
    return found.group(0)


def site(root: Path, url: str, project: Path) -> Served:
    """A small site: for each page of the book that has one, a page with its instrument as it stands there."""
    docs = project / "docs"
    for folder in ("site", "instruments"):
        shutil.copytree(ASSETS / folder, docs / "assets" / folder)
    for name in ("sources.yml", "sources.lock", "quantities.yml"):
        shutil.copy(HERE / name, project / name)
    for svg in (HERE / "docs").rglob("*.svg"):
        target = docs / svg.relative_to(HERE / "docs")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(svg, target)
    (docs / "index.md").write_text(
        "---\nsummary: None here.\n---\n\n# Home\n\n[First](roofline.md)\n", encoding="utf-8"
    )
    nav = ["  - Home: index.md"]
    for name, slug in zip(PLACES, SLUGS, strict=True):
        text = LINK.sub(r"\1", CITATION.sub("", block(name)))
        page = f"---\nsummary: One.\n---\n\n# {slug}\n\nBefore.\n\n{text}\n## After\n\n" + "After.\n\n" * 30
        (docs / f"{slug}.md").write_text(page, encoding="utf-8")
        nav.append(f"  - {slug}: {slug}.md")
    (project / "mkdocs.yml").write_text(
        f"INHERIT: {HERE / 'mkdocs.yml'}\nsite_name: instruments\nsite_url: {url}\nsite_dir: {root}\n"
        f"docs_dir: docs\nwatch: []\ntheme:\n  custom_dir: {HERE / 'overrides'}\n"
        f"plugins: [search, {{metalworking: {{offline: true, {ASK}}}}}]\n"
        "nav:\n" + "\n".join(nav) + "\n",
        encoding="utf-8",
    )
    done = _build(project / "mkdocs.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    return Served(root, url)


def violations(page: Page, where: str = ".mw-instrument", only: str = "") -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    options = {"resultTypes": ["violations"], **({"runOnly": [only]} if only else {})}
    found = page.evaluate("([where, options]) => axe.run(where, options)", [where, options])["violations"]
    return [f"{rule['id']}: {node['target']} {node['html'][:100]}" for rule in found for node in rule["nodes"][:3]]


def says(page: Page) -> Locator:
    return page.locator(".mw-i-says")


def stage(page: Page) -> Locator:
    return page.locator(".mw-i-stage")


AGAIN = """async ([query, module]) => {
  history.replaceState(history.state, "", location.pathname + query);
  const place = document.querySelector(".mw-instrument");
  const again = place.cloneNode();
  again.append(...place.querySelector(".mw-i-static").childNodes);
  place.replaceWith(again);
  await (await import(module)).mount(again);
}"""


def begin_with(page: Page, query: str) -> None:
    """Let the instrument begin with the state of *query*, as where its page comes by instant navigation."""
    name = page.locator(".mw-instrument").get_attribute("data-instrument")
    page.evaluate(AGAIN, [query, page.url.split("?")[0] + f"../assets/instruments/{name}.js"])


def _field(page: Page, label: str) -> Locator:
    """The field of that name, in sight: More is opened for it. Of a slider, the box in which its value is typed."""
    expect(page.locator(".mw-i-result")).not_to_be_empty()
    typed = page.get_by_label(f"{label}, value", exact=True)
    field = typed if typed.count() else page.get_by_label(label, exact=True)
    if field.locator("xpath=ancestor::details[not(@open)]").count():
        page.locator(".mw-i-more > summary").focus()
        page.keyboard.press("Enter")
        expect(field).to_be_visible()
    return field


def set_by_keyboard(page: Page, label: str, text: str) -> None:
    _field(page, label).focus()
    page.keyboard.press("Control+a")
    page.keyboard.type(text)


def choose_by_keyboard(page: Page, label: str, first_letters: str) -> None:
    _field(page, label).focus()
    page.keyboard.type(first_letters)


def slide_by_keyboard(page: Page, label: str, value: str) -> None:
    """Move a slider from its first stop on, until it says *value*."""
    slider = page.get_by_role("slider", name=label, exact=True)
    slider.focus()
    page.keyboard.press("Home")
    expect(slider).to_have_value("0")
    for _ in range(int(slider.get_attribute("max") or 0)):
        if slider.get_attribute("aria-valuetext") == value:
            return
        page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == value


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag within the drawing, from and to shares of its width and height."""
    box = stage(page).bounding_box()
    assert box is not None
    points = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in (start, end)]
    page.mouse.move(*points[0])
    page.mouse.down()
    page.mouse.move(*points[1], steps=4)
    page.mouse.up()
