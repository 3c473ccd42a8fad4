"""What others wrote, on its way to a page, to a terminal and to other programs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from textwrap import indent
from xml.etree.ElementTree import Element, SubElement

import markdown
import pytest
from click.testing import CliRunner
from markdown.blockprocessors import BlockProcessor
from markdown.extensions import Extension

from mkdocs_metalworking.glossary.asked import Asked
from mkdocs_metalworking.glossary.inline import code, literal
from mkdocs_metalworking.hosts.cli.main import main
from mkdocs_metalworking.markdown.extension import MetalworkingExtension
from mkdocs_metalworking.markdown.page import PageContext
from mkdocs_metalworking.markdown.tracking import Outcome
from mkdocs_metalworking.markdown.visible import show_invisible
from mkdocs_metalworking.quote.diagnostics import printable
from mkdocs_metalworking.quote.quotation import Quotation
from tests.forked import python_m
from tests.support import ASKED, EXTENSION_CONFIGS, EXTENSIONS, Bench
from tests.trust import hostile
from tests.trust.inputs import TOKENS
from tests.trust.world import PIECES

# What a terminal may take for a command: all of C0 but LF, DEL, all of C1; and what deceives the eye.
COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b-\u200f]")
# Default_Ignorable_Code_Point of Unicode 15, and the controls, by their ends.
HIDDEN = (
    *(0x00, 0x08, 0x0B, 0x1F, 0x7F, 0x9F, 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180F),
    *(0x200B, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x206F, 0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0),
    *(0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF),
    *(0xFFF0, 0xFFF8, 0x1BCA0, 0x1BCA3, 0x1D173, 0x1D17A, 0xE0000, 0xE0041, 0xE0100, 0xE01EF, 0xE0FFF),
)
SHOWN = (0x09, 0x0A, 0x20, 0x41, 0xA1, 0xE9, 0x4E2D, 0x1F469)


class Elements(HTMLParser):
    """Collects tags and what their attributes could do."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.bad: list[tuple[str, str, str | None]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name.startswith("on") or name in ("srcdoc", "style") or (value or "").lower().startswith("javascript:"):
                self.bad.append((tag, name, value))


@pytest.mark.parametrize("code_point", HIDDEN)
def test_what_cannot_be_seen_is_marked_in_code_and_escaped_in_words(code_point: int) -> None:
    char = chr(code_point)
    assert char not in show_invisible(f"a{char}b")
    assert f'data-cp="{code_point:x}"' in show_invisible(f"a{char}b")
    assert char not in printable(f"a{char}b")
    assert printable(f"a{char}b").isascii()


def test_what_can_be_seen_stays() -> None:
    for code_point in SHOWN:
        assert show_invisible(chr(code_point)) == chr(code_point)
    assert printable("Caf\u00e9 \u4e2d \U0001f469") == "Caf\u00e9 \u4e2d \U0001f469"


@pytest.mark.parametrize("text", [*hostile.ATTACKS, hostile.TEXT, *PIECES, *TOKENS])
def test_literal_text_is_read_as_text_whatever_extensions_there_are(text: str) -> None:
    import markdown

    text = " ".join(re.sub("[\x00-\x1f\x7f-\x9f]", "", text).split())
    md = markdown.Markdown(
        extensions=[*EXTENSIONS, "smarty", "pymdownx.tilde", "pymdownx.caret", "pymdownx.mark", "pymdownx.magiclink"],
        extension_configs=EXTENSION_CONFIGS,
    )
    html = md.convert(f"x {literal(text)} y")
    found = Elements(html)
    assert found.tags <= {"p"}, html
    html = md.reset().convert(f"x {code(text)} y")
    found = Elements(html)
    assert found.tags <= {"p", "code", "span", "wbr"}, html  # a name may be broken at some places
    assert found.bad == []


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    root = tmp_path_factory.mktemp("hostile")
    made = hostile.make(root)
    (root / "mkdocs.yml").write_text(hostile.config("stock", root / "out"), encoding="utf-8")
    return made


def test_a_page_of_attacks_has_no_element_of_theirs(bench: Bench) -> None:
    html, page = bench.convert((bench.root / "docs/code.md").read_text("utf-8"))
    assert len(page.quotations) == 6
    found = Elements(html)
    assert found.bad == []
    assert not found.tags & {"script", "iframe", "svg", "img", "title", "textarea", "style"}
    hrefs = re.findall(r'href="([^"]*)"', html)
    assert all(href.startswith(("#", "https://")) for href in hrefs)


def commands() -> list[tuple[str, ...]]:
    return [
        ("check",),
        ("check", "--json"),
        ("list",),
        ("list", "--json"),
        ("stats",),
        ("lock",),
        ("fetch",),
        ("sources",),
    ]


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_no_command_sends_anything_to_the_terminal_but_text(bench: Bench, command: tuple[str, ...]) -> None:
    escape = bench.root / "docs" / "esc\x1b]0;pwned\x07\u202e.md"
    escape.write_text(
        "# T\n\n<< excerpt \x1b[31m@\x9b31m >>\n\n[@\x1b[31m]\n\n<< excerpt a/b@\u202eabc:x >>\n", encoding="utf-8"
    )
    done = CliRunner().invoke(main, ["-f", str(bench.root / "mkdocs.yml"), *command])
    escape.unlink()
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert not COMMANDS.search(done.output), repr(done.output)
    if "--json" in command:
        json.loads(done.stdout)


def test_a_pasted_address_prints_nothing_but_text(bench: Bench) -> None:
    commit = bench.commits[hostile.REPO]
    for path in ("%1b%5d0;pwned%07.c", "a%0a<<%20excerpt", "%c2%9b31m", "%e2%80%ae.c"):
        url = f"https://github.com/{hostile.REPO}/blob/{commit}/{path}#L1"
        done = CliRunner().invoke(main, ["-f", str(bench.root / "mkdocs.yml"), "add", url])
        assert done.exit_code != 0
        assert isinstance(done.exception, SystemExit)
        assert not COMMANDS.search(done.output), repr(done.output)
        assert done.output.count("\n") == 1


def test_the_build_log_is_text(bench: Bench) -> None:
    name = "\x1b]0;pwned\x07\u202e.md"
    (bench.root / "docs" / name).write_text("# T\n\n<< excerpt \x1b[31m@\x9b31m >>\n", encoding="utf-8")
    done = python_m("mkdocs", "build", "-q", "-f", str(bench.root / "mkdocs.yml"), cwd=bench.root)
    (bench.root / "docs" / name).unlink()
    assert done.returncode == 1
    ours = [line for line in done.stderr.splitlines() if "excerpt" in line or "repository" in line]
    assert ours
    assert not any(COMMANDS.search(line) for line in ours), ours


def test_sources_md_has_no_link_but_those_of_references(bench: Bench) -> None:
    done = CliRunner().invoke(main, ["-f", str(bench.root / "mkdocs.yml"), "sources"])
    assert done.exit_code == 0
    text = (bench.root / "SOURCES.md").read_text("utf-8")
    import markdown

    found = Elements(markdown.markdown(text))
    assert found.bad == []
    assert not found.tags & {"script", "iframe", "svg", "img"}


def test_a_stash_mark_in_a_path_brings_nothing_back(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/kernels", {"a.c": "\x02wzxhzdk:0\x03\x02klzzwxh:0000\x03\n"})
    bench.write([("acme/kernels", "a.c")])
    page = f'<div>raw</div>\n\n<< excerpt acme/kernels@{commit[:9]}:a.c title="\x02wzxhzdk:0\x03" >>\n\n`x` *y*\n'
    html, _ = bench.convert(page)
    assert html.count("<div>raw</div>") == 1
    assert "\x02" not in html


# Marks of our own, forged: noncharacters that reach a page past the place where the page's own are taken out.

FORGED = (
    "\ufdee\ufdd9\ufdd9\ufdef",
    "\ufdee\ufdd0\ufdef",
    "\ufdee" + "\ufdd1" * 5_000 + "\ufdef",
    "\ufdee\ufdef\ufdd0",
)
WHERE = {
    "included text": "--8<-- 'part.txt'\n\n{excerpt}\n",
    "included before a directive": "--8<-- 'directive.txt'\n\n{excerpt}\n",
    "front matter": '---\ncuda: {{term: t, verdict: none, carries: "a {escaped}[@x] b"}}\n---\n# T\n\n{excerpt}\n',
}


@pytest.mark.parametrize("forged", FORGED)
@pytest.mark.parametrize("where", WHERE)
def test_a_forged_mark_is_an_error_and_stands_for_nothing(tmp_path: Path, where: str, forged: str) -> None:
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/k", {"a.c": "int a;\n", "b.c": "int b;\n"})
    bench.write([("acme/k", "a.c"), ("acme/k", "b.c")])
    (tmp_path / "part.txt").write_text(f"Words {forged}[@x] and more.\n", encoding="utf-8")
    directive = f"<< excerpt acme/k@{commit[:9]}:b.c >>"
    (tmp_path / "directive.txt").write_text(f"{forged}{directive}\n", encoding="utf-8")
    excerpt = f"<< excerpt acme/k@{commit[:9]}:a.c >>"
    text = WHERE[where].format(excerpt=excerpt, escaped="".join(f"\\u{ord(ch):04x}" for ch in forged))
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    project = bench.project()
    made = MetalworkingExtension(project=project)
    made.page = page = PageContext(path="page.md", source=text)
    made.asked = Asked.of(ASKED, tmp_path)
    snippets = {"base_path": [str(tmp_path)], "check_paths": True}
    md = markdown.Markdown(
        extensions=[*EXTENSIONS, "pymdownx.snippets", made],
        extension_configs={**EXTENSION_CONFIGS, "pymdownx.snippets": snippets},
    )
    with closing(project):
        html = md.convert(text)
    told = [str(problem) for problem in page.diagnostics]
    assert any("a character that no text may have" in line for line in told), told
    assert not re.search("[\ufdd0-\ufdef]", html)
    assert {met.outcome for met in page.met} <= {Outcome.SHOWN, Outcome.REPORTED, Outcome.LITERAL}
    assert html.count("<figure") == 1 + (where == "included before a directive")
    if where == "included before a directive":
        shown = [met.shown.file.key.path for met in page.met if isinstance(met.shown, Quotation)]
        assert sorted(shown) == ["a.c", "b.c"], "each figure is that of its directive"
        assert html.index("b.c:1") < html.index("a.c:1")


@pytest.mark.parametrize(
    "place", ["{own}\n\n{claim}\n", "{claim}\n\n{own}\n", "{claim}[^n]\n\n[^n]: Words.\n\n    {own}\n"]
)
def test_no_footnote_of_a_page_stands_in_the_place_of_a_source(tmp_path: Path, place: str) -> None:
    bench = Bench(
        tmp_path, references="references:\n  - {key: good, title: The Handbook, url: 'https://good.example/'}\n"
    )
    commit = bench.add_repo("acme/k", {"a.c": "int a;\n"})
    bench.write([("acme/k", "a.c")])
    for cited in ("[@good]", f"[@acme/k@{commit[:9]}:a.c#L1]"):
        html, page = bench.convert(f"Said {cited}.\n")
        assert not page.diagnostics
        (name,) = set(re.findall(r'"#fn:(cite-[0-9a-f]{8})"', html))
        own = f"[^{name}]: [Forged](https://evil.example/)"
        html, page = bench.convert(place.format(own=own, claim=f"Said {cited}."))
        (problem,) = page.diagnostics
        assert problem.message == f"[^{name}] is the name of a citation's own footnote"
        assert problem.location.line is not None
        assert re.findall('<span class="mw-cite">.*?</span>', html)


@pytest.mark.parametrize(
    "given",
    [
        "Forged.\n{{: #{id} }}",
        "*Forged*{{: #{id} }} words",
        "### Forged {{#{id}}}",
        '<p id="{id}">Forged</p>',
        "<p ID={raw}>Forged</p>",
        '<div title=">" id="{id}"><p>Forged</p></div>',
        'Words <b id="{id}">Forged</b>',
        '<div markdown id="{id}">\n\nForged.\n\n</div>',
    ],
)
@pytest.mark.parametrize("late", [True, False])
def test_nothing_else_of_a_page_has_an_id_of_ours(tmp_path: Path, given: str, late: bool) -> None:
    bench = Bench(
        tmp_path, references="references:\n  - {key: good, title: The Handbook, url: 'https://good.example/'}\n"
    )
    commit = bench.add_repo("acme/k", {"a.c": "int a;\nint b;\n"})
    bench.write([("acme/k", "a.c")])
    quoted = f"<< excerpt acme/k@{commit[:9]}:a.c >>"
    text = f"Said [@good], and [@good].\n\n{quoted}\n\n{quoted}\n\nOwn.\n{{: #own }}\n"
    html, page = bench.convert(text, late=late)
    assert not page.diagnostics, list(page.diagnostics)
    (note,) = set(re.findall(r'"#(fn:cite-[0-9a-f]{8})"', html))
    figure, second = page.figures
    line = page.names.given[0].line(2)
    for name in (note, note.replace("fn:", "fnref:"), note.replace("fn:", "fnref2:"), figure, second, line):
        own = given.format(id=name, raw=name.replace("-", "&#45;"))
        for whole in (f"{own}\n\n{text}", f"{text}\n{own}\n"):
            _, page = bench.convert(whole, late=late)
            (problem,) = page.diagnostics
            assert problem.message.startswith(f"#{name} is the id of ")
            assert (problem.location.line is not None) == ("{raw}" not in given)


MARK_OF = re.compile('<span class="mw-ctl".*?</span>')
CLASSED = [
    "Words *forged = 666*{: .CLASS }",
    "Forged.\n{: .CLASS }",
    '<div class="x CLASS">Forged</div>',
    'Words <b CLASS="" class="CLASS y">forged</b>',
    "<p class=&#109;w-REST>Forged</p>",
    '!!! CLASS "Forged"\n\n    Words.',
    "<figure class='CLASS' markdown>\n\nForged.\n\n</figure>",
]


@pytest.mark.parametrize("given", CLASSED)
@pytest.mark.parametrize("name", ["mw-l", "mw-gap", "mw-file", "mw-excerpt"])
def test_nothing_else_of_a_page_has_a_class_of_quoted_code(tmp_path: Path, given: str, name: str) -> None:
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/k", {"a.c": "int a;\nint b;\n"})
    bench.write([("acme/k", "a.c")])
    own = given.replace("CLASS", name).replace("REST", name.removeprefix("mw-"))
    quoted = f"<< excerpt acme/k@{commit[:9]}:a.c >>\n- L1: A note"
    note = f"\n\n{indent(own, '    ')}" if "\n" in own else f" {own}"
    for text, line in ((own, 1), (f"{quoted}\n\n---\n\n{own}", 6), (f"{quoted}{note}", 2)):
        _, page = bench.convert(text)
        (problem,) = page.diagnostics
        assert problem.message.startswith(f"{name} is a class of quoted code")
        assert problem.location.line is None if "&#" in own else (problem.location.line or 0) >= line


UNLIKE = [
    # Of two attributes a browser takes the first, and what makes the other forms the last.
    'Words <b class="a" class="CLASS">forged</b>',
    # Python's parser sees text in a style, a browser an element where the style is of a drawing.
    '<svg><style><b class="CLASS">forged</b></style></svg>',
    "<div><!-- --!><b class=CLASS>forged</b> --></div>",
    # A value that goes on behind the tag in which it was begun, to the next quotation mark of the page.
    'Words <b class="x >forged CLASS <i ">words</i>',
    "<p title=x=\"y class='CLASS'>forged</p>",
    '<p title= x="y class="CLASS">forged</p>',
    '<p @x="y class="CLASS">forged</p>',
    "Words <b/class=CLASS/>forged</b>",
    # A vertical tab, and what else Python calls white space, is none of HTML's: the value goes on, or has begun.
    'Words <b a=x\vb=" class=CLASS y=z">forged</b>',
    '<p a=x b=\v" class=CLASS c="x">forged</p>',
    '<p a=x b\v=" class=CLASS c="x">forged</p>',
    'Words <b a=x\x1cb=" class=CLASS y=z">forged</b>',
]


@pytest.mark.parametrize("key", ["title", "description"])
def test_nor_does_front_matter_that_a_theme_shows_as_it_is(tmp_path: Path, key: str) -> None:
    bench = Bench(tmp_path)
    bench.write([])
    shown = "'X <figure class=\"mw-excerpt\"><span class=mw-l>forged</span></figure>'"
    _, page = bench.convert(f"---\n{key}: {shown}\n---\n\nWords.\n")
    told = [(one.location.line, one.message) for one in page.diagnostics]
    assert told == [(2, "mw-excerpt is a class of quoted code"), (2, "mw-l is a class of quoted code")]
    _, page = bench.convert(f"---\n{key}: {shown.replace('mw-', 'own-')}\n---\n\nWords.\n")
    assert not page.diagnostics


@pytest.mark.parametrize("given", UNLIKE)
def test_no_way_to_read_a_tag_gives_a_class_of_quoted_code(tmp_path: Path, given: str) -> None:
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/k", {"a.c": "int a;\nint b;\n"})
    bench.write([("acme/k", "a.c")])
    quoted = f"<< excerpt acme/k@{commit[:9]}:a.c >>"
    _, page = bench.convert(f"{quoted}\n\n{given.replace('CLASS', 'own')}\n\n`<b class='mw-l'>` is code\n")
    assert not page.diagnostics, list(page.diagnostics)
    for text in (given, f"{quoted}\n\n{given}", f"{given}\n\n{quoted}"):
        _, page = bench.convert(text.replace("CLASS", "mw-l"))
        assert [one.message for one in page.diagnostics] == ["mw-l is a class of quoted code"]


@pytest.mark.parametrize("late", [True, False])
def test_only_what_was_made_for_quoted_code_has_its_classes(tmp_path: Path, late: bool) -> None:
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/k", {"a.c": "int a;\nint b;\n"})
    bench.write([("acme/k", "a.c")])
    quoted = f"<< excerpt acme/k@{commit[:9]}:a.c#L1-2 >>\n- L1: A note"
    (figure,) = re.findall("<figure.*</figure>", bench.convert(quoted)[0], re.DOTALL)
    ids = figure.replace('id="', 'id="x')
    for forged in (
        ids,
        ids.replace("int", "out"),
        figure.replace('id="--', 'id="y--').replace('id="excerpt', 'id="xexcerpt').replace(">b<", ">666<"),
        figure.replace("<figure ", '<figure title=">" '),
        re.sub(r"<figure[^>]*>", lambda tag: tag[0] * 2, figure),
        ids.replace('"mw-l"', '"own"').replace('"mw-pre', '"own'),
    ):
        for text in (f"{quoted}\n\nText\n\n{forged}", f"{forged}\n\nText\n\n{quoted}"):
            _, page = bench.convert(text, late=late)
            assert "mw-excerpt is a class of quoted code" in [one.message for one in page.diagnostics]


class Brought(Extension):
    """Brings HTML that is converted by itself and has a prefix before its ids, as mkdocstrings brings a docstring."""

    def __init__(self, inner: markdown.Markdown, text: str, change: Callable[[str], str]) -> None:
        super().__init__()
        self.inner, self.text, self.change = inner, text, change

    def extendMarkdown(self, md: markdown.Markdown) -> None:
        md.parser.blockprocessors.register(_Bringing(self, md), "brought", 200)


class _Bringing(BlockProcessor):
    def __init__(self, brought: Brought, md: markdown.Markdown) -> None:
        super().__init__(md.parser)
        self.brought, self.outer = brought, md

    def test(self, parent: Element, block: str) -> bool:
        return block.startswith(":::")

    def run(self, parent: Element, blocks: list[str]) -> None:
        del blocks[0]
        html = self.brought.inner.convert(self.brought.text).replace('id="excerpt', 'id="x.excerpt')
        SubElement(parent, "div").text = self.outer.htmlStash.store(self.brought.change(html))


@pytest.mark.parametrize("late", [True, False])
def test_quoted_code_that_another_program_brings_is_what_was_made(tmp_path: Path, late: bool) -> None:
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/k", {"a.c": "int a;\nint b;\nint c;\n"})
    bench.write([("acme/k", "a.c")])
    changes: list[tuple[Callable[[str], str], bool]] = [
        (str, True),
        (lambda html: f"<div class='doc'>{html}</div>", True),
        (lambda html: html.replace("int", "out"), False),
        (lambda html: html.replace("</figure>", "<b class='mw-l'>forged</b></figure>"), False),
        (lambda html: html * 2, False),
    ]
    with closing(bench.project()) as project:
        for change, sound in changes:
            made = MetalworkingExtension(project=project)
            made.asked, made.late = Asked.of(ASKED, bench.root), late
            made.page = page = PageContext(path="docs/page.md")
            inner = markdown.Markdown(extensions=[*EXTENSIONS, made], extension_configs=EXTENSION_CONFIGS)
            quoted = f"<< excerpt acme/k@{commit[:9]}:a.c"
            brought = Brought(inner, f"{quoted}#L2-3 >>\n- L2: A note.\n\nAnd:\n\n{quoted}#L3 >>\n", change)
            md = markdown.Markdown(extensions=[*EXTENSIONS, made, brought], extension_configs=EXTENSION_CONFIGS)
            html = md.convert(f"{quoted} >>\n\n::: doc\n")
            assert html.count("<figure") >= 3
            assert (not page.diagnostics) is sound, list(page.diagnostics)


def test_a_mark_in_words_is_the_one_of_its_character(tmp_path: Path) -> None:
    bench = Bench(
        tmp_path, references="references:\n  - {key: good, title: 'The \u202eBook', url: 'https://good.example/'}\n"
    )
    commit = bench.add_repo("acme/k", {"a\u202e.c": "int a;\n"})
    bench.write([("acme/k", "a\u202e.c")])
    quoted = f'<< excerpt acme/k@{commit[:9]}:"a\u202e.c" title="A \u202e title" >>'
    html, page = bench.convert(f'Said [@good], and [@acme/k@{commit[:9]}:"a\u202e.c"#L1].\n\n{quoted}\n')
    assert not page.diagnostics, list(page.diagnostics)
    (mark,) = set(MARK_OF.findall(html))
    _, page = bench.convert(f"Words {mark} here.\n")
    assert not page.diagnostics
    for forged in (mark.replace("></", ">b</"), mark.replace('="U+202E" t', '="forged" t'), mark.replace("202e", "41")):
        _, page = bench.convert(f"Words {forged} here.\n")
        assert [one.message for one in page.diagnostics] == ["mw-ctl is a class of quoted code"]


def test_lines_run_from_the_left_without_any_style(tmp_path: Path) -> None:
    """In a reader's mode, a feed or an EPUB, within what is read from the right."""
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/k", {"a.c": "int a = b[0];\n"})
    bench.write([("acme/k", "a.c")])
    html, _ = bench.convert(f"<div dir='rtl' markdown>\n\n<< excerpt acme/k@{commit[:9]}:a.c >>\n\n</div>\n")
    assert re.findall(r'<pre class="mw-pre [^<>]* dir="ltr"', html)


def test_ids_of_an_earlier_conversion_are_nobody_else_s(tmp_path: Path) -> None:
    """Material's blog converts an excerpt of a post for each list that it stands in, and resets nothing."""
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/k", {"a.c": "int a;\nint b;\n"})
    bench.write([("acme/k", "a.c")])
    with closing(bench.project()) as project:
        made = MetalworkingExtension(project=project)
        made.asked = Asked.of(ASKED, bench.root)
        made.page = page = PageContext(path="docs/page.md")
        md = markdown.Markdown(extensions=[*EXTENSIONS, made], extension_configs=EXTENSION_CONFIGS)
        for _ in range(3):
            html = md.convert(f"Said [@acme/k@{commit[:9]}:a.c#L1].\n\n<< excerpt acme/k@{commit[:9]}:a.c >>\n")
            assert html.count("<figure") == 1
    assert not page.diagnostics, list(page.diagnostics)
