"""Where a mention is said to stand when the text that is converted is not the file: the right line, or none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import markdown
import pytest

from mkdocs_metalworking.deliver.project import Project
from mkdocs_metalworking.markdown.extension import MetalworkingExtension
from mkdocs_metalworking.markdown.page import PageContext
from mkdocs_metalworking.quote.alignment import Alignment
from mkdocs_metalworking.quote.lines import text_lines
from tests.support import Bench

SHA = "0123456"
WRONG = f"<< excerpt no/where@{SHA}:x.c#L1 >>"
NOWHERE = "no/where is not in sources.yml"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    bench = Bench(tmp_path_factory.mktemp("places"))
    bench.add_repo("acme/kernels", {"a.c": "int a;\n"})
    bench.write([])
    with closing(bench.project()) as opened:
        yield opened


def told(project: Project, source: str, text: str, **extensions: dict[str, object]) -> list[str]:
    """Convert *text* as what became of the file *source*; returns what was told."""
    extension = MetalworkingExtension(project=project, citations=True)
    extension.page = page = PageContext(path="p.md", source=source)
    markdown.Markdown(
        extensions=["tables", "pymdownx.superfences", *extensions, extension], extension_configs=extensions
    ).convert(text)
    return [str(problem).partition(" (")[0] for problem in page.diagnostics]


def test_lines_that_another_plugin_put_above(project: Project) -> None:
    source = f"---\ntitle: x\n---\n# A\n\n{WRONG}\n\nEnd.\n"
    assert told(project, source, f"Banner.\n\nMore.\n\n# A\n\n{WRONG}\n\nEnd.\n") == [f"p.md:6: {NOWHERE}"]


def test_what_another_plugin_wrote_is_on_no_line(project: Project) -> None:
    source = "# A\n\n{{ macro }}\n\nEnd.\n"
    text = f"# A\n\nText.\n\n{WRONG}\n\nMore.\n\nEnd.\n"
    assert told(project, source, text) == [f"p.md: {NOWHERE}, in text that is not in the page's file"]


def test_a_line_that_was_changed_in_its_place_is_still_that_line(project: Project) -> None:
    source = f"# A\n\n{{{{ x }}}}, claim [@gone].\n\n{WRONG}\n"
    text = f"# A\n\nValue, claim [@gone].\n\n{WRONG}\n"
    assert told(project, source, text) == [
        "p.md:3: reference 'gone' is not in sources.yml",
        f"p.md:5: {NOWHERE}",
    ]


def test_included_text_is_on_no_line_and_what_follows_is_on_its_own(project: Project, tmp_path: Path) -> None:
    (tmp_path / "part.md").write_text(f"One.\n\n{WRONG}\n\nClaim [@gone].\n", encoding="utf-8")
    source = f'# A\n\n--8<-- "part.md"\n\n{WRONG}\n'
    assert told(project, source, source, **{"pymdownx.snippets": {"base_path": [str(tmp_path)]}}) == [
        f"p.md: {NOWHERE}, in text that is not in the page's file",
        "p.md: reference 'gone' is not in sources.yml, in text that is not in the page's file",
        f"p.md:5: {NOWHERE}",
    ]


@pytest.mark.parametrize("mark", ["- ", "1. ", "> ", "> - "])
def test_the_same_text_earlier_where_it_is_literal(project: Project, mark: str) -> None:
    first = (
        f"<!--\n{WRONG}\n-->\n\n<pre>\n{WRONG}\n</pre>\n\nText.\n\n    {WRONG}\n\n```\n{WRONG}\n```\n\n`{WRONG}`\n\n"
    )
    source = f"{first}{mark}{WRONG}\n"
    assert told(project, source, source) == [f"p.md:{len(source.splitlines())}: {NOWHERE}"]


def test_a_citation_in_a_table_far_below_the_same_words(project: Project) -> None:
    row = "| x | [@gone] |"
    source = f"Text `[@gone]`.\n\n```\n[@gone]\n```\n\n| a | b |\n|---|---|\n| y | z |\n{row}\n"
    assert told(project, source, source) == ["p.md:10: reference 'gone' is not in sources.yml"]


def test_a_site_without_citations_leaves_them(project: Project) -> None:
    extension = MetalworkingExtension(project=project, citations=False)
    extension.page = page = PageContext(path="p.md", source=None)
    html = markdown.Markdown(extensions=[extension]).convert("Claim [@gone] and [@ x].")
    assert "[@gone] and [@ x]" in html
    assert not list(page.diagnostics)


def test_lines_end_as_editors_end_them() -> None:
    assert text_lines("a\r\nb\rc\nd\u2028e\x0cf\x85g") == ["a", "b", "c", "d\u2028e\x0cf\x85g"]


def test_alignment() -> None:
    aligned = Alignment(["b", "x", "c", "d"], ["a", "b", "c", "D"])
    assert [aligned.line(i) for i in range(4)] == [1, None, 2, 3]
    assert [aligned.same(i) for i in range(4)] == [True, False, True, False]
    cut = Alignment(["c", "d", ""], ["a", "b", "c", "d"])
    assert [cut.line(i) for i in range(3)] == [2, 3, None]


def test_a_mark_that_needs_an_extension_says_so(project: Project) -> None:
    (problem,) = told(project, "# A\n\n<!-- sources -->\n", "# A\n\n")
    assert problem == "p.md:3: <!-- sources --> needs md_in_html and attr_list"
    loaded: dict[str, dict[str, object]] = {"md_in_html": {}, "attr_list": {}}
    assert told(project, "# A\n\n<!-- sources -->\n", "# A\n\n", **loaded) == []
    assert told(project, "```\n<!-- sources -->\n```\n", "x") == []


CAPTION = "/// caption\nMine.\n///\n"


def test_a_caption_that_takes_the_notes_away_is_told(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    sha = bench.add_repo("acme/kernels", {"a.c": "int a;\n"})
    bench.write([("acme/kernels", "a.c")])
    source = f"<< excerpt acme/kernels@{sha}:a.c >>\n- L1: One.\n\n{CAPTION}"
    with closing(bench.project()) as project:
        (problem,) = told(project, source, source, **{"pymdownx.blocks.caption": {}})
    assert problem == "p.md:2: line note L1: is not tied to the excerpt above it"


def test_angled_quotes_are_made_after_typos_are_found(project: Project) -> None:
    source = "Said.\n\n<< exerpt a/b@0123456:c >>\n"
    smarty: dict[str, dict[str, object]] = {"smarty": {"smart_angled_quotes": True}}
    assert told(project, source, source, **smarty) == ["p.md:3: left over as text: << exerpt a/b@0123456:c >>"]


def test_code_that_is_put_aside_is_code(project: Project) -> None:
    source = f"Text `[@gone]` and `#!c [@gone]`, `{WRONG}`.\n"
    highlighted: dict[str, dict[str, object]] = {"pymdownx.inlinehilite": {}, "pymdownx.highlight": {}}
    assert told(project, source, source, **highlighted) == []


def test_a_fence_that_no_extension_reads_is_told_on_its_line(project: Project) -> None:
    extension = MetalworkingExtension(project=project, citations=True)
    source = "Text.\n\n~~~ c\n[@gone]\n~~~\n"
    extension.page = page = PageContext(path="p.md", source=source)
    markdown.Markdown(extensions=[extension]).convert(source)
    assert [str(problem).partition(" (")[0] for problem in page.diagnostics] == ["p.md:4: left over as text: [@gone]"]
