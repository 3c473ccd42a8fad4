"""One reading of a site: what build, check and lock say of pages that people and plugins make odd."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from bs4 import BeautifulSoup

from tests.builds.conftest import Site, copied
from tests.support import git


def titles(html: str, kind: str) -> list[str]:
    found = re.search(rf'<a class="mw-next-card mw-{kind}".*?<span class="mw-next-title">(.*?)</span>', html, re.DOTALL)
    return [found[1]] if found else []


# Titles


TITLES = {
    "heading": ("# Beta { #be }\n", "Beta"),
    "comment": ("# Gamma <!-- # Not this -->\n", "Gamma"),
    "stars": ("# 2 * 3 * 4\n", "2 * 3 * 4"),
    "escaped": ("# C\\+\\+\n", "C++"),
    "entity": ("# A &amp; B\n", "A &amp; B"),
    "code": ("# `f<T>` and *g*\n", "f&lt;T&gt; and g"),
    "underlined": ("Delta\n=====\n", "Delta"),
    "front": ("---\ntitle: From the front\n---\n\n# Not this\n", "From the front"),
    "of-the-file": ("## Only a second\n", "Of the file"),
    "fenced": ("```\n# Not this\n```\n", "Fenced"),
    "nav": ("# Not this\n", "R&amp;D"),
}
"""Pages, and the title of each as HTML shows it; the last one has its name in the nav."""


@pytest.fixture(scope="module")
def titled(made_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = copied(made_site, tmp_path_factory.mktemp("titled"))
    site.config("[footnotes, admonition]", "[footnotes, admonition, attr_list, md_in_html]")
    for name, (page, _) in TITLES.items():
        site.page(f"first/{name}.md", page)
    site.page("index.md", "# Home\n\n<!-- az-index -->\n\n<!-- sources -->\n")
    nav = [f"first/{name}.md" for name in TITLES]
    nav[-1] = f'"R&D": {nav[-1]}'
    site.config("      - first/one.md\n", '      - "One & \\"two\\"": first/one.md\n')
    site.config("      - first/two.md\n", "".join(f"      - {line}\n" for line in nav))
    site.config("  - Second:\n", "      - first/two.md\n  - Second:\n")
    done = site.build("--strict")
    assert done.returncode == 0, done.stderr
    return site


def test_titles_are_those_of_mkdocs(titled: Site) -> None:
    home = unescape(titled.html("index.html"))
    contents = titled.html("first/index.html").replace("</a> <span", "</a></li>")
    lookup = json.loads(titled.html("assets/metalworking/lookup.json"))
    before = "one"
    for name, (_, title) in TITLES.items():
        assert titles(titled.html(f"first/{before}/index.html"), "next") == [title], name
        assert f">{title}</a></li>" in contents, name
        plain = title.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
        assert lookup["pages"][f"first/{name}/"][0] == plain
        assert re.search(rf"<strong><a [^>]*>{re.escape(unescape(title))}</a></strong>", home), "home is read first"
        before = name


def test_titles_in_the_list_of_sources_stay_text(titled: Site) -> None:
    used = re.search(r'<span class="mw-used">(.*?)</span>', titled.html("index.html"), re.DOTALL)
    assert used is not None
    assert '<a href="first/one/">One &amp; &quot;two&quot;</a> <small>1 quoted, 1 cited</small>' in used[1]


# The nav


def test_a_draft_in_the_nav_is_passed_over(site: Site) -> None:
    site.config("nav:\n", "draft_docs: first/two.md\nnav:\n")
    site.page("first/two.md", "# Two\n")
    done = site.build("--strict")
    assert done.returncode == 0, done.stderr
    one = site.html("first/one/index.html")
    assert "First, 1 of 1. Here the chapter ends." in one
    assert titles(one, "next") == ["Three"]
    checked = site.run("mkdocs_metalworking", "check", "--strict")
    assert checked.returncode == 0, checked.stdout


def test_a_page_named_twice_is_told_and_stands_once(site: Site) -> None:
    site.config("      - second/three.md", "      - second/three.md\n      - first/one.md")
    done = site.build()
    said = "mkdocs.yml: the nav names first/one.md more than once (its first place counts; "
    assert said in done.stderr
    assert said in site.run("mkdocs_metalworking", "check").stdout
    one, two = site.html("first/one/index.html"), site.html("first/two/index.html")
    assert titles(one, "prev") == ["First"]
    assert titles(two, "prev") == ["One"]
    assert "First, 1 of 2" in one


def test_pages_may_end_in_markdown(site: Site) -> None:
    site.config("      - second/three.md", "      - second/three.markdown")
    (site.root / "docs/second/three.md").rename(site.root / "docs/second/three.markdown")
    assert site.build("--strict").returncode == 0
    checked = site.run("mkdocs_metalworking", "check", "--strict")
    assert checked.returncode == 0, checked.stdout


# Paths and files


def test_paths_are_those_that_a_person_types(site: Site) -> None:
    (site.root / "book").mkdir()
    (site.root / "docs").rename(site.root / "book/docs")
    site.config("site_name: Test\n", "site_name: Test\ndocs_dir: book/docs\n")
    page = site.root / "book/docs/second/three.md"
    page.write_text("# Three\n\n<< excerpt x >>\n", encoding="utf-8")
    said = "book/docs/second/three.md:3: "
    assert said in site.build().stderr
    assert site.run("mkdocs_metalworking", "check").stdout.startswith(said)


@pytest.mark.parametrize(
    ("text", "byte"), [("# Caf\u00e9\n".encode("latin-1"), 6), ("\ufeff# Three\n".encode("utf-16-le"), 1)]
)
def test_a_page_in_another_encoding_is_named(site: Site, text: bytes, byte: int) -> None:
    (site.root / "docs/second/three.md").write_bytes(text)
    said = f"docs/second/three.md: cannot be read: byte {byte} is no UTF-8 (save the page as UTF-8)"
    for command in (("mkdocs", "build"), ("mkdocs_metalworking", "check"), ("mkdocs_metalworking", "list")):
        done = site.run(*command)
        assert "Traceback" not in done.stdout + done.stderr
        assert command[1] == "list" or (done.returncode == 1 and said in done.stdout + done.stderr)


def test_one_page_may_be_checked(site: Site) -> None:
    site.page("second/three.md", "# Three\n\n<< excerpt x >>\n")
    good = site.run("mkdocs_metalworking", "check", "docs/first/one.md")
    assert (good.returncode, good.stdout) == (0, "")
    assert good.stderr.startswith("1 page, ")  # no other is converted
    bad = site.run("mkdocs_metalworking", "check", "docs/first/one.md", "docs/second/three.md")
    assert bad.returncode == 1
    assert bad.stdout.startswith("docs/second/three.md:3: ")
    other = site.run("mkdocs_metalworking", "check", "README.md")
    assert other.returncode == 1
    assert "README.md is no page of this site (name a page in docs)" in other.stdout


# Marks


MARKS = {
    "index": ("az-index", ["md_in_html", "attr_list"]),
    "first/two": ("sources", ["md_in_html", "attr_list"]),
    "second/three": ("mapping-table", ["md_in_html"]),
}


def test_a_mark_says_which_extensions_it_needs(site: Site) -> None:
    site.config("[footnotes, admonition]", "[footnotes, admonition, tables]")
    for page, (mark, _) in MARKS.items():
        site.page(f"{page}.md", f"---\nsummary: S.\n---\n\n# Home\n\n<!-- {mark} -->\n")
    done = site.build()
    assert done.returncode == 1
    checked = site.run("mkdocs_metalworking", "check").stdout
    for page, (mark, needs) in MARKS.items():
        lines = ", ".join(f"- {name}" for name in needs)
        words = f"<!-- {mark} --> needs {' and '.join(needs)} (add to markdown_extensions: {lines})"
        assert f"docs/{page}.md:7: {words}" in done.stderr
        assert f"docs/{page}.md:7: {words}" in checked


def test_a_mark_in_a_fence_stays(site: Site) -> None:
    site.config("[footnotes, admonition]", "[footnotes, admonition, pymdownx.superfences]")
    site.page("index.md", "# Home\n\n~~~ html\n<!-- sources -->\n```\n<!-- az-index -->\n~~~\n")
    done = site.build("--strict")
    assert done.returncode == 0, done.stderr
    assert "&lt;!-- sources --&gt;" in re.sub(r"</?span[^>]*>", "", site.html("index.html"))
    assert "mw-sources" not in site.html("index.html")


# Other parts of a site


@pytest.mark.parametrize("directory", ["true", "false"])
def test_previews_know_every_page(site: Site, directory: str) -> None:
    """The keys are what the script asks for: the address below the root, without ``index.html``."""
    site.config("site_name: Test\n", f"site_name: Test\nuse_directory_urls: {directory}\n")
    assert site.build().returncode == 0
    lookup = json.loads((site.root / "site/assets/metalworking/lookup.json").read_text(encoding="utf-8"))
    ending = "/" if directory == "true" else ".html"
    assert set(lookup["pages"]) == {"", "first/", *(f"{p}{ending}" for p in ("first/one", "first/two", "second/three"))}


def test_front_matter_of_folders_counts(site: Site) -> None:
    """Material's plugin meta gives a folder's pages what its .meta.yml says."""
    site.config("  - search\n", "  - search\n  - meta\n")
    site.page("second/.meta.yml", "summary: Of the folder.\ncuda: {term: Grid, verdict: transfers}\n")
    assert site.build("--strict").returncode == 0
    three = site.html("second/three/index.html")
    assert '<span class="mw-callout-term">Grid</span>' in three
    assert '<p class="mw-summary">Of the folder.</p>' in three
    assert "Of the folder." in site.html("first/two/index.html"), "on the card of the next chapter"
    site.page("second/.meta.yml", "cuda: {term: Grid, verdict: maybe}\n")
    done = site.build()
    assert done.returncode == 1
    assert "docs/second/three.md: cuda.verdict is 'maybe'" in done.stderr


@pytest.mark.parametrize("theme", ["mkdocs", "readthedocs", "material"])
def test_an_excerpt_that_no_search_shall_read(site: Site, theme: str) -> None:
    text = (site.root / "mkdocs.yml").read_text(encoding="utf-8")
    text = text.replace("theme:\n  name: material\n  font: false\n", f"theme: {theme}\n")
    (site.root / "mkdocs.yml").write_text(text, encoding="utf-8")
    excerpt = "<< excerpt {k}:add.metal#L8 search=off >>"
    note = f"- L8: Sorted.\n\n    {excerpt}\n\n    Behind.\n"
    site.page("second/three.md", f"# Three\n\n{excerpt}\n{note}\nFound.\n")
    done = site.build()
    assert done.returncode == 0, done.stderr
    index = (site.root / "site/search/search_index.json").read_text(encoding="utf-8")
    three = " ".join(doc["text"] for doc in json.loads(index)["docs"] if doc["location"].startswith("second"))
    assert "Found." in three
    assert not {"Sorted", "Behind", "out"} & set(re.findall(r"\w+", three))
    assert re.search(r"Sorted\..*</figure>.*Behind\..*</figure>", site.html("second/three/index.html"), re.DOTALL)
    assert "mw-cut" not in site.html("second/three/index.html")


PLACES = (
    '<pre class="pre" data-mw="0">words</pre>',
    "<p>A <!--mw-0-->lines that nobody committed<!--/mw-0--> B</p>",
    "<p>A <!--mw-cut-0--> B</p>",
)


def test_nothing_on_a_page_passes_for_the_place_of_code_or_of_a_drawing(site: Site) -> None:
    drawing = "<svg><text>real</text></svg>"
    excerpt = "<< excerpt {k}:add.metal#L8 >>"
    text = "# Three\n\n" + "\n\n".join((*PLACES, excerpt, f"<figure>{drawing}</figure>"))
    site.page("second/three.md", text + "\n")
    site.config("  - search\n", "  - search\n  - minify\n")  # a plugin that reads pages
    assert site.build("--strict").returncode == 0
    html = site.html("second/three/index.html")
    article = html[html.index("<article") : html.index("</article")]
    assert article.count("mw-caption") == 1
    assert article.count(drawing) == 1
    assert 'data-mw="0">words</pre>' in article
    assert "<!--mw-0-->lines that nobody committed<!--/mw-0-->" in article
    assert article.index("<!--mw-cut-0-->") < article.index('class="mw-excerpt"') < article.index(drawing)


def test_a_dirty_build_knows_the_pages_that_it_does_not_write(site: Site) -> None:
    site.config("[footnotes, admonition]", "[footnotes, admonition, attr_list, md_in_html]")
    site.page("index.md", "# Home\n\n<!-- sources -->\n\nSee [one](first/one.md).\n")
    assert site.build().returncode == 0
    clean = {name: site.html(f"{name}index.html") for name in ("", "first/one/")}
    site.page("index.md", "# Home\n\n<!-- sources -->\n\nSee [one](first/one.md).\n")
    page = site.root / "docs/first/one.md"
    page.write_bytes(page.read_bytes())
    assert site.build("--dirty").returncode == 0
    assert {name: site.html(f"{name}index.html") for name in clean} == clean


def test_a_dirty_build_writes_pages_whose_lines_changed_without_them(site: Site) -> None:
    site.config("nav:\n", "repo_url: https://github.com/acme/site\nnav:\n")
    (site.root / "own.py").write_text("def f():\n    return 1\n", encoding="utf-8")
    sources = (site.root / "sources.yml").read_text(encoding="utf-8")
    (site.root / "sources.yml").write_text(f"self: working-tree\n{sources}", encoding="utf-8")
    site.page("index.md", "# Home\n\n<< excerpt self:own.py#symbol=f >>\n")
    site.page("second/three.md", "# Three\n\nNothing of others.\n")
    git(site.root, "init", "-q")
    git(site.root, "add", "own.py")
    assert site.run("mkdocs_metalworking", "lock").returncode == 0
    assert site.build().returncode == 0
    plain = site.root / "site/second/three/index.html"
    plain.write_text("as it was", encoding="utf-8")
    (site.root / "own.py").write_text("def f():\n    return 2 - 3\n", encoding="utf-8")
    accepted = site.run("mkdocs_metalworking", "accept", "own.py")
    assert accepted.returncode == 0, accepted.stderr
    done = site.build("--dirty")
    assert done.returncode == 0, done.stderr
    text = BeautifulSoup(site.html("index.html"), "html.parser").select_one(".mw-code").get_text()  # type: ignore[union-attr]
    assert "return 2 - 3" in text
    assert plain.read_text(encoding="utf-8") == "as it was", "a page of words is passed over"


def test_an_error_in_text_of_no_page_ends_the_build(site: Site) -> None:
    """A hook that converts Markdown of its own gets finished code, and its errors are told."""
    (site.root / "hook.py").write_text(
        "import markdown\n\n\ndef on_post_page(output, page, config):\n"
        "    if page.is_homepage:\n"
        "        text = open('extra.txt').read()\n"
        "        output += markdown.markdown(text, extensions=config.markdown_extensions)\n"
        "    return output\n",
        encoding="utf-8",
    )
    site.config("nav:\n", "hooks: [hook.py]\nnav:\n")
    extra = site.root / "extra.txt"
    extra.write_text(f"<< excerpt acme/kernels@{site.sha}:add.metal#L8 >>\n", encoding="utf-8")
    done = site.build()
    assert done.returncode == 0, done.stderr
    assert "Quoted 2 of 2 excerpts" in done.stderr, "it belongs to no page"
    home = site.html("index.html")
    assert 'data-n="8"' in home
    assert "data-mw=" not in home
    extra.write_text(f"<< excerpt acme/kernels@{site.sha}:add.metal#L80 >>\n", encoding="utf-8")
    done = site.build()
    assert done.returncode == 1
    assert "L80 runs past the end" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        ("def on_config(config):\n    return 1 +\n", "mkdocs.yml: cannot be loaded: SyntaxError: "),
        ("def on_page_markdown(markdown, **_):\n    raise KeyError('mine')\n", "the site's plugins end with: "),
        ("def on_files(files, **_):\n    raise SystemExit(3)\n", "the site's plugins end with: 3"),
    ],
)
def test_a_hook_that_fails_ends_a_command_with_a_message(site: Site, hook: str, said: str) -> None:
    (site.root / "hook.py").write_text(hook, encoding="utf-8")
    site.config("nav:\n", "hooks: [hook.py]\nnav:\n")
    for command in ("check", "list", "lock"):
        done = site.run("mkdocs_metalworking", command)
        assert done.returncode == 1
        assert said in done.stdout
        assert "Traceback" not in done.stdout + done.stderr


def test_reading_without_plugins_says_so_and_keeps_the_lock(site: Site) -> None:
    (site.root / "hook.py").write_text(
        "def on_page_markdown(markdown, page, **_):\n    return markdown.replace('HERE', open('part.txt').read())\n",
        encoding="utf-8",
    )
    (site.root / "part.txt").write_text(f"<< excerpt acme/kernels@{site.sha}:notes.txt#L2 >>\n", encoding="utf-8")
    site.config("nav:\n", "hooks: [hook.py]\nnav:\n")
    site.page("second/three.md", "# Three\n\nHERE\n")
    through = site.run("mkdocs_metalworking", "lock")
    assert through.returncode == 0, through.stdout
    assert "reading through the site's plugins, which takes longer: hook.py" in through.stderr
    assert "2 files, 0 archives, 1 newly bound" in through.stderr
    assert site.build("--strict").returncode == 0
    fast = site.run("mkdocs_metalworking", "lock", "--no-plugins")
    assert fast.returncode == 0
    assert "read without plugins that may make or change pages: hook.py (--plugins reads with them)" in fast.stderr
    assert "2 files, 0 archives, 0 newly bound" in fast.stderr, "what was not seen stays"
    assert site.build("--strict").returncode == 0


HIDING = """
def on_page_markdown(markdown, page, **_):
    if "password" in page.meta:
        page.encryptcontent = {"password": page.meta["password"]}


def on_page_content(html, page, **_):
    return "Encrypted." if hasattr(page, "encryptcontent") else html


def on_post_page(output, page, **_):
    if hasattr(page, "encryptcontent"):
        del page.encryptcontent
    return output
"""


def test_of_a_page_behind_a_password_nothing_is_told_but_its_title(site: Site) -> None:
    """As the plugin encryptcontent marks such a page, until it is written."""
    (site.root / "hook.py").write_text(HIDING, encoding="utf-8")
    site.config("  - search\n", "  - search\n  - metalworking-book: {forms: [markdown]}\n")
    site.config("[footnotes,", "[footnotes, md_in_html, attr_list,")
    site.config("nav:\n", "hooks: [hook.py]\nnav:\n")
    source = "sources: [{cite: 'acme/kernels:add.metal#L1', kind: measured}]"
    (site.root / "quantities.yml").write_text(f"quantities: {{t.one: {{value: 3, {source}}}}}\n", encoding="utf-8")
    site.page("index.md", "# Home\n\nSee [one](first/one.md), [=t.one].\n")
    said = "summary: HIDDEN words.\ncuda: {term: HIDDEN, verdict: transfers, apis: [HIDDEN]}"
    quoted = "<< excerpt {k}:add.metal#L4 >>\n\n[Home](../index.md), [=t.one].\n"
    site.page("first/one.md", f"---\npassword: abc\n{said}\n---\n\n# One\n\n{quoted}")
    site.page("second/three.md", "# Three\n\n<!-- az-index -->\n\n<!-- sources -->\n")
    done = site.build()
    assert done.returncode == 0, done.stderr
    made = [path for name in ("site", "build") for path in (site.root / name).rglob("*.*") if path.is_file()]
    assert (site.root / "build/book/llms.txt") in made
    assert [str(path) for path in made if b"HIDDEN" in path.read_bytes()] == []
    assert '<span class="mw-next-title">One<' in site.html("first/index.html")
    assert ">One</a>" in site.html("index.html")
    told = json.loads(site.html("assets/metalworking/quantities.json"))
    assert [title for title, _ in told["t.one"]["uses"]] == ["Home"]
    used = BeautifulSoup(site.html("second/three/index.html"), "html.parser").select_one(".mw-used")
    assert used is not None
    assert [link.text for link in used.select("a")] == ["Home"]
