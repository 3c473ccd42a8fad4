"""What a search, an editor and an agent are told of quoted lines: those lines, that file, and nothing unseen."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from lsprotocol import types as lsp

from mkdocs_metalworking.hosts.lsp.editing import Bench
from mkdocs_metalworking.hosts.lsp.hovering import hover
from mkdocs_metalworking.hosts.mkdocs.answers import Answers
from mkdocs_metalworking.hosts.mkdocs.desk import Desk
from mkdocs_metalworking.quote.diagnostics import INVISIBLE
from tests.builds.conftest import Site

CODE = "".join(f"int line_{n};\n" for n in range(1, 20))
HIDDEN = "int a; /*\u202e */ begin\u2066 \u200b\U000e0041\U000e0042 done\u2028over\rreturn\x1b[2J\n"
MKDOCS = """\
site_name: Same
theme: {name: THEME}
plugins: [search, metalworking: {store: store, offline: true, lookup: true, citations: true}]
markdown_extensions: [footnotes, md_in_html, admonition]
"""
PAGE = """\
# Same

Said[^1].

[^1]: In a note

    << excerpt {k}:a.c#L3-4 >>

<div markdown>

<< excerpt {k}:b.c#L3-5 >>

</div>

<< excerpt {k}:a.c#L3-9 >>

<< excerpt {k}:b.c#L3-6 search=off >>

!!! note

    << excerpt {k}:a.c#L3 >>

<< excerpt {k}:b.c#L3,L7 lang=nonesuch >>

<< excerpt {k}:b.c#L3-7 >>
"""


@pytest.mark.parametrize("theme", ["mkdocs", "material"])
def test_the_lines_of_a_result_are_those_at_its_address(tmp_path: Path, theme: str) -> None:
    """Files with the same bytes quoted from the same line, in and out of the search, not in the order of the page."""
    site = Site(tmp_path)
    site.add_repo("acme/kernels", {"a.c": CODE, "b.c": CODE, "LICENSE": "MIT\n"})
    site.write([("acme/kernels", "a.c"), ("acme/kernels", "b.c")])
    (tmp_path / "mkdocs.yml").write_text(MKDOCS.replace("THEME", theme))
    for page in (PAGE, PAGE.replace("<< excerpt {k}:b.c#L3,L7 lang=nonesuch >>\n\n", "")):
        site.page("index.md", page)
        done = site.build()
        if "nonesuch" in page:
            assert done.returncode != 0  # an excerpt that cannot be shown takes no other one's place
    assert done.returncode == 0, done.stderr
    soup = BeautifulSoup(site.html("index.html"), "html.parser")
    shown = {}
    for figure in soup.select("figure.mw-excerpt"):
        if figure.get("data-search-exclude") is None:
            name = figure.select(".mw-file")[0].get_text().partition(":")[0]
            lines = figure.select(".mw-l")
            shown[str(lines[0]["id"])] = (name, [line.get_text().strip() for line in lines])
    (page_,) = json.loads((tmp_path / "site/assets/metalworking/code.json").read_text("utf-8")).values()
    told = {f"{head}{parts[0][0]}{tail}": (name, parts[0][1]) for name, head, tail, parts in page_}
    assert told == shown
    assert len(told) == 5


def test_what_is_told_of_a_number_has_nothing_unseen(tmp_path: Path) -> None:
    """In the text of a picture, for scripts, in an answer and over a number in an editor."""
    site = Site(tmp_path)
    site.add_repo("acme/kernels", {"LICENSE": "MIT\n"})
    site.write([])
    (tmp_path / "mkdocs.yml").write_text(MKDOCS.replace("THEME", "mkdocs"))
    hidden = "begin\u2066\u202eend"
    one = {"name": hidden, "value": 5, "shown": hidden, "chip": hidden, "kind": "derived", "dispute": hidden}
    (tmp_path / "quantities.yml").write_text(json.dumps({"quantities": {"a.b": one}}))
    site.page("index.md", "# One\n\nSo [=a.b]. ![see [=a.b]](p.png)\n")
    assert site.build().returncode == 0
    html = (tmp_path / "site/index.html").read_text("utf-8")
    with closing(Desk(str(tmp_path / "mkdocs.yml"))) as desk:
        desk.complete()
        over = hover(Bench(desk), tmp_path / "docs/index.md", lsp.Position(2, 5))
        answers = Answers(desk.reading)
        answered = [json.dumps(told, ensure_ascii=False) for told in (answers.quantity("a.b"), answers.search("see"))]
    assert over is not None
    assert isinstance(over.contents, lsp.MarkupContent)
    scripts = (tmp_path / "site/assets/metalworking/quantities.json").read_text("utf-8")
    for told in (html, scripts, *answered, over.contents.value):
        assert INVISIBLE.search(told) is None
        assert "beginU+2066U+202Eend" in told


def test_nothing_unseen_is_in_what_is_told(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.add_repo("acme/kernels", {"a.c": HIDDEN + CODE, "LICENSE": "MIT\n"})
    site.write([("acme/kernels", "a.c")])
    (tmp_path / "mkdocs.yml").write_text(MKDOCS.replace("THEME", "mkdocs"))
    site.page("index.md", "# One\n\n<< excerpt {k}:a.c#L1-3 >>\n\nSaid [@{k}:a.c#L1].\n")
    assert site.build("--strict").returncode == 0
    text = (tmp_path / "site/assets/metalworking/code.json").read_text("utf-8")
    with closing(Desk(str(tmp_path / "mkdocs.yml"))) as desk:
        desk.complete()
        path = tmp_path / "docs/index.md"
        bench = Bench(desk)
        quoted, cited = (hover(bench, path, lsp.Position(line, at)) for line, at in ((2, 12), (4, 8)))
        assert quoted is not None
        assert cited is not None
        commit = site.commits["acme/kernels"]
        answer = Answers(desk.reading).excerpt(f"acme/kernels@{commit}:a.c#L1-3")["code"]
    assert isinstance(quoted.contents, lsp.MarkupContent)
    assert isinstance(cited.contents, lsp.MarkupContent)
    excerpts = json.loads(text)
    assert "U+202E" in text
    for told in (json.dumps(excerpts, ensure_ascii=False), quoted.contents.value, cited.contents.value, answer):
        assert INVISIBLE.search(told) is None
        assert re.search("begin.?U\\+2066", told)
    assert answer.count("\n") == 2


def test_an_agent_is_told_lines_as_they_were_committed(tmp_path: Path) -> None:
    """Pages say how much indentation was taken off; a list of numbered lines has no caption."""
    site = Site(tmp_path)
    site.add_repo("acme/kernels", {"a.py": "class A:\n    def f(self):\n\n        return 1\n", "LICENSE": "MIT\n"})
    site.write([("acme/kernels", "a.py")])
    (tmp_path / "mkdocs.yml").write_text(MKDOCS.replace("THEME", "mkdocs"))
    site.page("index.md", "# One\n\n<< excerpt {k}:a.py#L2-4 >>\n")
    with closing(Desk(str(tmp_path / "mkdocs.yml"))) as desk:
        desk.complete()
        what = f"acme/kernels@{site.commits['acme/kernels']}:a.py#L2,L4"
        for directive in (what, f"<< excerpt {what} dedent=4 >>"):
            told = Answers(desk.reading).excerpt(directive)["code"]
            assert told == "2\t    def f(self):\n4\t        return 1"
