"""No text makes a parser crash, hang or take time out of proportion."""

from __future__ import annotations

import itertools
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import markdown
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mkdocs_metalworking.glossary.callout import Callouts, read_front_matter
from mkdocs_metalworking.markdown.given import given_in
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from mkdocs_metalworking.quote.directive import parse_directive
from mkdocs_metalworking.quote.sources_file import load_sources
from tests.support import ASKED, EXTENSION_CONFIGS, EXTENSIONS, Bench
from tests.trust.inputs import PARSERS, TOKENS, Pages

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = int(os.environ.get("TRUST_EXAMPLES", "120"))
LOOSE = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
texts = st.one_of(
    st.lists(st.sampled_from(TOKENS), max_size=14).map("".join),
    st.lists(st.one_of(st.sampled_from(TOKENS), st.text(max_size=6)), max_size=10).map("".join),
)

CALLOUTS = Callouts.of(ASKED["callouts"], Path())


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    made = Pages(tmp_path_factory.mktemp("pages"))
    yield made
    made.close()


@pytest.mark.parametrize("name", PARSERS)
@LOOSE
@given(text=texts)
def test_a_result_or_a_reason(name: str, text: str) -> None:
    PARSERS[name](text)


@LOOSE
@given(text=texts)
def test_a_page_becomes_html(pages: Pages, text: str) -> None:
    pages(text)


DIRECTIVE = f"<< excerpt o/n@{'a' * 9}:a.c#L1-2 >>"
FRONT = "---\nsummary: {}\ncuda:\n  term: t\n  verdict: none\n---\n\n# T\n"


@LOOSE
@given(text=st.lists(st.sampled_from(TOKENS), max_size=6).map("".join))
def test_front_matter_with_one_odd_value(text: str) -> None:
    PARSERS["front matter"](FRONT.format(text))


@LOOSE
@given(text=st.lists(st.sampled_from(TOKENS), max_size=6).map("".join), at=st.integers(0, 5))
def test_sources_with_one_odd_value(text: str, at: int) -> None:
    keys = ("repo", "commit", "license", "tag", "about", "license_file")
    good = {"repo": "o/n", "commit": "a" * 40, "license": "MIT"}
    values = good | {keys[at]: text}
    lines = "".join(f"    {key}: {value}\n" for key, value in values.items())
    PARSERS["sources"]("repositories:\n  -\n" + lines)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: \x1b[31m\n", "s.yml:1: bad YAML: U+001B may not stand in YAML (take it out)"),
        ("a: b\nc: \x00\n", "s.yml:2: bad YAML: U+0000 may not stand in YAML"),
        ("? [a]\n: b\n", "s.yml:1: a key is not plain text"),
        ("a: !!int ''\n", "s.yml:1: bad YAML: a value cannot be read (IndexError)"),
        ("a: !!int x\n", "s.yml:1: bad YAML: a value cannot be read (ValueError)"),
        ("a: !!bool x\n", "s.yml:1: bad YAML: a value cannot be read (KeyError)"),
        ("a: !!timestamp x\n", "s.yml:1: bad YAML: a value cannot be read (AttributeError)"),
        (f"a: {'1' * 5000}\n", "s.yml:1: a number of 5000 characters"),
        (f"a: b\nc: 0x{'f' * 50000}\n", "s.yml:2: a number of 50002 characters"),
        (f"a: 1{':59' * 3000}\n", "s.yml:1: a number of 9001 characters"),
        ('a: b\nc: "\\ud800"\n', "s.yml:2: half of a surrogate pair is no character"),
        ('"\\ud800": b\n', "s.yml:1: half of a surrogate pair is no character"),
        ("a: " + "[" * 1500, "s.yml:1: bad YAML: nested too deeply"),
    ],
)
def test_bad_yaml_of_every_kind_is_told(text: str, said: str) -> None:
    with pytest.raises(MetalworkingError) as raised:
        load_sources(text, "s.yml")
    assert str(raised.value).startswith(said)
    with pytest.raises(MetalworkingError):
        read_front_matter(f"---\n{text}\n---\n", "s.yml", CALLOUTS)


def test_aliases_stand_for_no_more_than_anybody_wrote() -> None:
    lists = "".join(f"a{i}: &a{i} [{','.join(f'*a{i - 1}' for _ in range(9))}]\n" for i in range(1, 9))
    bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + lists
    text = f"a: &a {'x' * 100_000}\nb: [{','.join(['*a'] * 10_000)}]\n"
    for document in (bomb, text, "repositories: &r\n  - *r\n"):
        with pytest.raises(MetalworkingError, match="aliases stand for more"):
            load_sources(document)
        with pytest.raises(MetalworkingError, match="aliases stand for more"):
            read_front_matter(f"---\n{document}\n---\n", "p.md", CALLOUTS)
    _, problems = load_sources("repositories: &r []\nreferences: *r\n")
    assert problems == []


def test_messages_are_bounded() -> None:
    long = "y" * 1_000_000
    front = f"---\nsummary: s\nzzz: 1\ncuda:\n  term: t\n  verdict: {long}\n  modal: [{'z, ' * 9_000}z]\n---\n"
    _, problems = read_front_matter(front, "p.md", CALLOUTS)
    assert problems
    for problem in problems:
        assert len(str(problem)) < 10_000


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("repo: o/n", 'repo: "o/n\\n"'),
        ("repo: o/n", "repo: o/.."),
        ("a" * 40, '"' + "a" * 40 + '\\n"'),
        ("license: MIT", "date: 2026\n    license: MIT"),
    ],
)
def test_a_pattern_holds_to_the_very_end(old: str, new: str) -> None:
    good = f"repositories:\n  - repo: o/n\n    commit: {'a' * 40}\n    license: MIT\n"
    assert load_sources(good)[1] == []
    assert load_sources(good.replace(old, new))[1] != []


@pytest.mark.parametrize("key", ["summary", "term", "carries"])
def test_control_characters_have_no_place_in_front_matter(key: str) -> None:
    value = '"a\\u0002wzxhzdk:0\\u0003"'
    meta = {"summary": "x", "term": "t", "carries": "c"} | {key: value}
    text = "---\nsummary: {summary}\ncuda:\n  term: {term}\n  verdict: none\n  carries: {carries}\n---\n".format(**meta)
    _, problems = read_front_matter(text, "p.md", CALLOUTS)
    assert "control character" in str(problems[0])


def test_a_path_with_control_characters_is_refused() -> None:
    for path in ("a\x1b[31m.c", "a\tb.c", "a\u2028b.c"):
        with pytest.raises(MetalworkingError, match="control character"):
            parse_directive(f'<< excerpt o/n@abcdef1:"{path}" >>')


def test_no_address_crashes_add() -> None:
    for text in ("http://[", "https://[::1", "https://github.com/a/b/blob/c/d#L1", "//", "https://x/%ff"):
        PARSERS["permalink"](text)


# Growth: ten times the text may take twelve times the operations. What is counted is calls, of Python and of C, which
# are the same on a busy machine and on an idle one.

Make = Callable[[int], str]
PAGES: dict[str, tuple[int, Make]] = {
    "one long line": (60_000, lambda n: "x" * n),
    "long line of half directives": (8_000, lambda n: "<< excerpt " * n),
    "long line of spaces": (40_000, lambda n: "x" + " " * n + "[@"),
    "citations": (200, lambda n: "".join(f"`c` and [@c{i}] and so on\n\n" for i in range(n))),
    "unknown citations": (60, lambda n: "".join(f"[@k{i}]\n\n" for i in range(n))),
    "directives one after another": (150, lambda n: f"{DIRECTIVE}\n" * n),
    "directives with blank lines": (250, lambda n: f"{DIRECTIVE}\n\n" * n),
    "wrong directives": (250, lambda n: "".join(f"<< excerpt x/y{i}@abcdef1:a >>\n\n" for i in range(n))),
    "notes": (100, lambda n: f"{DIRECTIVE}\n- L1: a\n- L2: b\n\n" * n),
    "many notes": (400, lambda n: DIRECTIVE + "\n" + "- L1: a\n" * n),
    "escapes": (2_000, lambda n: "\\<< excerpt a\n\n" * n),
    "options": (3_000, lambda n: f"<< excerpt o/n@abcdef1:a.c {'title=x ' * n}>>"),
    "slashes": (30_000, lambda n: "<< excerpt " + "a/" * n + "b@abcdef1:c >>"),
    "a long title": (100_000, lambda n: f'{DIRECTIVE[:-3]} title="{"t" * n}" >>'),
    "front matter of nothing": (100_000, lambda n: "---\n" + "a: b # c\n" * (n // 100) + "--" * n),
}


def operations(run: Callable[[str], object], text: str) -> int:
    """Return how many calls *run* makes for *text*."""
    count = itertools.count()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, argument: next(count) if event in ("call", "c_call") else None)
    try:
        run(text)
    finally:
        sys.setprofile(before)
    return next(count)


def growth(run: Callable[[str], object], make: Make, size: int, *, factor: int = 10) -> float:
    """Return how many times more operations *factor* times the text takes: *factor* is linear, its square quadratic.

    What an empty text takes is not counted, since every text takes it.
    """
    size = max(1, size // 10)
    for text in (make(size + 1), make(1)):  # what is made once is made
        run(text)
    none, small, large = (operations(run, text) for text in (make(0), make(size), make(size * factor)))
    return (large - none) / max(small - none, 200)


def plain(text: str) -> str:
    """Convert *text* as a site without us would."""
    return markdown.Markdown(extensions=list(EXTENSIONS), extension_configs=EXTENSION_CONFIGS).convert(text)


@pytest.mark.parametrize("name", PAGES)
def test_pages_grow_in_proportion(pages: Pages, name: str) -> None:
    size, make = PAGES[name]
    assert growth(pages.convert, make, size) <= 12


def test_ids_of_quoted_lines_are_told_in_proportion(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/k", {"a.c": "x;\n" * 600})
    bench.write([("acme/k", "a.c")])
    quoted = f"<< excerpt acme/k@{commit[:9]}:a.c >>\n\n"
    line = bench.convert(quoted)[1].names.given[0].line

    def make(count: int) -> str:
        return quoted + "".join(f"x\n{{: #{line(number)} }}\n\n" for number in range(1, count + 1))

    assert len(bench.convert(make(600))[1].diagnostics) == 600
    assert growth(bench.convert, make, 600) <= 12


@pytest.mark.parametrize("part", ["id=", "class=mw-", 'id="class=', "id='class=\"", "<a id=", 'a="id=" '])
def test_what_may_be_an_id_is_kept_in_proportion(part: str) -> None:
    """Of values that begin within each other all might be kept."""
    text = f"<div {part * 3000}>"
    assert sum(len(value) for _, value in given_in(text)) <= 2 * len(text)
    assert growth(lambda text: list(given_in(text)), lambda count: f"<div {part * count}>", 300) <= 12


def test_every_copy_of_a_line_has_an_id_of_its_own(tmp_path: Path) -> None:
    """In whatever order lines and parts of them are quoted; what is remembered of a line does not grow by copies."""
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/k", {"a.c": "x;\n" * 9})
    bench.write([("acme/k", "a.c")])
    for order in itertools.permutations(("1-9", "5", "4-6", "5-7", "1-9", "5"), 4):
        html, page = bench.convert("\n\n".join(f"<< excerpt acme/k@{commit[:9]}:a.c#L{lines} >>" for lines in order))
        ids = re.findall(r' id="([^"]*)"', html)
        assert len(ids) == len(set(ids)), order
        assert len(page.diagnostics) == 0


def test_a_page_has_a_bound_of_lines(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/k", {"a.c": "\n" * 100_001})
    bench.write([("acme/k", "a.c")])
    directive = f"<< excerpt acme/k@{commit[:9]}:a.c#L{{}} >>\n\n"
    html, page = bench.convert(directive.format("1-100001") + directive.format("1-2"))
    told = [str(problem) for problem in page.diagnostics]
    assert len(told) == 2
    assert all("the page shows more than 100,000 lines of code (quote the lines" in one for one in told), told
    assert "mw-l" not in html
    assert len(bench.convert(directive.format("1-2"))[1].diagnostics) == 0


def test_notes_on_a_line_are_lit_as_far_as_the_style_goes(tmp_path: Path) -> None:
    """Else a page would grow with the product of its notes and their lines."""
    bench = Bench(tmp_path)
    commit = bench.add_repo("acme/k", {"a.c": "x;\n" * 50})
    bench.write([("acme/k", "a.c")])
    html, _ = bench.convert(f"<< excerpt acme/k@{commit[:9]}:a.c#L1-50 >>\n" + "- L1-50: A note.\n" * 40)
    style = (ROOT / "mkdocs_metalworking/assets/excerpts.css").read_text(encoding="utf-8")
    rules = {int(number) for number in re.findall(r"\.mw-n(\d+):target", style)}
    assert rules == set(range(1, 13))
    assert {int(number) for number in re.findall(r"mw-n(\d+)", html)} == rules
    assert html.count("mw-n12") == 50


def test_what_a_formula_comes_down_to_is_cited_once_a_page(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    references = (
        f"  - {{key: k{count}, title: T{count}, url: 'https://example.org/{count}'}}\n" for count in range(30)
    )
    (tmp_path / "sources.yml").write_text("repositories: []\nreferences:\n" + "".join(references))
    (tmp_path / "sources.lock").touch()
    (tmp_path / "quantities.yml").write_text(
        "quantities:\n  q0: {value: 1, sources: [{cite: k0}]}\n"
        + "".join(
            f"  q{count}: {{formula: q{count - 1} + 1, sources: [{{cite: k{count}}}]}}\n" for count in range(1, 30)
        )
    )
    html, page = bench.convert("[=q29] " * 50 + "\n\n[=q0] [=q0]\n")
    assert [str(problem) for problem in page.diagnostics] == []
    assert (len(page.citations), len(page.quantities)) == (30 + 2, 52)
    assert html.count("Derived: ") == 1


# Python-Markdown itself is quadratic in some texts; there we may grow no faster than it does.
QUADRATIC: dict[str, tuple[Make, Make]] = {
    "openings": (lambda n: "[@a" * n, lambda n: "[@a" * n),
    "one reference on many lines": (lambda n: "x [@key] y\n\n" * n, lambda n: "x [^1] y\n\n" * n + "\n[^1]: x\n"),
    "citations in one paragraph": (lambda n: "`c` and [@key] " * n, lambda n: "`c` and [^1] " * n + "\n\n[^1]: x\n"),
}


@pytest.mark.parametrize("name", QUADRATIC)
def test_we_grow_no_faster_than_the_host(pages: Pages, name: str) -> None:
    ours, theirs = QUADRATIC[name]
    assert growth(pages.convert, ours, 600) <= max(12.0, 1.2 * growth(plain, theirs, 600))


TEXTS: dict[str, tuple[str, int, Make]] = {
    "ranges": ("ranges", 20_000, lambda n: ",".join(f"L{i * 2 + 1}" for i in range(n))),
    "digits": ("ranges", 100_000, lambda n: "L" + "1" * n),
    "lock": (
        "lock",
        2_000,
        lambda n: "".join(f"blob o/n@{'a' * 40} {'b' * 40} sha256:{'c' * 64} size:9 lines:3 p{i}\n" for i in range(n)),
    ),
    "same lock line": (
        "lock",
        2_000,
        lambda n: f"blob o/n@{'a' * 40} {'b' * 40} sha256:{'c' * 64} size:9 lines:3 p\n" * n,
    ),
    "lock of junk": ("lock", 5_000, lambda n: "blob " * n + "\n" + "x\n" * n),
    "permalink": ("permalink", 50_000, lambda n: "https://gitlab.com/" + "a/-/" * n),
    "citation": ("citation", 50_000, lambda n: "a/" * n),
    "citations": ("citation", 50_000, lambda n: "[@a," * n),
    "notes of citations": ("citation", 20_000, lambda n: "[@o/n:a#L1" + ",L1" * n + "]"),
    "front matter": ("front matter", 1_000, lambda n: "---\n" + "".join(f"k{i}: v\n" for i in range(n)) + "---\n"),
    "unclosed front matter": ("front matter", 100_000, lambda n: "---\n" + "\n" * n),
    "long value": ("front matter", 100_000, lambda n: f"---\nsummary: {'x' * n}\n---\n"),
    "sources": (
        "sources",
        100,
        lambda n: (
            "repositories:\n"
            + "".join(f"  - repo: o/n{i}\n    commit: {'a' * 40}\n    license: MIT\n" for i in range(n))
        ),
    ),
    "unknown keys": ("sources", 300, lambda n: "repositories: []\n" + "".join(f"k{i}: v\n" for i in range(n))),
    "license": (
        "sources",
        10_000,
        lambda n: f"repositories:\n  - repo: o/n\n    commit: {'a' * 40}\n    license: {'MIT AND ' * n}MIT\n",
    ),
    "mapping": ("mapping", 200, lambda n: "- cuda: a::b / c_d\n  metal: e.f\n" * n),
    "mapping edges": ("mapping", 3_000, lambda n: f"- cuda: {'(a.b, ' * n}\n  metal: e\n"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_files_grow_in_proportion(name: str) -> None:
    parser, size, make = TEXTS[name]
    assert growth(PARSERS[parser], make, size) <= 12


def test_the_count_sees_what_grows_out_of_proportion() -> None:
    def quadratic(text: str) -> None:
        for at in range(len(text)):
            for _ in range(at):
                ord("x")

    assert growth(quadratic, lambda n: "x" * n, 300) > 50
    assert 9 < growth(lambda text: [ord(ch) for ch in text], lambda n: "x" * n, 30_000) < 11


DEEP = 1_000


@pytest.mark.parametrize(
    "text",
    [
        "> " * DEEP + DIRECTIVE,
        "".join("  " * i + "- a\n" for i in range(300)) + "  " * 300 + DIRECTIVE,
        "<div markdown='1'>\n" * 300 + f"\n{DIRECTIVE}\n\n" + "</div>\n" * 300,
        "*" * DEEP + "a" + "*" * DEEP,
        "[" * DEEP + "@key" + "]" * DEEP,
        "(" * DEEP + DIRECTIVE,
        "".join("    " * i + "!!! note\n" for i in range(200)) + "    " * 200 + DIRECTIVE,
    ],
    ids=["quotes", "lists", "divs", "stars", "brackets", "parentheses", "admonitions"],
)
def test_deep_nesting_is_no_worse_than_without_us(pages: Pages, text: str) -> None:
    try:
        plain(text)
    except RecursionError:
        pytest.skip("Python-Markdown itself cannot")
    pages(text)


def test_a_million_characters_and_ten_thousand_directives(pages: Pages) -> None:
    pages.convert("x" * 1_000_000)
    _, page = pages.convert(f"{DIRECTIVE}\n" * 10_000, late=True)
    assert len(page.quotations) == 10_000
    assert len({anchors.line(n) for anchors in page.names.given for n in anchors.numbers}) == 20_000
