"""Templates that show the content of other pages: quoted code is there as on its own, or an error is."""

from __future__ import annotations

import re
from pathlib import Path

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


@pytest.mark.parametrize("form", ["p.content|e", "p.content|tojson", "p.content|urlencode"])
def test_a_form_that_has_no_place_for_code_is_an_error(site: Site, form: str) -> None:
    site.page("all.html", ALL.replace("p.content", form))
    site.config("site_name: Test\n", "site_name: Test\nextra_templates: [all.html]\n")
    done = site.build()
    assert done.returncode == 1
    told = re.findall(r"ERROR +-  (.*)", done.stderr)
    assert told == [
        "all.html: the content of docs/first/one.md is shown in a form that has no place for its quoted code"
        " (show page.content as it is, without a filter)"
    ]
