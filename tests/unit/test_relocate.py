"""Relocation never guesses, whatever the two versions of a file are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mkdocs_metalworking.quote.lines import LineRange
from mkdocs_metalworking.quote.relocate import Outcome, relocate

LINES = st.lists(st.sampled_from(["", "}", "a;", "b;", "\tc;"]), min_size=1, max_size=14)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[str], list[str], list[LineRange]]:
    """Two versions of a file, and ascending ranges of the first."""
    old, new = draw(LINES), draw(LINES)
    bounds = sorted(draw(st.sets(st.integers(1, len(old)), min_size=1, max_size=6)))
    parts = [
        LineRange(a, draw(st.sampled_from([a, b - 1])))
        for a, b in zip(bounds, [*bounds[1:], len(old) + 1], strict=False)
    ]
    return old, new, parts


@given(cases())
def test_what_is_settled_has_the_same_lines_and_nothing_else_is(case) -> None:  # type: ignore[no-untyped-def]
    old, new, parts = case
    last = 0
    for part, found in zip(parts, relocate(old, new, parts), strict=True):
        wanted = old[part.first - 1 : part.last]
        places = [i + 1 for i in range(len(new) - len(wanted) + 1) if new[i : i + len(wanted)] == wanted]
        assert found.old == part
        if found.new is not None:
            assert found.outcome.settled
            assert new[found.new.first - 1 : found.new.last] == wanted
            assert found.new.first == part.first or places == [found.new.first], "the old place, or the only one"
            assert found.new.first > last, "in the order of the file"
            last = found.new.last or 0
        elif found.outcome is Outcome.AMBIGUOUS:
            assert [place.first for place in found.candidates] == places
            assert len(places) > 1
            assert part.first not in places
        elif found.outcome is Outcome.REORDERED:
            assert found.candidates[0].first in places
            assert found.candidates[0].first <= last
        else:
            assert places == []
            assert (found.outcome is Outcome.CHANGED) == bool(found.diff)


@given(LINES, LINES, st.data())
def test_lines_put_above_move_everything_by_as_many(head: list[str], old: list[str], data: st.DataObject) -> None:
    marked = [f"{number}{line}" for number, line in enumerate(old)]
    first = data.draw(st.integers(1, len(marked)))
    last = data.draw(st.integers(first, len(marked)))
    (found,) = relocate(marked, head + marked, [LineRange(first, last)])
    assert found.new == LineRange(first + len(head), last + len(head))


OLD = ["head", "a = 1;", "b = 2;", "c = 3;", "tail"]


def test_what_became_of_changed_lines_is_shown_with_their_place() -> None:
    (found,) = relocate(OLD, ["new", "head", "a = 1;", "b = 20;", "c = 3;", "tail"], [LineRange(2, 3)])
    assert found.outcome is Outcome.CHANGED
    assert found.candidates == (LineRange(3, 4),)
    assert found.diff == ("@@ L2-3 -> L3-4 @@", " a = 1;", "-b = 2;", "+b = 20;")


def test_lines_that_grew_keep_their_end() -> None:
    (found,) = relocate(OLD, ["head", "a = 1;", "b = 2;", "b = 2.5;", "c = 3.0;", "tail"], [LineRange(3, 4)])
    assert found.outcome is Outcome.CHANGED
    assert found.candidates == (LineRange(3, 5),)


def test_a_long_difference_is_cut_with_its_length() -> None:
    old = [f"line {n} of it" for n in range(60)]
    new = [f"line {n} of this" for n in range(60)]
    (found,) = relocate(old, new, [LineRange(1, 60)])
    assert len(found.diff) == 42
    assert found.diff[0] == "@@ L1-60 -> L1-60 @@"
    assert found.diff[-1] == "… 80 more lines"
    (short,) = relocate(old[:20], new[:20], [LineRange(1, 20)])
    assert len(short.diff) == 41, "forty lines are not cut"
