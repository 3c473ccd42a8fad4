"""axe on pages of the book, on a phone and on a desk, light and dark: one of each kind, and at night every page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Served
from tests.browser.test_everywhere import AXE
from tests.support import NIGHT

# Each kind of page in one of the four. The table of all terms waits for the night: the small site has a short one.
DAILY = {
    ("light", 1280): ["machine/registers/"],
    ("dark", 1280): ["kernels/gemm-tiled/"],
    ("light", 360): [""],
    ("dark", 360): ["machine/occupancy/"],
}
# What axe could not decide, decided: text against the nearest ground that is opaque. A gradient that shows where more
# is, and the area around a citation that takes a finger, lie over the edge of a box and not under its text.
FOUND = """async () => {
  const options = {resultTypes: ["violations", "incomplete"]};
  const {violations, incomplete} = await axe.run(document, options);
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const ratio = (el) => {
    let ground = el;
    const clear = (one) => rgba(getComputedStyle(one).backgroundColor)[3] < 255;
    while (ground.parentElement && clear(ground)) ground = ground.parentElement;
    const [one, other] = [rgba(getComputedStyle(el).color), rgba(getComputedStyle(ground).backgroundColor)].map(light);
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  };
  const bad = violations.flatMap(({id, nodes}) => nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 120)}`));
  for (const {nodes} of incomplete.filter((rule) => rule.id === "color-contrast")) {
    for (const node of nodes) {
      const el = document.querySelector(node.target[0]);
      const least = el && parseFloat(getComputedStyle(el).fontSize) >= 24 ? 3 : 4.5;
      if (el?.offsetParent && ratio(el) < least) bad.push(`undecided, and too faint: ${node.html.slice(0, 120)}`);
    }
  }
  return bad;
}"""


def found(page: Page, url: str) -> list[str]:
    page.goto(url)
    page.evaluate(AXE)
    return list(page.evaluate(FOUND))


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(browser: Browser, book: Served, scheme: str, width: int) -> None:
    size = {"width": width, "height": 900}
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    page = context.new_page()
    names = book.pages if NIGHT else DAILY[scheme, width]
    bad = {name: some for name in names if (some := found(page, book.url + name))}
    context.close()
    assert bad == {}
