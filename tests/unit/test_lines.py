"""Ranges and cutting."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_metalworking.quote.blob import blob_id, count_lines
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from mkdocs_metalworking.quote.lines import (
    LineRange,
    RangeProblem,
    Segment,
    close_ranges,
    common_indent,
    cut,
    dedent,
    format_ranges,
    parse_ranges,
    source_lines,
)


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("L7", [(7, 7)]),
        ("L5-12", [(5, 12)]),
        ("L5-L12", [(5, 12)]),
        ("L5-", [(5, None)]),
        ("L10,20-22", [(10, 10), (20, 22)]),
        ("L1-2,L3-4,L5", [(1, 5)]),
        ("L1-2,L4-", [(1, 2), (4, None)]),
    ],
)
def test_parse(text: str, ranges: list[tuple[int, int | None]]) -> None:
    assert [(r.first, r.last) for r in parse_ranges(text)] == ranges


@pytest.mark.parametrize(
    "text",
    ["", "7", "L", "L-3", "L7-5", "L0", "L0-3", "L5,L5", "L5-9,L9", "L9,L5", "L5-,L9", "l7", "L1-2-3", "L٣", "L1,,L2"],
)
def test_refused(text: str) -> None:
    with pytest.raises(RangeProblem):
        parse_ranges(text)


@given(st.lists(st.integers(1, 10_000), min_size=2, max_size=20, unique=True))
def test_what_is_formatted_is_read_back(bounds: list[int]) -> None:
    bounds = sorted(bounds)[: len(bounds) // 2 * 2]
    ranges = tuple(LineRange(a, b) for a, b in zip(bounds[::2], bounds[1::2], strict=True))
    read = parse_ranges(format_ranges(ranges))
    lines = {n for r in ranges for n in range(r.first, (r.last or 0) + 1)}
    assert {n for r in read for n in range(r.first, (r.last or 0) + 1)} == lines
    assert all(a.last is not None and a.last + 1 < b.first for a, b in pairwise(read))


def test_open_ends_close_and_whole_files_count() -> None:
    assert close_ranges(None, 3, "x") == (LineRange(1, 3),)
    assert close_ranges((LineRange(2, None),), 3, "x") == (LineRange(2, 3),)
    with pytest.raises(RangeProblem, match="L4- runs past the end: x has 3 lines"):
        close_ranges((LineRange(4, None),), 3, "x")


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", ()),
        (b"a", ("a",)),
        (b"a\n", ("a",)),
        (b"a\n\n", ("a", "")),
        (b"\na", ("", "a")),
        (b"a\r\nb\r\n", ("a", "b")),
        (b"a\rb\n", ("a\rb",)),
        (b"a\r\r\n", ("a\r",)),
        (b"\xef\xbb\xbfa\n", ("a",)),
        ("a\u2028b\x0cc\x85d\n".encode(), ("a\u2028b\x0cc\x85d",)),
    ],
)
def test_lines_are_counted_by_lf_alone(data: bytes, lines: tuple[str, ...]) -> None:
    assert source_lines(data, "x") == lines
    assert count_lines(data) == len(lines)


@given(st.binary(max_size=300))
def test_count_agrees_with_the_lines_shown(data: bytes) -> None:
    text = data.decode("latin-1").encode()
    assert count_lines(text) == len(source_lines(text, "x"))


def test_dedent_takes_the_longest_common_white_space_over_all_parts() -> None:
    parts = cut(["\t\tif x:", "", "\t\t\ty", "  z", "\t\tend"], (LineRange(1, 3), LineRange(5, 5)))
    assert common_indent(parts) == "\t\t"
    assert [s.lines for s in dedent(parts, "auto")] == [("if x:", "", "\ty"), ("end",)]
    assert [s.lines for s in dedent(parts, "none")] == [s.lines for s in parts]
    assert [s.lines for s in dedent(parts, 1)] == [("\tif x:", "", "\t\ty"), ("\tend",)]
    with pytest.raises(RangeProblem):
        dedent(parts, 3)


def test_dedent_does_not_mix_tabs_and_spaces() -> None:
    parts = (Segment(1, ("\ta", "    b")),)
    assert dedent(parts, "auto") == parts


@given(st.lists(st.text(" \tab", max_size=8), min_size=1, max_size=8))
def test_dedent_removes_white_space_only(lines: list[str]) -> None:
    (segment,) = dedent((Segment(1, tuple(lines)),), "auto")
    for before, after in zip(lines, segment.lines, strict=True):
        assert before.endswith(after)
        assert not before[: len(before) - len(after)].strip()


def test_blob_ids_are_gits() -> None:
    # git hash-object -t blob /dev/null, for both object formats.
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"", digits=64) == "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
    with pytest.raises(ValueError, match="40 or 64"):
        blob_id(b"", digits=20)


def test_the_line_that_is_not_utf8_is_named() -> None:
    for line in (1, 2, 5):
        with pytest.raises(MetalworkingError, match=rf"x is not UTF-8 \(line {line}\)"):
            source_lines(b"a\n" * (line - 1) + b"\xe9\n", "x")


@pytest.mark.parametrize(
    ("text", "merged"),
    [
        ("L1,L2", "L1-2"),
        ("L2,L3", "L2-3"),
        ("L1,L3", "L1,L3"),
        ("L2,L4", "L2,L4"),
        ("L1-3,L4-5,L7", "L1-5,L7"),
        ("L5,L6-", "L5-"),
    ],
)
def test_only_ranges_that_touch_are_one(text: str, merged: str) -> None:
    assert format_ranges(parse_ranges(text)) == merged
