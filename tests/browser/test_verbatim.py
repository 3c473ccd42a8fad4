"""In the browser quoted code is what its author committed, whatever Material's scripts do with the text of a page."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Error, Page, expect

from tests.browser.conftest import DRAWN, HERE, READY, Served, open_with_links
from tests.forked import python_m
from tests.support import NIGHT, Bench, some

LINES = {
    "marks.txt": ["see f(1) and g(22)", "if a < b && c > 'd': \"lt\" (3)!", "third (1)! line", '&lt; &amp;#39; "\'"'],
    "marks.metal": [
        "// see (1) and (2)! below, __kernel",
        "kernel void f(int x) { return (x) && 1 < 2; } /* lt gt amp (2)! */",
        "kept = a<b;",
    ],
}
RETURNS = "int a; // note\rreturn 1;\nint b;"
"""A return within a line is one of its characters."""
FIGURES = [*LINES.values(), *LINES.values()]
TEXT = """() => [...document.querySelectorAll("figure.mw-excerpt")].map((figure) =>
  [...figure.querySelectorAll(".mw-l")].map((line) => line.innerText.replace(/\\n$/, "")))"""
MARK = "mark[data-md-highlight]"
STOCK = """\
site_name: marks
theme: {name: material, font: false, features: [search.highlight, navigation.instant]}
plugins:
  - search
  - metalworking: {store: store, offline: true}
markdown_extensions: [admonition, attr_list, md_in_html, toc]
"""
BOOK = """\
INHERIT: {here}/mkdocs.yml
site_name: marks
watch: []
theme: {{custom_dir: {here}/overrides}}
plugins:
  - search
  - metalworking: {{store: store, offline: true, mapping: ""}}
nav: [index.md, marks.md, returns.md, other.md]
"""
SEARCH = "document.querySelector('[data-md-component=search-query]').focus()"
"""Marks come when the index has, and the book's theme asks for that when one searches."""
INDEX = """async () => {
  const config = JSON.parse(document.getElementById("__config").textContent);
  await (await fetch(new URL("search/search_index.json", new URL(config.base, location)))).json();
}"""
"""When this has the index, Material has had it before."""
CLICK = "link => link.click()"
"""What is searched for lies above the page."""
BREAKING = ["lt", "LT", "amp", "gt", "quot", "39", "3", "t", "uo", "kernel lt", "x_lt", "&", ";", "#", "a;b", "-", "--"]
HARMLESS = ["kernel", "see below", "kernel*", "see f"]
ONE_OF_EACH = ["uo", "&", "--"]
"""A part of the name of a character, a character of a reference, and a separator with nothing beside it."""
SITES = pytest.mark.parametrize("marked", ["stock", "book"], indirect=True)
"""Not the third, whose search alone is another."""


@pytest.fixture(scope="module", params=["stock", "book", "split"])
def marked(
    request: pytest.FixtureRequest, server: tuple[Path, int], tmp_path_factory: pytest.TempPathFactory
) -> Served:
    """A site of annotations: with stock Material, the book's theme, and a search that parts words at underscores."""
    bench = Bench(tmp_path_factory.mktemp("marks"))
    commit = bench.add_repo("acme/kernels", {name: "\n".join(lines) + "\n" for name, lines in LINES.items()})
    returned = bench.add_repo("acme/returns", {"returns.c": f"{RETURNS}\n"})
    bench.write([*(("acme/kernels", name) for name in LINES), ("acme/returns", "returns.c")])
    root, port = server
    name = f"marks-{request.param}"
    url = f"http://127.0.0.1:{port}/{name}/"
    config = BOOK.format(here=HERE) if request.param == "book" else STOCK
    if request.param == "book":
        for folder in ("site", "instruments"):
            shutil.copytree(HERE / "docs/assets" / folder, bench.root / "docs/assets" / folder)
    if request.param == "split":
        config = config.replace("- search\n", "- search: {separator: '[\\s\\-_]+'}\n")
    (bench.root / "mkdocs.yml").write_text(f"{config}site_url: {url}\nsite_dir: {root / name}\n", encoding="utf-8")
    both = "\n\n".join(f'<< excerpt acme/kernels@{commit[:7]}:{name} title="Of (1) & <2>" >>' for name in LINES)
    inside = both.replace("<<", "    <<")
    pages = {
        "index.md": "# Start\n\n[There](marks.md?h=lt) and [there](other.md?h=kernel).\n",
        "returns.md": f"# Returns\n\n<< excerpt acme/returns@{returned[:7]}:returns.c >>\n",
        "other.md": "# Other\n\nThe kernel.\n",
        "marks.md": f"# Marks\n\n[Here](?h=gt)\n\n!!! note annotate\n\n    Words (1)\n\n{inside}\n\n1. One.\n2. Two."
        f'\n\n<div class="annotate" markdown>\n\nWords (3)\n\n{both}\n\n</div>\n\n1. One.\n2. Two.\n3. Three.\n',
    }
    for page, text in pages.items():
        path = bench.root / "docs" / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    done = python_m("mkdocs", "build", "-q", "-f", str(bench.root / "mkdocs.yml"), cwd=bench.root)
    assert done.returncode == 0, done.stdout + done.stderr
    return Served(root / name, url, bench)


@SITES
def test_annotations_take_nothing_out_of_quoted_code(page: Page, marked: Served) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{marked.url}marks/")
    expect(page.locator(".md-typeset .md-annotation:not(figure *)")).to_have_count(2)
    assert page.evaluate(TEXT) == FIGURES
    assert page.locator(".mw-title").all_inner_texts() == ["Of (1) & <2>"] * 4
    for at, lines in enumerate(FIGURES):
        page.locator(".mw-copy").nth(at).click()
        page.wait_for_function("async (text) => await navigator.clipboard.readText() === text", arg="\n".join(lines))


@SITES
@pytest.mark.parametrize("api", [True, False])
def test_a_copy_has_every_character_where_the_page_may_not_use_the_clipboard(
    page: Page, marked: Served, api: bool
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    if not api:  # as on a page that came without TLS
        page.add_init_script("delete Clipboard.prototype.writeText")
    page.goto(f"{marked.url}returns/")
    page.locator(".mw-copy").click()
    page.wait_for_function("async (text) => await navigator.clipboard.readText() === text", arg=RETURNS)


def evaluated(page: Page, script: str) -> Any:
    """Return what *script* comes to, on the page that a reload brings where one comes in between."""
    while True:
        try:
            return page.evaluate(script)
        except Error as error:
            if "context was destroyed" not in str(error):
                raise


def settled(page: Page, url: str | re.Pattern[str]) -> Any:
    """Return the lines of the figures once the page is at *url*, also where one load takes the place of another."""
    while True:
        try:
            page.wait_for_url(url)
            break
        except Error as error:
            if "ERR_ABORTED" not in str(error):
                raise
    for script in (READY, SEARCH, INDEX, DRAWN):
        evaluated(page, script)
    return evaluated(page, TEXT)


def test_no_term_that_was_searched_for_changes_quoted_code(page: Page, marked: Served) -> None:
    """By day one of each kind, since what marks them is Material's on each site, and half of all on the book's."""
    tracked = marked.root.name == "marks-book"
    terms = BREAKING if NIGHT else [*some(BREAKING, 6), "uo", "&"] if tracked else ONE_OF_EACH
    for term in [*terms, *(["__kernel", "kernel_"] if marked.root.name == "marks-split" else [])]:
        address = f"{marked.url}marks/?{urlencode({'h': term})}&k=1#marks"
        page.goto(address, wait_until="domcontentloaded")
        # Where Material follows the section in view, as the book has it, it may take the fragment out first.
        there = re.compile(re.escape(f"{marked.url}marks/?k=1") + ("(#marks)?$" if tracked else "#marks$"))
        assert settled(page, there) == FIGURES, term


def test_a_harmless_term_is_marked_in_it(page: Page, marked: Served) -> None:
    terms = HARMLESS if marked.root.name == "marks-book" else some(HARMLESS, 2)
    for term in [*terms, *(["__kernel"] if marked.root.name != "marks-split" else [])]:
        page.goto(f"{marked.url}marks/?{urlencode({'h': term})}")
        page.evaluate(SEARCH)
        expect(page.locator(f".mw-l {MARK}").first, term).to_be_visible()
        assert page.evaluate(TEXT) == FIGURES, term


@SITES
def test_nor_one_that_comes_by_instant_navigation(fresh: Page, marked: Served) -> None:
    open_with_links(fresh, marked.url)
    fresh.evaluate("window.stayed = true")
    fresh.get_by_role("link", name="there", exact=True).evaluate(CLICK)
    fresh.evaluate(SEARCH)
    expect(fresh.locator(f"article {MARK}")).to_be_visible()
    assert fresh.evaluate("window.stayed"), "the page came without being loaded"
    fresh.go_back()
    fresh.get_by_role("link", name="There", exact=True).evaluate(CLICK)
    assert settled(fresh, f"{marked.url}marks/") == FIGURES
    open_with_links(fresh, f"{marked.url}marks/?h=kernel")
    fresh.evaluate(SEARCH)
    expect(fresh.locator(f".mw-l {MARK}").first).to_be_visible()
    fresh.get_by_role("link", name="Here", exact=True).evaluate(CLICK)
    assert settled(fresh, f"{marked.url}marks/") == FIGURES


@pytest.fixture(scope="module")
def from_the_right(server: tuple[Path, int], tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A site in Hebrew, whose links show what they lead to."""
    bench = Bench(tmp_path_factory.mktemp("right"))
    commit = bench.add_repo("acme/kernels", {"a.c": "int width = 10 - x; // \u202e\nint b;\nint c;\n"})
    bench.write([("acme/kernels", "a.c")])
    root, port = server
    url = f"http://127.0.0.1:{port}/right/"
    config = STOCK.replace("[search.highlight, navigation.instant]}", "[navigation.instant.preview], language: he}")
    config = config.replace("offline: true}", "offline: true, lookup: true}")
    (bench.root / "mkdocs.yml").write_text(f"{config}site_url: {url}\nsite_dir: {root / 'right'}\n", encoding="utf-8")
    (bench.root / "docs").mkdir(exist_ok=True)
    for name, text in (
        ("index.md", "# Start\n\nSee [there](code.md#sec).\n"),
        ("code.md", f"# Code\n\n## Sec\n\nWords.\n\n<< excerpt acme/kernels@{commit[:7]}:a.c#L1,L3 >>\n"),
    ):
        (bench.root / "docs" / name).write_text(text, encoding="utf-8")
    done = python_m("mkdocs", "build", "-q", "-f", str(bench.root / "mkdocs.yml"), cwd=bench.root)
    assert done.returncode == 0, done.stdout + done.stderr
    return Served(root / "right", url, bench)


def test_lines_below_a_result_run_from_the_left_on_any_site(page: Page, from_the_right: Served) -> None:
    page.goto(from_the_right.url)
    assert page.evaluate("getComputedStyle(document.body).direction") == "rtl"
    page.evaluate(SEARCH)
    page.keyboard.type("width")
    line = page.locator(".mw-search-line code")
    expect(line).to_have_text("int width = 10 - x; // U+202E")
    expect(line).to_have_css("direction", "ltr")
    expect(line).to_have_css("text-align", "left")


def test_a_preview_of_another_page_shows_gaps_and_what_nobody_sees(page: Page, from_the_right: Served) -> None:
    page.goto(from_the_right.url)
    page.get_by_role("link", name="there", exact=True).hover()
    shown = page.locator(".md-tooltip2 figure.mw-excerpt")
    expect(shown).to_be_visible()
    expect(shown.locator(".mw-pre")).to_have_css("direction", "ltr")
    drawn = "(sign) => getComputedStyle(sign, '::before').content"
    for name in (".mw-gap", ".mw-ctl"):
        sign = shown.locator(name)
        assert sign.evaluate(drawn) == f'"{sign.get_attribute("data-text")}"'
    assert shown.locator(".mw-l > a").last.evaluate(drawn) == '"3"'
