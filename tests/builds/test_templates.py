"""Templates that show the content of other pages: quoted code is there as on its own, or an error is."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup

from tests.builds.conftest import KERNEL, Site

ALL = "<html><body>{% for p in nav.pages %}{{ p.content }}{% endfor %}</body></html>\n"
MAIN = """\
{% extends "base.html" %}
{% block content %}{{ super() }}{% for p in nav.pages %}{% if p != page %}{{ p.content }}{% endif %}{% endfor %}
{% endblock %}
"""
HOOK = "def on_page_content(html, page, config, files):\n    return html\n"
LINES = KERNEL.splitlines()
SHOWN = [LINES[3:9], [LINES[7].strip()]]


def lines(path: Path) -> list[list[str]]:
    soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    assert not soup.select("[data-mw]")
    figures = soup.select("figure.mw-excerpt")
    return [[line.get_text().removesuffix("\n") for line in figure.select(".mw-l")] for figure in figures]


@pytest.mark.parametrize("more", ["", "hooks: [hook.py]\n"])
@pytest.mark.parametrize("search", ["  - search\n", ""])
def test_a_template_shows_the_code_of_other_pages(site: Site, more: str, search: str) -> None:
    (site.root / "hook.py").write_text(HOOK)
    (site.root / "ov").mkdir()
    (site.root / "ov/main.html").write_text(MAIN)
    site.page("all.html", ALL)
    site.config("  - search\n", search)
    site.config("  font: false\n", "  font: false\n  custom_dir: ov\n")
    site.config("site_name: Test\n", f"site_name: Test\nextra_templates: [all.html]\n{more}")
    done = site.build("--strict")
    assert done.returncode == 0, done.stderr
    for name in ("all.html", "index.html", "first/two/index.html"):
        assert lines(site.root / "site" / name) == SHOWN, name
    for name, mine in (("first/one/index.html", SHOWN[0]), ("second/three/index.html", SHOWN[1])):
        found = lines(site.root / "site" / name)
        assert found[0] == mine
        assert sorted(found) == sorted(SHOWN)


FORMS = (
    *("p.content|e", "p.content|tojson", "p.content|urlencode", "p.content|upper", "p.content|forceescape|urlencode"),
    *("p.content|e|tojson", "p.content|forceescape|forceescape|forceescape", "p.content|urlencode|urlencode"),
)


def test_a_form_that_has_no_place_for_code_is_an_error(site: Site) -> None:
    names = [f"all{number}.html" for number, _ in enumerate(FORMS)]
    for name, form in zip(names, FORMS, strict=True):
        site.page(name, ALL.replace("p.content", form))
    site.config("site_name: Test\n", f"site_name: Test\nextra_templates: [{', '.join(names)}]\n")
    done = site.build()
    assert done.returncode == 1
    told = re.findall(r"ERROR +-  (.*)", done.stderr)
    assert told == [
        f"{name}: the content of docs/first/one.md is shown in a form that has no place for its quoted code"
        " (show page.content as it is, without a filter)"
        for name in names
    ]


def test_words_of_no_page_in_the_place_of_code_are_an_error(site: Site) -> None:
    """As of a plugin that keeps what it was shown from one build to the next. Escaped they are words."""
    words = '<pre class="mw-pre" data-mw="73262694901">a.metal line_1</pre>'
    escaped = "<pre>&lt;pre class=&quot;mw-pre&quot; data-mw=&quot;73262694901&quot;&gt;</pre>"
    for name, text in (("words.html", words), ("escaped.html", escaped)):
        site.page(name, ALL.replace("{{ p.content }}", text))
    site.config("site_name: Test\n", "site_name: Test\nextra_templates: [words.html, escaped.html]\n")
    done = site.build()
    assert done.returncode == 1
    assert [line.partition(" (")[0] for line in re.findall(r"ERROR +-  (.*)", done.stderr)] == [
        "words.html: the content of a page is shown as it was in an earlier build, without its quoted code"
    ]


UNSEEN = "one\ntwo\nthree\n  four\u202e \u200b  five\n"
BASE = """\
<!DOCTYPE html><html><head><title>T</title>STYLES</head><body>{{ page.content }}SCRIPTS</body></html>
"""
THEMES = {
    "by the configuration": (
        '{% for path in config.extra_css %}<link href="{{ path|url }}" rel="stylesheet">{% endfor %}',
        "{% for script in config.extra_javascript %}{{ script|script_tag }}{% endfor %}",
    ),
    "by MkDocs' variables": (
        '{% for path in extra_css %}<link href="{{ path }}" rel="stylesheet">{% endfor %}',
        '{% for path in extra_javascript %}<script src="{{ path }}"></script>{% endfor %}',
    ),
    "without a type": (
        '{% for path in config.extra_css %}<link href="{{ path|url }}" rel="stylesheet">{% endfor %}',
        "{% for path in config.extra_javascript %}<script defer src='{{ path|url }}'></script>{% endfor %}",
    ),
    "in no way": ("", ""),
}


def quote_unseen(site: Site, *pages: str) -> None:
    """Let *pages* quote lines with a gap between them, and with characters that nobody sees."""
    site.add_repo("acme/odd", {"odd.txt": UNSEEN})
    site.write([("acme/kernels", "add.metal"), ("acme/odd", "odd.txt")])
    site.page("first/two.md", "# Two\n")
    for name in pages:
        site.page(name, f"# Odd\n\n<< excerpt acme/odd@{site.commits['acme/odd'][:7]}:odd.txt#L1,L4 >>\n")


def assets_of(site: Site, page: str) -> tuple[list[str], list[str]]:
    """Return the paths of the styles and of the modules that *page* names, from the site's root."""
    soup = BeautifulSoup(site.html(page), "html.parser")
    folder = (site.root / "site" / page).parent

    def path(address: object) -> str:
        return (folder / str(address)).resolve().relative_to(site.root / "site").as_posix()

    styles = [path(link["href"]) for link in soup.select("link[rel=stylesheet]")]
    return styles, [path(script["src"]) for script in soup.select("script[src][type=module]")]


@pytest.mark.parametrize("how", THEMES)
def test_any_theme_has_the_styles_and_the_script(site: Site, how: str) -> None:
    quote_unseen(site, "index.md", "first/one.md")
    (site.root / "theme").mkdir()
    styles, scripts = THEMES[how]
    (site.root / "theme/main.html").write_text(BASE.replace("STYLES", styles).replace("SCRIPTS", scripts))
    site.page("own.css", "body{--mw-hot:red}\n")
    site.config("  name: material\n  font: false\n", "  name: null\n  custom_dir: theme\n")
    site.config("site_name: Test\n", "site_name: Test\nextra_css: [own.css]\n")
    done = site.build("--strict")
    assert done.returncode == 0, done.stderr
    ours = [f"assets/metalworking/{name}.css" for name in ("metalworking", "excerpts")]
    for page in ("index.html", "first/one/index.html"):
        found, modules = assets_of(site, page)
        assert found == ours + ["own.css"] * (how != "in no way"), "and the site's own behind them"
        assert modules == ["assets/metalworking/metalworking.js"]
        for name in found + modules:
            assert (site.root / "site" / name).is_file()


def test_a_page_that_shows_another_has_its_styles(site: Site) -> None:
    quote_unseen(site, "first/one.md")
    (site.root / "ov").mkdir()
    (site.root / "ov/main.html").write_text(MAIN)
    site.config("  font: false\n", "  font: false\n  custom_dir: ov\n")
    site.page("sub/all.html", ALL.replace("<body>", "<head></head><body>"))
    site.config("site_name: Test\n", "site_name: Test\nextra_templates: [sub/all.html]\n")
    assert site.build("--strict").returncode == 0
    for page in ("index.html", "first/two/index.html", "sub/all.html"):
        styles, modules = assets_of(site, page)
        assert [name for name in styles if "metalworking" in name] == [
            f"assets/metalworking/{name}.css" for name in ("metalworking", "excerpts")
        ]
        assert modules == ["assets/metalworking/metalworking.js"]
        assert not BeautifulSoup(site.html(page), "html.parser").select_one(".mw-ctl").get_text()  # type: ignore[union-attr]


@pytest.mark.parametrize("how", ["feature", "link", ""])
def test_a_page_that_previews_others_has_every_style(site: Site, how: str) -> None:
    quote_unseen(site, "first/one.md")
    site.page("first/two.md", "# Two\n\nWords of data-preview.\n")
    site.config("markdown_extensions: [", "markdown_extensions: [attr_list, ")
    site.page("index.md", "# Start\n\n[There](first/one.md)" + "{ data-preview }\n" * (how == "link"))
    if how == "feature":
        site.config("  font: false\n", "  font: false\n  features: [navigation.instant.preview]\n")
    assert site.build("--strict").returncode == 0
    ours = [f"assets/metalworking/{name}.css" for name in ("metalworking", "excerpts", "pairs", "terms")]
    for page, others in (("index.html", bool(how)), ("first/two/index.html", how == "feature")):
        styles, _ = assets_of(site, page)
        assert [name for name in styles if "metalworking" in name] == (ours if others else ours[:1])


def test_what_has_no_place_for_a_style_has_the_signs_as_text(site: Site) -> None:
    quote_unseen(site, "first/one.md")
    feed = "<rss>{% for p in nav.pages %}<item><![CDATA[{{ p.content }}]]></item>{% endfor %}</rss>\n"
    for name, text in (("feed.xml", feed), ("part.html", ALL.replace("html>", "main>"))):
        site.page(name, text)
    site.config("site_name: Test\n", "site_name: Test\nextra_templates: [feed.xml, part.html]\n")
    assert site.build("--strict").returncode == 0
    items = "".join(item.text or "" for item in ElementTree.fromstring(site.html("feed.xml")))
    for html in (items, site.html("part.html")):
        pre = BeautifulSoup(html, "html.parser").select_one(".mw-pre")
        assert pre is not None
        told = pre.get_text()
        assert re.fullmatch(r"one\n\u22ef [^\n]+\n  four\S* \S+  five\n", told), told
        assert "\u202e" not in told
        assert "\u200b" not in told
    assert not BeautifulSoup(site.html("first/one/index.html"), "html.parser").select_one(".mw-gap").get_text()  # type: ignore[union-attr]
