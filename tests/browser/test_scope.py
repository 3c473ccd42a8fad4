"""The plugin's styles and scripts on sites that are not this book: they touch our elements and nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import content
from tests.forked import python_m
from tests.support import Bench

TEXT = """\
# A page of a stranger

Prose with `code`, [a link](https://example.org), **weight** and a footnote[^1].

```c hl_lines="1"
int main(void) { return 0; } // a comment
```

| Name | Value |
|------|-------|
| one  | 1     |

!!! note "Mind"
    An admonition.

> A quotation.

1. One
2. Two

    - below

[^1]: Its text.
"""
EXCERPT = "\n<< excerpt acme/kernels@SHA:scale.metal#L5-12 hl=7 >>\n- L7: a note\n"
THEMES = {
    "material": "{name: material, font: false, palette: {scheme: default}}",
    "readthedocs": "{name: readthedocs, highlightjs: false}",
    "mkdocs": "{name: mkdocs, highlightjs: false}",
    "mkdocs-dark": "{name: mkdocs, highlightjs: false, color_mode: dark}",
    "mkdocs-black": "{name: mkdocs, highlightjs: false}",
}
SCHEMES = {"material-slate": "slate", "material-own": "night"}
"""Themes that are another only in the name of a scheme, which stands in each page; the site is built for the first."""
BLACK = "code,pre{background-color:#000!important;color:#eee!important}\n"
"""As some themes have it, simple-blog among them."""
AT = {"sources": "sources.yml", "lock": "sources.lock", "code": "code"}
OWN_SCHEME = (
    '[data-md-color-scheme="night"]{color-scheme:dark;--md-default-bg-color:#101418;--md-default-fg-color:#e8eaed;'
    "--md-default-fg-color--light:#aab0b8;--md-default-fg-color--lighter:#7d848d;--md-default-fg-color--lightest:#31363d;"
    "--md-typeset-color:#e8eaed;--md-typeset-a-color:#8ab4f8;--md-code-bg-color:#1b2026;--md-code-fg-color:#e8eaed;"
    "--md-code-hl-keyword-color:#9fb8ff;--md-code-hl-comment-color:#9aa0a8;--md-code-hl-color--light:#3a3320}\n"
)
# What every element outside ours looks like. Sizes and places follow from what stands beside an element.
LOOK = """() => {
  const ours = (el) => el.closest('[class^="mw-"],[class*=" mw-"]');
  const layout = /size|width|height|inset|origin|^(top|right|bottom|left)$|perspective/;
  const others = [...document.body.querySelectorAll("*:not(script,link)")].filter((el) => !ours(el));
  return others.map((el) => {
    const style = getComputedStyle(el);
    const names = [...style].filter((name) => !layout.test(name) && !name.startsWith("--mw-"));
    return [el.tagName, el.className.toString(), names.map((name) => `${name}:${style[name]}`).sort().join(";")];
  });
}"""


# A theme marks the heading in view when the browser first tells its observers, which is after the page has loaded. An
# observer made later is told no earlier than those; what the theme changed is drawn in the frame after.
OBSERVED = """() => new Promise((told) => {
  new IntersectionObserver((_, own) => {
    own.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(told));
  }).observe(document.body);
})"""


def build(bench: Bench, theme: str, name: str, text: str, options: str) -> Path:
    folder = bench.root / name
    if (folder / "site").exists():  # another test of this process asked for it
        return folder / "site"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs/index.md").write_text(text, encoding="utf-8")
    (folder / "docs/extra.css").write_text(BLACK if theme == "mkdocs-black" else OWN_SCHEME, encoding="utf-8")
    (folder / "mkdocs.yml").write_text(
        f"site_name: Stranger\ntheme: {THEMES[theme]}\nextra_css: [extra.css]\nplugins: {options}\n"
        "markdown_extensions: [admonition, footnotes, tables, pymdownx.superfences, pymdownx.highlight,"
        " pymdownx.details, {pymdownx.tabbed: {alternate_style: true}}]\n",
        encoding="utf-8",
    )
    done = python_m("mkdocs", "build", "-q", "--strict", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def plain_site(bench: Bench, theme: str) -> Path:
    """Return a site that quotes nothing."""
    return schemed(bench, theme, "without", TEXT, "[search]")


def quoting_site(bench: Bench, theme: str) -> Path:
    """Return the site that quotes."""
    sha = bench.commits["acme/kernels"][:7]
    quoting = TEXT.replace("[^1]:", EXCERPT.replace("SHA", sha) + "\n[^1]:")
    places = ", ".join(f"{option}: {bench.root}/{name}" for option, name in AT.items())
    return schemed(bench, theme, "with", quoting, f"[search, {{metalworking: {{{places}}}}}]")


def schemed(bench: Bench, theme: str, name: str, text: str, options: str) -> Path:
    """Build the site of *theme*; that of a scheme is a copy of Material's with the scheme's name in its page."""
    if theme not in SCHEMES:
        return build(bench, theme, f"{theme}-{name}", text, options)
    copied = bench.root / f"{theme}-{name}"
    if not copied.exists():
        shutil.copytree(build(bench, "material", f"material-{name}", text, options), copied)
        page = copied / "index.html"
        html, of = page.read_text(encoding="utf-8"), 'data-md-color-scheme="{}"'.format
        assert html.count(of("default")) == 1
        page.write_text(html.replace(of("default"), of(SCHEMES[theme])), encoding="utf-8")
    return copied


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    made = Bench(tmp_path_factory.mktemp("stranger"))
    made.add_repo("acme/kernels", content.FILES)
    made.write([("acme/kernels", "scale.metal")])
    return made


def look(browser: Browser, site: Path) -> list[list[str]]:
    # From files: no script of the theme that asks for data may change the page.
    context = browser.new_context(viewport={"width": 1200, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    page.goto((site / "index.html").as_uri())
    page.evaluate(OBSERVED)
    page.evaluate("Promise.all(document.getAnimations().map((one) => one.finish()).concat(document.fonts.ready))")
    found: list[list[str]] = page.evaluate(LOOK)
    context.close()
    return found


@pytest.mark.parametrize("theme", [*THEMES, *SCHEMES])
def test_nothing_else_changes_its_look(browser: Browser, bench: Bench, theme: str) -> None:
    before = look(browser, plain_site(bench, theme))
    site = quoting_site(bench, theme)
    after = look(browser, site)
    assert "mw-excerpt" in (site / "index.html").read_text(encoding="utf-8")
    assert [one[:2] for one in after] == [one[:2] for one in before]
    changed = [
        (tag, name, sorted(set(new.split(";")) ^ set(old.split(";")))[:6])
        for (tag, name, old), (_, _, new) in zip(before, after, strict=True)
        if old != new
    ]
    assert not changed


@pytest.mark.parametrize("theme", [*THEMES, *SCHEMES])
def test_an_excerpt_looks_like_the_sites_code(browser: Browser, bench: Bench, theme: str) -> None:
    """The background, the colour and the face of an excerpt are those of a fence; its text can be read upon it."""
    page = browser.new_page()
    page.goto((quoting_site(bench, theme) / "index.html").as_uri())
    found: dict[str, Any] = page.evaluate(
        """() => {
          const of = (el, names) => Object.fromEntries(names.map((name) => [name, getComputedStyle(el)[name]]));
          const fence = document.querySelector("pre:not(.mw-pre) code");
          const ours = document.querySelector(".mw-pre code");
          const k = (root) => root.querySelector(".kt, .k, .kr");
          return {
            fence: of(fence, ["color", "fontFamily"]), ours: of(ours, ["color", "fontFamily"]),
            tokens: [k(fence), k(ours)].map((el) => el && getComputedStyle(el).color),
            back: getComputedStyle(document.querySelector(".mw-excerpt")).backgroundColor,
            over: [".mw-pre", ".mw-code", ".mw-code > code"].map(
              (name) => getComputedStyle(document.querySelector(name)).backgroundColor),
            read: [...document.querySelectorAll(".mw-l:not(.mw-hl) :is(span, a), .mw-caption :is(span, a)")].map(
              (el) => getComputedStyle(el).color),
            lit: of(document.querySelector(".mw-hl"), ["color", "backgroundColor"]),
          };
        }"""
    )
    page.close()
    if theme.startswith("material"):
        assert found["ours"] == found["fence"]
        assert found["tokens"][0] == found["tokens"][1]
    ink, ground = (channels(found["ours"]["color"]), channels(found["back"]))
    assert contrast(ink, ground) >= 4.5, json.dumps(found)
    assert set(found["over"]) == {"rgba(0, 0, 0, 0)"}, "nothing lies between"
    if not theme.startswith("material"):
        least = min(contrast(channels(color), ground) for color in found["read"])
        lit = [channels(found["lit"][name]) for name in ("color", "backgroundColor")]
        assert min(least, contrast(*lit)) >= 4.5, json.dumps(found)


WIDE = "int kept = f(" + ", ".join(f"argument_{n}" for n in range(40)) + "); // LAST"
PRINTED = """(wide) => {
  const figure = document.querySelector(".mw-excerpt");
  figure.querySelector("figcaption").insertAdjacentHTML("beforeend", '<button class="mw-copy">Copy</button>');
  const block = figure.querySelector(".mw-code-block");
  block.insertAdjacentHTML("beforebegin", '<details class="mw-fold"><summary>Show</summary></details>');
  figure.querySelector("details").append(block);
  const line = figure.querySelector(".mw-l");
  line.append(wide);
  const last = document.createRange();
  last.setStart(line.lastChild, wide.length - 4);
  last.setEnd(line.lastChild, wide.length);
  const [box, end] = [document.documentElement.getBoundingClientRect(), last.getBoundingClientRect()];
  return {
    shown: line.checkVisibility({ contentVisibilityAuto: true, contentVisibility: true }) && end.height > 0,
    inside: end.left >= 0 && end.right <= Math.min(box.right, innerWidth),
    clipped: [...figure.querySelectorAll("pre, code, .mw-code, .mw-code-block")].filter(
      (el) => getComputedStyle(el).overflowX !== "visible" && el.scrollWidth > el.clientWidth).length,
    copy: getComputedStyle(figure.querySelector(".mw-copy")).display,
    fade: getComputedStyle(block, "::after").display,
  };
}"""


@pytest.mark.parametrize("theme", THEMES)
def test_no_line_is_cut_off_on_paper(browser: Browser, bench: Bench, theme: str) -> None:
    page = browser.new_page(viewport={"width": 700, "height": 900})
    page.emulate_media(media="print")
    page.goto((quoting_site(bench, theme) / "index.html").as_uri())
    found = page.evaluate(PRINTED, WIDE)
    page.close()
    assert found == {"shown": True, "inside": True, "clipped": 0, "copy": "none", "fade": "none"}


@pytest.mark.parametrize("media", ["print", "forced"])
def test_what_nobody_sees_is_told_from_code_without_backgrounds(browser: Browser, bench: Bench, media: str) -> None:
    page = browser.new_page()
    page.emulate_media(
        media="print" if media == "print" else None, forced_colors="active" if media != "print" else None
    )
    page.goto((quoting_site(bench, "mkdocs") / "index.html").as_uri())
    sign = page.locator(".mw-l").first
    sign.evaluate("(el) => el.insertAdjacentHTML('beforeend', '<span class=mw-ctl data-text=U+202E></span>')")
    drawn = page.locator(".mw-ctl").evaluate(
        "(el) => { const s = getComputedStyle(el); return "
        "[s.borderTopStyle, s.borderTopWidth, s.borderTopColor !== 'rgba(0, 0, 0, 0)', s.printColorAdjust]; }"
    )
    assert drawn == ["solid", "1px", True, "exact"]
    page.close()


def channels(color: str) -> list[float]:
    """Return red, green and blue, 0 to 1, of ``rgb(...)`` or ``color(srgb ...)`` as Chromium writes it."""
    if color.startswith("color(srgb "):
        return [float(part.strip(")")) for part in color.split()[1:4]]
    return [float(part) / 255 for part in color[color.index("(") + 1 : -1].replace("/", ",").split(",")[:3]]


def contrast(one: list[float], other: list[float]) -> float:
    """Return the contrast ratio as WCAG 2.2 defines it."""

    def luminance(color: list[float]) -> float:
        r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


RECOLOR = """() => {
  const leave = (el) => /(^|\\s)no-?highlight(\\s|$)/.test(el.className);
  for (const block of document.querySelectorAll("pre code"))
    if (!leave(block) && !leave(block.parentNode)) block.innerHTML = `<i>${block.textContent}</i>`;
}"""
"""What highlight.js does by the documentation of both themes that bring it: ``pre code`` is replaced by its text, but
not below the class ``nohighlight``."""


@pytest.mark.parametrize("theme", ["mkdocs", "readthedocs"])
def test_what_colors_all_code_anew_leaves_excerpts_whole(browser: Browser, bench: Bench, theme: str) -> None:
    page = browser.new_page()
    page.goto((quoting_site(bench, theme) / "index.html").as_uri())
    page.evaluate(RECOLOR)
    assert page.locator("pre:not(.mw-pre) code > i").count() == 1
    assert page.locator(".mw-excerpt .mw-l").count() == 8
    assert page.locator(".mw-excerpt code > i").count() == 0
    page.close()


FROM_THE_RIGHT = (
    "constant int \u05d0 = 10 - 3;",
    "if (\u05d0 > 7 && user != \u05d1 || 0) return;",
    'float f = pick("\u05d0", 1 / 2);',
    "\u0663 - \u0664 + 1",
    "typedef \u05d0 \u05d1;",
)
ACROSS = """(line) => {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const places = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    for (let at = 0; at < node.length; at++) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      if (node.data[at] !== "\\n") places.push(range.getBoundingClientRect().left);
    }
  return places;
}"""


def test_letters_from_the_right_turn_nothing_around(browser: Browser, tmp_path: Path) -> None:
    """Each word stands where it does in the file; a word of one letter has no order of its own."""
    bench = Bench(tmp_path)
    bench.add_repo("acme/kernels", dict.fromkeys(("a.metal", "a.txt"), "\n".join(FROM_THE_RIGHT) + "\n"))
    bench.write([("acme/kernels", "a.metal"), ("acme/kernels", "a.txt")])
    pin = f"acme/kernels@{bench.commits['acme/kernels'][:7]}"
    options = ", ".join(f"{name}: {tmp_path}/{at}" for name, at in AT.items())
    text = f"# T\n\n<< excerpt {pin}:a.metal >>\n\n<< excerpt {pin}:a.txt >>\n"
    site = build(bench, "material", "site", text, f"[search, {{metalworking: {{{options}}}}}]")
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    lines = page.locator(".mw-l").all()
    assert len(lines) == 2 * len(FROM_THE_RIGHT)
    for line in lines:
        places = line.evaluate(ACROSS)
        assert places == sorted(places), line.inner_text()
    page.close()


TABS = """\
# T

=== "A"

    x

=== "B"

    ??? note "Closed"

        === "C"

            y

        === "D"

            << excerpt {pin}:scale.metal#L1-L12 collapse >>

            ## Heading

"""


@pytest.mark.parametrize("how", ["loaded", "followed"])
def test_a_link_to_what_is_in_a_tab_or_closed_opens_all_of_it(
    browser: Browser, bench: Bench, server: tuple[Path, int], how: str
) -> None:
    root, port = server
    name = f"tabs-{how}"
    pin = f"acme/kernels@{bench.commits['acme/kernels'][:7]}"
    places = ", ".join(f"{option}: {bench.root}/{at}" for option, at in AT.items())
    text = TABS.replace("{pin}", pin) + "z\n\n" * 60
    shutil.copytree(build(bench, "material", name, text, f"[search, {{metalworking: {{{places}}}}}]"), root / name)
    page = browser.new_page(viewport={"width": 1000, "height": 400})
    address = f"http://127.0.0.1:{port}/{name}/"
    page.goto(address)
    line = page.locator(".mw-l").nth(9)
    expect(line).to_be_hidden()
    target = page.locator(f'[id="{line.get_attribute("id")}"]')
    for one in (target, page.locator("#heading")):
        at = f"#{one.get_attribute('id')}"
        if how == "loaded":
            page.goto("about:blank")
            page.goto(address + at)
        else:
            page.reload()
            page.evaluate("at => { location.hash = at; }", at)
        expect(one).to_be_visible()
        expect(one).to_be_in_viewport()
        assert page.locator(".tabbed-set > input:checked").evaluate_all("all => all.map((el) => el.id)") == [
            *("__tabbed_1_2", "__tabbed_2_2")
        ]
    page.close()
