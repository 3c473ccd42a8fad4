"""The site of attacks beside other plugins: what they make of its pages lets nothing out either, nor does a feed."""

from __future__ import annotations

import importlib.metadata
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup

from tests.forked import python_m
from tests.support import NIGHT
from tests.trust import hostile

PAGES = ("code/", "sources/", "a-z/", "table/")
GENERATED = """\
import mkdocs_gen_files
from pathlib import Path
with mkdocs_gen_files.open("made.md", "w") as page:
    print(Path("docs/code.md").read_text(encoding="utf-8"), file=page)
"""
LANGUAGES = "[{locale: en, default: true, name: English, build: true}, {locale: de, name: Deutsch, build: true}]"


@dataclass(frozen=True)
class Neighbour:
    """A plugin and the least with which it works on the site of attacks."""

    line: str
    package: str = ""
    files: dict[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    """Further pages that show what code/ shows."""


POST = "---\ndate: 2024-01-01\n---\n\n# Post\n\n{code}\n"
NEIGHBOURS = {
    "blog": Neighbour("blog", "", {"docs/blog/index.md": "# Blog\n", "docs/blog/posts/post.md": POST}, ("blog/",)),
    "minify": Neighbour("minify: {minify_html: true}", "mkdocs-minify-plugin"),
    # Jinja on a page is the page's own program; here it is text.
    "macros": Neighbour("macros: {render_by_default: false}", "mkdocs-macros-plugin"),
    "include-markdown": Neighbour("include-markdown", "mkdocs-include-markdown-plugin"),
    "section-index": Neighbour("section-index", "mkdocs-section-index"),
    "gen-files": Neighbour("gen-files: {scripts: [made.py]}", "mkdocs-gen-files", {"made.py": GENERATED}, ("made/",)),
    "mkdocstrings": Neighbour("mkdocstrings", "mkdocstrings"),
    "i18n": Neighbour(
        f"i18n: {{docs_structure: suffix, languages: {LANGUAGES}}}", "mkdocs-static-i18n", {}, ("de/code/",)
    ),
    "rss": Neighbour("rss: {use_git: false, abstract_chars_count: 160}", "mkdocs-rss-plugin"),
    "rss whole": Neighbour("rss: {use_git: false, abstract_chars_count: -1}", "mkdocs-rss-plugin"),
}


def build(root: Path, neighbour: Neighbour | None, order: str = "") -> Path:
    bench = hostile.make(root)
    text = hostile.config("stock", root / "out") + "site_url: https://example.org/book/\n"
    if neighbour is not None:
        ours = "  - metalworking:"
        line = f"  - {neighbour.line}\n"
        text = (
            text.replace(ours, line + ours)
            if order == "before"
            else text.replace("markdown_ext", line + "markdown_ext")
        )
        code = (root / "docs/code.md").read_text("utf-8").partition("# Code\n")[2]
        for name, content in neighbour.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content.replace("{code}", code), encoding="utf-8")
    (root / "mkdocs.yml").write_text(text, encoding="utf-8")
    done = python_m("mkdocs", "build", "-f", str(root / "mkdocs.yml"), cwd=bench.root)
    assert done.returncode == 0, done.stderr[-3000:]
    return root / "out"


def article(folder: Path, page: str) -> BeautifulSoup:
    html = (folder / page / "index.html").read_text(encoding="utf-8")
    return BeautifulSoup("".join(re.findall(r"<article.*?</article>", html, re.DOTALL)), "html.parser")


def code(soup: BeautifulSoup) -> list[list[str]]:
    """Return the lines of each excerpt, as the author committed them."""
    for mark in soup.select(".mw-ctl"):
        mark.replace_with(chr(int(str(mark["data-cp"]), 16)))
    return [[line.get_text() for line in figure.select(".mw-l")] for figure in soup.select("figure.mw-excerpt")]


def harmless(soup: BeautifulSoup) -> None:
    for element in soup.find_all(True):
        assert "pwned" not in element.get_text() or element.name not in ("script", "style", "iframe", "svg"), element
        for name, value in element.attrs.items():
            assert not name.startswith("on"), element
            if name in ("href", "src"):
                assert str(value).partition(":")[0].lower() not in ("javascript", "data", "vbscript"), element
            assert name != "srcdoc", element


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[str]]]:
    folder = build(tmp_path_factory.mktemp("alone"), None)
    found = {page: code(article(folder, page)) for page in PAGES}
    assert len(found["code/"]) == 6
    assert found["code/"][0][: len(hostile.ATTACKS)] == [f"{line}\n" for line in hostile.ATTACKS]
    return found


BOTH = [(name, order) for name in NEIGHBOURS for order in ("before", "after")]
# By day each in one of the two places, in turns.
TURNS = [BOTH[2 * at + at % 2] for at in range(len(NEIGHBOURS))]


@pytest.mark.parametrize(("name", "order"), BOTH if NIGHT else TURNS)
def test_attacks_beside_a_neighbour(tmp_path: Path, alone: dict[str, list[list[str]]], name: str, order: str) -> None:
    neighbour = NEIGHBOURS[name]
    if neighbour.package:
        try:
            importlib.metadata.version(neighbour.package)
        except importlib.metadata.PackageNotFoundError:
            pytest.skip(f"{neighbour.package} is not installed (make nightly)")
    folder = build(tmp_path, neighbour, order)
    for page in (*PAGES, *neighbour.also):
        soup = article(folder, page)
        harmless(soup)
        assert code(soup) == alone["code/" if page in neighbour.also else page], page
        assert not soup.find_all(attrs={"data-mw": True}), "words in the place of code"
    for path in folder.rglob("*.html"):
        assert "<!--mw-" not in path.read_text(encoding="utf-8")
    if name.startswith("rss"):
        told = [soup for soup in feeds(folder) if soup.select("figure.mw-excerpt") and not soup.select(".mw-az")]
        signs = [sign.get_text() for soup in told for sign in soup.select(".mw-ctl, .mw-gap")]
        assert all(signs), "what a style sheet shows is text where none is"
        found = [code(soup) for soup in told]
        assert found.count(alone["code/"]) == (4 if "whole" in name else 0), "and no blank and no line end is lost"
    index = json.loads((folder / "search/search_index.json").read_text(encoding="utf-8"))
    for doc in index["docs"]:
        harmless(BeautifulSoup(doc["text"], "html.parser"))
        harmless(BeautifulSoup(doc["title"], "html.parser"))


def feeds(folder: Path) -> list[BeautifulSoup]:
    """Read the feeds as readers of feeds do: XML or JSON, and in it HTML."""
    found: list[str] = []
    for path in sorted(folder.glob("feed_rss_*.xml")):
        for item in ElementTree.parse(path).getroot().iter("item"):
            found += [item.findtext("title") or "", item.findtext("description") or ""]
    for path in sorted(folder.glob("feed_json_*.json")):
        for entry in json.loads(path.read_text(encoding="utf-8"))["items"]:
            found += [entry["title"], entry["content_html"]]
    assert len(found) >= 4 * len(PAGES)
    soups = [BeautifulSoup(text, "html.parser") for text in found]
    for soup in soups:
        harmless(soup)
        assert not soup.find_all(attrs={"data-mw": True})
    return soups
