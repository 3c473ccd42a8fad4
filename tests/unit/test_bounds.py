"""Ten times the page takes at most twelve times the steps: lines of Python and characters that patterns read."""

from __future__ import annotations

import difflib
import random
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from mkdocs_metalworking.markdown import highlight
from mkdocs_metalworking.markdown.highlight import TooSlow, highlight_lines, lexer_named, plain_lines
from mkdocs_metalworking.quote import markers
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from mkdocs_metalworking.quote.directive import parse_directive
from mkdocs_metalworking.quote.mentions import scan
from mkdocs_metalworking.quote.suggest import nearest, suggest_path

SHA = "0123456"


def steps(call: Callable[[], object]) -> int:
    """Return how many lines of our package *call* runs."""
    count = 0

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return line

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        return line if "mkdocs_metalworking" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


UNITS = {
    "directives and notes": f"<< excerpt a/b@{SHA}:x.c#L1-2 hl=1 >>\n- L1: One.\n- L2: Two.\n\n",
    "citations": "Said [@a/b:x.c#L1,L2, M1] and [@key].\n\n",
    "open citations": "Said [@a and [@b, \n",
    "typos": "x << exerpt a/b < excerpt a/b@0123456:c\n",
    "fences": "```\n[@a]\n```\n\n~~~ x\n",
    "fences never closed": "~~~~\n```\n[@a]\n",
    "quotes": "> << excerpt >>\n> > - L1: x\n",
    "links": "[@a](b) [@c][d] [@e]: f\n[@g]: h\n",
}


@pytest.mark.parametrize("name", UNITS)
def test_steps_of_a_scan(name: str) -> None:
    small, large = (steps(lambda n=n: scan(UNITS[name] * n)) for n in (30, 300))
    assert small > 30
    assert large <= 12 * small


@pytest.mark.parametrize(
    "unit",
    [
        "<",
        "< ",
        "<<",
        "[@",
        "[@a,",
        "[@a/",
        '[@"',
        '[@a:"',
        '[@a:"\\"',
        "excerpt ",
        "a@",
        "- L1",
        "L1, ",
        "`",
        "> ",
        "\u200b",
        "excerpt\u200b",
    ],
)
def test_a_line_of_one_thing_is_read_in_one_go(unit: str) -> None:
    """What goes back over a long line would not end here within any limit of patience."""
    for start in ("", "<< excerpt ", "<", "[@a", "- L1"):
        scan(f"{start}{unit * 20_000}\n[@x]")


class Counted(str):
    """A name that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)  # type: ignore[arg-type]

    __hash__ = str.__hash__


def test_regions_in_regions_are_each_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def compared(depth: int) -> int:
        names = [("x", False), *[("a", False)] * depth, *[("zz", True)] * depth, *[("", True)] * (depth + 1)]
        marks = {n: markers._Mark(n, Counted(name), ends, True) for n, (name, ends) in enumerate(names, 1)}
        monkeypatch.setattr(markers, "_marks", lambda line, number: [marks[number]])
        Counted.compared = 0
        found = markers.find_region([""] * len(names), "x", "p.c")
        assert (found.first, found.last) == (2, len(names) - 1)
        return Counted.compared

    assert compared(500) <= 12 * compared(50)


def test_numbers_of_any_length_are_refused() -> None:
    for text in ("hl=" + "9" * 5000, "dedent=" + "1" * 5000):
        with pytest.raises(MetalworkingError) as told:
            parse_directive(f"<< excerpt a/b@{SHA}:x.c {text} >>")
        assert len(str(told.value)) < 200
    with pytest.raises(MetalworkingError):
        parse_directive(f"<< excerpt a/b@{SHA}:x.c#L{'9' * 5000} >>")


def test_a_lexer_that_takes_too_long_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TooSlow):
        highlight_lines(["a " * 30_000], lexer_named("c"))
    clock = iter(range(1000))
    monkeypatch.setattr(highlight.time, "thread_time", lambda: next(clock))
    with pytest.raises(TooSlow):
        highlight_lines(["a b c d"] * 40, lexer_named("c"))
    assert plain_lines(["a < b"]) == ["a &lt; b"]


def test_suggestions() -> None:
    known = ["src/kernels/gemm.metal", "src/gemm.metal", "README.md", "caf\u00e9.c"]
    assert suggest_path("src/Gemm.metal", known) == "src/gemm.metal"
    assert suggest_path("kernels/gemm.metal", known) in known[:2]
    assert suggest_path("cafe\u0301.c", known) == "caf\u00e9.c"
    assert suggest_path("READMY.md", known) == "README.md"
    assert suggest_path("nothing/like/it.py", known) == ""
    assert nearest("x" * 5000, ["x" * 4000]) == "", "too long for a typo"


@pytest.mark.parametrize("size", [5, 20, 60, 100])
def test_of_names_to_suggest_as_many_are_compared_as_there_is_time_for(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names of the same letters pass every quick look, and a long one takes a hundred times what a short one does."""
    chance = random.Random(size)
    letters = "aabb" + "abcdefghijklmnopqrstuvwxyz" * 4

    def word() -> str:
        return "".join(chance.sample(letters[:size], size))

    compared: list[int] = []
    real = difflib.SequenceMatcher.ratio

    def ratio(self: difflib.SequenceMatcher[str]) -> float:
        compared.append(len(self.a) * len(self.b))
        return real(self)

    monkeypatch.setattr(difflib.SequenceMatcher, "ratio", ratio)
    known = [word() for _ in range(20_000 if size < 60 else 500)]
    nearest(word(), known)
    assert sum(compared) <= 2_000_000, "those that are alike twice"
    assert nearest("shelf_" + known[0][:20], ["x" * 3000, "shelf_" + known[0][:19]]) == "shelf_" + known[0][:19]
