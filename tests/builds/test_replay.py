"""Under ``serve``, a page that is not rendered again must be what a clean build would write, byte for byte."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator

import pytest
from jinja2 import Environment

from tests.builds.conftest import Site
from tests.builds.saves import Serve
from tests.support import some


@pytest.fixture
def serve(site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    for number in range(6):
        site.page(f"more/p{number}.md", f"# More {number}\n\nSee [one](../first/one.md).\n\n" + "Text. " * 30 + "\n")
    site.config("nav:\n", "nav:\n  - More:\n" + "".join(f"      - more/p{n}.md\n" for n in range(6)))
    site.config(
        "markdown_extensions: [", "markdown_extensions: [{pymdownx.snippets: {base_path: [!relative $docs_dir]}}, "
    )
    (site.root / "docs" / "part.txt").write_text("From a part.\n", encoding="utf-8")
    site.page("more/p5.md", '# More 5\n\n--8<-- "part.txt"\n')
    (site.root / "overrides").mkdir()
    (site.root / "overrides" / "main.html").write_text('{% extends "base.html" %}\n', encoding="utf-8")
    site.config("  font: false\n", "  font: false\n  custom_dir: overrides\n")
    made = Serve(site, monkeypatch)
    yield made
    made.plugins.on_shutdown()


def replay(serve: Serve):  # type: ignore[no-untyped-def]
    assert serve.plugin._replay is not None
    return serve.plugin._replay


def test_one_edit_renders_one_page(serve: Serve) -> None:
    serve.rebuild()
    total = replay(serve).templates.rendered
    assert total == 11
    assert serve.rebuild() == serve.clean()
    assert (replay(serve).templates.rendered, replay(serve).templates.replayed) == (0, total)
    serve.site.page("more/p1.md", "# More 1\n\nAnother text, see [one](../first/one.md).\n")
    again = serve.rebuild()
    assert b"Another text" in again["more/p1/index.html"]
    assert replay(serve).templates.rendered == 1
    assert again == serve.clean()


def test_a_page_that_is_as_it_was_is_not_read_again_by_the_search(serve: Serve) -> None:
    serve.site.page("more/p2.md", "---\nsearch:\n  boost: 2\n---\n\n# More 2\n\nBoosted.\n")
    serve.site.page("more/p3.md", "---\nsearch:\n  exclude: true\n---\n\n# More 3\n\nHidden.\n")
    serve.rebuild()
    searched = replay(serve).templates.searched
    assert searched.kept == 0
    serve.site.page("more/p1.md", "# More 1\n\nAnother text.\n")
    again = serve.rebuild()
    assert searched.kept == replay(serve).templates.rendered + replay(serve).templates.replayed - 1 == 10
    assert b"Another text." in again["search/search_index.json"]
    assert b"Hidden." not in again["search/search_index.json"]
    assert b'"boost":2' in again["search/search_index.json"]
    assert again == serve.clean()


def test_a_page_with_a_table_of_docs_is_replayed(serve: Serve) -> None:
    serve.rebuild()
    serve.site.page("more/p1.md", "# More 1\n\nAnother text.\n")
    serve.rebuild()
    assert replay(serve).restored == 10  # the page that includes the table, too
    edit_snippet(serve.site, random.Random(1))
    assert serve.rebuild() == serve.clean()


def test_templates_are_compiled_once(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str | None] = []
    plain = Environment.compile

    def counted(self: Environment, source: str, name: str | None = None, *rest: object, **options: object) -> object:
        compiled.append(name)
        return plain(self, source, name, *rest, **options)  # type: ignore[call-overload]

    serve.rebuild()
    monkeypatch.setattr(Environment, "compile", counted)
    serve.rebuild()
    before = list(compiled)
    compiled.clear()
    edit_override(serve.site, random.Random(2))
    again = serve.rebuild()
    assert ("main.html" in before, "main.html" in compiled) == (False, True)
    assert again == serve.clean()


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
def test_every_kind_of_edit(serve: Serve, edit: Callable[[Site, random.Random], None]) -> None:
    rng = random.Random(edit.__name__)
    serve.rebuild()
    edit(serve.site, rng)
    assert serve.rebuild() == serve.clean()


@pytest.mark.parametrize("seed", some(range(4), 1))
def test_edits_in_any_order(serve: Serve, seed: int) -> None:
    rng = random.Random(seed)
    serve.rebuild()
    for _ in range(6):
        for edit in rng.sample(EDITS, rng.randrange(1, 3)):
            edit(serve.site, rng)
        assert serve.rebuild() == serve.clean()


def test_errors_are_told_after_every_save(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    serve.site.page("second/three.md", "# Three\n\n<< excerpt {k}:add.metal#L99 >>\n")
    serve.site.page("more/p4.md", "# More 4\n\nSee [gone](gone.md).\n")
    for number in range(3):
        caplog.clear()
        serve.site.page("more/p1.md", f"# More 1\n\nSave {number}.\n")
        assert "mw-error" in serve.rebuild()["second/three/index.html"].decode()
        assert "L99 runs past the end" in caplog.text
        assert "'gone.md', but the target" in caplog.text


def test_an_excerpt_whose_clone_comes_back_is_shown(serve: Serve) -> None:
    clone = serve.site.root / "code"
    shutil.move(clone, serve.site.root / "away")
    assert b"mw-card" in serve.rebuild()["second/three/index.html"]
    shutil.move(serve.site.root / "away", clone)
    assert b"mw-card" not in serve.rebuild()["second/three/index.html"]


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


def test_an_included_page_may_change(serve: Serve) -> None:
    serve.site.page("more/p5.md", '# More 5\n\n--8<-- "more/part.md"\n')
    serve.site.page("more/part.md", "From a page.\n")
    serve.rebuild()
    serve.site.page("more/part.md", "From a page, changed.\n")
    again = serve.rebuild()
    assert b"From a page, changed." in again["more/p5/index.html"]
    assert again == serve.clean()


def test_a_wrong_lock_is_seen_on_a_page_that_did_not_change(serve: Serve) -> None:
    assert b"mw-error" not in serve.rebuild()["second/three/index.html"]
    shutil.rmtree(serve.site.root / "store", ignore_errors=True)
    lock = serve.site.root / "sources.lock"
    file = next(iter(serve.site.project().lock.files.values()))
    lock.write_text(lock.read_text(encoding="utf-8").replace(file.sha256, "0" * 64), encoding="utf-8")
    assert b"mw-error" in serve.rebuild()["second/three/index.html"]


def test_front_matter_may_change_alone(serve: Serve) -> None:
    page = "---\ncuda: {{term: {term}, verdict: transfers}}\n---\n\n# More 2\n\nText.\n"
    serve.site.page("more/p2.md", page.format(term="First"))
    assert b">First</span>" in serve.rebuild()["more/p2/index.html"]
    serve.site.page("more/p2.md", page.format(term="Second"))
    again = serve.rebuild()
    assert b">Second</span>" in again["more/p2/index.html"]
    assert again == serve.clean()


def test_clones_and_store_may_vanish(serve: Serve) -> None:
    before = serve.rebuild()["second/three/index.html"]
    for name in ("code", "store"):
        shutil.rmtree(serve.site.root / name)
    assert serve.rebuild()["second/three/index.html"] == before, "a page that did not change is shown as it was"
    serve.site.page("second/three.md", "# Three\n\n<< excerpt {k}:add.metal#L4 >>\n")
    assert b"mw-card" in serve.rebuild()["second/three/index.html"]


SHOWS_OTHERS = {
    "a loop": "{% for p in nav.pages %}{% if p.url != page.url %}{{ p.content }}{% endif %}{% endfor %}",
    "an index": "{{ nav.pages[1].content }}",
    "the page before": "{% if page.previous_page %}{{ page.previous_page.content }}{% endif %}",
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


@pytest.mark.parametrize("how", SHOWS_OTHERS)
def test_a_page_that_shows_others_shows_them_as_they_are(serve: Serve, how: str) -> None:
    text = '{% extends "base.html" %}{% block content %}{{ super() }}{% include "others.html" %}{% endblock %}\n'
    (serve.site.root / "overrides" / "main.html").write_text(text, encoding="utf-8")
    (serve.site.root / "overrides" / "others.html").write_text(SHOWS_OTHERS[how], encoding="utf-8")
    serve.site.page("more/p1.md", "# More 1\n\n<< excerpt {k}:add.metal#L4-5 >>\n")
    serve.rebuild()
    for lines, words in (("L6-7", "Other"), ("L8", "Again")):
        serve.site.page("more/p1.md", f"# More 1\n\n{words}.\n\n## {words}\n\n<< excerpt {{k}}:add.metal#{lines} >>\n")
        again = serve.rebuild()
        assert words.encode() in again["index.html"] or how == "the page before"
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
