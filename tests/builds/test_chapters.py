"""Sections of the nav that are no chapters: ``chapter: false`` on the first page of one."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.builds.conftest import Site, copied

REPOSITORY = Path(__file__).resolve().parents[2]
ABOUT = "---\nsummary: How it is made.\nchapter: false\n---\n\n# About\n\nSee [one](../first/one.md).\n"


def with_about(site: Site) -> Site:
    """Give *site* a section in the middle of the nav that is no chapter, with a section in it."""
    site.page("about/index.md", ABOUT)
    site.page("about/terms.md", "# Terms\n\nSee [two](../first/two.md).\n")
    site.page("about/deep/more.md", "# More\n")
    site.config(
        "  - Second:\n",
        "  - About:\n      - about/index.md\n      - about/terms.md\n"
        "      - Deep:\n          - about/deep/more.md\n  - Second:\n",
    )
    return site


@pytest.fixture(scope="module")
def about(made_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site with such a section, built; nobody changes it."""
    site = with_about(copied(made_site, tmp_path_factory.mktemp("about")))
    done = site.build("--strict")
    assert done.returncode == 0, done.stderr
    return site


def test_it_is_passed_over_in_the_order_of_reading(about: Site) -> None:
    two = about.html("first/two/index.html")
    assert re.search(r'rel="next".*?Chapter 2: Second.*?Three', two, re.DOTALL), "the next chapter follows, as number 2"
    three = about.html("second/three/index.html")
    assert re.search(r'rel="prev".*?<span class="mw-next-title">Two<', three, re.DOTALL)
    assert 'rel="next"' not in re.search(r'<nav class="mw-place.*?</nav>', three, re.DOTALL)[0]  # type: ignore[index]


@pytest.mark.parametrize("page", ["about", "about/terms", "about/deep/more"])
def test_its_pages_show_no_place(about: Site, page: str) -> None:
    html = about.html(f"{page}/index.html")
    assert "mw-place" not in html
    assert "mw-contents" not in html


def test_it_links_nothing_back(about: Site) -> None:
    """Pages about the book are no readers of it: they do not stand under "Linked from"."""
    found = re.search(r'<aside class="mw-linked-from".*?</aside>', about.html("first/two/index.html"), re.DOTALL)
    assert found is None or "Terms" not in found[0]


def test_a_page_inside_a_chapter_may_not_end_it(site: Site) -> None:
    site.page("first/two.md", "---\nchapter: false\n---\n\n# Two\n")
    assert site.build().returncode == 0
    assert "First, 2 of 2" in site.html("first/two/index.html")


def test_it_must_be_true_or_false(site: Site) -> None:
    site.page("first/two.md", "---\nchapter: nein\n---\n\n# Two\n")
    done = site.build()
    assert done.returncode == 1
    assert "docs/first/two.md:2" in done.stderr


def test_the_templates_of_the_book_leave_it_without_a_number(site: Site) -> None:
    about = with_about(site)
    shutil.copytree(REPOSITORY / "overrides", about.root / "overrides")
    about.config("  font: false\n", "  font: false\n  custom_dir: overrides\n")
    about.page("index.md", "---\ntemplate: home.html\n---\n\n# Home\n")
    done = about.build()
    assert done.returncode == 0, done.stderr
    page = about.html("second/three/index.html")
    nav = re.search(r'<nav class="mw-nav".*?</nav>', page, re.DOTALL)[0]  # type: ignore[index]
    titles = [
        re.sub(r"<[^>]*>|\s+", " ", found).split()
        for found in re.findall(r'class="mw-nav-title.*?>(.*?)</(?:a|span)>\n', nav)
    ]
    assert titles == [["1", "First"], ["About"], ["2", "Second"]]
    assert re.search(r'mw-nav-part">\s*<span>Deep</span>.*?More', nav, re.DOTALL), "a section within it keeps its title"
    assert 'class="md-content mw-ch2"' in page
    inside = about.html("about/terms/index.html")
    assert 'class="md-content mw-ch0"' in inside
    path = re.search(r'<nav class="mw-path".*?</nav>', inside, re.DOTALL)[0]  # type: ignore[index]
    assert "mw-tiles" not in path
    assert "mw-of" not in path
    assert re.sub(r"<[^>]*>|\s+", " ", path).split() == ["Test", "About", "Terms"]
    home = about.html("index.html")
    assert re.findall(r'mw-arc-number" aria-hidden="true">(\d)<', home) == ["1", "2"]
    assert "Terms" not in re.search(r'<section class="mw-arc".*?</section>', home, re.DOTALL)[0]  # type: ignore[index]
    assert "About" not in re.search(r"<h2>Chapters</h2>.*?</ul>", about.html("404.html"), re.DOTALL)[0]  # type: ignore[index]


def test_callouts_may_be_required(site: Site) -> None:
    site.config('"key": "cuda"', '"key": "cuda", "required": true')
    done = site.build()
    assert done.returncode == 0, done.stderr
    told = [line.split("  ")[-1] for line in done.stderr.splitlines() if "no callout" in line]
    why = "this page has no callout (write cuda: in its front matter; the verdict none says that nothing corresponds)"
    assert told == [f"WARNING -  docs/{page}.md: {why}".split("  ")[-1] for page in ("first/two", "second/three")]
    checked = site.run("mkdocs_metalworking", "check")
    assert checked.returncode == 0
    assert [line for line in checked.stdout.splitlines() if "no callout" in line] == [
        f"warning: docs/{page}.md: {why}" for page in ("first/two", "second/three")
    ]


def with_pages_alone(site: Site) -> Site:
    """Give *site* a page that stands between the chapters by itself, two behind them, and one that is in no book."""
    said = "---\nsummary: {0} by itself.\nchapter: true\n---\n\n# {0}\n\nSee [one](first/one.md).\n"
    for name in ("Between", "Behind", "Last"):
        site.page(f"{name.lower()}.md", said.format(name))
    site.page("aside.md", "# Aside\n\nSee [two](first/two.md).\n")
    site.config("  - Second:\n", "  - between.md\n  - Second:\n")
    site.config("      - second/three.md\n", "      - second/three.md\n  - behind.md\n  - aside.md\n  - last.md\n")
    return site


@pytest.fixture(scope="module")
def alone(made_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site with such pages, built; nobody changes it."""
    site = with_pages_alone(copied(made_site, tmp_path_factory.mktemp("alone")))
    done = site.build("--strict")
    assert done.returncode == 0, done.stderr
    return site


def test_a_page_outside_the_sections_may_stand_in_the_order_of_reading(alone: Site) -> None:
    seen, at = [], alone.root / "site" / "first" / "index.html"
    while True:
        html = at.read_text(encoding="utf-8")
        seen.append(at.parent.name)
        found = re.search(r'<a class="mw-next-card mw-next" href="([^"]+)"', html)
        if found is None:
            break
        at = (at.parent / found[1] / "index.html").resolve()
    assert seen == ["first", "one", "two", "between", "three", "behind", "last"]


def test_such_a_page_has_no_number_and_counts_for_none(alone: Site) -> None:
    def place(page: str) -> str:
        nav = re.search(r'<nav class="mw-place.*?</nav>', alone.html(f"{page}/index.html"), re.DOTALL)
        assert nav is not None
        return " ".join(re.sub(r"<[^>]*>", " ", nav[0]).split())

    assert place("first/two") == "First, 2 of 2. Here the chapter ends. Previous One Adds two arrays. Next " + (
        "Between Between by itself."
    )
    assert place("between") == "Previous Two Chapter 2: Second Three"
    assert place(
        "second/three"
    ) == "Second, 1 of 1. Here the chapter ends. Previous Between Between by itself. Next " + (
        "Behind Behind by itself."
    )
    assert place("behind") == "Previous Three Next Last Last by itself."
    assert place("last") == "Previous Behind Behind by itself."
    assert "mw-place" not in alone.html("aside/index.html")


def test_such_a_page_is_a_reader_and_needs_no_callout(site: Site) -> None:
    alone = with_pages_alone(site)
    alone.config('"key": "cuda"', '"key": "cuda", "required": true')
    done = alone.build()
    assert done.returncode == 0, done.stderr
    assert "between.md" not in done.stderr
    links = re.search(r'<aside class="mw-linked-from".*?</aside>', alone.html("first/one/index.html"), re.DOTALL)
    assert links is not None
    assert "Between" in links[0]
    found = re.search(r'<aside class="mw-linked-from".*?</aside>', alone.html("first/two/index.html"), re.DOTALL)
    assert found is None or "Aside" not in found[0]
