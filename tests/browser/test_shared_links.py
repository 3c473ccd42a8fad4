"""What a link to a page shows elsewhere: the card, Open Graph, JSON-LD and icons."""

from __future__ import annotations

import html
import json
import re
import struct
from pathlib import Path

from tests.browser.conftest import HERE, Served

LINKED = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)
META = re.compile(r'<meta (?:property|name)="([^"]+)" content="([^"]*)"')


def size(path: Path) -> tuple[int, int]:
    """Return width and height of a PNG, from its header."""
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n", path
    return struct.unpack(">II", head[16:24])  # type: ignore[return-value]


def test_every_page_has_a_card_of_its_own(book: Served) -> None:
    seen = set()
    for name in book.pages:
        text = (book.root / name / "index.html").read_text(encoding="utf-8")
        meta = dict(META.findall(text))
        image = meta["og:image"]
        assert image.startswith(book.url), name
        file = book.root / image.removeprefix(book.url)
        assert size(file) == (1200, 630), name
        assert file.stat().st_size < 60_000
        assert meta["twitter:card"] == "summary_large_image"
        assert meta["og:image:alt"]
        seen.add(file.read_bytes())
    assert len(seen) == len(book.pages), "no two pages have one card"


def test_every_page_says_what_it_is_to_machines(book: Served) -> None:
    kinds = set()
    for name in book.pages:
        (found,) = LINKED.findall((book.root / name / "index.html").read_text(encoding="utf-8"))
        told = json.loads(found)
        assert told["url"] == book.url + name
        assert told["description"]
        kinds.add((told["@type"], told.get("about", {}).get("@type")))
    assert kinds == {("WebSite", None), ("TechArticle", None), ("TechArticle", "DefinedTerm")}


def test_a_summary_cannot_end_the_script(site: Served) -> None:
    text = (site.root / "first/four/index.html").read_text(encoding="utf-8")
    (found,) = LINKED.findall(text)
    assert json.loads(found)["description"] == 'Ends </script> & "quotes".'
    assert html.unescape(dict(META.findall(text))["og:description"]) == 'Ends </script> & "quotes".'


def test_icons_for_those_that_take_no_svg() -> None:
    for pixels in (96, 180):
        assert size(HERE / f"docs/assets/site/icon-{pixels}.png") == (pixels, pixels)
