"""The names of terms in the search's index: on the page that answers, and where none does, on an entry of the row."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mkdocs_metalworking.hosts.mkdocs.search_names import FIELD
from tests.builds.conftest import Site
from tests.builds.saves import Serve

TERMS = """\
- {cuda: warp / wavefront, aliases: [lane group], metal: simdgroup, verdict: transfers, page: first/one}
- {cuda: 'vec<T>', aliases: [vector of T], metal: 'packed_vec<T> & more', verdict: resized, note: 'See *this*.'}
- {cuda: texture, metal: none, verdict: none}
"""


def index(site: Site) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(site.html("search/search_index.json"))
    return found


@pytest.fixture
def termed(site: Site) -> Site:
    (site.root / "terms.yml").write_text(TERMS, encoding="utf-8")
    site.config("offline: true,", "offline: true, mapping: terms.yml,")
    site.config("[footnotes, admonition]", "[footnotes, admonition, md_in_html]")
    site.page("second/three.md", "# Three\n\n<!-- mapping-table -->\n")
    return site


def test_names_lead_to_the_page_or_the_row(termed: Site) -> None:
    done = termed.build("--strict")
    assert done.returncode == 0, done.stderr
    found = index(termed)
    assert found["config"]["fields"][FIELD] == {"boost": 1e6}
    names = {entry["location"]: entry[FIELD] for entry in found["docs"] if FIELD in entry}
    assert names == {
        "first/one/": ["warp / wavefront", "lane group", "Kernel"],
        "second/three/#term-vec-t": ["vec<T>", "vector of T"],
        "second/three/#term-texture": ["texture"],
    }
    at = [entry["location"] for entry in found["docs"]].index("second/three/")
    row = found["docs"][at + 1]
    assert (row["title"], row["text"]) == ("vec&lt;T&gt;", "packed_vec&lt;T&gt; &amp; more")
    # No result is covered with labels.
    assert not [entry for entry in found["docs"] if "tags" in entry]


def test_a_page_that_no_search_shall_read_gets_none(termed: Site) -> None:
    termed.page("second/three.md", "---\nsearch: {exclude: true}\n---\n\n# Three\n\n<!-- mapping-table -->\n")
    assert termed.build("--strict").returncode == 0
    assert {entry["location"] for entry in index(termed)["docs"] if FIELD in entry} == {"first/one/"}


def test_a_site_without_lookup_or_with_another_search_has_none(termed: Site) -> None:
    termed.config('"lookup": true', '"lookup": false')
    assert termed.build("--strict").returncode == 0
    found = index(termed)
    assert FIELD not in found["config"]["fields"]
    assert not [entry for entry in found["docs"] if FIELD in entry]
    termed.config('"lookup": false', '"lookup": true')
    termed.config("name: material\n  font: false", "name: mkdocs")
    assert termed.build().returncode == 0
    assert not [entry for entry in index(termed)["docs"] if FIELD in entry]


def test_a_page_that_serve_keeps_has_the_names_of_today(termed: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    serve = Serve(termed, monkeypatch)
    try:
        serve.rebuild()
        (termed.root / "terms.yml").write_text(TERMS.replace("lane group", "thirty-two lanes"), encoding="utf-8")
        again = serve.rebuild()
        assert b"thirty-two lanes" in again["search/search_index.json"]
        assert b"lane group" not in again["search/search_index.json"]
        assert again == serve.clean()
    finally:
        serve.plugins.on_shutdown()
