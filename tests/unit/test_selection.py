"""Lines that are named: by a symbol, a marked region or the words of their first and last line."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from mkdocs_metalworking.quote.lines import LineRange
from mkdocs_metalworking.quote.naming import name_lines
from mkdocs_metalworking.quote.selection import Selection
from mkdocs_metalworking.quote.symbols import symbols_of

METAL = """\
#include <metal_stdlib>
#define BODY(x) do { x; } while (0)
using namespace metal;
// struct Fake {
constant char brace = '}';
constant int table[] = {1, 2};
template <typename T, int N = 3>
[[kernel]] void scale(device T* data [[buffer(0)]],
                      uint i [[thread_position_in_grid]]) {
    if (i > 1) { data[i] = 1'000; }
}
namespace steel {
template <class T>
struct Loader : public Base<T> {
 public:
  Loader(int a) : x_{a}, y_(2) {
    run("} unbalanced");
  }
  void next() const noexcept(true) { go(); }
  bool operator==(const Loader& other) const { return true; }
  struct Inner { int a; };
};
void free_it(int a);
void free_it(int a) { }
}
typedef struct {
  int a;
} Params;
extern "C" {
int plain(void)
{
  return 1; /* } */
}
}
static inline struct Foo *make(int a) { return 0; }
enum class Kind : int { A, B };
"""
OTHERS = {
    "a.js": ("const add = (a, b) => { return a + b }\nfunction named(a = {}) { return `}` }\n", {"add": 1, "named": 2}),
    "a.go": ("func (r *R) Go(x int) (int, error) {\n}\ntype T struct {\n}\n", {"Go": 1}),
    "a.rs": (
        "fn life<'a>(x: &'a str) -> &'a str { x }\nimpl Display for Foo {\n  fn fmt(&self) { '{' }\n}\n",
        {"life": 1, "Foo.fmt": 3},
    ),
    "a.swift": ("func f(x: Int) throws -> (Int) {\n}\nextension Foo {\n  func g() { }\n}\n", {"f": 1, "Foo.g": 4}),
    "a.wgsl": ("@compute @workgroup_size(64)\nfn main(@builtin(a) b: vec3<u32>) {\n}\n", {"main": 1}),
    "A.java": ("@A(b) class C {\n  void f() throws E {\n  }\n}\n", {"C": 1, "C.f": 2}),
    "a.kt": ("class A(val x: Int) {\n  fun f(): Int { return 1 }\n}\n", {"A": 1, "A.f": 2}),
}
PYTHON = '''\
"""A module with a brace {."""
import functools


@functools.cache
def top(a):
    """Has a
    docstring."""
    return a


class Box:
    @property
    def item(self):
        return 1

    @item.setter
    def item(self, value):
        pass

    async def load(self):
        def inner():
            return 2
        return inner


if True:
    def guarded():
        return 3
'''


def found(text: str, path: str) -> dict[str, str]:
    return {symbol.name: str(symbol.lines) for symbol in symbols_of(text.splitlines(), path)}


def find(text: str, selection: Selection, path: str = "a.py") -> str:
    return ",".join(map(str, selection.find(text.splitlines(), path)))


def told(text: str, selection: Selection, path: str = "a.py") -> str:
    with pytest.raises(MetalworkingError) as problem:
        selection.find(text.splitlines(), path)
    return str(problem.value)


def test_definitions_between_braces() -> None:
    assert found(METAL, "a.metal") == {
        "scale": "L7-11",
        "steel": "L12-25",
        "steel.Loader": "L13-22",
        "steel.Loader.Loader": "L16-18",
        "steel.Loader.next": "L19",
        "steel.Loader.operator==": "L20",
        "steel.Loader.Inner": "L21",
        "steel.free_it": "L24",
        "Params": "L26-28",
        "plain": "L30-33",
        "make": "L35",
        "Kind": "L36",
    }


@pytest.mark.parametrize("path", OTHERS)
def test_other_languages_with_braces(path: str) -> None:
    text, wanted = OTHERS[path]
    starts = {name: int(lines.partition("-")[0][1:]) for name, lines in found(text, path).items()}
    assert {name: starts.get(name) for name in wanted} == wanted


BRACES = "{a}" * 20_000


@pytest.mark.parametrize(
    ("line", "long"),
    [
        (f"x = f'{BRACES}'", True),
        (f"x = Rf'''\n{BRACES}'''", True),
        (f"x = 'a # b', fr\"{BRACES}\"", True),
        (f"x = '{BRACES}'", False),
        (f"x = 1  # f'{BRACES}'", False),
        (f"x = ''' ' f\"{BRACES}\" \\''' '''", False),
        ("x = " + "f'{a} {b}' " * 20_000, False),
    ],
)
def test_how_long_an_f_string_may_be(line: str, long: bool) -> None:
    lines = [*line.split("\n"), "def f(): pass"]
    if long and sys.version_info < (3, 12):
        with pytest.raises(MetalworkingError, match=r"own\.py cannot be read as Python: its f-strings are too long"):
            symbols_of(lines, "own.py")
    else:
        assert [str(symbol.lines) for symbol in symbols_of(lines, "own.py")] == [f"L{len(lines)}"]


def test_definitions_of_python() -> None:
    names = [(symbol.name, str(symbol.lines)) for symbol in symbols_of(PYTHON.splitlines(), "a.py")]
    assert names == [
        ("top", "L5-9"),
        ("Box", "L12-24"),
        ("Box.item", "L13-15"),
        ("Box.item", "L17-19"),
        ("Box.load", "L21-24"),
        ("Box.load.inner", "L22-23"),
        ("guarded", "L28-29"),
    ]


def test_a_name_may_leave_out_what_it_stands_in() -> None:
    assert find(PYTHON, Selection("symbol", "load")) == find(PYTHON, Selection("symbol", "Box.load")) == "L21-24"
    assert find(METAL, Selection("symbol", "Loader::next"), "a.metal") == "L19"
    assert find(METAL, Selection("symbol", "Loader"), "a.metal") == "L13-22"
    assert (
        find("def run():\n    pass\nclass A:\n    def run(self):\n        pass\n", Selection("symbol", "run")) == "L1-2"
    )


def test_two_of_one_name() -> None:
    assert told(PYTHON, Selection("symbol", "item")) == (
        "a.py has 2 symbols 'item': Box.item on L13-15, Box.item on L17-19 (mark a region around the one that is meant)"
    )
    two = "struct A {\n void f() { }\n};\nstruct B {\n void f() { }\n};\n"
    assert told(two, Selection("symbol", "f"), "a.cc") == (
        "a.cc has 2 symbols 'f': A.f on L2, B.f on L5 (write more of its name)"
    )


def test_a_wrong_name() -> None:
    assert told(PYTHON, Selection("symbol", "tpo")) == "a.py has no symbol 'tpo' (did you mean top?)"
    assert told(PYTHON, Selection("symbol", "Box.laod")) == "a.py has no symbol 'Box.laod' (did you mean Box.load?)"
    assert told("x = 1\n", Selection("symbol", "f")) == "a.py has no symbol 'f' (its symbols: none was found)"
    assert told("def f(:\n", Selection("symbol", "f")).startswith("a.py cannot be read as Python (line 1)")
    assert told("# T\n", Selection("symbol", "f"), "a.md").startswith("a.md is no code with symbols")
    assert "a.py cannot be read as Python" in told("(" * 5000 + "\n", Selection("symbol", "f"))


def test_what_never_closes_is_left_out() -> None:
    assert found("void f() {\n#if A\n  if (x) {\n#else\n  if (y) {\n#endif\n  }\n}\nvoid g() { }\n", "a.c") == {
        "g": "L9"
    }


REGIONS = """\
# --8<-- [start:one]
a = 1
# --8<-- [end:one]
// ANCHOR: two
b = 2
// ANCHOR_END: two
// region three
c = 3
//#region four
d = 4
//#endregion
e = 5
// endregion three
<!-- #region five six -->
f = 6
<!-- #endregion -->
# region of interest is only prose
# pragma region seven
g = 7
#pragma endregion
"""


@pytest.mark.parametrize(
    ("name", "lines"),
    [("one", "L2"), ("two", "L5"), ("three", "L8-12"), ("four", "L10"), ("five six", "L15"), ("seven", "L19")],
)
def test_marked_regions(name: str, lines: str) -> None:
    assert find(REGIONS, Selection("region", name), "a.txt") == lines


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x\n", "a.py has no region 'one' (it has no marked region)"),
        ("# region ones\nx\n# endregion\n", "a.py has no region 'one' (did you mean ones?)"),
        ("# region one\nx\n", "region 'one' of a.py begins on L1 and ends nowhere (mark its end)"),
        ("# ANCHOR_END: one\nx\n", "region 'one' of a.py ends on L1 and begins nowhere (mark its begin)"),
        ("# ANCHOR_END: one\nx\n# ANCHOR: one\ny\n", "region 'one' of a.py ends on L1, before it begins on L3"),
        ("# region one\n# endregion\n", "region 'one' of a.py has no lines between L1 and L2"),
        (
            "# region one\nx\n# endregion\n# region one\ny\n# endregion\n",
            "a.py has 2 regions 'one': on L1, L4 (give each a name of its own)",
        ),
        (
            "# region one\n# region two\nx\n# endregion\n",
            "region 'one' of a.py begins on L1 and ends nowhere (mark its end)",
        ),
    ],
)
def test_regions_that_are_none(text: str, message: str) -> None:
    assert told(text, Selection("region", "one")) == message


def test_guards() -> None:
    text = "a {\n}\nb {\nx\n}\nc\n"
    assert find(text, Selection("guards", "b", "}")) == "L3-5"
    assert find(text, Selection("guards", "c", "c")) == "L6"
    assert (
        told(text, Selection("guards", "{", "}"))
        == "first='{' stands on 2 lines of a.py: L1,L3 (write more of the line)"
    )
    assert told(text, Selection("guards", "q", "}")) == "first='q' is nowhere in a.py (write words of the first line)"
    assert (
        told(text, Selection("guards", "c", "b"))
        == "last='b' is not below L6 of a.py (it stands above the first line, on L3)"
    )


def test_a_name_for_counted_lines() -> None:
    lines = PYTHON.splitlines()
    assert name_lines(lines, LineRange(21, 24), "a.py") == Selection("symbol", "load")
    assert name_lines(lines, LineRange(7, 9), "a.py") == Selection("guards", '"""Has a', "return a")
    with pytest.raises(MetalworkingError, match="cannot be told"):
        name_lines(lines, LineRange(10, 11), "a.py")


@given(st.sampled_from(["symbol", "region", "guards", "lines", "file"]), st.text(min_size=1), st.text(min_size=1))
def test_a_selection_survives_the_lock(kind: str, name: str, last: str) -> None:
    try:
        (name + last).encode()
    except UnicodeEncodeError:
        return
    selection = Selection(kind, "" if kind == "file" else name, last if kind == "guards" else "")
    word = selection.format()
    assert not set(word) & set(" \t\n\r")
    assert Selection.parse(word) == selection


@given(st.text(alphabet="{}()[];<>\"'`/*#:=, \nabR~\\") | st.text())
def test_any_text_is_scanned(text: str) -> None:
    lines = text.split("\n")
    for path in ("a.c", "a.rs"):
        for symbol in symbols_of(lines, path):
            assert 1 <= symbol.lines.first <= (symbol.lines.last or 0) <= len(lines)


def steps(text: str) -> int:
    """Return how many lines of Python the scan of *text* runs."""
    count = 0

    def tracer(frame: object, event: str, _argument: object) -> object:
        nonlocal count
        count += event == "line"
        return tracer

    old = sys.gettrace()
    sys.settrace(tracer)  # type: ignore[arg-type]
    try:
        symbols_of(text.split("\n"), "a.cc")
    finally:
        sys.settrace(old)
    return count


@pytest.mark.parametrize(
    "text", ["{", "(", "f(", "template <", "f() : a{1},", "x = ", "class A ", "f() {\n", "'", '"', "/*"]
)
def test_ten_times_the_file_takes_ten_times_the_steps(text: str) -> None:
    assert steps(text * 20_000) < 12 * steps(text * 2_000) + 1000
