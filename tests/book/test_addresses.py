"""The built book: the way through it, and where it says that it is, in a build of one's own and in one for a fork."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from benchmarks.cuda import page
from tests.support import book_elsewhere

ROOT = Path(__file__).resolve().parents[2]
FEW = """exclude_docs: |
  *.md
  !/index.md
  !/two-machines.md
  !/machine/gpu-core.md
  !/contributing/index.md
nav: [index.md, two-machines.md, machine/gpu-core.md, contributing/index.md]
"""
"""Four pages of the book, for what each page says in the same way."""
FORK = {
    "METALWORKING_SITE_URL": "https://ada.github.io/metal-notes/",
    "METALWORKING_REPO_URL": "https://github.com/ada/metal-notes",
    "METALWORKING_REPO_NAME": "ada/metal-notes",
    "METALWORKING_EDIT_URI": "edit/trunk/docs/",
    "METALWORKING_CARDS": "false",
}


def build(folder: Path, *options: str, **environment: str) -> str:
    """Build the book as a reader does, offline, into *folder*; return what was logged."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("METALWORKING_")}
    kept = {name: os.environ[name] for name in ("METALWORKING_STORE",) if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-d", str(folder), *options],
        cwd=ROOT,
        env={**clean, **kept, "NO_MKDOCS_2_WARNING": "1", **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("local") / "site"
    told = build(folder).splitlines()
    assert [line for line in told if line.startswith("WARNING") and "cards, read at home" not in line] == []
    return folder


@pytest.fixture(scope="module")
def fork(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fork")
    config = folder / "mkdocs.yml"
    config.write_text(book_elsewhere(ROOT) + FEW, encoding="utf-8")
    build(folder / "site", "-f", str(config), **FORK)
    return folder / "site"


class _Loader(yaml.SafeLoader):
    """Reads mkdocs.yml without its tags."""


_Loader.add_multi_constructor("!", lambda *_: None)


def in_reading_order() -> list[str]:
    """Return the addresses of Home, of all pages of the chapters, and of the pages that stand by themselves."""
    nav = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), _Loader)["nav"]
    found = []
    for item in nav:
        (value,) = item.values()
        pages = (
            [value] if isinstance(value, str) else [p if isinstance(p, str) else next(iter(p.values())) for p in value]
        )
        first = (ROOT / "docs" / pages[0]).read_text(encoding="utf-8")
        if isinstance(value, list) and re.search(r"^chapter: false$", first, re.MULTILINE):
            continue
        alone = isinstance(value, str) and value != "index.md"
        if alone and not re.search(r"^chapter: true$", first, re.MULTILINE):
            continue
        found += [page.removesuffix("index.md").removesuffix(".md").rstrip("/") for page in pages]
    return found


def test_the_way_from_home_passes_every_page_once_and_ends_on_the_last(local: Path) -> None:
    order = in_reading_order()
    seen, at = [], local / "index.html"
    while len(seen) <= len(order):
        seen.append(at.parent.relative_to(local).as_posix().removeprefix("."))
        links = re.findall(
            r'<a [^>]*href="([^"]*)"[^>]*rel="next"|<a [^>]*rel="next"[^>]*href="([^"]*)"', at.read_text()
        )
        if not links:
            break
        assert len(links) == 1, f"{seen[-1]} leads on to two pages"
        at = (at.parent / ("".join(links[0])) / "index.html").resolve()
    assert seen == order
    assert seen[-3:] == ["hands-on", "lab", "what-survived"]
    assert seen[seen.index("machine/chips") + 1] == "two-machines"
    outside = {"cuda-to-metal", "a-z", "h200", "sources"}
    pages = {path.parent.relative_to(local).as_posix().removeprefix(".") for path in local.rglob("index.html")}
    about = {page for page in pages if page.split("/")[0] in {"about", "contributing", "plugin", "licensing", "layout"}}
    assert pages - about - outside == set(order)


def test_a_build_of_one_s_own_names_no_site_and_no_repository(local: Path) -> None:
    for built in local.rglob("*.html"):
        html = built.read_text(encoding="utf-8")
        assert 'rel="canonical"' not in html, built
        assert "md-content__button" not in html, built
        assert not re.search(r"github\.(?:com|io)/metalworking|metalworking\.github", html), built
    for name in ("robots.txt", "assets/metalworking/terms.json"):
        assert not re.search(r"github\.(?:com|io)/metalworking", (local / name).read_text(encoding="utf-8")), name


def test_a_fork_publishes_its_own_addresses(fork: Path) -> None:
    html = (fork / "machine/gpu-core/index.html").read_text(encoding="utf-8")
    assert '<link rel="canonical" href="https://ada.github.io/metal-notes/machine/gpu-core/"' in html
    assert 'href="https://github.com/ada/metal-notes/edit/trunk/docs/machine/gpu-core.md"' in html
    assert re.search(r'<a href="https://github.com/ada/metal-notes"[^>]*>ada/metal-notes</a>', html)
    assert "https://ada.github.io/metal-notes/two-machines/" in (fork / "sitemap.xml").read_text(encoding="utf-8")
    own = (fork / "contributing/index.html").read_text(encoding="utf-8")
    assert "https://github.com/ada/metal-notes" in own, "an excerpt of our own files is at home in the fork"
    found = {
        match for page in fork.rglob("*.html") for match in re.findall(r"github\.com/metalworking", page.read_text())
    }
    assert found == set()


def test_a_citation_of_our_own_results_leads_to_the_page_that_shows_them(local: Path) -> None:
    references = yaml.safe_load((ROOT / "sources.yml").read_text(encoding="utf-8"))["references"]
    ours = {
        reference["key"]: reference["page"] for reference in references if reference.get("author") == "metalworking"
    }
    assert len(ours) == 23
    for key, target in ours.items():
        page, _, anchor = target.partition("#")
        html = (local / page.removesuffix(".md") / "index.html").read_text(encoding="utf-8")
        assert not anchor or f'id="{anchor}"' in html, key
    at = local / "two-machines/index.html"
    notes = re.findall(r'<span class="mw-cite">metalworking, <a href="([^"]*)">', at.read_text(encoding="utf-8"))
    assert len(notes) > 10
    for note in notes:
        parts = urlsplit(note)
        where = (at.parent / unquote(parts.path) / "index.html").resolve()
        assert where in {local / "h200/index.html", local / "lab/index.html"}
        assert not parts.fragment or f'id="{parts.fragment}"' in where.read_text(encoding="utf-8")


def test_the_results_page_shows_the_results_files() -> None:
    assert page.OUT.read_text(encoding="utf-8") == page.written(), "run python -m benchmarks.cuda.page"
