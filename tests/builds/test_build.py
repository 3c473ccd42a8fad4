"""``mkdocs build`` as its users run it: exit codes, what it says, what it writes."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.builds.conftest import Site, copied
from tests.golden.outline import outline


def test_strict_build_with_stock_material(site: Site) -> None:
    done = site.build("--strict", fresh=True)
    assert done.returncode == 0, done.stderr
    assert "Quoted 2 of 2 excerpts, 1 repositories" in done.stderr
    html = site.html("first/one/index.html")
    assert '<span class="kr">device</span>' in html, "the code is coloured"
    assert "data-mw=" not in html, "nothing plain is left"
    assert 'href="../../assets/metalworking/metalworking.css"' in html
    assert (site.root / "site/assets/metalworking/metalworking.css").exists()


@pytest.fixture(scope="module")
def built(made_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The small site, built, its store filled; who changes it takes a copy."""
    site = copied(made_site, tmp_path_factory.mktemp("built"))
    done = site.build("--strict")
    assert done.returncode == 0, done.stderr
    return site


def test_search_finds_the_words_of_the_code_and_leaves_out_what_is_excluded(built: Site) -> None:
    index = json.loads(built.html("search/search_index.json"))
    texts = {entry["location"]: entry["text"] for entry in index["docs"]}
    assert "kernel void add device const float buffer out uint thread_position_in_grid" in texts["first/one/"]
    assert not any("a[i]" in text for text in texts.values()), "words, each once, and no code"
    assert not any("device" in text for place, text in texts.items() if place.startswith("second/"))
    assert not any("Linked from" in text for text in texts.values()), "endings are not searched"


def test_the_site_can_keep_all_code_out_of_the_search(site: Site) -> None:
    site.config("offline: true", "offline: true, search: false")
    assert site.build().returncode == 0
    assert "thread_position_in_grid" not in (site.root / "site/search/search_index.json").read_text(encoding="utf-8")


def test_links_to_lines_are_checked(site: Site) -> None:
    site.page("first/two.md", "# Two\n\n[gone](one.md#--1234567-L8)\n")
    done = site.build("--strict")
    assert done.returncode == 1
    assert "does not contain an anchor '#--1234567-L8'" in done.stderr


def test_reading_order_summaries_and_backlinks(built: Site) -> None:
    one = built.html("first/one/index.html")
    assert "First, 1 of 2" in one
    assert re.search(
        r'rel="prev"[^>]*>\s*<span class="mw-next-label">Previous</span>\s*<span class="mw-next-title">First<', one
    )
    assert re.search(
        r'rel="next"[^>]*>\s*<span class="mw-next-label">Next</span>\s*<span class="mw-next-title">Two<', one
    )
    assert re.search(r'<aside class="mw-linked-from".*?Home.*?Two.*?</aside>', one, re.DOTALL)
    two = built.html("first/two/index.html")
    assert "Chapter 2: Second" in two
    assert "Adds two arrays." in two, "the card of the previous page has its summary"
    opening = built.html("first/index.html")
    assert re.search(r'<ol class="mw-contents">.*One.*Kernel.*Adds two arrays\..*Two.*</ol>', opening, re.DOTALL)
    assert '<meta name="description" content="Adds two arrays.">' in one


@pytest.mark.parametrize("options", [(), ("--strict",), ("-q",), ("-q", "--strict")])
def test_errors_end_the_build_even_when_quiet(site: Site, options: tuple[str, ...]) -> None:
    site.page(
        "second/three.md", "# Three\n\n<< excerpt {k}:add.metal#L8-99 >>\n\n<< excerpt {k}:add.metal#L2 hl=1 >>\n"
    )
    done = site.build(*options)
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "docs/second/three.md:3: L8-99 runs past the end: add.metal has 9 lines (the last line is L9)" in said
    assert "docs/second/three.md:5: hl=L1 lies outside the excerpt" in said, "all errors are told at once"
    assert said.count("docs/second/three.md:3:") == 1, "each once"
    assert not (site.root / "site/second/three/index.html").exists(), "nothing wrong is written"


def test_wrong_bytes_end_the_build(site: Site) -> None:
    lock = site.root / "sources.lock"
    text = lock.read_text(encoding="utf-8")
    file = next(iter(site.project().lock.files.values()))
    lock.write_text(text.replace(file.sha256, "0" * 64), encoding="utf-8")
    done = site.build("-q")
    assert done.returncode == 1
    assert "acme/kernels" in done.stdout + done.stderr
    assert "SHA-256" in done.stdout + done.stderr


def test_unreachable_sources_are_cards_and_one_warning(site: Site) -> None:
    shutil.rmtree(site.root / "code")
    done = site.build()
    assert done.returncode == 0, done.stderr
    warnings = [line for line in done.stderr.splitlines() if line.startswith("WARNING")]
    assert len(warnings) == 1
    assert "2 excerpts are cards" in warnings[0]
    assert "acme/kernels (2)" in warnings[0]
    page = outline(re.search(r"<article.*?</article>", site.html("first/one/index.html"), re.DOTALL)[0])  # type: ignore[index]
    assert "card" in page
    assert "This code is read at its home: add.metal, 6 lines of acme/kernels." in page
    assert "L8 One element a thread." in page, "the notes stay"
    commit = site.commits["acme/kernels"]
    assert f'href="https://github.com/acme/kernels/blob/{commit}/add.metal#L4-L9"' in site.html("first/one/index.html")


@pytest.mark.parametrize("options", [("--strict",), ("-q", "--strict")])
def test_cards_are_fatal_in_strict_builds(site: Site, options: tuple[str, ...]) -> None:
    shutil.rmtree(site.root / "code")
    assert site.build(*options).returncode == 1


def test_the_store_is_enough_and_a_damaged_entry_is_fetched_again(built: Site, tmp_path: Path) -> None:
    site = copied(built, tmp_path)
    entries = [p for p in (site.root / "store" / "sha256").rglob("*") if p.is_file()]
    assert len(entries) == 1, "one file, quoted twice, is stored once"
    entries[0].write_bytes(entries[0].read_bytes().replace(b"+", b"-"))
    healed = site.build()
    assert healed.returncode == 0
    assert "a[i] + b[i]" in re.sub("<[^>]*>", "", site.html("second/three/index.html")), "as committed, not as planted"
    shutil.rmtree(site.root / "code")
    assert site.build("--strict").returncode == 0, "without the clone, from the store"


def test_macros_with_our_delimiters_are_refused_at_start(site: Site) -> None:
    pytest.importorskip("mkdocs_macros")
    site.config(
        "  - search\n", "  - search\n  - macros:\n      j2_block_start_string: '<<'\n      j2_block_end_string: '>>'\n"
    )
    done = site.build()
    assert done.returncode == 1
    assert "macros plugin has j2_block_start_string: '<<'" in done.stdout + done.stderr


def test_a_site_without_sources_builds(site: Site) -> None:
    for name in ("sources.yml", "sources.lock"):
        (site.root / name).unlink()
    for name in ("first/one.md", "first/two.md", "second/three.md"):
        site.page(name, "# Page\n")
    assert site.build("--strict").returncode == 0


def test_bad_sources_are_told_with_their_line(site: Site) -> None:
    path = site.root / "sources.yml"
    path.write_text(path.read_text(encoding="utf-8").replace("license: MIT", "licens: MIT"), encoding="utf-8")
    done = site.build()
    assert done.returncode == 1
    assert "sources.yml:4: unknown key 'licens' (did you mean license?)" in done.stderr


def test_a_merge_conflict_in_the_lock_is_told(site: Site) -> None:
    path = site.root / "sources.lock"
    path.write_text(path.read_text(encoding="utf-8") + "<<<<<<< HEAD\n", encoding="utf-8")
    done = site.build()
    assert done.returncode == 1
    assert "sources.lock:3: a merge conflict" in done.stderr


def test_dirty_rebuild_keeps_the_code(built: Site, tmp_path: Path) -> None:
    site = copied(built, tmp_path)
    assert site.build("--dirty").returncode == 0
    assert '<span class="kr">device</span>' in site.html("first/one/index.html")


@pytest.mark.parametrize("theme", ["mkdocs", "material"])
def test_a_site_that_quotes_nothing_stays_as_it_is(site: Site, theme: str) -> None:
    """Its drawings, too, are searched as they were."""
    for name in ("docs", "code"):
        shutil.rmtree(site.root / name)
    drawing = '<svg viewBox="0 0 9 9"><title>Events</title><text>on_startup</text></svg>'
    site.page(
        "index.md", f"# Home\n\nText.\n\n{drawing}\n\n## More\n\n    code << excerpt\n\n[@user](https://e.org/)\n"
    )
    site.page("two.md", "# Two\n\n| a | b |\n|---|---|\n| `x` | [one](index.md#more) |\n")
    text = f"site_name: Plain\ntheme: {theme}\nplugins:\n  - search\n"
    built: list[dict[str, bytes]] = []
    for more in ("", "  - metalworking: {store: store, offline: true}\n"):
        (site.root / "mkdocs.yml").write_text(text + more, encoding="utf-8")
        done = site.build("--strict")
        assert done.returncode == 0, done.stderr
        root = site.root / "site"
        files = (path for path in root.rglob("*") if path.is_file() and not path.name.endswith(".gz"))
        built.append({path.relative_to(root).as_posix(): path.read_bytes() for path in files})
    before, after = ({name: re.sub(rb"Build Date UTC : .*", b"", data) for name, data in one.items()} for one in built)
    assert b"on_startup" in before["search/search_index.json"]
    assert sorted(before) == sorted(after)
    assert [name for name in before if before[name] != after[name]] == []


def test_a_reference_may_be_a_page_of_the_site(site: Site) -> None:
    """Its link is resolved as the links of the text are, from any page, and its anchor is checked."""
    (site.root / "sources.yml").write_text(
        (site.root / "sources.yml").read_text(encoding="utf-8").replace("references: []", "references:")
        + "  - {key: runs, title: Our runs, page: 'first/two.md#reads'}\n"
        + "  - {key: gone, title: Gone, page: 'first/two.md#none'}\n",
        encoding="utf-8",
    )
    site.config("[footnotes, admonition]", "[footnotes, admonition, md_in_html, attr_list]")
    site.page("first/two.md", "# Two\n\n## Reads\n\nMany.\n")
    site.page("second/three.md", "# Three\n\nFast [@runs, idle]. Slow [@gone].\n")
    site.page("index.md", "# Home\n\nFast [@runs].\n\n<!-- sources -->\n")
    done = site.build()
    assert done.returncode == 0, done.stderr
    note = '<span class="mw-cite"><a href="{}"><cite>Our runs</cite></a>'
    assert note.format("../../first/two/#reads") + " (idle).</span>" in site.html("second/three/index.html")
    home = site.html("index.html")
    assert note.format("first/two/#reads") + ".</span>" in home
    assert home.count('href="first/two/#reads"') == 2, "in the footnote and in the list of sources"
    told = [line for line in done.stderr.splitlines() if line.startswith("WARNING") and "#none" in line]
    assert len(told) == 2
    assert any("second/three.md" in line for line in told)


@pytest.mark.parametrize(("search", "separator"), [("search", r"[\s\-_,:!="), ("search: {separator: '[_]+'}", "[_]+")])
def test_a_staged_page_knows_how_what_was_searched_for_is_parted(site: Site, search: str, separator: str) -> None:
    """By it a mark is told that would break quoted code; Zensical marks what was searched for as Material does."""
    site.config("  font: false\n", "  font: false\n  features: [search.highlight]\n")
    site.config("- search\n", f"- {search}\n")
    done = site.run("mkdocs_metalworking", "stage", "out")
    assert done.returncode == 0, done.stdout + done.stderr
    settings = (site.root / "out/docs/assets/metalworking/settings.js").read_text(encoding="utf-8")
    told = json.loads(settings.removeprefix("export default ").rstrip(";\n"))
    assert told["separator"].startswith(separator)
