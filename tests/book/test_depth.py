"""Every page of the book is as deep as its kind asks for: words, excerpts, figures, citations, a lead of 60 words."""

from __future__ import annotations

from pathlib import Path

import pytest

from mkdocs_metalworking.hosts.cli.stats import Depth, depth
from mkdocs_metalworking.hosts.mkdocs.site import Site
from tests.book.conftest import Whole

# A page of tables, which teaches by its numbers alone.
TABLES = "machine/numbers.md"
# Folder: words from and to, excerpts, figures or tables, citations.
FLOORS = {
    "machine": (500, 900, 1, 1, 4),
    "metal": (600, 1000, 1, 1, 4),
    "mlx": (600, 1000, 2, 1, 3),
    "techniques": (700, 1100, 2, 1, 3),
    "kernels": (1200, 2200, 5, 1, 5),
    "war-stories": (600, 1000, 1, 0, 3),
}
PROBE = 60
"""Words more for a page that has a probe of the Lab: the paragraph that says what the probe asks."""


@pytest.fixture
def site(whole: Whole) -> Site:
    return whole.site


def pages(site: Site) -> list[tuple[str, Depth]]:
    return [(uri, depth(site.pages[uri], site.html[uri])) for uri in site.pages if uri.split("/")[0] in FLOORS]


def test_no_page_is_thin_or_padded(site: Site) -> None:
    found = [(uri, d) for uri, d in pages(site) if not uri.endswith("index.md") and uri != TABLES]
    assert len(found) >= 56
    wrong = []
    for uri, d in found:
        least, most, excerpts, figures, citations = FLOORS[uri.split("/")[0]]
        most += PROBE * ('data-instrument="probe"' in site.html[uri])
        asked = {
            f"{d.words} words": least <= d.words <= most,
            f"{d.excerpts} excerpts": d.excerpts >= excerpts,
            "no figure": d.figures + d.tables >= figures,
            f"{d.citations} citations": d.citations >= citations,
            f"a lead of {d.lead} words": 0 < d.lead <= 60,
        }
        wrong += [f"{uri}: {what}" for what, right in asked.items() if not right]
    assert wrong == []


def test_every_page_has_summary_and_callout(site: Site) -> None:
    for uri, _ in pages(site):
        meta = site.library.entries[uri].meta
        assert meta.summary, uri
        assert len(meta.summary) <= 160, f"{uri}: a summary of {len(meta.summary)} characters"
        assert meta.callout is not None or uri.endswith("index.md"), uri


def test_every_page_is_linked_from_another(site: Site) -> None:
    linked = set()
    for uri, page in site.pages.items():
        folder = Path(uri).parent
        for link in page.links:
            if link.split("#")[0].endswith(".md"):
                parts: list[str] = []
                for part in (folder / link.split("#")[0]).as_posix().split("/"):
                    if part == "..":
                        parts.pop()
                    elif part != ".":
                        parts.append(part)
                linked.add("/".join(parts))
    alone = [uri for uri in site.book if uri not in linked and not uri.endswith("index.md")]
    assert alone == []
