"""Numbers told once, in real builds and in ``check``: shown, refused in the same words, and told to the browser."""

from __future__ import annotations

import itertools
import json
import re
from html import unescape
from pathlib import Path

import pytest
import yaml

from mkdocs_metalworking.deliver.quantities import read_quantities
from tests.builds.conftest import Site, copied

NUMBERS = """\
counts: [core]
readers: [docs/*.js]
quantities:
  cores: {value: 40, unit: cores, chip: M9, sources: [{cite: "acme/kernels:add.metal#L1", kind: documented}]}
  clock: {value: 1620, unit: MHz, sources: [{cite: "acme/kernels:add.metal#L4", kind: reported}]}
  rate: {formula: cores * 256 * clock, unit: TFLOPS}
  idle: {value: 3, unit: W, sources: [{cite: "acme/kernels:add.metal#L1"}]}
  script: {value: 4, unit: W, sources: [{cite: "acme/kernels:add.metal#L1"}]}
"""


@pytest.fixture
def numbers(site: Site) -> Site:
    return with_numbers(site)


def with_numbers(site: Site) -> Site:
    (site.root / "quantities.yml").write_text(NUMBERS, encoding="utf-8")
    (site.root / "docs/tool.js").write_text('quantity("script");\n', encoding="utf-8")
    site.page(
        "first/two.md", "---\nsummary: At most [=rate].\n---\n\n# Two\n\nIt has [=cores] and does [=rate digits=4].\n"
    )
    return site


@pytest.fixture(scope="module")
def built(made_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The same, built; nobody changes it."""
    numbers = with_numbers(copied(made_site, tmp_path_factory.mktemp("built")))
    done = numbers.build("--strict")
    assert done.returncode == 0, done.stderr
    return numbers


def test_a_page_the_cards_and_the_data_of_the_browser(built: Site) -> None:
    page = built.html("first/two/index.html")
    assert '<abbr class="mw-quantity" data-key="cores" title="M9; documented">40\u00a0cores</abbr>' in page
    assert ">16.59\u00a0TFLOPS</abbr>" in page
    assert '<meta name="description" content="At most 16.6 TFLOPS.">' in page
    assert "At most 16.6 TFLOPS." in built.html("first/index.html")
    assert "assets/metalworking/metalworking.js" in page
    data = json.loads(built.html("assets/metalworking/quantities.json"))
    assert data["rate"] == {
        "value": pytest.approx(16.5888),
        "text": "16.6\u00a0TFLOPS",
        "about": "derived",
        "uses": [["Two", "first/two/"]],
    }
    assert data["idle"]["uses"] == []


def test_what_an_included_file_brings_is_read_whatever_else_it_brings(numbers: Site) -> None:
    """As many ``<`` as the line that includes it, and as many numbers and notes as another that went away."""
    extensions = "markdown_extensions: [{pymdownx.snippets: {base_path: [docs]}}, "
    numbers.config("markdown_extensions: [", extensions)
    (numbers.root / "docs/part.txt").write_text("Of [=rate]<br>in all.\n", encoding="utf-8")
    numbers.page("first/two.md", '# Two\n\n--8<-- "part.txt"\n')
    done = numbers.build("--strict")
    assert done.returncode == 0, done.stderr
    assert re.search(r">16\.6\u00a0TFLOPS</abbr>.*<br>in all\.", numbers.html("first/two/index.html"))


SUMMARIES = {"two": "At most [=rate].", "quoted": '"At most [=rate]."', "folded": ">-\n  At most\n  [=rate]."}


def test_the_stage_writes_out_the_quantities_of_a_summary(numbers: Site) -> None:
    """An engine without the plugin reads the front matter by itself; what stands in the text is the extension's."""
    text = "# Two\n\nIt has [=cores].\n"
    for name, summary in SUMMARIES.items():
        numbers.page(f"first/{name}.md", f"---\nsummary: {summary}\nchapter: false\n---\n\n{text}")
    numbers.config("      - first/two.md\n", "".join(f"      - first/{name}.md\n" for name in SUMMARIES))
    done = numbers.run("mkdocs_metalworking", "stage", "out", "--strict")
    assert done.returncode == 0, done.stdout + done.stderr
    for name in SUMMARIES:
        page = (numbers.root / f"out/docs/first/{name}.md").read_text(encoding="utf-8")
        front, _, body = page.removeprefix("---\n").partition("---\n")
        assert yaml.safe_load(front) == {"summary": "At most 16.6 TFLOPS.", "chapter": False}, name
        assert text in body
    data = json.loads((numbers.root / "out/docs/assets/metalworking/quantities.json").read_text(encoding="utf-8"))
    assert data["cores"]["text"] == "40\u00a0cores"
    config = yaml.safe_load((numbers.root / "out/mkdocs.yml").read_text(encoding="utf-8"))
    assert "../quantities.yml" in config["watch"]


def test_the_table_of_terms_tells_quantities(numbers: Site) -> None:
    """A row's note and counterpart take them, as plain text in the lookup and for programs, and they count as used."""
    table = "- {cuda: SM, metal: 'core, [=cores]', verdict: resized, note: 'At [=clock as=number] or [=idle].'}\n"
    (numbers.root / "terms.yml").write_text(table, encoding="utf-8")
    numbers.config("offline: true,", "offline: true, mapping: terms.yml,")
    numbers.config("[footnotes, admonition]", "[footnotes, admonition, md_in_html]")
    numbers.page("second/three.md", "# Three\n\n<!-- mapping-table -->\n")
    done = numbers.build("--strict")
    assert done.returncode == 0, done.stderr
    (term,) = json.loads(numbers.html("assets/metalworking/terms.json"))["terms"]
    assert (term["metal"], term["note"]) == ("core, 40 cores", "At 1,620 or 3 W.")
    (row,) = [one for one in json.loads(numbers.html("assets/metalworking/lookup.json"))["terms"] if one[0] == "SM"]
    assert (row[1], row[4]) == ("core, 40 cores", "At 1,620 or 3 W.")
    assert "At 1,620 or 3 W." in numbers.html("second/three/index.html")
    uses = json.loads(numbers.html("assets/metalworking/quantities.json"))["idle"]["uses"]
    assert uses == [["Three", "second/three/"]]
    done = numbers.run("mkdocs_metalworking", "check")
    assert "nobody uses" not in done.stdout
    (numbers.root / "terms.yml").write_text(table.replace("=idle", "=idel"), encoding="utf-8")
    for done in (numbers.build(), numbers.run("mkdocs_metalworking", "check")):
        assert done.returncode == 1
        assert "terms.yml:1: no quantity 'idel' in quantities.yml (did you mean idle?)" in done.stdout + done.stderr


def test_a_site_without_the_file_has_no_quantities(site: Site) -> None:
    site.page("first/two.md", "# Two\n\nA set [=cores] is text.\n")
    done = site.build("--strict")
    assert done.returncode == 0, done.stderr
    assert "A set [=cores] is text." in site.html("first/two/index.html")
    assert not (site.root / "site/assets/metalworking/quantities.json").exists()


def test_build_and_check_refuse_in_the_same_words(numbers: Site) -> None:
    text = NUMBERS.replace("cores * 256 * clock", "cores + clock").replace("add.metal#L4", "add.metal#L99")
    (numbers.root / "quantities.yml").write_text(text, encoding="utf-8")
    wrong = [
        "quantities.yml:5: L99 runs past the end: add.metal has 9 lines (the last line is L9)",
        "quantities.yml:6: units do not agree in cores + clock: 1 / time is added to a plain number",
    ]
    checked = numbers.run("mkdocs_metalworking", "check")
    assert checked.returncode == 1
    assert [line for line in checked.stdout.splitlines() if not line.startswith("hint")] == wrong
    built = numbers.build()
    assert built.returncode == 1
    for line in wrong:
        assert line in built.stderr


def test_an_unknown_key_and_a_citation_in_a_drawing_are_told_with_file_and_line(numbers: Site) -> None:
    numbers.page("second/three.md", "# Three\n\nIt has [=core].\n")
    cited = DRAWING.format("<text>x [@acme/kernels:add.metal#L1]</text>")
    numbers.page("first/two.md", f"# Two\n\nWords.\n\n{cited}\n")
    done = numbers.build()
    assert done.returncode == 1
    assert "docs/second/three.md:3: no quantity 'core' in quantities.yml (did you mean cores?)" in done.stderr
    assert "docs/first/two.md:5: a drawing has no place for a footnote (cite in the text around it)" in done.stderr


def test_hints_are_told_and_are_no_error(numbers: Site) -> None:
    numbers.page(
        "second/three.md",
        "# Three\n\nIt has 40 cores [@acme/kernels:add.metal#L1], `40 cores` and 41 cores.\n\n```\n40 cores\n```\n",
    )
    numbers.page("first/one.md", "# One\n\nAnother 40 cores, whose source is not cited.\n")
    done = numbers.run("mkdocs_metalworking", "check", "--strict")
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines() == [
        "hint: quantities.yml:7: nobody uses idle (take it out, or write it on a page)",
        "hint: docs/second/three.md:3: 40 cores may be cores (write [=cores], when it is the same number)",
    ]
    assert "0 errors, 0 warnings, 2 hints\n" in done.stderr


def test_no_file_tells_what_was_computed(built: Site) -> None:
    """What the store says of a quantity would have to be believed: whoever writes there could publish other numbers."""
    kept = [path.name for path in (built.root / "store").iterdir()]
    assert set(kept) <= {"sha256", "git", "highlight.sqlite"}, kept
    assert not [
        path for path in (built.root / "store").rglob("*") if b"16.58" in (path.read_bytes() if path.is_file() else b"")
    ]


def test_a_file_is_computed_once_as_long_as_it_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "quantities.yml"
    path.write_text(NUMBERS, encoding="utf-8")
    first, problems = read_quantities(path)
    assert problems == []
    assert read_quantities(path)[0] is first
    path.write_text(NUMBERS.replace("value: 40", "value: 20"), encoding="utf-8")
    assert read_quantities(path)[0].get("rate").text() == "8.29\u00a0TFLOPS"


def test_lock_binds_what_a_quantity_cites(numbers: Site) -> None:
    text = NUMBERS.replace("add.metal#L4", "notes.txt#L2")
    (numbers.root / "quantities.yml").write_text(text, encoding="utf-8")
    checked = numbers.run("mkdocs_metalworking", "check")
    assert checked.returncode == 1
    assert checked.stdout.startswith("quantities.yml:5: acme/kernels@")
    assert "notes.txt is not in sources.lock" in checked.stdout.splitlines()[0]
    # An excerpt does not mind: it is shown, and stays in the lock.
    done = numbers.run("mkdocs_metalworking", "lock")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 files" in done.stderr + done.stdout
    assert numbers.run("mkdocs_metalworking", "check").returncode == 0


def test_bad_yaml_is_told_once(numbers: Site) -> None:
    (numbers.root / "quantities.yml").write_text("quantities:\n  a: {value: 1\n  b: 2\n", encoding="utf-8")
    done = numbers.run("mkdocs_metalworking", "check")
    assert done.returncode == 1
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["quantities.yml"]


DRAWING = '<svg viewBox="0 0 9 9">{}<rect id="bar"/><text id="two">two</text></svg>'
LABELS = [
    "<text>[=cores] each</text>",
    "<text><tspan>[=cores]</tspan></text>",
    "<title>[=cores]</title>",
    "<foreignObject><p>[=cores]</p></foreignObject>",
]


AROUND = ["{}", "Words {} and [=idle].", "- item\n\n    {}", "<figure markdown>\n{}\n</figure>"]
DRAWN = {f"p{n}": (around, label) for n, (around, label) in enumerate(itertools.product(AROUND, LABELS))}


def test_a_number_in_a_drawing_is_its_text_alone_and_in_an_attribute_of_a_heading(numbers: Site) -> None:
    numbers.config("[footnotes,", "[attr_list, md_in_html, footnotes,")
    for name, (around, label) in DRAWN.items():
        text = around.format(DRAWING.format(label))
        numbers.page(f"drawn/{name}.md", f"# Two\n\nIt has [=cores].\n\n{text}\n")
    numbers.page("drawn/heading.md", '# Two\n\nIt has [=cores].\n\n## Below {: title="[=cores]" }\n')
    pages = "".join(f"      - drawn/{name}.md\n" for name in (*DRAWN, "heading"))
    numbers.config("  - Second:\n", f"  - Drawn:\n{pages}  - Second:\n")
    done = numbers.build("--strict")
    assert done.returncode == 0, done.stderr
    for name, (around, label) in DRAWN.items():
        html = numbers.html(f"drawn/{name}/index.html")
        (drawing,) = re.findall(r'<svg viewBox="0 0 9 9">.*?</svg>', html, re.DOTALL)
        assert unescape(drawing) == DRAWING.format(label.replace("[=cores]", "40\u00a0cores")), (around, label)
        assert ('data-key="idle"' in html) == ("idle" in around)
    assert 'title="40\u00a0cores">Below' in unescape(numbers.html("drawn/heading/index.html"))


def test_what_no_browser_reads_as_html_has_nothing_of_ours(numbers: Site) -> None:
    inside = {
        "first/two": "<style>.a{content:'[=cores]'}</style>",
        "second/three": "<text><![CDATA[ [=cores] ]]></text>",
    }
    for page, text in inside.items():
        drawing = DRAWING.format(text)
        numbers.page(f"{page}.md", f"# Two\n\nIt has [=cores].\n\nWords {drawing}\n\n<![CDATA[ [=cores] ]]>\n")
    assert numbers.build().returncode == 0
    for page in inside:
        html = numbers.html(f"{page}/index.html")
        (drawing,) = re.findall(r'<svg viewBox="0 0 9 9">.*?</svg>', html, re.DOTALL)
        assert "<abbr" not in drawing, page
        assert not re.search("cite-[0-9]{9}-", html), "no name of the time in which the page was made"
