"""Pairs in whatever form the highlighter leaves the lines of a fence."""

from __future__ import annotations

from pathlib import Path

import markdown
import pytest
from bs4 import BeautifulSoup

from mkdocs_metalworking.markdown.extension import MetalworkingExtension
from mkdocs_metalworking.markdown.page import PageContext
from tests.support import Bench

FENCE = ["__global__ void f(float* a) {", "  /* two", "     lines */", "  a[0] += 1;", "}"]
HIGHLIGHT = {
    "plain": {},
    "Material's": {"anchor_linenums": True, "line_spans": "__span", "pygments_lang_class": True},
    "line numbers": {"linenums": True, "line_spans": "__span"},
    "inline": {"linenums": True, "linenums_style": "pymdownx-inline", "line_spans": "__span"},
}


@pytest.mark.parametrize("marked", ["", ' hl_lines="2 4"'])
@pytest.mark.parametrize("name", HIGHLIGHT)
def test_each_line_of_a_fence_is_one_of_the_pair(tmp_path: Path, name: str, marked: str) -> None:
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/k", {"a.metal": "kernel void f() {\n  a += 1;\n}\n"})
    bench.write([("acme/k", "a.metal")])
    pair = '<div class="mw-twins" ties="L1=L1 L2={last}" markdown>\n\n{{excerpt}}\n\n{{fence}}\n\n</div>\n'
    excerpt = f"<< excerpt acme/k@{commit[:9]}:a.metal >>"
    fence = "\n".join([f"```cuda{marked}", *FENCE, "```"])

    def convert(last: str) -> tuple[str, list[str]]:
        project = bench.project()
        made = MetalworkingExtension(project=project)
        text = pair.format(last=last).format(excerpt=excerpt, fence=fence)
        made.page = PageContext(path="docs/a.md", source=text)
        configs = {"pymdownx.highlight": HIGHLIGHT[name]}
        extensions = ["attr_list", "md_in_html", "pymdownx.superfences", "pymdownx.highlight", made]
        md = markdown.Markdown(extensions=extensions, extension_configs=configs)
        html = md.convert(text)
        project.close()
        return html, [str(problem) for problem in made.page.diagnostics]

    html, told = convert("L4")
    assert told == []
    soup = BeautifulSoup(html, "html.parser")
    lines = soup.select(".mw-tl")
    for numbers in soup.select(".mw-tl .linenos"):
        numbers.decompose()
    assert [line.get_text() for line in lines] == [f"{line}\n" for line in FENCE]
    assert [line["id"] for line in lines] == [f"twin-1-L{number}" for number in range(1, 6)]
    assert [len(line.select(".mw-tie")) for line in lines] == [1, 0, 0, 1, 0]
    _, told = convert("L6")
    assert len(told) == 1
    assert "tie L6 lies outside the fence (the fence has L1-5)" in told[0]
