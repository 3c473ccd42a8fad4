"""Which lines of one text are which of another: as many steps as there are lines, however often one stands."""

from __future__ import annotations

import difflib
import random
from collections.abc import Iterator

import pytest

from mkdocs_metalworking.quote import matching
from mkdocs_metalworking.quote.lines import LineRange
from mkdocs_metalworking.quote.matching import differing, matching_blocks
from mkdocs_metalworking.quote.own import difference, moves
from mkdocs_metalworking.quote.relocate import Outcome, relocate


class Counted(str):
    """A line that counts how often it is compared or looked up."""

    asked = 0
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        Counted.asked += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        Counted.asked += 1
        return str.__hash__(self)


def _pairs(blocks: list[matching.Block]) -> Iterator[tuple[int, int]]:
    return ((i + n, j + n) for i, j, size in blocks for n in range(size))


LONG = 30_000
TEXTS = {
    "one line everywhere, one more": (["0,"] * LONG, ["0,"] * (LONG + 1)),
    "one line everywhere, one between": (["0,"] * LONG, ["0,"] * (LONG // 2) + ["1,"] + ["0,"] * (LONG // 2)),
    "two in turn": (["a", "b"] * (LONG // 2), ["x", *["b", "a"] * (LONG // 2), "y"]),
    "a hundred in turn": ([str(n % 100) for n in range(LONG)], [str(n * 7 % 100) for n in range(LONG)]),
    "nothing alike": ([f"a{n}" for n in range(LONG)], [f"b{n}" for n in range(LONG)]),
    "every other line the same": (
        ["x" if n % 2 else f"a{n}" for n in range(LONG)],
        ["x" if n % 2 else f"b{n}" for n in range(LONG)],
    ),
    "from the end": ([str(n) for n in range(LONG)], [str(n) for n in range(LONG)][::-1]),
}


@pytest.mark.parametrize("which", TEXTS)
def test_no_line_is_compared_more_often_than_there_are_lines(which: str) -> None:
    old, new = ([Counted(line) for line in text] for text in TEXTS[which])
    Counted.asked = 0
    pairs = list(_pairs(matching_blocks(old, new)))
    assert Counted.asked < 12 * (len(old) + len(new))
    Counted.asked = 0
    whole = (LineRange(1, len(old)),)
    assert len(list(difference(old, whole, new, (LineRange(1, len(new)),)))) < 100
    (found,) = relocate(old, new, whole)
    assert (found.outcome is Outcome.UNCHANGED) == (list(map(str, new[: len(old)])) == list(map(str, old)))
    assert Counted.asked < 60 * (len(old) + len(new))
    assert all(str(old[i]) == str(new[j]) for i, j in pairs)
    assert pairs == sorted(pairs), "in order"
    assert len({j for _, j in pairs}) == len(pairs)


def test_lines_of_a_long_text_move_with_those_around_them() -> None:
    old = [f"line {n}" if n % 3 else "}" for n in range(LONG)]
    new = [*old[:100], "more", *old[100:200], *old[250:20_000], "and", "more", *old[20_000:], "}"]
    to = moves(old, (LineRange(1, LONG),), new, (LineRange(1, len(new)),))
    assert (to[100], to[101], to[200], to.get(220), to[252]) == (100, 102, 201, None, 203)
    assert all(new[place - 1] == old[number - 1] for number, place in to.items())
    assert len(to) >= LONG - 60
    assert to[20_001] - 20_001 == 1 - 50 + 2


@pytest.mark.parametrize("seed", range(40))
def test_a_difference_is_told_as_the_standard_library_does(seed: int) -> None:
    chance = random.Random(seed)
    old = [chance.choice("abcdefgh") + str(n // 3) for n in range(chance.choice((0, 3, 60)))]
    new = [line for line in old if chance.random() < 0.9]
    for _ in range(chance.randrange(4)):
        new.insert(chance.randrange(len(new) + 1), "new")
    for context in (0, 1, 3, 200):
        theirs = list(difflib.unified_diff(old, new, n=context, lineterm=""))[3:]
        assert differing(old, new, context) == ["…" if line.startswith("@@") else line for line in theirs]


@pytest.mark.parametrize("seed", range(20))
def test_a_long_text_is_matched_as_a_short_one_is(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no line stands twice, both ways find the same."""
    chance = random.Random(seed)
    old = [str(n) for n in range(60)]
    new = [line for line in old if chance.random() < 0.9]
    for _ in range(5):
        new.insert(chance.randrange(len(new)), f"new {chance.random()}")
    known = list(_pairs(matching_blocks(old, new)))
    monkeypatch.setattr(matching, "_SMALL", 0)
    assert list(_pairs(matching_blocks(old, new))) == known


@pytest.mark.parametrize("old", [None, ["a", "b", "c"]])
def test_a_lock_that_names_more_lines_than_there_are_moves_no_more(old: list[str] | None) -> None:
    to = moves(old, (LineRange(2, 999_999_999),), ["x", "a", "b", "c"], (LineRange(3, 4),))
    assert to == {2: 3, 3: 4}
