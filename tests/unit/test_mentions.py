"""The one scan of a page: what it finds, where it stands, and that rewriting it leaves the rest alone."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_metalworking.hosts.cli.bump.edits import Place, places_in_data
from mkdocs_metalworking.hosts.edits import apply_edits
from mkdocs_metalworking.markdown.tracking import Met
from mkdocs_metalworking.quote.citations import Citation
from mkdocs_metalworking.quote.diagnostics import Location
from mkdocs_metalworking.quote.directive import Directive, parse_directive, quoted_path
from mkdocs_metalworking.quote.lines import LineRange
from mkdocs_metalworking.quote.mentions import Kind, scan

SHA = "1a2b3c4"
PIECES = [
    f'<< excerpt a/b@{SHA}:x.c#L1-2,L4 hl=1,4 title="hl=2 #L9" >>',
    "- L1: One, L2.",
    "- L1-2, L4: All.",
    "> - L1: In a quote.",
    "    - L4: Deeper.",
    "Text [@a/b:x.c#L1,L3-4, M1] and `[@a/b:x.c#L1]` and [@key, L1].",
    "| cell `a | [@a/b@1a2b3c4:x.c] |",
    "```",
    "~~~ metal",
    "",
    "# Title",
    "`open",
    f'> << excerpt a/b@{SHA}:"with space.c" >>',
    "\\[@a/b:x.c#L1]",
]


def move(lines: LineRange) -> LineRange:
    return LineRange(lines.first + 10, (lines.last or 0) + 10)


def find_places(text: str) -> list[Place]:
    """Return the places of a page whose every mention is shown, with the notes that follow each directive."""
    met = [Met(mention, Location("page.md", mention.line), 0) for mention in scan(text).mentions]
    for one in met:
        if one.mention.kind is Kind.DIRECTIVE:
            one.notes = [n for n in met if n.mention.follows == one.mention.start and n.mention.kind is Kind.NOTE]
            one.notes = [n for n in one.notes if n.mention.what is not None]
    return [place for one in met if (place := Place.of(one)) is not None and getattr(place.what, "repo", "")]


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_rewriting_with_what_stands_there_changes_nothing(pieces: list[str]) -> None:
    text = "\n".join(pieces)
    edits = [
        edit
        for place in find_places(text)
        for edit in place.edits(text, place.what.sha, place.what.ranges, lambda lines: lines)
    ]
    spans = sorted(span for span, _ in edits)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans)), "no two edits overlap"
    assert apply_edits(text, edits) == text


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        (f"<< excerpt a/b@{SHA}:x.c#L1-L2 >>", "<< excerpt a/b@ffffffff:x.c#L11-12 >>"),
        (f"<< excerpt a/b@{SHA}:x.c#L7 hl=L7 >>", "<< excerpt a/b@ffffffff:x.c#L17 hl=L17 >>"),
        (f'<< excerpt a/b@{SHA}:"x y.c"#L7 hl="7" >>', '<< excerpt a/b@ffffffff:"x y.c"#L17 hl="17" >>'),
        (f"<< excerpt a/b@{SHA}:x.c >>", "<< excerpt a/b@ffffffff:x.c >>"),
        (f"1. << excerpt a/b@{SHA}:x.c#L1 >>\n   - L1: A.", "1. << excerpt a/b@ffffffff:x.c#L11 >>\n   - L11: A."),
        ("[@a/b:x.c#L1]", "[@a/b@ffffffff:x.c#L11]"),
        ("[@a/b@1a2b3c4:x.c, note]", "[@a/b@ffffffff:x.c, note]"),
        ("[@a/b:x.c#L1,\nL3]", "[@a/b@ffffffff:x.c#L11,L13]"),
        ("[@a/b:x.c#L1, L, M1]", "[@a/b@ffffffff:x.c#L11, L, M1]"),
    ],
)
def test_one_place(text: str, moved: str) -> None:
    (place,) = find_places(text)
    ranges = tuple(move(lines) for lines in place.what.ranges) if place.what.ranges else None
    assert apply_edits(text, list(place.edits(text, "ffffffff", ranges, move))) == moved


@pytest.mark.parametrize(
    "text",
    [
        f"```\n<< excerpt a/b@{SHA}:x.c >>\n```",
        f"> ~~~~\n> ~~~\n> << excerpt a/b@{SHA}:x.c >>\n> ~~~~",
        f"in a line << excerpt a/b@{SHA}:x.c >>",
        f"<< excerpt a/b@{SHA}:x.c",
        f"<< excerpt a/b@{SHA}:x.c unknown=1 >>",
        "\\[@a/b:x.c#L1]",
        "[@key]",
        "[@a/b:x.c#L0]",
    ],
)
def test_what_is_not_live(text: str) -> None:
    assert find_places(text) == []


def test_targets_in_data_are_those_of_the_repository() -> None:
    text = "a/b:x.c#L1, 'a/b@1a2b3c4:y.c' xa/b:x.c#L1 c/a/b:x.c#L1 a/bc:x.c#L1 [\"a/b:z/w.c#L2-3,L5, M1\"]"
    found = [(place.what.path, place.what.sha, place.what.ranges) for place in places_in_data(text, "a/b")]
    assert found == [
        ("x.c", "", (LineRange(1, 1),)),
        ("y.c", "1a2b3c4", None),
        ("z/w.c", "", (LineRange(2, 3), LineRange(5, 5))),
    ]


@pytest.mark.parametrize("path", ["a.c", "a b.c", 'a"b.c', "a#b.c", 'a "b" #c.c'])
def test_a_directive_is_written_as_it_is_read(path: str) -> None:
    directive = Directive("a/b", SHA, path, (LineRange(1, 2),))
    assert parse_directive(str(directive)) == directive


@pytest.mark.parametrize(
    "path", ["a,b.c", "a b.c", 'a"b.c', "a#b.c", "app/[id]/page.tsx", "[o](p).c", "a]", '["[', "[@x]"]
)
def test_a_path_in_a_citation_may_be_quoted(path: str) -> None:
    (mention,) = scan(f"[@a/b:{quoted_path(path)}#L1,L3, M1]").mentions
    assert mention.what == Citation(repo="a/b", path=path, ranges=(LineRange(1, 1), LineRange(3, 3)), note="M1")


def test_a_path_with_brackets_wants_quotation_marks() -> None:
    (mention,) = scan("Said [@a/b:app/[id]/page.tsx#L1].").mentions
    assert mention.problem is not None
    assert "left over as text: [@a/b:app/[id] (put a path with brackets in quotation marks" in str(mention.problem)


def test_every_span_reads_as_what_it_is() -> None:
    directive = f'<< excerpt a/b@{SHA}:x.c#L1-2,L4 title="a" hl=1,4 >>'
    text = f"x\n\n{directive}\n* L1, L2: One.\n\nSaid [@a/b@{SHA}:y.c#L5, note].\n"
    spans = {mention.kind: {k: text[a:b] for k, (a, b) in mention.spans.items()} for mention in scan(text).mentions}
    assert spans == {
        Kind.DIRECTIVE: {
            **{"repo": "a/b", "sha": SHA, "path": "x.c", "ranges": "L1-2,L4"},
            **{"title": '"a"', "hl": "1,4"},
        },
        Kind.NOTE: {"ranges": "L1, L2"},
        Kind.CITATION: {"repo": "a/b", "sha": SHA, "path": "y.c", "ranges": "L5"},
    }
    assert [(mention.line, text[mention.start : mention.end]) for mention in scan(text).mentions] == [
        (3, text.split("\n")[2]),
        (4, "L1, L2"),
        (6, f"[@a/b@{SHA}:y.c#L5, note]"),
    ]


def test_a_key_has_a_span() -> None:
    text = "One [@some-key , note], and [=f32.alus digits=2]."
    found = scan(text, quantities=True).mentions
    assert [[text[a:b] for a, b in mention.spans.values()] for mention in found] == [["some-key"], ["f32.alus"]]


@pytest.mark.parametrize("before", ["", "a", "ab", "abc", "[@k] ", "\n"])
def test_a_backslash_escapes_wherever_it_stands(before: str) -> None:
    found = scan(f"{before}\\[@x] ![@y] and [@z]").mentions
    assert [mention.raw for mention in found] == (["[@k]"] if "k" in before else []) + ["[@z]"]


@pytest.mark.parametrize(
    ("text", "follows"),
    [
        ("{d}\n- L1: x", True),
        ("{d}\n\n- L1: x", True),
        ("{d}\n- L9: y\n  more\n\n- L1: x", True),
        ("{d}\n\nText.\n\n- L1: x", False),
        ("{d}\n> - L1: x", False),
        ("> {d}\n> - L1: x", True),
        ("> {d}\n- L1: x", False),
        ("- a\n\n    {d}\n\n- L1: x", False),
        ("- a\n\n    {d}\n\n    - L1: x", True),
        ("- {d}\n- L1: x", False),
        (" {d}\n- L1: x", False),
        ("```\n{d}\n```\n- L1: x", False),
    ],
)
def test_what_a_note_follows(text: str, follows: bool) -> None:
    found = scan(text.replace("{d}", f"<< excerpt a/b@{SHA}:x.c#L1-9 >>")).mentions
    last = [m for m in found if m.raw == "L1: x"]
    assert bool(last and last[0].follows is not None) is follows


def test_a_target_in_data_is_rewritten_where_it_stands() -> None:
    text = '{"a": "x", "src": "a/b:x.c#L1, note", "b": ["a/b@1a2b3c4:y.c#L5-6"]}'
    edits = [
        e
        for place in places_in_data(text, "a/b")
        for e in place.edits(text, "fff", tuple(map(move, place.what.ranges or ())), move)
    ]
    assert apply_edits(text, edits) == '{"a": "x", "src": "a/b@fff:x.c#L11, note", "b": ["a/b@fff:y.c#L15-16"]}'
