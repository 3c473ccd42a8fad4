"""All pages in one file, or in parts where they are too long for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from mkdocs_metalworking.hosts.forms.llms import parts_of, write_markdown
from mkdocs_metalworking.hosts.forms.volume import Leaf, Volume
from mkdocs_metalworking.quote.diagnostics import MetalworkingError

CHAPTERS = {"First": (3, 900), "Second": (2, 900), "Third": (6, 1200), "": (1, 200)}
"""Pages of each chapter, and the characters of each page."""


def book() -> Volume:
    leaves = []
    for chapter, (count, size) in CHAPTERS.items():
        for at in range(count):
            title = f"{chapter or 'Appendix'} {at}"
            html = f"<h1>{title}</h1><p>{'word ' * (size // 5)}</p>"
            leaves.append(Leaf(f"{title}.md", f"{title}/", title, html, chapter))
    return Volume("Book", leaves=leaves)


@pytest.mark.parametrize("most", [2_500, 6_000, 8_000, 100_000])
def test_each_page_is_in_one_part_and_no_part_is_too_long(most: int) -> None:
    volume = book()
    parts = list(parts_of(volume, volume.leaves, most))
    assert [page for part in parts for page in part.pages] == [
        page for part in parts_of(volume, volume.leaves) for page in part.pages
    ]
    assert sum(len(part.pages) for part in parts) == len(volume.leaves)
    assert all(len(part.text("part 1").encode()) <= most or len(part.pages) == 1 for part in parts)


def test_a_chapter_that_fits_is_not_cut() -> None:
    volume = book()
    parts = list(parts_of(volume, volume.leaves, 10_000))
    assert [part.chapters for part in parts] == [("First", "Second"), ("Third", "Appendix 0")]
    assert [len(part.pages) for part in parts] == [5, 7]


@pytest.mark.parametrize("name", ["llms.txt", "LLMS-full-x.txt", "assets/metalworking/terms.json", "llms-full.txt/a"])
def test_no_page_takes_the_name_of_a_list(tmp_path: Path, name: str) -> None:
    volume = book()
    volume.leaves[3].url = f"{name}/"
    for _ in range(2):
        with pytest.raises(MetalworkingError, match="call the page otherwise"):
            write_markdown(volume, tmp_path, tmp_path / "site")
    (tmp_path / "llms-full-1.txt").mkdir()  # of somebody else
    volume.leaves[3].url = "terms.json/"
    assert write_markdown(volume, tmp_path, tmp_path / "site") == len(volume.leaves)


def test_the_list_says_which_chapters_are_in_which_part(tmp_path: Path) -> None:
    (tmp_path / "llms-full-7.txt").write_text("of a run before")
    volume = book()
    assert write_markdown(volume, tmp_path, tmp_path / "site", most=10_000) == len(volume.leaves)
    assert sorted(path.name for path in tmp_path.glob("llms*")) == [
        "llms-full-2.txt",
        "llms-full.txt",
        "llms.txt",
    ]
    listed = (tmp_path / "llms.txt").read_text(encoding="utf-8").partition("## All in one\n\n")[2].splitlines()
    assert listed == [
        "- [llms-full.txt](llms-full.txt): part 1 of 2: First, Second",
        "- [llms-full-2.txt](llms-full-2.txt): part 2 of 2: Third, Appendix 0",
    ]
    assert "\npart 2 of 2: Third, Appendix 0\n" in (tmp_path / "llms-full-2.txt").read_text(encoding="utf-8")
