"""Under ``serve``, a page that is not rendered again must be what a clean build would write, byte for byte."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator

import pytest
from jinja2 import Environment

from tests.builds.conftest import Site, copied
from tests.builds.saves import Serve
from tests.support import some


@pytest.fixture(scope="module")
def served(made_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """One ``serve`` for all edits: each test leaves it built, as it left the site."""
    site = copied(made_site, tmp_path_factory.mktemp("served"))
    more(site)
    with pytest.MonkeyPatch.context() as patch:
        made = Serve(site, patch)
        made.rebuild()
        yield made
        made.plugins.on_shutdown()


@pytest.fixture
def serve(site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    more(site)
    made = Serve(site, monkeypatch)
    yield made
    made.plugins.on_shutdown()


def more(site: Site) -> None:
    """Give *site* six pages more, one with a part from docs/ and one with a callout, and overrides."""
    for number in range(6):
        site.page(f"more/p{number}.md", f"# More {number}\n\nSee [one](../first/one.md).\n\n" + "Text. " * 30 + "\n")
    site.config("nav:\n", "nav:\n  - More:\n" + "".join(f"      - more/p{n}.md\n" for n in range(6)))
    site.config(
        "markdown_extensions: [",
        "markdown_extensions: [attr_list, {pymdownx.snippets: {base_path: [!relative $docs_dir]}}, ",
    )
    (site.root / "docs" / "part.txt").write_text("From a part.\n", encoding="utf-8")
    site.page("more/p5.md", '# More 5\n\n--8<-- "part.txt"\n')
    (site.root / "overrides").mkdir()
    (site.root / "overrides" / "main.html").write_text('{% extends "base.html" %}\n', encoding="utf-8")
    site.config("  font: false\n", "  font: false\n  custom_dir: overrides\n")


def replay(serve: Serve):  # type: ignore[no-untyped-def]
    assert serve.plugin._replay is not None
    return serve.plugin._replay


def test_one_edit_renders_one_page_and_the_search_reads_no_other(serve: Serve) -> None:
    serve.site.page("more/p2.md", "---\nsearch:\n  boost: 2\n---\n\n# More 2\n\nBoosted.\n")
    serve.site.page("more/p3.md", "---\nsearch:\n  exclude: true\n---\n\n# More 3\n\nHidden.\n")
    first = serve.rebuild()
    templates = replay(serve).templates
    assert (templates.rendered, templates.replayed, templates.searched.kept, replay(serve).restored) == (11, 0, 0, 0)
    assert first == serve.clean()
    assert serve.rebuild() == first
    assert (templates.rendered, templates.replayed) == (0, 11)
    serve.site.page("more/p1.md", "# More 1\n\nAnother text, see [one](../first/one.md).\n")
    again = serve.rebuild()
    assert b"Another text" in again["more/p1/index.html"]
    assert (templates.rendered, templates.replayed, templates.searched.kept) == (1, 10, 10)
    assert replay(serve).restored == 10, "the page that includes a table of docs, too"
    assert b"Another text" in again["search/search_index.json"]
    assert b"Hidden." not in again["search/search_index.json"]
    assert b'"boost":2' in again["search/search_index.json"]
    assert again == serve.clean()


def test_templates_are_compiled_once(served: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str | None] = []
    plain = Environment.compile

    def counted(self: Environment, source: str, name: str | None = None, *rest: object, **options: object) -> object:
        compiled.append(name)
        return plain(self, source, name, *rest, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Environment, "compile", counted)
    served.rebuild()
    before = list(compiled)
    compiled.clear()
    edit_override(served.site, random.Random(2))
    again = served.rebuild()
    assert ("main.html" in before, "main.html" in compiled) == (False, True)
    assert again == served.clean()


def edit_text(site: Site, rng: random.Random) -> None:
    number = rng.randrange(5)
    site.page(f"more/p{number}.md", f"# More {number}\n\nSee [one](../first/one.md). {rng.random()}\n")


def edit_title(site: Site, rng: random.Random) -> None:
    site.page("more/p0.md", f"# Title {rng.random()}\n\nSee [one](../first/one.md).\n")


def edit_summary(site: Site, rng: random.Random) -> None:
    site.page("more/p2.md", f"---\nsummary: About {rng.random()}.\n---\n\n# More 2\n\nText.\n")


def edit_snippet(site: Site, rng: random.Random) -> None:
    (site.root / "docs" / "part.txt").write_text(f"From a part, {rng.random()}.\n", encoding="utf-8")


def edit_excerpt(site: Site, rng: random.Random) -> None:
    site.page("second/three.md", f"# Three\n\n<< excerpt {{k}}:add.metal#L{rng.randrange(1, 9)} >>\n")


def edit_override(site: Site, rng: random.Random) -> None:
    meta = f'<meta name="x" content="{rng.random()}">'
    text = '{% extends "base.html" %}\n{% block extrahead %}' + meta + "{% endblock %}\n"
    (site.root / "overrides" / "main.html").write_text(text, encoding="utf-8")


def add_page(site: Site, rng: random.Random) -> None:
    site.page(f"more/extra{rng.randrange(1000)}.md", "# Extra\n\nSee [one](../first/one.md).\n")


def add_target(site: Site, rng: random.Random) -> None:
    """A link that did not resolve before resolves now."""
    site.page("more/p3.md", "# More 3\n\nSee [late](late.md).\n")
    if rng.random() < 0.5:
        site.page("more/late.md", "# Late\n")
    else:
        (site.root / "docs" / "more" / "late.md").unlink(missing_ok=True)


def edit_nav(site: Site, rng: random.Random) -> None:
    path = site.root / "mkdocs.yml"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    found = [i for i, line in enumerate(lines) if "more/p" in line and "extra" not in line]
    a, b = rng.sample(found, 2)
    lines[a], lines[b] = lines[b], lines[a]
    path.write_text("".join(lines), encoding="utf-8")


def edit_name(site: Site, rng: random.Random) -> None:
    path = site.root / "mkdocs.yml"
    text = path.read_text(encoding="utf-8").split("\n", 1)[1]
    path.write_text(f"site_name: Test {rng.random()}\n{text}", encoding="utf-8")


def edit_lock(site: Site, rng: random.Random) -> None:
    site.write([("acme/kernels", "add.metal"), *([("acme/kernels", "notes.txt")] if rng.random() < 0.5 else [])])


EDITS: list[Callable[[Site, random.Random], None]] = [
    edit_text,
    edit_title,
    edit_summary,
    edit_snippet,
    edit_excerpt,
    edit_override,
    add_page,
    add_target,
    edit_nav,
    edit_name,
    edit_lock,
]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_every_kind_of_edit(served: Serve, edit: Callable[[Site, random.Random], None]) -> None:
    """One after the other, each of the site as the others left it."""
    edit(served.site, random.Random(edit.__name__))
    assert served.rebuild() == served.clean()


@pytest.mark.parametrize("seed", some(range(24), 3))
def test_edits_in_any_order(served: Serve, seed: int) -> None:
    """Two between one save and the next; by day three pairs of twenty-four, since each kind is also tried alone."""
    rng = random.Random(seed)
    for edit in rng.sample(EDITS, 2):
        edit(served.site, rng)
    assert served.rebuild() == served.clean()


def test_an_included_page_may_change(served: Serve) -> None:
    served.site.page("more/p4.md", '# More 4\n\n--8<-- "more/part.md"\n')
    served.site.page("more/part.md", "From a page.\n")
    assert b"From a page." in served.rebuild()["more/p4/index.html"]
    served.site.page("more/part.md", "From a page, changed.\n")
    again = served.rebuild()
    assert b"From a page, changed." in again["more/p4/index.html"]
    assert again == served.clean()


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("---\ncuda: {{term: {name}, verdict: transfers}}\n---\n\n# More 2\n\nText.\n", ">{name}</span>"),
        ("# More 2\n\n## A heading {{: data-toc-label='{name}' }}\n\nText.\n", "{name}"),
    ],
    ids=["front matter", "the name of a heading in the contents"],
)
def test_what_is_no_text_of_a_page_may_change_alone(served: Serve, page: str, shown: str) -> None:
    served.site.page("more/p2.md", page.format(name="Before"))
    assert shown.format(name="Before").encode() in served.rebuild()["more/p2/index.html"]
    served.site.page("more/p2.md", page.format(name="After"))
    again = served.rebuild()
    assert shown.format(name="After").encode() in again["more/p2/index.html"]
    assert again == served.clean()


def test_errors_are_told_after_every_save(served: Serve, caplog: pytest.LogCaptureFixture) -> None:
    served.site.page("second/three.md", "# Three\n\n<< excerpt {k}:add.metal#L99 >>\n")
    served.site.page("more/p4.md", "# More 4\n\nSee [gone](gone.md).\n")
    for number in range(3):
        caplog.clear()
        served.site.page("more/p1.md", f"# More 1\n\nSave {number}.\n")
        assert "mw-error" in served.rebuild()["second/three/index.html"].decode()
        assert "L99 runs past the end" in caplog.text
        assert "'gone.md', but the target" in caplog.text


def test_unknown_extensions_and_plugins_replay_nothing(serve: Serve) -> None:
    serve.site.config("markdown_extensions: [", "markdown_extensions: [pymdownx.pathconverter, ")
    serve.rebuild()
    serve.rebuild()
    assert replay(serve).templates.replayed == 0


def test_a_page_that_is_appended_to_every_page_may_change(serve: Serve) -> None:
    serve.site.config("base_path: [!relative $docs_dir]", "base_path: [!relative $docs_dir], auto_append: [tail.md]")
    serve.site.page("tail.md", "From the tail.\n")
    serve.rebuild()
    serve.site.page("tail.md", "From the tail, changed.\n")
    again = serve.rebuild()
    assert b"From the tail, changed." in again["more/p1/index.html"]
    assert again == serve.clean()


def test_a_wrong_lock_is_seen_on_a_page_that_did_not_change(serve: Serve) -> None:
    assert b"mw-error" not in serve.rebuild()["second/three/index.html"]
    shutil.rmtree(serve.site.root / "store", ignore_errors=True)
    lock = serve.site.root / "sources.lock"
    file = next(iter(serve.site.project().lock.files.values()))
    lock.write_text(lock.read_text(encoding="utf-8").replace(file.sha256, "0" * 64), encoding="utf-8")
    assert b"mw-error" in serve.rebuild()["second/three/index.html"]


def test_clones_and_store_may_vanish_and_come_back(serve: Serve) -> None:
    site = serve.site
    before = serve.rebuild()["second/three/index.html"]
    shutil.move(site.root / "code", site.root / "away")
    shutil.rmtree(site.root / "store")
    assert serve.rebuild()["second/three/index.html"] == before, "a page that did not change is shown as it was"
    site.page("second/three.md", "# Three\n\n<< excerpt {k}:add.metal#L4 >>\n")
    assert b"mw-card" in serve.rebuild()["second/three/index.html"]
    shutil.move(site.root / "away", site.root / "code")
    assert b"mw-card" not in serve.rebuild()["second/three/index.html"]


SHOWS_OTHERS = {
    "the page before": "{% if page.previous_page %}{{ page.previous_page.content }}{% endif %}",
    "a loop": "{% for p in nav.pages %}{% if p.url != page.url %}{{ p.content }}{% endif %}{% endfor %}",
    "an index": "{{ nav.pages[1].content }}",
    "a name": "{% set page = nav.pages[1] %}{{ page.content }}",
    "a key": '{{ nav.pages[1]["content"] }}',
    "an attribute": '{{ nav.pages|map(attribute="content")|join }}',
    "a macro": "{% macro show(page) %}{{ page.content }}{% endmacro %}{{ show(nav.pages[1]) }}",
    "MkDocs' files": "{% for f in pages %}{% if f.page != page %}{{ f.page.content }}{% endif %}{% endfor %}",
    "a name within": "{% with page = nav.pages[1] %}{{ page.content }}{% endwith %}",
    "one name of two": "{% for url, page in [('', nav.pages[1])] %}{{ page.content }}{% endfor %}",
    "an attribute of one": "{{ pages|map(attribute='page.content')|join }}",
    "a filter": "{% for f in pages %}{{ f.page|attr('con' ~ 'tent') }}{% endfor %}",
    "a file": "{% for f in pages %}{{ f.content_string }}{% endfor %}",
    "a table of contents": "{% for p in nav.pages %}{% for one in p.toc %}"
    "{{ one.children|map(attribute='title')|join }}{% endfor %}{% endfor %}",
}


def test_a_page_that_shows_others_shows_them_as_they_are(serve: Serve) -> None:
    """Each way on a page of its own behind the page that is edited, and the first one on every other page too."""
    site, overrides = serve.site, serve.site.root / "overrides"
    text = '{% extends "base.html" %}{% block content %}{{ super() }}{% include "WAY" %}{% endblock %}\n'
    names = {way: way.replace(" ", "-").replace("'", "") for way in SHOWS_OTHERS}
    for way, name in names.items():
        (overrides / f"{name}.html").write_text(text.replace("WAY", f"{name}.part"), encoding="utf-8")
        (overrides / f"{name}.part").write_text(SHOWS_OTHERS[way], encoding="utf-8")
        site.page(f"ways/{name}.md", f"---\ntemplate: {name}.html\n---\n\n# {way}\n")
    (overrides / "main.html").write_text(text.replace("WAY", "a-loop.part"), encoding="utf-8")
    ways = "".join(f"      - ways/{name}.md\n" for name in names.values())
    site.config("      - more/p1.md\n", f"      - more/p1.md\n{ways}")
    site.page("more/p1.md", "# More 1\n\n<< excerpt {k}:add.metal#L4-5 >>\n")
    serve.rebuild()
    for lines, words in (("L6-7", "Other"), ("L8", "Again")):
        site.page("more/p1.md", f"# More 1\n\n{words}.\n\n## {words}\n\n<< excerpt {{k}}:add.metal#{lines} >>\n")
        again = serve.rebuild()
        shown = [way for way, name in names.items() if words.encode() in again[f"ways/{name}/index.html"]]
        assert shown == list(SHOWS_OTHERS)
        assert words.encode() in again["index.html"]
        assert not any(b"data-mw=" in page for name, page in again.items() if name.endswith(".html"))
        assert again == serve.clean()


def test_a_page_that_shows_others_is_rendered_and_the_rest_is_not(serve: Serve) -> None:
    others = "{% for f in pages %}{{ f.page.content }}{% endfor %}"
    text = f'{{% extends "base.html" %}}{{% block content %}}{others}{{% endblock %}}'
    (serve.site.root / "overrides" / "all.html").write_text(text, encoding="utf-8")
    serve.site.page("index.md", "---\ntemplate: all.html\n---\n\n# Home\n")
    serve.rebuild()
    serve.site.page("more/p1.md", "# More 1\n\nAnother text, see [one](../first/one.md).\n")
    again = serve.rebuild()
    assert replay(serve).templates.rendered == 2
    assert b"Another text" in again["index.html"]
    assert again == serve.clean()
