"""The real book, when `make book` has made it: run with METALWORKING_BOOK=1 to require it."""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build/book"
pytestmark = pytest.mark.book


class _Loader(yaml.SafeLoader):
    """Reads mkdocs.yml without its tags."""


_Loader.add_multi_constructor("!", lambda loader, suffix, node: None)


@pytest.fixture
def made() -> Path:
    if not FOLDER.exists() and not os.environ.get("METALWORKING_BOOK"):
        pytest.skip("make book has not run")
    return FOLDER


def test_it_is_all_there(made: Path) -> None:
    html = (made / "metalworking.html").read_text(encoding="utf-8")
    assert len(re.findall(r'<section id="[^"]*" class="bk-opening', html)) == 6
    ids = set(re.findall(r'\bid="([^"]*)"', html))
    assert {link for link in re.findall(r'\bhref="#([^"]*)"', html) if link not in ids} == set()
    with zipfile.ZipFile(made / "metalworking.epub") as epub:
        assert sum(name.endswith(".xhtml") for name in epub.namelist()) > 60
    assert (made / "metalworking.pdf").stat().st_size < 20e6
    assert len(list(made.rglob("index.md"))) > 60


AGAIN = 0.005


def test_the_parts_of_all_pages_hold_each_once_and_tell_each_source_once(made: Path) -> None:
    parts = sorted(made.glob("llms-full*.txt"), key=lambda path: path.name.replace("full.", "full-1."))
    assert parts
    assert all(path.stat().st_size <= 700_000 for path in parts)
    texts = [path.read_text(encoding="utf-8") for path in parts]
    pages = [name for text in texts for name in re.findall(r"^<!-- (.*) -->$", text, re.MULTILINE)]
    twins = sorted(str(path.relative_to(made)) for path in made.rglob("*.md"))
    assert sorted(pages) == twins
    for text in texts:
        addresses = re.findall(r"https?://[^\s)\\>\"]+", text)
        assert sum(map(len, addresses)) - sum(map(len, set(addresses))) < AGAIN * len(text.encode())


def test_the_pdf_has_every_chapter_among_its_bookmarks(made: Path) -> None:
    pikepdf = pytest.importorskip("pikepdf")
    with pikepdf.open(made / "metalworking.pdf") as pdf, pdf.open_outline() as outline:
        assert len(pdf.pages) > 200
        assert sum(bool(one.children) for one in outline.root) >= 6


def test_the_book_is_made_with_the_options_of_the_site() -> None:
    def options(name: str) -> object:
        config = yaml.load((ROOT / name).read_text(encoding="utf-8"), _Loader)
        return config["plugins"].get("metalworking", {})

    assert options("mkdocs.yml")
    assert options("mkdocs-book.yml") == {}, "the book inherits them"
