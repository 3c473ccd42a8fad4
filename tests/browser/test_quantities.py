"""Numbers that are told once: what hover, focus and a tap say, and that one value moves page, table and calculator."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import HERE, Served, _build

NAV = {"machine/chips.md": "Chips", "machine/numbers.md": "Numbers", "machine/index.md": "Machine"}
LINK = re.compile(r"\[([^\]=@][^\]]*)\]\([^)]+\)")


def _site(root: Path, url: str, project: Path, change: tuple[str, str] | None) -> Served:
    """Three pages of the book, its numbers and calculators; *change* replaces a text of quantities.yml."""
    docs = project / "docs"
    shutil.copytree(HERE / "docs/assets/instruments", docs / "assets/instruments")
    for name in ("sources.yml", "sources.lock"):
        shutil.copy(HERE / name, project / name)
    text = (HERE / "quantities.yml").read_text(encoding="utf-8")
    if change is not None:
        assert text.count(change[0]) == 1
        text = text.replace(*change)
    (project / "quantities.yml").write_text(text, encoding="utf-8")
    for name in NAV:
        page = (HERE / "docs" / name).read_text(encoding="utf-8")
        page = re.sub(r"^<< excerpt .*\n(- .*\n)*", "", page, flags=re.MULTILINE)
        page = re.sub(r"<figure .*?</figure>", "", LINK.sub(r"\1", page), flags=re.DOTALL)
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text(page, encoding="utf-8")
    (docs / "index.md").write_text("# Home\n", encoding="utf-8")
    (project / "mkdocs.yml").write_text(
        f"site_name: numbers\nsite_url: {url}\nsite_dir: {root}\ntheme: {{name: material, font: false}}\n"
        "plugins: [search, {metalworking: {offline: true, store: store}}]\n"
        "markdown_extensions: [attr_list, footnotes, md_in_html, tables]\n"
        "nav:\n  - index.md\n  - Machine:\n" + "".join(f"      - {title}: {name}\n" for name, title in NAV.items()),
        encoding="utf-8",
    )
    done = _build(project / "mkdocs.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    return Served(root, url)


@pytest.fixture(scope="module")
def sites(server: tuple[Path, int], tmp_path_factory: pytest.TempPathFactory) -> tuple[Served, Served]:
    """The book's numbers as they are, and with another clock for the M5 Max."""
    root, port = server
    clock = "m5-max.clock:\n    name: GPU clock\n    chip: M5 Max\n    value: "
    made = [
        _site(root / name, f"http://127.0.0.1:{port}/{name}/", tmp_path_factory.mktemp(name), with_change)
        for name, with_change in (("numbers", None), ("moved", (f"{clock}1620", f"{clock}1700")))
    ]
    return made[0], made[1]


def test_one_value_moves_page_table_and_calculator(browser: Browser, sites: tuple[Served, Served]) -> None:
    page = browser.new_context().new_page()
    seen = []
    for site in sites:
        page.goto(f"{site.url}machine/chips/")
        cells = page.locator("tr", has=page.locator("td:text-is('M5 Max')")).first.locator("td").all_inner_texts()
        page.goto(f"{site.url}machine/numbers/")
        counted = page.locator("tr", has_text="counted").first.locator("abbr").last.inner_text()
        roof = page.evaluate(
            f"async () => {{ const {{ chips }} = await import('{site.url}assets/instruments/quantities.js');"
            f" const {{ roofs }} = await import('{site.url}assets/instruments/roofs.js');"
            " return ['alu', 'matrix'].map((path) => roofs(chips.get('M5 Max'), path, 'counted').tflops); }"
        )
        seen.append((cells[5:8], counted, [round(one, 2) for one in roof]))
    assert seen == [
        (["1,620", "16.59", "27.0"], "16.59\u00a0TFLOPS", [16.59, 66.36]),
        (["1,700", "17.41", "28.4"], "17.41\u00a0TFLOPS", [17.41, 69.63]),
    ]


def test_hover_focus_and_escape(page: Page, sites: tuple[Served, Served]) -> None:
    page.goto(f"{sites[0].url}machine/numbers/")
    number = page.locator("abbr.mw-quantity", has_text="116.9").first
    tip = page.get_by_role("tooltip")
    number.hover()
    expect(tip).to_contain_text("FP32 FMAs per core and cycle; M5 Max, macOS 27.2; measured")
    expect(tip).not_to_contain_text("Numbers")
    assert number.get_attribute("title") is None
    page.mouse.move(2, 2)
    expect(tip).to_be_hidden()
    first = page.locator("abbr.mw-quantity").first
    first.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(tip).to_be_visible()
    assert first.get_attribute("aria-describedby") == tip.get_attribute("id")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


def test_it_says_where_else_a_number_stands(page: Page, sites: tuple[Served, Served]) -> None:
    page.goto(f"{sites[0].url}machine/numbers/")
    page.locator("abbr.mw-quantity", has_text="128\u00a0registers").first.hover()
    link = page.get_by_role("tooltip").get_by_role("link", name="Machine")
    expect(link).to_have_attribute("href", f"{sites[0].url}machine/")


def test_a_tap_tells_and_another_hides(phone: Page, sites: tuple[Served, Served]) -> None:
    phone.goto(f"{sites[0].url}machine/numbers/")
    tip = phone.get_by_role("tooltip")
    phone.locator("abbr.mw-quantity").first.tap()
    expect(tip).to_be_visible()
    left, right = tip.evaluate("e => { const box = e.getBoundingClientRect(); return [box.left, box.right]; }")
    assert left >= 0
    assert right <= 400
    phone.locator("h1").first.tap()
    expect(tip).to_be_hidden()
