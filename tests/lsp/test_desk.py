"""In which order a site is read for an editor: whoever types waits for no more than a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mkdocs_metalworking.hosts.mkdocs.desk import Desk
from tests.lsp.conftest import Site, make_site


@pytest.fixture
def read(tmp_path: Path) -> Iterator[tuple[Site, Desk]]:
    """A site of which no page is read yet; docs/two.md has a mark."""
    site = make_site(tmp_path)
    desk = Desk(str(site.root / "mkdocs.yml"))
    desk.take(desk.prepare())
    yield site, desk
    desk.close()


def test_pages_in_the_order_of_the_nav_and_those_with_marks_last(read: tuple[Site, Desk]) -> None:
    _, desk = read
    order = []
    while desk.round.left:
        order.append(desk.round.left[-1].src_uri)
        desk.step()
    assert order == ["index.md", "one.md", "two.md"]


def test_of_a_page_that_waits_for_its_marks_is_told_at_once(read: tuple[Site, Desk]) -> None:
    site, desk = read
    page = site.path("two.md")
    desk.write(page, f"{page.read_text()}\n[@nobody]\n")
    assert [file.src_uri for file in desk.round.left] == ["two.md", "one.md", "index.md"]
    assert sorted(path.name for path in desk.unread()) == ["index.md", "one.md"]
    assert [problem.code for problem in desk.findings().problems] == ["not-pinned"]
    while desk.step():
        pass
    assert desk.whole
    assert [problem.code for problem in desk.findings().problems] == ["not-pinned"]
