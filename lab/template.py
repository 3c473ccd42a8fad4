"""The one thing that WGSL cannot say: so many copies of a line. The twin of docs/assets/lab/template.js."""

from __future__ import annotations

import re
from collections.abc import Mapping

Value = int | float | str | bool
_NAME = re.compile(r"\$\{(\w+)\}")


def _put(line: str, values: Mapping[str, Value]) -> str:
    return _NAME.sub(lambda found: str(values[found[1]]) if found[1] in values else found[0], line)


def _expand(lines: list[str], values: Mapping[str, Value]) -> list[str]:
    out: list[str] = []
    at = 0
    while at < len(lines):
        word = lines[at].split()
        if not word or word[0] != "//for":
            out.append(_put(lines[at], values))
            at += 1
            continue
        depth, end = 1, at
        while depth:
            end += 1
            head = lines[end].split()[:1]
            depth += (head == ["//for"]) - (head == ["//end"])
        for i in range(int(values[word[2]])):
            out += _expand(lines[at + 1 : end], {**values, word[1]: i})
        at = end + 1
    return out


def render(source: str, values: Mapping[str, Value]) -> str:
    """Return WGSL: ``${NAME}`` replaced by its value, and the lines from ``//for i NAME`` to ``//end`` repeated.

    A value may hold names itself (``exp2(-v${i})``). Raises KeyError for a count that nobody gave.
    """
    texts = {name: value for name, value in values.items() if isinstance(value, str) and "${" in value}
    for name, value in texts.items():
        source = source.replace("${" + name + "}", str(value))
    return "\n".join(_expand(source.split("\n"), values))
