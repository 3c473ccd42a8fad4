"""Every form of a book is an output: what an author committed, named or wrote stays where it belongs in each of them.

One corpus of lines, names, titles and front matter goes through all forms; each is read by a parser of that form.
"""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt

from mkdocs_metalworking.markdown.visible import named
from tests.builds.conftest import Site
from tests.conftest import CHROMIUM
from tests.support import ASK

LINES = [
    "```",
    "# a heading",
    "a return\r<script>alert(6)</script>\r# behind it\r[click](javascript:alert(7))",
    "<script>alert(1)</script>",
    "</code></pre></figure><script>alert(2)</script>",
    "`````",
    "~~~",
    "[click](javascript:alert(3)) ![x](y)",
    "]]> <!-- a comment --> &lt;b&gt; &#42; &amp;",
    "{{ 7 * 7 }} {% raw %} << excerpt a/b@1234567:c >>",
    "\t| a | b |",
    "---",
    "",
    "- L1: no note",
    "*/ \" ' \\ $x^2$ :smile: [@key] [^1] ==m== ^^i^^",
    "not in XML: \x0c \x1b \ufffe \uffff; in no font: \ufdd0 \U0001ffff",
]
NAME = "src/a b & [x](y) `z` *q* <i>.metal"
WORDS = 'W </style><img src=x onerror=alert(1)> & "q" `c` *b* _u_ [l](javascript:1) | ~~s~~ </title></script> &lt; # 1.'
EVIL = re.compile(r"^(script|img|iframe|object|i)$")
MKDOCS = """\
site_name: "Hostile \\x0c \\uffff"
theme: {name: material, font: false}
plugins:
  - search
  - metalworking: {store: store, offline: true, ASK}
  - metalworking-book: {forms: [FORMS], name: hostile}
markdown_extensions: [attr_list, md_in_html, footnotes, tables]
nav:
  - index.md
  - Part:
      - WORDS: part/one.md
      - part/two.md
      - nav.md
      - cover.md
      - part.two.md
      - chapter-1.md
      - style.md
  - Sources: sources.md
""".replace("ASK}", f"{ASK}}}")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = Site(tmp_path_factory.mktemp("hostile"))
    site.add_repo("acme/kernels", {NAME: "\n".join(LINES) + "\n", "LICENSE": "MIT\n"})
    words = json.dumps(WORDS)
    site.references = f"references:\n  - {{key: work, title: {words}, author: {words}, url: 'https://example.org/w'}}\n"
    site.write([("acme/kernels", NAME)])
    forms = "html, epub, markdown" + (", pdf" if CHROMIUM else "")
    text = MKDOCS.replace("FORMS", forms).replace("WORDS", words)
    (site.root / "mkdocs.yml").write_text(text, encoding="utf-8")
    quoted = json.dumps(NAME)
    title = WORDS.replace('"', '\\"')
    front = f"---\nsummary: {words}\ncuda: {{term: {words}, verdict: resized, apis: [{words}]}}\n---\n\n"
    one = f'{front}# One\n\n<< excerpt {{k}}:{quoted}#L1-{len(LINES)} title="{title}" >>\n- L1: A note.\n\nText.\n\n'
    one += f"- In a list:\n\n    << excerpt {{k}}:{quoted}#L1-3,L5-8 >>\n\n"
    one += f"> << excerpt {{k}}:{quoted}#L1-5 >>\n\nSaid [@work, {WORDS.replace('[', '(').replace(']', ')')}].\n"
    site.page("index.md", "# Home\n")
    site.page("part/one.md", one)
    site.page("part/two.md", '---\ntitle: "Two \\x0c \\uffff"\n---\n\nSee [one](one.md). \x0c \uffff\n')
    site.page("style.md", "# S &lt;/style&gt;&lt;img src=x onerror=alert(1)&gt;&lt;script&gt;alert(5)&lt;/script&gt;\n")
    for name in TWICE:
        site.page(f"{name}.md", f"# {name}\n\nThe page {name} says so&#33;[One](part/one.md) ~a~\n")
    site.page("sources.md", "# Sources\n\n<!-- sources -->\n\n<!-- az-index -->\n")
    done = site.build("--strict")
    assert done.returncode == 0, done.stderr
    return site


RANGES = [LINES, [*LINES[:3], *LINES[4:8]], LINES[:5]]


def clean(soup: BeautifulSoup) -> None:
    """Assert that no element of *soup* came out of the corpus."""
    for element in soup.find_all(EVIL):
        assert element.get("src") not in ("x", "y"), element
        assert "alert" not in element.get_text(), element
        assert element.name != "i" or element.get("class"), element
    assert not soup.find_all(href=re.compile("^javascript:"))
    assert not soup.find_all(onerror=True)


def code(soup: BeautifulSoup, pre: str = "figure.mw-excerpt") -> list[list[str]]:
    found = []
    for figure in soup.select(pre):
        lines = []
        for line in figure.select(".mw-l"):
            for mark in line.select(".mw-ctl"):
                mark.replace_with(chr(int(str(mark["data-cp"]), 16)))
            for number in line.select(".mw-n"):
                number.decompose()
            lines.append(line.get_text().removesuffix("\n"))
        found.append(lines)
    return found


TWICE = ("nav", "cover", "part.two", "chapter-1")
"""Pages whose names something else in a book has."""


def test_each_page_is_in_the_epub_once(hostile: Site) -> None:
    with zipfile.ZipFile(hostile.root / "build/book/hostile.epub") as archive:
        names = archive.namelist()
        assert len(names) == len(set(names))
        package = archive.read("EPUB/content.opf").decode()
        pages = {name: archive.read(name).decode() for name in names if name.endswith(".xhtml")}
    found = re.findall(r'<itemref idref="([^"]*)"', package)
    assert len(found) == len(set(found)) == len(pages)
    for page in TWICE:
        assert [name for name, text in pages.items() if f"The page {page} says so" in text] != []
    assert 'epub:type="toc"' in pages["EPUB/nav.xhtml"]
    assert "bk-cover" in pages["EPUB/cover.xhtml"]


def test_each_page_is_a_place_of_the_one_page(hostile: Site) -> None:
    soup = BeautifulSoup((hostile.root / "build/book/hostile.html").read_text(encoding="utf-8"), "html.parser")
    ids = [str(element["id"]) for element in soup.find_all(id=True)]
    assert len(ids) == len(set(ids))
    for page in TWICE:
        (section,) = (one for one in soup("section") if f"The page {page} says so" in one.get_text())
        (link,) = (one for one in soup.select(".bk-toc a") if one.get_text().strip() == page)
        assert link["href"] == f"#{section['id']}"


def test_pages_of_the_site(hostile: Site) -> None:
    for name in ("index.html", "part/one/index.html", "part/two/index.html", "sources/index.html"):
        soup = BeautifulSoup(hostile.html(name), "html.parser")
        for script in soup("script"):
            assert script.get("src") or "alert(" not in script.get_text()
        clean(BeautifulSoup(str(soup.article), "html.parser"))
    soup = BeautifulSoup(hostile.html("part/one/index.html"), "html.parser")
    assert code(soup) == RANGES
    assert soup.select_one(".mw-title").get_text() == WORDS  # type: ignore[union-attr]
    assert soup.select_one(".mw-callout-term").get_text() == WORDS  # type: ignore[union-attr]
    assert soup.select_one(".mw-summary").get_text() == WORDS  # type: ignore[union-attr]


def test_the_search_and_the_lookup(hostile: Site) -> None:
    index = json.loads((hostile.root / "site/search/search_index.json").read_text(encoding="utf-8"))
    for doc in index["docs"]:
        clean(BeautifulSoup(doc["text"], "html.parser"))
    lookup = json.loads((hostile.root / "site/assets/metalworking/lookup.json").read_text(encoding="utf-8"))
    assert lookup["pages"]["part/one/"][1:] == [WORDS, WORDS, "resized"]
    assert WORDS in [term[0] for term in lookup["terms"]]


def test_one_page(hostile: Site) -> None:
    soup = BeautifulSoup((hostile.root / "build/book/hostile.html").read_text(encoding="utf-8"), "html.parser")
    assert not soup("script")
    clean(soup)
    assert code(soup) == RANGES


def test_the_epub(hostile: Site) -> None:
    with zipfile.ZipFile(hostile.root / "build/book/hostile.epub") as archive:
        pages = {name: archive.read(name) for name in archive.namelist() if name.endswith((".xhtml", ".opf", ".ncx"))}
    for data in pages.values():
        ElementTree.fromstring(data)
        assert not [e for e in ElementTree.fromstring(data).iter() if str(e.tag).endswith("}script")]
    soup = BeautifulSoup(pages["EPUB/part.one.xhtml"].decode(), "html.parser")
    clean(soup)
    assert code(soup) == RANGES


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_the_pdf(hostile: Site) -> None:
    import pikepdf

    with pikepdf.open(hostile.root / "build/book/hostile.pdf") as pdf:
        assert "/JavaScript" not in pdf.Root.get("/Names", {})
        for page in pdf.pages:
            for link in page.get("/Annots", []):
                assert not str(link.get("/A", {}).get("/URI", "")).startswith("javascript:")


def test_what_only_stands_beside_a_mark_is_text(hostile: Site) -> None:
    text = (hostile.root / "build/book/nav/index.md").read_text(encoding="utf-8")
    (paragraph,) = (t for t in MarkdownIt("gfm-like", {"linkify": False}).parse(text) if "says so" in t.content)
    assert [c.type for c in paragraph.children or ()] == ["text", "link_open", "text", "link_close", "text"]
    assert paragraph.children[0].content == "The page nav says so!"  # type: ignore[index]


@pytest.mark.parametrize("name", ["part/one/index.md", "sources/index.md", "llms.txt", "llms-full.txt"])
def test_markdown(hostile: Site, name: str) -> None:
    text = (hostile.root / "build/book" / name).read_text(encoding="utf-8")
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    raw = [t.content for t in (*tokens, *inline) if t.type in ("html_block", "html_inline")]
    assert [one for one in raw if not re.fullmatch(r"<!-- [\w./-]+ -->\n?", one)] == []
    assert not [t for t in inline if t.type == "image"]
    assert not [t for t in inline if t.type == "link_open" and "javascript" in str(t.attrs.get("href"))]
    fences = [t.content.removesuffix("\n").split("\n") for t in tokens if t.type == "fence"]
    if name == "part/one/index.md" or name == "llms-full.txt":
        lines = [named(line) for line in LINES]  # a return would end a line of Markdown, whatever it stands in
        assert fences == [lines, lines[:3], lines[4:8], lines[:5]]
        texts = [
            "".join(c.content for c in t.children or () if c.type in ("text", "code_inline"))
            for t in tokens
            if t.type == "inline"
        ]
        assert WORDS in texts, "the title of an excerpt, and the summary"
    if name == "llms.txt":
        links = [c.content for t in tokens for c in t.children or () if c.type == "text"]
        assert any(WORDS in "".join(c.content for c in t.children or ()) for t in tokens if t.type == "inline"), links


def test_what_a_terminal_shows(hostile: Site) -> None:
    for command in (("list",), ("list", "--json"), ("stats",), ("check",)):
        done = hostile.run("mkdocs_metalworking", *command)
        assert done.returncode == 0, done.stdout
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", done.stdout + done.stderr)
    rows = json.loads(hostile.run("mkdocs_metalworking", "list", "--json").stdout)
    assert {row["path"] for row in rows} == {NAME}


def test_the_stage(hostile: Site, tmp_path: Path) -> None:
    done = hostile.run("mkdocs_metalworking", "stage", str(tmp_path / "out"))
    assert done.returncode == 0, done.stdout + done.stderr
    two = (tmp_path / "out/docs/part/two.md").read_text(encoding="utf-8")
    clean(BeautifulSoup(two, "html.parser"))
    (tmp_path / "away").mkdir()
    (tmp_path / "away/kept.txt").write_text("kept\n", encoding="utf-8")
    import shutil

    shutil.rmtree(tmp_path / "out/docs")
    (tmp_path / "out/docs").symlink_to(tmp_path / "away")
    again = hostile.run("mkdocs_metalworking", "stage", str(tmp_path / "out"))
    assert again.returncode == 1
    assert "is a link (remove it, or name an empty folder)" in again.stdout
    assert [path.name for path in (tmp_path / "away").iterdir()] == ["kept.txt"]
