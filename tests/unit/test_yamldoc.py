"""YAML read by libyaml is what PyYAML reads, and what it refuses is refused in the same words."""

from __future__ import annotations

import pytest
import yaml

from mkdocs_metalworking.quote import yamldoc
from mkdocs_metalworking.quote.diagnostics import MetalworkingError

TEXTS = [
    "a: 1\nb: [1, 2, {c: d}]\n",
    "a: 2020-01-01\n",
    "a: 0x1F\nb: 017\nc: 1_000\nd: 1e3\ne: 1.5e3\nf: .inf\ng: yes\nh: ~\n",
    "a: |\n  x\n  y\nb: >-\n  p\n  q\n",
    "a: &x {b: 1}\nc: *x\n",
    "? [a]\n: 1\n",
    "a: 1\na: 2\n",
    "a: 'it''s'\nb: \"\\u00e9\\n\"\n",
    "a:\tb\n",
    "a: b\tc\n",
    "{a:1}",
    "[a, b,]",
    "a: !!int '3'\n",
    "a: !foo 3\n",
    "# only\n",
    "",
    "--- a\n--- b\n",
    'a: "\\ud800"\n',
    "a: \x01\n",
    "a: \ud800\n",
    "a: b: c\n",
    "- a\n -b\n",
    "a: [\n",
    "%YAML 1.1\n---\na: 1\n",
    "a: {b: c, d}\n",
    "\ufeffa: 1\n",
    "a: <<\n<<: {b: 1}\n",
    "a: =\n",
    "a: 12:30:45\n",
    'a: "x\\\n  y"\n',
    "a: \u00e9\nb: \u65e5\u672c\n",
    "a: x\u2028y\n",
    "a: x\x85y\n",
    "a\r\nb: 1\r\n",
    "a: 1\rb: 2\r",
    "a: - b\n",
    "a: @b\n",
    "a: b #c\nd: e#f\n",
    "a: http://x:80/y\n",
    "['x':y]",
    '{"a":1}',
    "a: 'b' c\n",
    "a: ''\nb:\nc: null\n",
    "[" * 99 + "]" * 99,
    "[" * 101 + "]" * 101,
    "[" * 100_000,
    "- " * 100_000,
]


def _read(text: str) -> object:
    try:
        found = yamldoc.load_yaml(text, "f.yml")
    except MetalworkingError as problem:
        return str(problem)
    places = [str(found.location(*at)) for at in (("a",), ("b",), ("c",), ("b", 1), ("b", 2, "c"))]
    return repr(found.data), places


@pytest.mark.skipif(not hasattr(yaml, "CSafeLoader"), reason="PyYAML is here without libyaml")
@pytest.mark.parametrize("text", TEXTS, ids=lambda text: repr(text[:20]))
def test_both_loaders_say_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = _read(text)
    monkeypatch.setattr(yamldoc, "_readable", lambda _: False)
    assert quick == _read(text)
