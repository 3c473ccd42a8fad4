"""What HTML takes and a book does not: names and characters of XML, odd addresses, names of files in any script."""

from __future__ import annotations

import re
import zipfile
from posixpath import dirname, join, normpath
from urllib.parse import unquote

import pytest
from bs4 import BeautifulSoup, Tag

from mkdocs_metalworking.hosts.forms.volume import Leaf
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from tests.book.conftest import PIXEL
from tests.builds.conftest import Site
from tests.conftest import CHROMIUM

leaves = pytest.importorskip("mkdocs_metalworking.hosts.forms.leaves")
etree = pytest.importorskip("lxml.etree")
names = pytest.importorskip("mkdocs_metalworking.hosts.forms.names")
pdf = pytest.importorskip("mkdocs_metalworking.hosts.forms.pdf")

MKDOCS = """\
site_name: Odd
site_url: https://odd.example/book/
theme: {name: material, font: false}
plugins:
  - metalworking: {store: store, offline: true}
  - metalworking-book: {forms: [FORMS], name: odd}
markdown_extensions: [attr_list, md_in_html]
nav: [index.md, NAMES, odd.md, nav/out.md]
"""
NAMES = ["plain.md", "grün.md", "a b.md", "100%.md", "c#.md", "Cover.md", "NAV.md"]
SPELLED = {"a b.md": "a%20b.md", "100%.md": "100%25.md", "c#.md": "c%23.md"}
PICTURES = {"one.png": "one.png", "my two.png": "<my two.png>", "drü.png": "drü.png", "x.p ng": "<x.p ng>"}
ODD = {
    "xlink": '<svg viewBox="0 0 9 9"><defs><g id="a"><path d="M0 0"/></g></defs><use xlink:href="#a"/></svg>',
    "declared": '<svg xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:i="urn:i"><sodipodi:view a:b="1">zoom'
    '</sodipodi:view><use xlink:href="#a"/><linearGradient gradientUnits="x"/>'
    '<foreignObject><div xmlns="http://www.w3.org/1999/xhtml">in a drawing <o:p>word</o:p></div></foreignObject></svg>',
    "prolog": '<?xml version="1.0"?><svg-icon>an icon</svg-icon> <?php 1 ?> behind it',
    "scripts": '<div @click="x" :class="y" x-on:click="z" {{ raw }} a"b=c é=1>hello</div>',
    "office": "<o:p>pasted</o:p> <fb:like>liked</fb:like> <a{b}>braces</a{b}> <my-el>own</my-el>",
    "spaces": '<p xmlns="http://www.w3.org/2000/xmlns/" xmlns:v="urn:v" xml:lang="de" v:a="1">Satz</p>',
    "formula": '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>formula</mi></math>',
    "around": "<p>within</p></body></html><p>outside</p> <body class=x><p>again</p>",
    "commented": "<!-- c -->\x0cunseen, <!-- d --> &#1;seen",
    "controls": '<p title="a&#12;b" id="c&#1;d">controls</p>',
    "addresses": '<a href="http://[x">out</a> <img src="http://[x"> <a href="//host.example/y">host</a>',
    "fragments": '<a href="../#%01">one</a> <a href="../#%00%EF%BF%BE">none</a> <a href="./http://[x">path</a>',
}
"""What a page has, by a name; none of it may take a page out of a form."""
WORDS = (
    "drawing word, icon, behind, hello, pasted, liked, braces, own, outside, "
    "again, unseen, seen, Satz, formula, controls, out, host, none"
)
FORMS = ("html", "epub", "markdown", *(("pdf",) if CHROMIUM else ()))


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = Site(tmp_path_factory.mktemp("odd"))
    site.add_repo("acme/kernels", {"a.metal": "one\n", "LICENSE": "MIT\n"})
    site.write([("acme/kernels", "a.metal")])
    text = MKDOCS.replace("FORMS", ", ".join(FORMS)).replace("NAMES", ", ".join(f'"{name}"' for name in NAMES))
    (site.root / "mkdocs.yml").write_text(text, encoding="utf-8")
    links = " ".join(f"[to {name}]({SPELLED.get(name, name)}#part)" for name in NAMES)
    pictures = " ".join(f"![{name}]({spelled})" for name, spelled in PICTURES.items())
    site.page("index.md", f"# Home\n\n{links} [away](aside.md?q=1#part)\n\n{pictures}\n")
    for name in [*NAMES, "aside.md"]:
        site.page(name, f"# {name}\n\nThe page {name}.\n\n## Part\n\n[home](index.md)\n")
    site.page("odd.md", "# Odd\n\n" + "\n\n".join(ODD.values()) + "\n")
    site.page("nav/out.md", "# Out\n\nlast\n")
    for number, name in enumerate(PICTURES):
        (site.root / "docs" / name).write_bytes(PIXEL + bytes([number]))
    done = site.build()
    assert done.returncode == 0, done.stderr
    return site


@pytest.fixture(scope="module")
def epub(odd: Site) -> dict[str, bytes]:
    with zipfile.ZipFile(odd.root / "build/book/odd.epub") as file:
        return {name: file.read(name) for name in file.namelist()}


def test_every_page_of_the_epub_is_xml(epub: dict[str, bytes]) -> None:
    pages = {name: etree.fromstring(data) for name, data in epub.items() if name.endswith(".xhtml")}
    assert len(pages) == len(NAMES) + 5
    page = pages["EPUB/odd.xhtml"]
    words = " ".join("".join(page.itertext()).split())
    assert [word for word in WORDS.split(", ") if word not in words] == []
    assert "zoom" not in words, "which no browser draws either"
    svg, html, math = (
        "{http://www.w3.org/2000/svg}",
        "{http://www.w3.org/1999/xhtml}",
        "{http://www.w3.org/1998/Math/MathML}",
    )
    assert [use.get("href") for use in page.iter(f"{svg}use")] == ["#a", "#a"]
    assert [one.tag for one in page.iter(f"{svg}foreignObject") for one in one] == [f"{html}div"]
    assert next(page.iter(f"{svg}linearGradient")).get("gradientUnits") == "x"
    assert len(list(page.iter(f"{math}mi"))) == 1
    assert 'properties="svg mathml"' in epub["EPUB/content.opf"].decode()


def test_no_word_is_lost_behind_what_stands_around_a_page(odd: Site) -> None:
    """Browsers read on behind the end of a body."""
    soup = BeautifulSoup((odd.root / "build/book/odd.html").read_text("utf-8"), "html.parser")
    words = " ".join(soup.find(id="odd").get_text().split())  # type: ignore[union-attr]
    assert [word for word in WORDS.split(", ") if word not in words] == []
    twin = (odd.root / "build/book/odd/index.md").read_text("utf-8")
    assert [word for word in WORDS.split(", ") if word not in twin] == ["drawing word"], "of a drawing its title"


@pytest.mark.parametrize(
    "text", ["<x </body> end", "<!-- </body> --> end", "a</body>end", "\x0c<!DOCTYPE x>end", "&#1;end"]
)
def test_a_page_of_any_text_is_a_tree(text: str) -> None:
    tree = leaves.tree(Leaf("a.md", "a/", "A", f"{text}</html>"))
    assert tree.text_content().replace("\ufffd", "").split() in (["end"], ["aend"])
    assert [one.tag for one in tree.iter()] in (["div"], ["div", "x"])


def test_what_is_no_xml_all_the_same_is_an_error_with_its_page() -> None:
    names.refuse_no_xml(b"<p>\xc3\xa4</p>", "a.md")
    for text in (b"<p a:b='1'/>", b"<p>", b"<p>\x01</p>", b"<p>&nbsp;</p>"):
        with pytest.raises(MetalworkingError, match=r"b/a\.md makes no page of an EPUB: \w+"):
            names.refuse_no_xml(text, "b/a.md")


def test_no_two_files_of_the_epub_differ_by_case_alone(epub: dict[str, bytes]) -> None:
    assert len({name.casefold() for name in epub}) == len(epub)
    for name in NAMES:
        assert [one for one, data in epub.items() if f"The page {name}." in data.decode("utf-8", "replace")] != []


def _links(tree: BeautifulSoup) -> dict[str, str]:
    return {link.get_text(): str(link.get("href")) for link in tree("a") if link.get_text().startswith(("to ", "away"))}


def test_links_lead_to_pages_of_any_name(odd: Site, epub: dict[str, bytes]) -> None:
    folder = odd.root / "build/book"
    links = _links(BeautifulSoup(epub["EPUB/index.xhtml"], "html.parser"))
    assert links.pop("away") == "https://odd.example/book/aside/?q=1#part"
    for text, link in links.items():
        place, _, part = link.partition("#")
        page = epub[f"EPUB/{unquote(place)}"].decode()
        assert f"The page {text.removeprefix('to ')}." in page
        assert f'id="{part}"' in page
    assert len(links) == len(NAMES)
    soup = BeautifulSoup((folder / "odd.html").read_text("utf-8"), "html.parser")
    links = _links(soup)
    assert links.pop("away") == "https://odd.example/book/aside/?q=1#part"
    for text, link in links.items():
        heading = soup.find(id=unquote(link[1:]))
        assert isinstance(heading, Tag)
        assert f"The page {text.removeprefix('to ')}." in heading.parent.get_text()  # type: ignore[union-attr]
    assert len(links) == len(NAMES)


@pytest.mark.parametrize("name", ["index.md", "llms.txt"])
def test_links_lead_to_twins_of_any_name(odd: Site, name: str) -> None:
    folder = odd.root / "build/book"
    text = (folder / name).read_text("utf-8")
    found = re.findall(r"\[([^\]]*)\]\(([^)]*)\)", text)
    known = {
        path.read_text("utf-8").split("\n")[0].removeprefix("# ").replace("\\", ""): path
        for path in folder.rglob("*.md")
    }
    count = 0
    for words, link in found:
        title = words.removeprefix("to ").replace("\\", "")
        if title in NAMES:
            count += 1
            assert folder / normpath(join(dirname(name), unquote(link.partition("#")[0]))) == known[title], link
    assert count == len(NAMES)
    assert name == "llms.txt" or "[away](https://odd.example/book/aside/?q=1#part)" in text


def test_pictures_of_any_name_come_along(odd: Site, epub: dict[str, bytes]) -> None:
    sources = {
        str(image["alt"]): str(image["src"]) for image in BeautifulSoup(epub["EPUB/index.xhtml"], "html.parser")("img")
    }
    assert {epub[f"EPUB/{sources[name]}"] for name in PICTURES} == {PIXEL + bytes([n]) for n in range(len(PICTURES))}
    assert all(re.fullmatch(r"images/[\w.]+", source) for source in sources.values())
    soup = BeautifulSoup((odd.root / "build/book/odd.html").read_text("utf-8"), "html.parser")
    found = [str(image["src"])[:5] for image in soup("img") if image.get("alt") in PICTURES]
    assert found == ["data:"] * len(PICTURES)


def test_an_address_that_is_none_stays_as_it_was_written(odd: Site, epub: dict[str, bytes]) -> None:
    for page in (epub["EPUB/odd.xhtml"].decode(), (odd.root / "build/book/odd.html").read_text("utf-8")):
        soup = BeautifulSoup(page, "html.parser")
        links = {link.get_text(): str(link.get("href")) for link in soup("a")}
        assert (links["out"], links["host"]) == ("http://[x", "//host.example/y")
        assert links["path"] == "https://odd.example/book/odd/http:/[x"
        assert links["one"].endswith("%01")
        assert links["none"].endswith("%00%EF%BF%BE")
        assert "http://[x" in [str(image.get("src")) for image in soup("img")]


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_a_page_of_any_name_has_its_number_in_the_contents(odd: Site) -> None:
    sheets = pdf.sheets_of(odd.root / "build/book/odd.pdf")
    keys = ["index", "plain", "grün", "a-b", "100-", "c-", "Cover.2", "NAV.2", "odd", "nav.out"]
    assert [sheets[key] for key in keys] == sorted(sheets[key] for key in keys)
    assert min(sheets.values()) > 2
