"""What shapes the HTML of an excerpt: its colours and the names they are kept under, its caption, its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace

import pygments
import pytest

from mkdocs_metalworking.deliver.project import Project
from mkdocs_metalworking.glossary.labels import labels_for
from mkdocs_metalworking.markdown import highlight
from mkdocs_metalworking.markdown.anchors import LineNames
from mkdocs_metalworking.markdown.figure import code, content, search_text
from mkdocs_metalworking.quote.directive import parse_directive
from mkdocs_metalworking.quote.lines import LineRange
from mkdocs_metalworking.quote.sources_file import load_sources
from tests.support import Bench

SOURCE = "int a; // one\n  int b; // two\n"
FILES: dict[str, str | bytes] = {
    "a.c": SOURCE,
    "b.c": SOURCE,
    "a.txt": SOURCE,
    "comment.c": "int x;\n/* opens\n   int inside;\n*/\nint y;\n",
    "x<y>&\u00a0\u202e.c": "int c;\n",
    "long.c": "a " * 20_000 + "\n",
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    bench = Bench(tmp_path_factory.mktemp("html"))
    bench.add_repo("acme/kernels", FILES)
    bench.write([("acme/kernels", name) for name in FILES])
    return bench


@pytest.fixture(scope="module")
def project(bench: Bench) -> Iterator[Project]:
    with closing(bench.project()) as opened:
        yield opened


class Kept:
    """A cache that keeps nothing and remembers the names."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, key: str, make: Callable[[], list[str]]) -> list[str]:
        self.names.append(key)
        return make()

    def replace(self, key: str, lines: list[str]) -> None:
        raise AssertionError(key)


def html(bench: Bench, project: Project, rest: str, cache: highlight.LineCache = highlight.no_cache) -> str:
    quotation = project.quoter.quote(
        parse_directive(f"<< excerpt acme/kernels@{bench.commits['acme/kernels']}:{rest} >>")
    )
    return code(quotation, LineNames().give(quotation), labels_for(), cache)


def test_everything_that_shapes_a_line_is_in_its_name(bench: Bench, project: Project) -> None:
    kept = Kept()
    ways = (
        *("a.c", "b.c", "a.txt", "a.c lang=python", "a.c lang=text", "a.c#L1", "a.c#L2", "a.c#L2 dedent=none"),
        "a.c#L2 dedent=1",
    )
    for rest in ways:
        html(bench, project, rest, kept)
    assert len(set(kept.names)) == len(ways)
    assert all(pygments.__version__ in name and name.startswith(highlight.FORMAT) for name in kept.names)


def test_a_line_that_ends_in_a_comment_is_coloured_as_code(bench: Bench, project: Project) -> None:
    for lang in ("c", "cpp", "objective-c", "java", "javascript", "metal", "rust", "go"):
        found = html(bench, project, f"a.c#L1 lang={lang}")
        assert '<span class="n">a</span>' in found or '<span class="nx">a</span>' in found or "a;" in found, lang
        assert "// one</span>\n" in found, lang
        assert "err" not in found, lang


def test_a_file_too_slow_to_colour_is_plain_and_told_once(
    bench: Bench, project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    kept = Kept()
    for _ in range(3):
        assert "a a a" in html(bench, project, "long.c", kept)
    (told,) = caplog.messages
    assert told.startswith("acme/kernels@")
    assert "is shown without colours" in told


def test_a_wrong_entry_is_made_anew_and_put_in_its_place(bench: Bench, project: Project) -> None:
    placed: dict[str, list[str]] = {}

    class Wrong(Kept):
        def __call__(self, key: str, make: Callable[[], list[str]]) -> list[str]:
            return ["<b>other</b>", "other"]

        def replace(self, key: str, lines: list[str]) -> None:
            placed[key] = lines

    found = html(bench, project, "a.c", Wrong())
    assert "other" not in found
    ((_, lines),) = placed.items()
    assert lines == highlight.highlight_lines(SOURCE.split("\n")[:2], highlight.lexer_named("c"))


def test_names_in_the_caption_and_in_attributes_are_text(bench: Bench, project: Project) -> None:
    sha = bench.commits["acme/kernels"]
    quotation = project.quoter.quote(
        parse_directive(f'<< excerpt acme/kernels@{sha}:a.c title="<b>\u00a0\u26a0\ufe0f\u202e" >>')
    )
    found = content(quotation, LineNames().give(quotation), labels_for())
    assert '<span class="mw-title">&lt;b&gt;\u00a0\u26a0\ufe0f<span class="mw-ctl"' in found
    assert "\u202e" not in found
    assert "\\" not in found
    words = search_text(quotation, "7")
    assert words.startswith('<pre class="mw-pre" data-mw="7">&lt;b&gt;')
    assert words.endswith(" int one two</pre>")


def test_an_id_is_chosen_that_nobody_has(bench: Bench, project: Project) -> None:
    sha = bench.commits["acme/kernels"]
    quotation = project.quoter.quote(parse_directive(f"<< excerpt acme/kernels@{sha}:a.c >>"))
    names = LineNames()
    given = [names.give(quotation).line(1) for _ in range(3)]
    assert [name.removeprefix(given[0]) for name in given] == ["", "-2", "-3"]
    names.rest()
    assert names.give(quotation).line(1).endswith("-4")
    assert all(name in names for name in given)
    assert f"{given[0]}-5" not in names
    assert given[0].replace("L1", "L999") not in names


def test_a_card_names_its_first_line_alone(bench: Bench, project: Project) -> None:
    sha = bench.commits["acme/kernels"]
    quotation = project.quoter.quote(parse_directive(f"<< excerpt acme/kernels@{sha}:a.c >>"))
    card = replace(quotation, segments=None, ranges=(LineRange(1, 999_999_999),))
    names = LineNames()
    assert [names.give(one).suffix for one in (quotation, card, card)] == ["", "-2", "-3"]
    assert names.given[1].numbers == [1]
    assert names.given[1].line(12_345) in names


def test_pins_that_share_seven_digits_are_told_apart() -> None:
    one, two = "1a486eb0" + "0" * 32, "1a486eb1" + "0" * 32
    text = "repositories:\n" + "".join(f"  - repo: a/b\n    commit: {c}\n    license: MIT\n" for c in (one, two))
    sources, problems = load_sources(text)
    assert problems == []
    assert [pin.short for pin in sources.pins] == [one[:8], two[:8]]
    with pytest.raises(Exception, match=r"1a486eb fits several pinned commits of a/b: 1a486eb0, 1a486eb1 \(write more"):
        sources.pin("a/b", "1a486eb")
    assert sources.pin("a/b", one[:8]).commit == one


def test_a_block_comment_that_reaches_in_is_read_and_one_that_ended_is_not() -> None:
    lines = ["/* a", "b", "*/ x", "y", "/* z */", "// /* no", "w", *["v"] * 500]
    before = {n: len(highlight.opening_comment(lines[:n], "a.c")) for n in (0, 1, 2, 3, 4, 5, 6, 7, 450)}
    assert before == {0: 0, 1: 1, 2: 2, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0, 450: 0}
    assert highlight.opening_comment(["/* a", "b"], "a.py") == ()
    assert len(highlight.opening_comment(["/* a", *["v"] * 398], "a.c")) == 399


def test_late_code_is_words_until_it_is_asked_for(bench: Bench, project: Project) -> None:
    sha = bench.commits["acme/kernels"]
    html, page = bench.convert(f"<< excerpt acme/kernels@{sha}:a.c >>", project=project, late=True)
    (key,) = page.late
    assert re.fullmatch("[0-9]{9}0", key), "a seal and a number"
    assert f'data-mw="{key}"' in html
    assert "mw-caption" not in html
    assert "mw-caption" in page.late[key]()
    _, other = bench.convert(f"<< excerpt acme/kernels@{sha}:a.c >>", project=project, late=True)
    assert list(other.late) != [key], "what stands for code on one page stands for none on another"
    direct, page = bench.convert(f"<< excerpt acme/kernels@{sha}:a.c >>", project=project)
    assert not page.late
    assert "mw-caption" in direct


def test_what_stands_above_decides_the_colour(bench: Bench, project: Project) -> None:
    assert '<span class="cm">int inside;</span>' in html(bench, project, "comment.c#L3")
    assert '<span class="kt">int</span>' in html(bench, project, "comment.c#L5")
