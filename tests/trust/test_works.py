"""The one file of all pages: a citation in it is a number, and the number is that of the very file or work."""

from __future__ import annotations

import re
from pathlib import Path

from bs4 import BeautifulSoup

from mkdocs_metalworking.hosts.forms.markdown import to_markdown
from mkdocs_metalworking.hosts.forms.volume import Leaf, Volume
from mkdocs_metalworking.hosts.forms.works import Works, commit_page
from mkdocs_metalworking.quote.blob import FileKey
from mkdocs_metalworking.quote.lines import LineRange
from mkdocs_metalworking.quote.permalinks import permalink
from tests.builds.conftest import Site

MKDOCS = """\
site_name: Works
plugins: [metalworking: {store: store, offline: true, citations: true}, metalworking-book: {forms: [markdown]}]
nav: [index.md, deep/two.md]
"""
REFERENCES = """\
references:
  - {key: one, title: "Work [one] (of two)", author: Ada, date: "2024", kind: article, url: "https://example.org/one"}
  - {key: page, title: "Our page", kind: article, page: "deep/two.md#second"}
"""
QUANTITIES = """\
quantities:
  a.low: {value: 2, unit: GB/s, chip: M1, method: measured, sources: [{cite: "acme/kernels:h/k.c#L1"}]}
  a.high: {value: 4, unit: GB/s, chip: M1, method: measured, sources: [{cite: "one, Table 1"}]}
  a.ratio: {formula: a.high / a.low}
"""


def test_a_number_leads_to_the_very_source(tmp_path: Path) -> None:
    """Paths that stand in the address of their repository, files of one name, derived values, our own pages."""
    site = Site(tmp_path, references=REFERENCES)
    made = {"acme": "int 1;\nint x;\n", "a/k.c": "int 2;\nint x;\n", "b/k.c": "int 3;\nint x;\n"}
    made |= {"h/k.c": "int 4;\nint x;\n", "sp ace#1?.c": "int 5;\nint x;\n", "LICENSE": "MIT\n"}
    site.add_repo("acme/kernels", made)
    site.write([("acme/kernels", name) for name in made])
    (tmp_path / "mkdocs.yml").write_text(MKDOCS)
    (tmp_path / "quantities.yml").write_text(QUANTITIES)
    site.page("index.md", "# Home\n\nSee [=a.ratio] [@page].\n\n<< excerpt {k}:b/k.c#L1 >>\n")
    cited = " ".join(f"at{i} [@{{k}}:{name}#L2, note {i}]" for i, name in enumerate(("acme", "a/k.c", "b/k.c")))
    site.page(
        "deep/two.md",
        f'# Two\n\n{cited} whole [@{{k}}:"sp ace#1?.c"] work [@one, p. 1 (of 2)]\n\n## Second\n\n'
        "<< excerpt {k}:a/k.c#L1-2 >>\n\n<< excerpt {k}:b/k.c#L1 >>\n\n| a | b |\n|---|---|\n| `x|y` | z |\n",
    )
    done = site.build("--strict")
    assert done.returncode == 0, done.stdout + done.stderr
    full = (tmp_path / "build/book/llms-full.txt").read_text("utf-8").replace("\\[", "[").replace("\\]", "]")
    text, _, listed = full.partition("# Works cited")
    works = dict(re.findall(r"^([0-9]+)\. (.*)$", listed, re.MULTILINE))
    commit = site.commits["acme/kernels"]
    home = f"acme/kernels at {commit[:7]} https://github.com/acme/kernels/tree/{commit}"
    assert list(works.values()).count(home) == 1
    at = next(number for number, work in works.items() if work == home)
    for index, name in enumerate(("acme", "a/k.c", "b/k.c")):
        match = re.search(rf"at{index} \[([0-9]+), L2: note {index}\]", text)
        assert match is not None, text
        assert works[match[1]] == f"{name} in [{at}]"
    (whole,) = re.findall(r"whole \[([0-9]+)\]", text)
    assert works[whole].replace("\\", "") == f"sp ace#1?.c in [{at}]"
    (work,) = re.findall(r"work \[([0-9]+): p\. 1 \(of 2\)\]", text)
    assert works[work] == "Ada, Work [one] (of two), 2024 https://example.org/one"
    derived = next(work for work in works.values() if work.startswith("Derived: a.high / a.low"))
    assert "https://example.org/one" in derived
    assert f"https://github.com/acme/kernels/blob/{commit}/h/k.c" in derived
    assert any(work.endswith("deep/two/index.md#second") for work in works.values())
    captions = re.findall(r"^k\.c \[([0-9]+)\], lines? ([0-9\u2013]+)", text, re.MULTILINE)
    assert [(works[number].split()[0], lines) for number, lines in captions] == [
        ("b/k.c", "1"),
        ("a/k.c", "1\u20132"),
        ("b/k.c", "1"),
    ]
    assert "|a|b|\n|-|-|\n|`x\\|y`|z|" in text


def test_the_page_of_a_commit() -> None:
    commit = "a" * 40
    for repo, path in (
        ("h/t", "h"),
        ("gitlab.com/a/b", "blob/a.md"),
        ("codeberg.org/a/b", "a b#?.c"),
        ("blob/blob", "t"),
    ):
        for lines in (None, LineRange(1, 2)):
            page = commit_page(permalink(FileKey(repo, commit, path), lines), path)
            assert page.endswith(f"/{commit}"), page
            assert page.startswith("https://")


def test_what_looks_like_a_row_is_one_only_in_a_table() -> None:
    code = "| a | b |\n| --- | --- |\n"
    html = f"<pre><code>{code}</code></pre><p>| not | a row |</p><ul><li><pre><code>{code}</code></pre></li></ul>"
    made = to_markdown(html, Leaf("a.md", "a/", "A", ""), Volume("B"), Works())
    assert made.count("| a | b |") == 2
    assert "not | a row" in made
    assert BeautifulSoup(html, "html.parser").find("table") is None
