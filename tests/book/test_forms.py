"""One page, PDF, EPUB and Markdown of a small book: nothing lost, every link leads somewhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import jsonschema
import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser

from mkdocs_metalworking.hosts.forms.epub import stylesheet, write_epub
from mkdocs_metalworking.hosts.forms.plugin import direction_of
from mkdocs_metalworking.hosts.forms.printable import printable
from mkdocs_metalworking.hosts.forms.twin import simplify
from mkdocs_metalworking.hosts.forms.volume import Leaf, Volume
from tests.book.conftest import LONG
from tests.builds.conftest import KERNEL, Site
from tests.conftest import CHROMIUM
from tests.support import ASK, git

LINES = KERNEL.splitlines()
XHTML = "{http://www.w3.org/1999/xhtml}"
EPUBCHECK = next((path for path in ("/usr/share/java/epubcheck.jar", "/usr/bin/epubcheck") if Path(path).exists()), "")


# One page


@pytest.fixture(scope="session")
def html(folder: Path) -> str:
    return (folder / "small.html").read_text(encoding="utf-8")


def test_the_page_needs_no_other_file(html: str) -> None:
    assert "<script" not in html
    assert "<link" not in html
    sources = re.findall(r'\bsrc="([^"]*)"', html)
    assert sources
    assert all(source.startswith("data:image/") for source in sources)


def test_every_link_of_the_page_leads_somewhere(html: str) -> None:
    ids = re.findall(r'\bid="([^"]*)"', html)
    assert len(ids) == len(set(ids)), "no id twice"
    links = re.findall(r'\bhref="([^"]*)"', html)
    inside = {link[1:] for link in links if link.startswith("#")}
    assert inside <= set(ids)
    assert {urlsplit(link).scheme for link in links if not link.startswith("#")} == {"https"}
    assert 'href="#first.two:deep"' in html
    assert re.search(r'href="#first\.one:--[0-9a-f]{7}-L8"', html), "a link to a quoted line"
    assert 'href="https://example.org/small/about/"' in html, "what is not in the book is on the site"
    for name in re.findall(r"url\(#([^)]*)\)", html) + re.findall(r'aria-labelledby="(\S+) ', html):
        assert name in ids


def test_patterns_of_the_template_come_along_once(html: str) -> None:
    assert html.count('<svg class="mw-textures"') == 1
    assert html.index('<pattern id="dots"') < html.index("<main")


def test_the_page_is_in_order_of_reading(html: str) -> None:
    found = re.findall(r'<section id="([^"]*)" class="(bk-\w+)', html)
    assert found == [
        ("index", "bk-leaf"),
        ("first.index", "bk-opening"),
        ("first.one", "bk-leaf"),
        ("first.two", "bk-leaf"),
        ("chapter-2", "bk-opening"),
        ("second.three", "bk-leaf"),
        ("appendix", "bk-leaf"),
    ]
    contents = re.search(r'<nav class="bk-toc".*?</nav>', html, re.DOTALL)[0]  # type: ignore[index]
    titles = re.sub(r"<[^>]*>", "", re.sub(r"<li[^>]*>", "\n", contents)).split("\n")
    assert [title.strip() for title in titles if title.strip()] == [
        "Contents",
        "Introduction",
        "1First",
        "One, the First",
        "Two",
        "2Second",
        "Three",
        "Appendix",
    ]
    assert "Not in the book" not in html
    assert "mw-place" not in html.split("</style>")[1], "where a reader is needs no telling on paper"


def test_the_page_keeps_what_an_excerpt_is(html: str) -> None:
    body = html.split("</style>")[-1]
    assert re.findall(r'data-n="(\d+)"', body) == ["1", "4", "5", "6", "7", "8", "9", "1", "2"]
    for words in ("Add", "add.metal:1", "abridged", "acme/kernels", "2 lines left out", "One element a thread."):
        assert words in body
    assert '<span class="kr">device</span>' in body, "coloured"
    assert re.search(r'<details class="mw-fold" open', body), "nothing stays folded"
    assert "Transfers, other numbers" in body
    assert re.search(r'class="bk-tab">Here</p>.*?class="bk-tab">There</p>', body, re.DOTALL)
    assert "checked" in body
    assert body.count('class="bk-more"') == 1, "a comma between two numbers side by side, and nowhere else"
    assert "Said in passing." in body


def test_headings_of_pages_stand_below_those_of_chapters(html: str) -> None:
    headings = re.findall(r"<h(\d)[^>]*>([^<]*)", html)
    assert headings == [
        ("1", "Introduction"),
        ("1", "The first chapter"),
        ("2", "One"),
        ("3", "In code"),
        ("3", "In pictures"),
        ("2", "Two"),
        ("3", "Deep"),
        ("1", "Second"),
        ("2", "Three"),
        ("1", "Appendix"),
    ]


# PDF


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium")
def test_the_pdf_has_bookmarks_and_numbers(folder: Path) -> None:
    pikepdf = pytest.importorskip("pikepdf")
    with pikepdf.open(folder / "small.pdf") as pdf:
        assert pdf.docinfo["/Title"] == "Small Book"
        numbers = {page.objgen: number for number, page in enumerate(pdf.pages, 1)}
        sheets = {str(name)[1:]: numbers[place[0].objgen] for name, place in pdf.Root.Dests.items()}
        with pdf.open_outline() as outline:
            tree = [
                (one.title, [(two.title, [three.title for three in two.children]) for two in one.children])
                for one in outline.root
            ]
    assert tree == [
        ("Introduction", []),
        ("The first chapter", [("One", ["In code", "In pictures"]), ("Two", ["Deep"])]),
        ("Second", [("Three", [])]),
        ("Appendix", []),
    ]
    if shutil.which("pdftotext") is None:
        return
    text = subprocess.run(
        ["pdftotext", "-layout", folder / "small.pdf", "-"], capture_output=True, text=True, check=True
    ).stdout.split("\f")
    contents = dict(re.findall(r"^[ \d]*(\w.*?) +(\d+)$", text[1], re.MULTILINE))
    assert contents == {
        "Introduction": str(sheets["index"]),
        "First": str(sheets["first.index"]),
        "One, the First": str(sheets["first.one"]),
        "Two": str(sheets["first.two"]),
        "Second": str(sheets["chapter-2"]),
        "Three": str(sheets["second.three"]),
        "Appendix": str(sheets["appendix"]),
    }
    one = text[sheets["first.one"] - 1]
    assert re.match(r"\s*1\s+First\s+One, the First\n", one), "chapter and page at the head"
    assert re.search(rf"\s{sheets['first.one']}\s*$", one), "the number at the foot"


def test_no_code_runs_off_the_paper(folder: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 665, "height": 980})  # A4 less its margins, at 96 dots an inch
    page.goto((folder / "small.html").as_uri())
    page.emulate_media(media="print")
    wide = page.evaluate(
        "[...document.querySelectorAll('.bk *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1)"
        ".map((e) => e.className || e.tagName)"
    )
    tall = page.locator(".mw-l", has_text="a_word_that_goes_on").evaluate("(e) => e.getClientRects()[0].height")
    page.close()
    assert wide == []
    assert tall > 30, "a long line is broken"


# EPUB


@pytest.fixture(scope="session")
def epub(folder: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(folder / "small.epub") as file:
        assert file.namelist()[0] == "mimetype"
        return {name: file.read(name) for name in file.namelist()}


def pages(epub: dict[str, bytes]) -> dict[str, ElementTree.Element]:
    return {name: ElementTree.fromstring(data) for name, data in epub.items() if name.endswith(".xhtml")}


def test_every_link_of_the_epub_leads_somewhere(epub: dict[str, bytes]) -> None:
    found = pages(epub)
    ids = {name: {element.get("id") for element in tree.iter()} for name, tree in found.items()}
    count = 0
    for name, tree in found.items():
        for element in tree.iter():
            for link in (element.get("href"), element.get("src")):
                if link is None or urlsplit(link).scheme:
                    continue
                count += 1
                path = normpath(join(dirname(name), unquote(urlsplit(link).path))) if urlsplit(link).path else name
                assert path in epub, f"{name}: {link}"
                if urlsplit(link).fragment:
                    assert unquote(urlsplit(link).fragment) in ids[path], f"{name}: {link}"
    assert count > 20


def test_the_epub_has_chapters_and_pages(epub: dict[str, bytes]) -> None:
    nav = next(tree for name, tree in pages(epub).items() if name.endswith("nav.xhtml"))
    top = nav.find(f".//{XHTML}ol")
    assert top is not None
    listed = [
        (item.findtext(f"{XHTML}a"), [link.text for link in item.findall(f"{XHTML}ol/{XHTML}li/{XHTML}a")])
        for item in top
    ]
    assert listed == [
        ("Introduction", []),
        ("1  First", ["One, the First", "Two"]),
        ("2  Second", ["Three"]),
        ("Appendix", []),
    ]


def test_the_epub_keeps_code_and_drawings(epub: dict[str, bytes]) -> None:
    page = epub["EPUB/first.one.xhtml"].decode()
    tree = ElementTree.fromstring(page)
    numbers = [element.text for element in tree.iter(f"{XHTML}span") if element.get("class") == "mw-n"]
    assert numbers == ["1", "4", "5", "6", "7", "8", "9", "1", "2"], "written out, since plain readers make none"
    assert 'viewBox="0 0 720 100"' in page
    assert 'refX="7"' in page
    assert "Show 2 lines" not in page, "a book has nothing to unfold"
    assert LONG.strip().rpartition(" ")[2] in "".join(tree.itertext())
    style = epub["EPUB/style.css"].decode()
    assert "var(" not in style, "plain readers know no variables"
    assert ".mw-svg .d-arrow,.mw-svg .d-line{fill:none;stroke:#123456}" in style, "nor :is()"
    assert ".mw-svg .dotted{fill:#123456}" in style, "a pattern of the template is in no page of the EPUB"
    assert 'properties="svg"' in epub["EPUB/content.opf"].decode()
    assert any(name.endswith(".png") for name in epub)


def test_the_epub_has_colors_whatever_the_site_sets() -> None:
    """As the documents have it, a site sets some for ``body``; what it does not set has a value all the same."""
    own = (
        "body{--mw-hot:#a4001d;--mw-own:#123}\nbody[data-md-color-scheme=slate]{--mw-hot:#ff9d8a}\n"
        "@media (prefers-color-scheme:dark){body{--mw-hot:#fff}}\ntbody{--mw-hot:#000}\n"
        ".mw-svg .d-a{fill:var(--mw-own);stroke:var(--mw-unknown)}\n"
    )
    for styles, hot in (([], "#9e3414"), ([own], "#a4001d")):
        style = stylesheet(Volume("Book", styles=styles))
        assert "var(" not in style
        assert re.findall("[a-z-]+:inherit", style) == ["color:inherit"], "of links alone"
        assert f".mw-ctl{{padding:0 .1em;border:1px solid;background:{hot};color:#fff}}" in style
        assert re.search(r"\.mw-hl\{background:#[0-9a-f]{6};color:#[0-9a-f]{6}\}", style)
        assert re.search(r"\.mw-gap\{[^{}]*border-top:1px dashed #[0-9a-f]{6};", style)
        assert (".mw-svg .d-a{fill:#123;}" in style) == bool(styles)


@pytest.mark.parametrize(
    ("told", "language", "direction"),
    [(None, "he", "rtl"), (None, "fa_IR", "rtl"), ("ltr", "ar", "ltr"), ("rtl", "en", "rtl"), (None, "de", "ltr")],
)
def test_a_book_runs_as_its_language_does_and_quoted_code_from_the_left(
    tmp_path: Path, told: str | None, language: str, direction: str
) -> None:
    assert direction_of(told, language) == direction
    code = '<div dir="rtl"><pre class="mw-pre" dir="ltr"><code>a = 1;</code></pre></div>'
    volume = Volume("Book", language=language, leaves=[Leaf("a.md", "a/", "A", code)], direction=direction)
    write_epub(volume, tmp_path / "book.epub")
    with zipfile.ZipFile(tmp_path / "book.epub") as made:
        page, spine = made.read("EPUB/a.xhtml").decode(), made.read("EPUB/content.opf").decode()
    assert f'xml:lang="{language}" dir="{direction}"' in page
    assert 'dir="ltr"><code>' in page
    assert ('page-progression-direction="rtl"' in spine) == (direction == "rtl")
    assert f'<html lang="{language}" dir="{direction}">' in printable(volume)
    assert re.search(r"\npre\{[^{}]*direction:ltr;text-align:left;unicode-bidi:isolate;", stylesheet(volume))


@pytest.mark.skipif(not EPUBCHECK or not shutil.which("java"), reason="epubcheck is not here")
def test_epubcheck(folder: Path) -> None:
    done = subprocess.run(
        ["java", "-jar", EPUBCHECK, folder / "small.epub"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 errors / 0 warnings" in done.stdout


# Markdown


def test_the_twin_of_a_callout_names_what_its_readers_know() -> None:
    html = (
        '<aside class="mw-callout mw-v-none"><p class="mw-callout-head"><span class="mw-callout-label">PyTorch</span> '
        '<span class="mw-callout-term">vmap</span> <span class="mw-verdict">Transfers</span></p></aside>'
    )
    soup = BeautifulSoup(html, "html.parser")
    simplify(soup)
    assert soup.get_text() == "PyTorch: vmap (Transfers)"


def test_the_twin_of_a_page(folder: Path, small: Site) -> None:
    twin = (folder / "first/one/index.md").read_text(encoding="utf-8")
    commit = small.commits["acme/kernels"]
    url = f"https://github.com/acme/kernels/blob/{commit}/add.metal"
    assert twin.startswith("# One\n\nAdds two arrays.\n\n> **CUDA: Kernel (Transfers, other numbers)**\n")
    assert (
        f"[add.metal, line 1]({url}#L1) of acme/kernels at {commit[:7]}, MIT:\n\n```metal quoted\n{LINES[0]}\n```"
        in twin
    )
    block = "\n".join(LINES[3:9])
    assert (
        f"[add.metal, lines 4–9]({url}#L4-L9) of acme/kernels at {commit[:7]}, MIT:\n\n```metal quoted\n{block}\n```"
        in twin
    )
    assert "- L8: One element a thread." in twin
    assert (
        f"A claim (acme/kernels at {commit[:7]}, [`add.metal`]({url}), [L1–2]({url}#L1-L2) (checked)) and another"
        in twin
    )
    assert "another ([A Paper](https://example.org/paper) (M1)).(Said in passing)" in twin.replace(" (Said", "(Said")
    assert "*Drawing.* An arrow. It points to the right." in twin
    assert "[two](../two/index.md#deep)" in twin
    assert "[how it is made](https://example.org/small/about/)" in twin, "what has no twin is on the site"
    for left in ("mw-", "<figure", "<svg", "fn:", "¶"):
        assert left not in twin


def test_llms_txt(folder: Path) -> None:
    index = (folder / "llms.txt").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", index, re.MULTILINE) == ["Small Book", "First", "Second", "All in one"]
    assert index.endswith("\n## All in one\n\n- [llms-full.txt](llms-full.txt): every page\n")
    assert "- [One, the First](first/one/index.md): Adds two arrays." in index
    assert index.index("first/index.md") < index.index("first/one/index.md") < index.index("first/two/index.md")
    assert "about" not in index
    full = (folder / "llms-full.txt").read_text(encoding="utf-8")
    assert full.count("out[i] = a[i] + b[i];") == 1
    assert "# Appendix" in full
    assert "See two, the appendix and [how it is made](https://example.org/small/about/)" in full, "one file, no links"
    (number, home) = re.findall(r"^([0-9]+)\. \S*add\.metal in \\\[([0-9]+)\\\]$", full, re.MULTILINE)[0]
    assert len(re.findall(rf"^{home}\. acme/kernels at [0-9a-f]{{7}} https://\S+$", full, re.MULTILINE)) == 1
    captions = rf"^add\.metal \\\[{number}\\\], lines? ([0-9\u2013]+)(.*):$"
    assert re.findall(captions, full, re.MULTILINE) == [("1", ", MIT"), ("4\u20139", "")], "terms are told once"
    assert full.count("out[i] = a[i] + b[i];") == 1


def test_llms_txt_names_the_terms_and_they_are_there(small: Site, tmp_path: Path) -> None:
    site = Site(tmp_path, pins=small.pins, commits=small.commits)
    for name in ("docs", "store"):
        shutil.copytree(small.root / name, tmp_path / name)
    for name in ("sources.yml", "sources.lock"):
        shutil.copy(small.root / name, tmp_path / name)
    text = (
        (small.root / "mkdocs.yml")
        .read_text(encoding="utf-8")
        .replace("  custom_dir: overrides\n", "")
        .replace("{store: store,", "{store: store, mapping: m.yml,")
    )
    (tmp_path / "mkdocs.yml").write_text(re.sub(r"forms: \[.*\]", "forms: [markdown]", text), encoding="utf-8")
    rows = "- {cuda: warp, metal: simdgroup, verdict: transfers, page: first/one, source: paper}\n"
    (tmp_path / "m.yml").write_text(rows, encoding="utf-8")
    site.page("terms.md", "# Terms\n\n<!-- mapping-table -->\n")
    done = site.build()
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "build/book"
    index = (folder / "llms.txt").read_text(encoding="utf-8")
    links = re.findall(r"^- \[(.*?)\]\((.*?)\): (.*)$", index.partition("\n## Data\n")[2], re.MULTILINE)
    assert links == [
        ("terms.json", "assets/metalworking/terms.json", "every term with its verdict, code, sources and pages"),
        ("terms.schema.json", "assets/metalworking/terms.schema.json", "its JSON Schema"),
    ]
    document, schema = (json.loads((folder / link).read_text(encoding="utf-8")) for _, link, _ in links)
    jsonschema.validate(document, schema)
    assert [(term["name"], term["page"]) for term in document["terms"]] == [("warp", "first/one/")]


LANGUAGES = """\
  - i18n:
      docs_structure: suffix
      languages: [{locale: en, name: EN, default: true}, {locale: ar, name: AR}, {locale: fr, name: FR}]
"""


@pytest.mark.parametrize("last", [False, True])
def test_each_language_of_a_site_has_a_book_and_cards(apart: Site, last: bool) -> None:
    """The plugin i18n builds the others from within the end of the first build, wherever it is listed."""
    pytest.importorskip("mkdocs_static_i18n")
    makes(apart, "html, epub, markdown")
    text = (apart.root / "mkdocs.yml").read_text(encoding="utf-8").partition("nav:\n")[0]
    cards = "  - metalworking-cards\n"
    before, ours, behind = text.partition("  - metalworking:")
    more = ("", LANGUAGES + cards) if last else (LANGUAGES, cards)
    text = before + more[0] + ours + behind.replace("markdown_ext", f"{more[1]}markdown_ext")
    (apart.root / "mkdocs.yml").write_text(text.replace("  custom_dir: overrides\n", ""), encoding="utf-8")
    shutil.rmtree(apart.root / "docs/first")
    for name in ("second/three.md", "appendix.md", "about/index.md"):
        (apart.root / "docs" / name).unlink()
    excerpt = "<< excerpt {k}:add.metal#LN >>\n"
    apart.page("index.md", "# Home of all\n\n" + excerpt.replace("N", "1"))
    apart.page("index.fr.md", "# Maison\n\n" + excerpt.replace("N", "2"))
    apart.page("only.md", "# In English\n\n" + excerpt.replace("N", "4"))
    book = apart.root / "build/book"
    for _ in range(1 if last else 2):  # the second over what the first left
        done = apart.build()
        assert done.returncode == 0, done.stderr
    twins = {path.relative_to(book).as_posix() for path in book.rglob("*.md")}
    assert twins == {f"{where}{page}index.md" for where in ("", "ar/", "fr/") for page in ("", "only/")}
    lists = [f"llms{part}{of}.txt" for part in ("", "-full") for of in ("", ".ar", ".fr")]
    assert {path.name for path in book.glob("*.txt")} == set(lists)
    first = (book / "llms.txt").read_text(encoding="utf-8")
    assert re.findall(r"\]\((.*?)\)", first) == [
        *("index.md", "only/index.md", "llms-full.txt", "llms.ar.txt", "llms.fr.txt")
    ]
    assert "## In other languages\n\n- [ar](llms.ar.txt)\n- [fr](llms.fr.txt)\n" in first
    assert re.findall(r"\]\((.*?)\)", (book / "llms.fr.txt").read_text(encoding="utf-8")) == [
        *("fr/index.md", "fr/only/index.md", "llms-full.fr.txt")
    ]
    for tag, line in (("", 1), ("ar", 1), ("fr", 2)):
        ending = f".{tag}" if tag else ""
        html = (book / f"small{ending}.html").read_text(encoding="utf-8")
        assert f'<html lang="{tag or "en"}"' in html
        assert re.findall(r'data-n="(\d)"', html) == [str(line), "4"]
        assert LINES[line - 1] in (book / tag / "index.md").read_text(encoding="utf-8")
        with zipfile.ZipFile(book / f"small{ending}.epub") as made:
            assert f"<dc:language>{tag or 'en'}<" in made.read("EPUB/content.opf").decode()
    assert len(list((apart.root / "site/assets/cards").iterdir())) == 6, "a page in two languages is two pages"


# What is missing is said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (f"  - metalworking: {{store: store, offline: true, {ASK}}}\n", "", "list the plugin metalworking too"),
    ],
)
def test_what_the_plugin_needs(small: Site, tmp_path: Path, old: str, new: str, said: str) -> None:
    text = (small.root / "mkdocs.yml").read_text(encoding="utf-8").replace("  custom_dir: overrides\n", "")
    assert old in text
    (tmp_path / "mkdocs.yml").write_text(text.replace(old, new), encoding="utf-8")
    shutil.copytree(small.root / "docs", tmp_path / "docs")
    done = Site(tmp_path).build()
    assert done.returncode == 1
    assert said in done.stdout + done.stderr


@pytest.fixture
def apart(small: Site, tmp_path: Path) -> Site:
    """The same site in a repository of its own, of which no book is made yet."""
    root = tmp_path / "root"
    shutil.copytree(small.root, root, ignore=shutil.ignore_patterns("build", "site", "code"))
    site = Site(root, pins=small.pins, commits=small.commits)
    site.config("build/book-site", "site")
    git(root, "init", "-q")
    return site


def makes(site: Site, forms: str) -> None:
    path = site.root / "mkdocs.yml"
    path.write_text(re.sub(r"forms: \[.*\]", f"forms: [{forms}]", path.read_text("utf-8")), encoding="utf-8")


@pytest.mark.parametrize("form", ["html", "epub", "markdown"])
@pytest.mark.parametrize("at", ["build/book", "build", "build/book/FILE"])
def test_no_book_is_written_through_a_link_that_a_branch_brought(
    apart: Site, tmp_path: Path, form: str, at: str
) -> None:
    """It leads to files of ours under the very names that books have; within the repository, to a page."""
    away = tmp_path / "away"
    names = ["llms.txt", "llms-full-7.txt", "small.html", "small.epub", "index.md", "book/llms-full-7.txt"]
    for name in names:
        (away / name).parent.mkdir(parents=True, exist_ok=True)
        (away / name).write_text("theirs\n", encoding="utf-8")
    name = at.replace("FILE", "first/one/index.md" if form == "markdown" else f"small.{form}")
    link = apart.root / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(away if name == at else apart.root / "docs/index.md")
    makes(apart, form)
    git(apart.root, "add", "-f", name)
    pages = {path: path.read_bytes() for path in (apart.root / "docs").rglob("*.md")}
    done = apart.build()
    assert done.returncode == 1
    assert "metalworking-book: " in done.stderr
    assert f"{name} is a link of the repository" in done.stderr
    assert {path.relative_to(away).as_posix() for path in away.rglob("*.*")} == set(names)
    assert {(away / name).read_text("utf-8") for name in names} == {"theirs\n"}
    assert {path: path.read_bytes() for path in pages} == pages


def test_a_book_is_written_through_a_link_of_one_s_own(apart: Site, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "llms-full-7.txt").write_text("of a longer book\n", encoding="utf-8")
    (apart.root / "build").mkdir()
    (apart.root / "build/book").symlink_to(away)
    makes(apart, "html, markdown")
    done = apart.build()
    assert done.returncode == 0, done.stderr
    assert {path.name for path in away.iterdir() if path.suffix in (".html", ".txt")} == {
        *("small.html", "llms.txt", "llms-full.txt")
    }
