"""Twins, llms-full.txt and the pages that agents read: each quoted line whole, once, and nothing left out."""

from __future__ import annotations

import re
from contextlib import closing

import pytest
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt

from mkdocs_metalworking.hosts.forms.leaves import tell_apart, tree
from mkdocs_metalworking.hosts.forms.markdown import to_markdown
from mkdocs_metalworking.hosts.forms.printable import printable
from mkdocs_metalworking.hosts.forms.volume import Leaf, Volume
from mkdocs_metalworking.hosts.mcp.pages import Twins, words_of
from mkdocs_metalworking.hosts.mkdocs.desk import Desk
from mkdocs_metalworking.quote.diagnostics import INVISIBLE
from tests.builds.conftest import Site
from tests.trust.test_parsers import operations

CODE = "kernel void f() {\n\tint  y =  x; // two  blanks | a bar\n\n    return;\n}\n"
LINES = CODE.splitlines()
UNSEEN = "plain\u202eRLO\u202c end\nzero\u200bwidth\ntag\U000e0041\U000e0042end\ncr\rmid\nls\u2028mid\nnel\x85mid\n"
NAMED = [
    "plainU+202ERLOU+202C end",
    "zeroU+200Bwidth",
    "tagU+E0041U+E0042end",
    "crU+000Dmid",
    "lsU+2028mid",
    "nelU+0085mid",
]
MKDOCS = """\
site_name: Plain
site_url: https://example.org/
plugins: [metalworking: {store: store, offline: true, citations: true}, metalworking-book: {forms: [markdown]}]
markdown_extensions: [attr_list, admonition, md_in_html, tables, footnotes, def_list, pymdownx.superfences]
nav: [cells.md, notes.md, unseen.md, terms.md, classes.md, within.md, bare.md]
"""
X = "<< excerpt {k}:a.metal#L1-5 >>"
CLASSES = ("footnote", "footnotes", "headerlink", "mw-place", "mw-linked-from", "mw-filter", "mw-jump", "mw-sources")
INDENTED = X.replace("<<", "    <<")
STYLED = "# Classes\n\n" + "\n\n".join(
    f'!!! {name} "T"\n\n    Words of {name}.\n\n{INDENTED}\n\n'
    f'<div class="{name}" markdown>\n\nMore of {name}.\n\n{X}\n\n</div>\n\nBelow {name}.\n{{: .{name} }}'
    for name in CLASSES
)
CELLS = f"""\
# Cells

<table markdown="1"><thead markdown="1"><tr markdown="1"><th>Name</th><th markdown="block">

{X}

</th></tr></thead><tbody markdown="1"><tr markdown="1"><td>row</td><td markdown="block">

{X}
- L2: A note | in it.

```c
a  |  b

  c
```

</td></tr></tbody></table>

<h2 markdown="block">

{X}

</h2>

```{{.c linenums="3"}}
d  |  e

f
```

Last words.
"""
NOTES = f"""\
# Notes

Short[^short], long[^long], bare[^bare], one with a work[^work], long again[^long], two[^two], list[^list].

| a |
|---|
| in a cell[^cell] |

[^short]: Only *words*.
[^long]: First words.

    {X}

    Words behind it.
[^bare]:
    {X}
[^work]: Said in [@paper], and more.
[^two]: One paragraph.

    Another paragraph.
[^list]: A list:

    - an item
[^cell]: In the cell.

    | b |
    |---|
    | deep |
[^nobody]: Nobody refers to it.

    {X}
"""
TERMS = f"""\
# Terms

A term
:   Its meaning.

    {X}

    More of it.

Another
:   Short.
"""
WITHIN = """\
# Within

<< excerpt {k}:a.metal#L1-2 >>
- L2: A note that shows another:

    << excerpt {k}:a.metal#L1,L5 >>
    - L5: A note within.

    Words behind it.

- L1: The last.

<< excerpt {k}:a.metal#L1-2 >>
- L1: Once.
- L2: Twice *spanned*{{: .mw-hl }}.

!!! mw-verdict "Verdict"

    Words.

    << excerpt {k}:a.metal#L5 >>

<< excerpt {k}:a.metal#L4 >>
"""
REFERENCES = "references:\n  - {key: paper, title: A Paper, kind: article, url: 'https://example.org/paper'}\n"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = Site(tmp_path_factory.mktemp("plain"), references=REFERENCES)
    site.add_repo("acme/kernels", {"a.metal": CODE, "unseen.txt": UNSEEN.encode(), "LICENSE": "MIT\n"})
    site.write([("acme/kernels", "a.metal"), ("acme/kernels", "unseen.txt")])
    (site.root / "mkdocs.yml").write_text(MKDOCS, encoding="utf-8")
    site.page("cells.md", CELLS)
    site.page("notes.md", NOTES)
    site.page("terms.md", TERMS)
    site.page("classes.md", STYLED)
    site.page("within.md", WITHIN)
    site.page("bare.md", "Words without a heading.\n\n## One\n")
    site.page(
        "unseen.md",
        '# Unseen\n\n<< excerpt {k}:unseen.txt title="a\u202eb" >>\n\n- item\n\n    << excerpt {k}:unseen.txt >>\n',
    )
    done = site.build("--strict")
    assert done.returncode == 0, done.stdout + done.stderr
    return site


def texts(site: Site, name: str) -> list[str]:
    """Return the page *name* in each plain form, all of them where the form is one file."""
    book = site.root / "build/book"
    with closing(Desk(str(site.root / "mkdocs.yml"))) as desk:
        desk.complete()
        answered = Twins(desk.reading).markdown(f"{name}.md")
    full = (book / "llms-full.txt").read_text(encoding="utf-8")
    page = re.search(rf"<!-- {name}/index\.md -->\n(.*?)(?=\n<!-- |\n# Works cited)", full, re.DOTALL)
    assert page is not None
    return [(book / name / "index.md").read_text(encoding="utf-8"), answered, page[1]]


def fences(text: str) -> list[list[str]]:
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return [token.content.removesuffix("\n").split("\n") for token in tokens if token.type == "fence"]


def test_code_that_stands_in_one_line_comes_whole_and_behind_it(plain: Site) -> None:
    for text in texts(plain, "cells"):
        # What stands in another line than the code says where it is.
        assert sorted(fences(text)) == sorted([*[LINES] * 3, ["a  |  b", "", "  c"], ["d  |  e", "", "f"]])
        assert len(re.findall(r"a\.metal(?: \\\[\d+\\\])?, lines 1–5", text)) == 3
        assert text.count("(code 1 below)") == 2
        assert text.count("(code 2 below)") == text.count("(code 3 below)") == 1
        assert re.search(r"Code 2:\n\n(?:.*\n)+?\n```metal quoted\n", text)
        assert "Last words." in text
        assert "A note | in it." in text.replace("\\|", "|")
        for line in LINES:
            assert text.count(line) >= 3, "no blank of it is lost"


def test_what_stands_in_a_note_is_none_of_the_lines_it_is_of(plain: Site) -> None:
    for text in texts(plain, "within"):
        assert fences(text) == [LINES[:2], LINES[:1], LINES[4:], LINES[:2], LINES[4:], [LINES[3].lstrip()]]
        for told in ("A note that shows another", "A note within", "Words behind it", "The last", "Once"):
            assert text.count(told) == 1
        assert len(re.findall(r"a\.metal(?: \\\[\d+\\\])?, lines? ", text)) == 6
        assert len(re.findall("line 4.{0,200}, indent \u22124", text)) == 1, "what was taken off is told"


TYPED = [
    "<pre class='language-c quoted'><code>forged</code></pre>",
    "<pre data-quoted class='language-c'><code>forged</code></pre>",
    "<pre class='language-c&#x2800;quoted language-c&#xa0;quoted'><code>forged</code></pre>",
    "<div class='highlight'><pre class='language-c' data-quoted><code>forged</code></pre></div>",
    "<p>```c quoted<br>forged<br>```</p>",
    "<p>~~~c quoted</p><p>forged</p>",
    "<p><code>```c quoted</code></p>",
    "<pre><code>```\n```c quoted\nforged</code></pre>",
    "<pre class='language-quoted'><code>forged</code></pre>",
    "<div>Words <kbd>a\n```c quoted\nforged\n```\nb</kbd></div>",
    "<div><samp>c quoted\nforged = 666; // ``\n</samp></div>",
    "<video src='x)\n\n```c quoted\nforged\n```\n\n('>v</video>",
    "<video poster='x)\n\n~~~c quoted\nforged\n~~~\n\n('>v</video>",
    "<video><source src='x\n\n```c quoted'></video>",
    "<div><del><del>c quoted<br>forged</del></del></div>",
    "<ul><li><s><s>c quoted<br>forged</s></s></li></ul>",
    "<blockquote><ol><li><del><del>c quoted<br>forged</del></del></li></ol></blockquote>",
    "<h2><pre class='language-c' data-quoted>forged</pre></h2>",
    "<b><pre class='language-c' data-quoted>a\n~~~c quoted\nforged</pre></b>",
]


@pytest.mark.parametrize("typed", TYPED)
def test_no_code_that_somebody_typed_is_marked_as_quoted(typed: str) -> None:
    made = to_markdown(typed, Leaf("a.md", "a/", "A", ""), Volume("B"))
    for token in MarkdownIt("commonmark").parse(made):
        assert "quoted" not in token.info


def markdown(html: str) -> str:
    return to_markdown(html, Leaf("a.md", "a/", "A", ""), Volume("B"))


def test_a_fence_in_a_fence_stays_as_it_was_typed() -> None:
    """A page that tells how quoted code looks in a twin."""
    typed = "````\n```c quoted\n~~~\nint a;\n```\n````"
    made = markdown(f"<ul><li>See<pre><code>{typed}</code></pre></li></ul>")
    assert [token.content for token in MarkdownIt("commonmark").parse(made) if token.type == "fence"] == [f"{typed}\n"]


@pytest.mark.parametrize(
    ("html", "made"),
    [
        ("<p>2<sup>31</sup> bytes, x<sub>i</sub><sup> </sup></p>", "2^31 bytes, x\\_i"),
        ("<ol start=3><li>a</li><li value=7>b</li><li>c</li></ol>", "3. a\n7. b\n8. c"),
        ("<ol reversed><li>a</li><li>b</li></ol>", "2. a\n1. b"),
        ("<ol start='\u00b2'><li>a</li></ol>", "1. a"),
        (f"<ol start={'9' * 5000}><li>a</li></ol>", "1. a"),
        ("<ol start=-4><li>a</li></ol>", "0. a"),
        ("<ul><li><p>a</p><p>b</p><ol><li>c</li></ol></li></ul>", "- a\n\n  b\n\n  1. c"),
        ("<table><tr><th colspan='\u00b2'>a</th></tr></table>", "| a |\n| --- |"),
        ("<p>a <code><img src=x></code></p>", "a ![](x)"),
        ("<ul><li><input type=checkbox checked> a</li><li><input type=checkbox> b</li></ul>", "- \u2611 a\n- \u2610 b"),
        ("<p><code> </code>a</p>", "a"),
        ("<p><video src='a b.mp4'></video></p>", "[a b.mp4](a%20b.mp4)"),
        ("<p><kbd>a\n#b</kbd> <samp>x*y</samp></p>", "`a #b` `x*y`"),
    ],
)
def test_what_is_no_number_to_a_browser_is_none_here_and_numbers_stay_what_they_are(html: str, made: str) -> None:
    assert markdown(html) == f"{made}\n"


def test_a_list_of_ten_times_the_items_takes_ten_times_the_calls() -> None:
    few, many = (operations(markdown, f"<ol>{'<li>a</li>' * count}</ol>") for count in (100, 1000))
    assert many < 12 * few


@pytest.mark.parametrize(
    "around", ["<dl><dt>{}</dt><dd>x</dd></dl>", "<a href='#x'>{}</a>", "<b><i>{}</i></b>", "<p>{}</p>"]
)
def test_nor_is_code_in_other_lines(around: str) -> None:
    html = around.format("see <pre><code>a  b\n\n\tc</code></pre> and")
    made = to_markdown(html, Leaf("a.md", "a/", "A", ""), Volume("B"))
    assert fences(made) == [["a  b", "", "\tc"]]


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("2<sup>31</sup><sup id='fnref:a'><a href='#fn:a'>1</a></sup>", "2^31"),
        ("10<sup>-9</sup> s, x<sub>1</sub>2", "10^-9 s, x_12"),
        ("3 ns <del>9</del><s>8</s>", "3 ns"),
        ("a <sup> </sup>b", "a b"),
    ],
)
def test_a_cell_that_an_agent_is_told_says_what_the_page_says(cell: str, words: str) -> None:
    found = BeautifulSoup(f"<table><tr><td>{cell}</td></tr></table>", "html.parser").td
    assert found is not None
    assert words_of(found) == words


def test_numbers_of_lines_are_no_code() -> None:
    """Of an author's fence, where the highlighter writes them before each line; what looks like one in it stays."""
    line = '<span class="linenos">{0}</span><span class="n">x{0}</span> = <span class="linenos">7</span>\n'
    lines = "".join(line.format(number) for number in (9, 10))
    html = f'<div class="language-py highlight"><pre><span></span><code>{lines}</code></pre></div>'
    assert markdown(html).strip() == "```py\nx9 = 7\nx10 = 7\n```"
    assert tree(Leaf("a.md", "a/", "A", html)).text_content() == "9 x9 = 7 \n10 x10 = 7 \n"


def test_tasks_are_done_or_open_in_a_book() -> None:
    page = "<ul><li><label><input type=checkbox disabled checked></label> a</li><li><input type=checkbox> b</li></ul>"
    assert tree(Leaf("a.md", "a/", "A", page)).text_content() == "\u2611 a\u2610 b"


@pytest.mark.parametrize(("letters", "times"), [(300, 3), (301, 1)])
def test_a_long_footnote_is_told_once(letters: int, times: int) -> None:
    """Else a page grows with the product of its references and their words."""
    words = ("word " * 100)[:letters].strip().ljust(letters, "x")
    reference = "<sup id='fnref:{}'><a class='footnote-ref' href='#fn:a'>1</a></sup>"
    made = markdown(
        f"<p>{' '.join(map(reference.format, 'abc'))}</p>"
        f"<div class='footnote'><hr><ol><li id='fn:a'><p>{words}</p></li></ol></div>"
    )
    assert made.count(words) == times
    assert made.count("(note 1)") == (0 if times == 3 else 3)


def test_nothing_in_a_footnote_is_left_out(plain: Site) -> None:
    for text in texts(plain, "notes"):
        assert fences(text) == [LINES] * 3
        assert (
            "Short (Only *words*), long (note 1), bare (note 2), one with a work (note 3), long again (note 1)," in text
        )
        assert "two (note 4), list (note 5)." in text
        assert "| in a cell (note 6) |" in text.replace("|in a cell (note 6)|", "| in a cell (note 6) |")
        behind = text.partition("Note 1:")[2]
        for told in (
            "First words.",
            "Words behind it.",
            "Another paragraph.",
            "- an item",
            "deep",
            "Nobody refers to it.",
        ):
            assert behind.count(told) == 1, told
        assert re.search(
            r"Note 3:\n\nSaid in  ?(?:\(\[A Paper\]\(https://example.org/paper\)\)|\\?\[\d+\\?\]), and more\.", text
        )


def test_a_definition_is_no_indented_code(plain: Site) -> None:
    for text in texts(plain, "terms"):
        assert fences(text) == [LINES]
        tokens = MarkdownIt("commonmark").parse(text)
        assert not [token for token in tokens if token.type == "code_block"]
        told = [token.content for token in tokens if token.type == "inline"]
        assert told[1:3] == ["**A term**", "Its meaning."]
        assert told[-3:] == ["More of it.", "**Another**", "Short."]


def test_what_nobody_sees_is_named(plain: Site) -> None:
    for text in texts(plain, "unseen"):
        assert fences(text) == [NAMED, NAMED]
        assert "aU+202Eb" in text
        assert INVISIBLE.search(text) is None


def test_a_row_names_the_code_in_it(plain: Site) -> None:
    with closing(Desk(str(plain.root / "mkdocs.yml"))) as desk:
        desk.complete()
        reading = desk.reading
        page = reading.pages["cells.md"]
        page.source = f"| row |\n{page.source}"
        row = Twins(reading).row("row")["row"]
    (name, cell) = row.items() if len(row) == 1 else list(row.items())[-1]
    assert name == "(a.metal:1–5, on the page)"
    assert cell.startswith("(a.metal:1–5, on the page)")
    assert "(code, on the page)" in cell
    assert "kernel" not in str(row)


def test_a_class_takes_no_code_and_no_words_away(plain: Site) -> None:
    for text in texts(plain, "classes"):
        assert fences(text) == [LINES] * 2 * len(CLASSES)
        for name in CLASSES[:2]:
            assert all(f"{word} of {name}." in text for word in ("Words", "More"))
        for name in CLASSES:
            assert f"Below {name}." in text
    leaf = Leaf("a.md", "a/", "A", "<p class='headerlink'>Words</p><h2>B<a class='headerlink' href='#b'>x</a></h2>")
    assert tree(leaf).text_content() == "WordsB"
    leaf = Leaf("a.md", "a/", "A", "<nav class='mw-place'><figure class='mw-excerpt'>code</figure></nav>")
    assert tree(leaf).text_content() == "code"
    for tag in ("output", "button"):
        leaf = Leaf("a.md", "a/", "A", f"<{tag}><figure class='mw-excerpt'>code</figure></{tag}><{tag}>x</{tag}>")
        assert tree(leaf).text_content() == "code"


@pytest.mark.parametrize("around", ["<dl><div><dt>{}</dt><dd>{}</dd></div></dl>", "<dt>{}</dt><dd>{}</dd>"])
def test_a_definition_is_no_code_to_others_wherever_it_stands(around: str) -> None:
    html = around.format("Term", "<p>Said:</p><pre><code>a  b</code></pre>")
    made = to_markdown(html, Leaf("a.md", "a/", "A", ""), Volume("B"))
    assert fences(made) == [["a  b"]]
    assert not re.search("^:", made, re.MULTILINE)


def test_a_page_without_a_heading_has_its_title(plain: Site) -> None:
    twin, _, whole = texts(plain, "bare")
    for text in (twin, whole):
        assert text.strip().startswith("# Bare\n\nWords without a heading.\n\n## One")


@pytest.mark.parametrize(
    ("address", "leads"),
    [
        ("/sub/b/", "../b/index.md"),
        ("../b/", "../b/index.md"),
        ("/sub/c/#x", "https://a.example/sub/c/#x"),
        ("/b/", "https://a.example/b/"),
        ("../../d.html", "https://a.example/d.html"),
        ("/sub", "../index.md"),
        ("/sub/", "../index.md"),
        ("/subway/", "https://a.example/subway/"),
        ("//e.example/sub/b/", "//e.example/sub/b/"),
    ],
)
def test_a_site_may_be_a_folder_of_its_server(address: str, leads: str) -> None:
    leaves = [Leaf("index.md", "", "H", ""), Leaf("a.md", "a/", "A", ""), Leaf("b.md", "b/", "B", "")]
    volume = Volume("B", address="https://a.example/sub/", leaves=leaves)
    link = f'<a href="{address}">link</a>'
    assert to_markdown(link, leaves[1], volume).strip() == f"[link]({leads})"
    leaves[1].html = link
    (shown,) = BeautifulSoup(printable(volume), "html.parser").select("section a[href]:-soup-contains('link')")
    ours = {"../b/index.md": "#b", "../index.md": "#index"}
    assert shown["href"] == ours.get(leads, leads)


def test_no_part_of_a_page_has_the_id_of_another_page_or_its_parts() -> None:
    """A page beside the folder of its name, with a heading as the page below is called; and drawings of parts."""
    drawing = '<svg><a href="#gpu"></a><defs><g id="gpu.s"></g></defs><use href="#gpu.s"></use></svg>'
    drawing += '<p style="fill: url(#gpu.s)"></p>'
    named = '<a name="old"></a><a href="#old">o</a><map name="m"></map><img usemap="#m">'
    above = f'<h2 id="gpu">Gpu</h2><p id="gpu.rates">Forged</p><p id="gpu:rates">Too</p>{drawing}{named}'
    below = '<h1 id="rates">Rates</h1><p id="--abc-L1">A line</p><a href="../">up</a><a href="../#gpu.rates">it</a>'
    leaves = [Leaf("machine.md", "machine/", "M", above), Leaf("machine/gpu.md", "machine/gpu/", "G", below)]
    soup = BeautifulSoup(printable(Volume("Ids", leaves=leaves)), "html.parser")
    ids = [str(element["id"]) for element in soup.find_all(id=True)]
    assert len(ids) == len(set(ids)) == 8
    assert soup.find(id="machine.gpu").name == "section"  # type: ignore[union-attr]
    assert soup.find(id="machine.gpu:rates").get_text() == "Rates"  # type: ignore[union-attr]
    links = {link.get_text(): str(link["href"])[1:] for link in soup.main("a", href=True)}  # type: ignore[union-attr]
    assert soup.find(id=links["it"]).get_text() == "Forged"  # type: ignore[union-attr]
    assert soup.find(id=links["up"]).name == "section"  # type: ignore[union-attr]
    assert soup.find("a", attrs={"name": links["o"]}) is not None
    assert soup.find("use")["href"] == f"#{soup.find('g')['id']}"  # type: ignore[index]
    assert soup.find("p", style=f"fill: url(#{soup.find('g')['id']})") is not None  # type: ignore[index]
    assert soup.find("img")["usemap"] == f"#{soup.find('map')['name']}"  # type: ignore[index]


def test_no_page_has_the_id_of_a_pattern() -> None:
    leaves = [Leaf("dots.md", "dots/", "Dots", "<h1>Dots</h1>")]
    textures = '<svg class="mw-textures"><pattern id="dots"></pattern></svg>'
    tell_apart(leaves, textures)
    soup = BeautifulSoup(printable(Volume("Ids", leaves=leaves, textures=textures)), "html.parser")
    (link,) = soup.select(".bk-toc a")
    assert soup.find(id=str(link["href"])[1:]).name == "section"  # type: ignore[union-attr]
