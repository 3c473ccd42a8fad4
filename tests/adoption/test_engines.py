"""The same site under ProperDocs, unchanged, and under Zensical, which runs the extension and no plugins.

Zensical ignores what it does not know, even when strict, so only the HTML tells whether an excerpt is there.
"""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from tests.adoption.conftest import LINES, ROOT, Project, call, code_of, quoted
from tests.support import ASK, ASKED, git

WISHES = json.dumps({name: ASKED[name] for name in ("callouts", "citations")})[1:-1]
"""What the extension does by itself."""

MKDOCS = """\
site_name: Engines
site_url: https://example.org/book/
theme: {name: material, custom_dir: overrides, font: false, variant: classic}
plugins:
  - search
  - metalworking: {store: store, mapping: mapping.yml, ASK}
markdown_extensions:
  - attr_list
  - md_in_html
  - tables
  - toc: {permalink: true}
  - pymdownx.snippets: {base_path: [!relative $docs_dir]}
EXTENSION
extra: {homepage: ., questions: ["Why?"], lookup_examples: [warp]}
nav:
  - Home: index.md
  - Part:
      - part/index.md
      - One: part/one.md
      - Two: part/two.md
  - A-Z: a-z.md
  - Sources: sources.md
""".replace("ASK}", f"{ASK}}}")
ONE = """\
---
summary: Adds "two" arrays & more.
cuda:
  term: Kernel <x>
  verdict: resized
  apis: [cudaAdd]
  carries: Kept [@acme/kernels:src/add.metal#L1, M1].
---

# One

- In a list:

    << excerpt {k}:src/add.metal#L2-4,L6-7 hl=4 title="Add" >>
    - L4: The *thread*.

See [two](two.md) [@handbook, second-hand].
"""


@pytest.fixture
def book(project: Project) -> Project:
    project.references = "references:\n  - key: handbook\n    title: The Handbook\n    url: https://example.org/h\n"
    project.put("mkdocs.yml", MKDOCS.replace("EXTENSION", f"  - mkdocs_metalworking: {{store: store, {WISHES}}}"))
    for path in (ROOT / "overrides").rglob("*.html"):
        project.put(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    project.put("docs/index.md", "---\nsummary: Home.\ntemplate: home.html\n---\n\n# Home\n")
    project.put("docs/part/index.md", "---\nsummary: The part.\n---\n\n# Part\n\n<!-- mapping-table -->\n")
    project.put("docs/part/one.md", ONE)
    project.put("docs/part/two.md", '# Two\n\n--8<-- "part/snippet.txt"\n')
    project.put("docs/part/snippet.txt", "<< excerpt {k}:src/add.metal#L5 >>\n")
    project.put("docs/a-z.md", "# A-Z\n\n<!-- az-index -->\n")
    project.put("docs/sources.md", "# Sources\n\n<!-- sources -->\n")
    project.put(
        "mapping.yml",
        "- {cuda: __x, metal: y, page: part/one, source: handbook}\n- {cuda: cudaAdd, metal: add, page: part/one}\n",
    )
    project.write([("acme/kernels", "src/add.metal")])
    return project


def assert_pages(book: Project, site: str) -> None:
    """Excerpts, notes, callouts, citations and the templates, on the HTML."""
    one = book.html("part/one/index.html", site)
    assert code_of(one) == [*quoted(2, 4), *quoted(6, 7)]
    item = re.search(r"<li>\s*<p>In a list:</p>(.*?)</figure>", one, re.DOTALL)
    assert item, "the excerpt stands in the item of the list"
    assert '<span class="mw-abridged">abridged</span>' in item[1]
    assert re.search(r'class="mw-l[^"]* mw-hl\b', item[1])
    assert re.search(r'<li class="mw-note" data-lines="4-4"><a class="mw-ref" href="#--[0-9a-f]{7}-L4">', item[1])
    assert '<span class="kr">device</span>' in one, "the code is coloured"
    assert re.search(
        r'<aside aria-label="If you know CUDA" class="mw-callout mw-v-resized">.*?Kernel &lt;x&gt;', one, re.DOTALL
    )
    assert 'Adds "two" arrays &amp; more.</p>' in one or "Adds &quot;two&quot; arrays &amp; more.</p>" in one
    cites = [unescape(re.sub("<[^>]*>", "", text)) for text in re.findall(r'<span class="mw-cite">(.*?)</span>', one)]
    assert sorted(cites) == [
        "The Handbook (second-hand).",
        f"acme/kernels at {book.sha}, src/add.metal, L1 (M1).",
    ]
    assert code_of(book.html("part/two/index.html", site)) == [(5, LINES[4].lstrip("\t"))]
    # The templates of this repository.
    assert re.search(r'<nav class="mw-path"[^>]*>.*?Part.*?One.*?1 of 2', one, re.DOTALL)
    assert re.search(r'<li class="mw-nav-page mw-nav-here">\s*<a[^>]*aria-current="page"><span>One<', one)
    assert 'title="CUDA: Kernel &lt;x&gt;"' in one
    assert '<footer class="mw-footer">' in one
    assert 'data-md-component="search"' in one
    assert '<meta property="og:description" content="Adds &quot;two&quot; arrays &amp; more.">' in one or (
        '<meta property="og:description" content="Adds &#34;two&#34; arrays &amp; more.">' in one
    )
    assert '<link rel="canonical" href="https://example.org/book/part/one/">' in one
    home = book.html("index.html", site)
    assert 'class="mw-hero"' in home
    assert 'data-mw-try="warp"' in home
    assert "No page here" in book.html("404.html", site)


def assert_whole(book: Project, site: str) -> None:
    """What the plugin adds to pages and files."""
    one = book.html("part/one/index.html", site)
    assert "assets/metalworking/metalworking.css" in one
    assert "assets/metalworking/metalworking.js" in one
    assert (book.root / site / "assets/metalworking/metalworking.css").is_file()
    assert "cudaAdd" in book.html("assets/metalworking/lookup.json", site)
    assert re.search(
        r'rel="next"[^>]*>\s*<span class="mw-next-label">Next</span>\s*<span class="mw-next-title">Two', one
    )
    two = book.html("part/two/index.html", site)
    assert re.search(r'class="mw-linked-from".*?<a href="../one/">One</a>', two, re.DOTALL)
    assert re.search(r"<code>cuda<wbr>Add</code>.*?One", book.html("a-z/index.html", site), re.DOTALL)
    part = book.html("part/index.html", site)
    assert re.search(r"<code>_*(?:&#95;)*(?:<wbr>)?x</code>", part)
    assert re.search(r'<ol class="mw-contents">.*?One', part, re.DOTALL)
    sources = book.html("sources/index.html", site)
    assert re.search(r'class="mw-used"><a href="../part/one/">One</a> <small>1 quoted, 1 cited</small>', sources)


def test_properdocs_builds_the_repository_unchanged(engines, book: Project) -> None:  # type: ignore[no-untyped-def]
    built = engines(book.root, "properdocs", "build", "--strict", "-f", "mkdocs.yml")
    assert built.returncode == 0, built.stderr
    assert_pages(book, "site")
    assert_whole(book, "site")


def test_the_extension_may_be_listed_beside_the_plugin(python, book: Project) -> None:  # type: ignore[no-untyped-def]
    built = call(python, book.root, "mkdocs", "build", "--strict")
    assert built.returncode == 0, built.stderr
    assert_pages(book, "site")
    assert_whole(book, "site")
    assert book.html("part/one/index.html").count("<figure") == 1, "once, not twice"
    checked = call(python, book.root, "mkdocs_metalworking", "check", "--strict")
    assert checked.returncode == 0, checked.stdout
    assert "2 excerpts, 3 citations" in checked.stderr


@pytest.mark.parametrize(("engine", "options", "ends"), [("properdocs", ["-f", "mkdocs.yml"], 1), ("zensical", [], 0)])
def test_a_warning_of_the_extension_reaches_every_engine(  # type: ignore[no-untyped-def]
    engines, project: Project, engine: str, options: list[str], ends: int
) -> None:
    """MkDocs and ProperDocs count it under --strict; Zensical counts none of an extension's."""
    commit = project.add_repo("acme/long", {"long.c": "a " * 20_000 + "\n"})
    project.write([("acme/long", "long.c")])
    listed = "plugins: [metalworking: {store: store}]" if ends else "plugins: []"
    listed += "" if ends else "\nmarkdown_extensions: [mkdocs_metalworking: {store: store}]"
    project.put("mkdocs.yml", f"site_name: Slow\ntheme: {{name: material, font: false}}\n{listed}\n")
    project.put("docs/index.md", f"# Slow\n\n<< excerpt acme/long@{commit[:7]}:long.c >>\n")
    built = engines(project.root, engine, "build", "--strict", *options)
    assert "shown without colours" in built.stdout + built.stderr
    assert built.returncode == ends, built.stdout + built.stderr
    assert len(code_of(project.html("index.html"))) == 1 or ends


def test_zensical_with_the_extension_listed(engines, book: Project) -> None:  # type: ignore[no-untyped-def]
    text = (book.root / "mkdocs.yml").read_text(encoding="utf-8")
    book.put("mkdocs.yml", text.replace("!relative $docs_dir", "docs"))
    built = engines(book.root, "zensical", "build", "--strict", "-f", "mkdocs.yml")
    assert built.returncode == 0, built.stdout + built.stderr
    assert_pages(book, "site")


def test_zensical_from_the_stage_has_everything(engines, python, book: Project) -> None:  # type: ignore[no-untyped-def]
    staged = call(python, book.root, "mkdocs_metalworking", "stage", "build/zensical", "--strict")
    assert staged.returncode == 0, staged.stdout + staged.stderr
    again = call(python, book.root, "mkdocs_metalworking", "stage", "build/zensical", "--strict")
    assert again.returncode == 0, "a stage may be written again"
    built = engines(book.root / "build/zensical", "zensical", "build", "--strict")
    assert built.returncode == 0, built.stdout + built.stderr
    assert_pages(book, "build/zensical/site")
    assert_whole(book, "build/zensical/site")
    found = json.loads((book.root / "build/zensical/site/search.json").read_text(encoding="utf-8"))["items"]
    texts = [item["text"] for item in found if "kernel" in item["text"]]
    assert any("add.metal" in text and "thread_position_in_grid" in text for text in texts), found
    assert not [text for text in texts if "<pre" in text], "no code in one line, without gaps"
    elsewhere = call(python, book.root, "mkdocs_metalworking", "stage", "docs")
    assert elsewhere.returncode == 1
    assert "holds something else (name an empty folder)" in elsewhere.stdout


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("# Two\n\n<< excerpt {k}:src/add.metal#L99 >>\n", "docs/part/two.md:3: L99 runs past the end"),
        ("---\nsummary: x\ncuda: {term: x}\n---\n\n# Two\n", "docs/part/two.md:3: cuda has no 'verdict'"),
    ],
)
def test_errors_end_a_build_of_zensical(engines, book: Project, page: str, said: str) -> None:  # type: ignore[no-untyped-def]
    text = (book.root / "mkdocs.yml").read_text(encoding="utf-8")
    book.put("mkdocs.yml", text.replace("!relative $docs_dir", "docs"))
    book.put("docs/part/two.md", page)
    built = engines(book.root, "zensical", "build", "-f", "mkdocs.yml")
    assert built.returncode != 0
    assert said in built.stdout + built.stderr


def test_cards_are_told_by_zensical_and_fatal_when_the_extension_is_strict(engines, book: Project) -> None:  # type: ignore[no-untyped-def]
    (book.root / "code").rename(book.root / "away")
    text = (book.root / "mkdocs.yml").read_text(encoding="utf-8").replace("!relative $docs_dir", "docs")
    book.put("mkdocs.yml", text.replace("mkdocs_metalworking: {", "mkdocs_metalworking: {offline: true, "))
    built = engines(book.root, "zensical", "build", "-f", "mkdocs.yml")
    assert built.returncode == 0, built.stdout + built.stderr
    assert "docs/part/one.md:14: acme/kernels" in built.stdout + built.stderr
    assert "mw-card" in book.html("part/one/index.html")
    book.put(
        "mkdocs.yml", text.replace("mkdocs_metalworking: {", "mkdocs_metalworking: {offline: true, strict: true, ")
    )
    strict = engines(book.root, "zensical", "build", "--clean", "-f", "mkdocs.yml")
    assert strict.returncode != 0
    assert "could not be read" in strict.stdout + strict.stderr


def test_zensical_links_one_s_own_code_to_the_address_of_the_site(engines, python, project: Project) -> None:  # type: ignore[no-untyped-def]
    """``repo_url`` alone says where the repository is, as it does under MkDocs; ``repo:`` of the entry wins."""
    settings = "site_name: Own\nrepo_url: https://github.com/acme/own\nmarkdown_extensions: [mkdocs_metalworking]\n"
    project.put("mkdocs.yml", settings)
    project.put("sources.yml", "self: working-tree\n")
    project.put("src/shelf.py", "def put(book):\n    return book\n")
    project.put("docs/index.md", "# Shelf\n\n<< excerpt self:src/shelf.py#symbol=put >>\n")
    git(project.root, "init", "-q")
    git(project.root, "add", "mkdocs.yml", "sources.yml", "src", "docs")
    git(project.root, "commit", "-q", "-m", "Shelf")
    head = git(project.root, "rev-parse", "HEAD")
    done = call(python, project.root, "mkdocs_metalworking", "lock")
    assert done.returncode == 0, done.stdout
    for entry, home in (
        ("self: working-tree\n", "acme/own"),
        ("self: {pin: working-tree, repo: acme/moved}\n", "acme/moved"),
    ):
        project.put("sources.yml", entry)
        built = engines(project.root, "zensical", "build", "--clean", "-f", "mkdocs.yml")
        assert built.returncode == 0, built.stdout + built.stderr
        assert f'href="https://github.com/{home}/blob/{head}/src/shelf.py#L1-L2"' in project.html("index.html")
