"""Where a function, a kernel, a class or a struct stands in its file: from its first line to its last.

Python is read by ``ast``; every other language as C is: by braces, with strings and comments respected. The scan knows
no grammar. It takes what stands before a brace for a definition when it looks like one, and says so when two do.
"""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .braces import definitions
from .diagnostics import MetalworkingError
from .lines import LineRange
from .suggest import nearest

_PYTHON = (".py", ".pyi", ".pyw")
_NO_CODE = (".md", ".rst", ".txt", ".yml", ".yaml", ".toml", ".ini", ".cfg", ".html", ".xml", ".csv")

_STRING = re.compile(
    r"""\#[^\n]*+|(?P<f>\b(?:f|fr|rf))?(?:
    "{3}(?:[^"\\]|\\.|"(?!""))*+(?:"{3}|\Z)|'{3}(?:[^'\\]|\\.|'(?!''))*+(?:'{3}|\Z)|
    "(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?)""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
"""A comment of Python, or a string from quotation mark to quotation mark."""
_MOST = 1_000_000_000
"""Braces of an f-string times its characters, for all in a file: a second at most."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition: its name with those of what it stands in, joined by dots, and its lines."""

    name: str
    lines: LineRange


def find_symbol(lines: Sequence[str], name: str, path: str) -> LineRange:
    """Return the lines of the one definition *name*, decorators, templates and attributes included.

    *name* may leave out what the definition stands in (``method`` for ``Class.method``), as long as one fits; the very
    name wins. Raises MetalworkingError (``symbol``) for none, with what is near, and for several.
    """
    symbols = symbols_of(lines, path)
    wanted = name.replace("::", ".")
    found = [symbol for symbol in symbols if symbol.name == wanted]
    found = found or [symbol for symbol in symbols if symbol.name.endswith(f".{wanted}")]
    # A constructor has the name of its class, which is meant.
    names = {one.name for one in found}
    found = [one for one in found if not any(one.name[:dot] in names for dot in _dots(one.name))]
    if len(found) == 1:
        return found[0].lines
    if found:
        told = ", ".join(f"{one.name} on {one.lines}" for one in found[:6]) + (", …" if len(found) > 6 else "")
        longer = len({one.name for one in found}) == len(found)
        hint = "write more of its name" if longer else "mark a region around the one that is meant"
        raise MetalworkingError("symbol", f"{path} has {len(found)} symbols {name!r}: {told}", hint)
    near = _near(wanted, symbols)
    known = ", ".join(dict.fromkeys(symbol.name for symbol in symbols[:10])) or "none was found"
    hint = f"did you mean {near}?" if near else f"its symbols: {known}"
    raise MetalworkingError("symbol", f"{path} has no symbol {name!r}", hint)


def symbols_of(lines: Sequence[str], path: str) -> list[Symbol]:
    """Return every definition in *lines*, those of *path*, in order.

    Raises MetalworkingError (``symbol``) for a file of no language with symbols, and for Python that cannot be read.
    """
    if path.lower().endswith(_NO_CODE):
        raise MetalworkingError("symbol", f"{path} is no code with symbols", "mark a region, or name lines")
    return list(_python(lines, path) if path.lower().endswith(_PYTHON) else _braces(lines, path))


def _dots(name: str) -> Iterator[int]:
    """Yield where a dot stands in *name*."""
    return (at for at, ch in enumerate(name) if ch == ".")


def _near(wanted: str, symbols: Sequence[Symbol]) -> str:
    """Return the symbol that *wanted* is most like, by its whole name or by the last part of it."""
    found = nearest(wanted, dict.fromkeys(symbol.name for symbol in symbols))
    if found:
        return found
    last = {symbol.name.rpartition(".")[2]: symbol.name for symbol in symbols}
    found = nearest(wanted.rpartition(".")[2], last)
    return last.get(found, "")


def _python(lines: Sequence[str], path: str) -> Iterator[Symbol]:
    # Lines end with LF here, and for Python with a lone CR too.
    text = "".join(f"{line}\n" for line in lines).replace("\r", " ")
    # Before Python 3.12 each brace of an f-string is looked for from the string's beginning.
    if sys.version_info < (3, 12) and _looked_through(text) > _MOST:
        what = f"{path} cannot be read as Python: its f-strings are too long for one before 3.12"
        raise MetalworkingError("symbol", what, "mark a region instead")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = f" (line {error.lineno})" if isinstance(error, SyntaxError) and error.lineno else ""
        raise MetalworkingError("symbol", f"{path} cannot be read as Python{where}", "mark a region instead") from None
    todo: list[tuple[str, ast.AST]] = [("", tree)]
    found: list[Symbol] = []
    while todo:
        scope, node = todo.pop()
        for child in ast.iter_child_nodes(node):
            inner = scope
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{scope}{child.name}."
                first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                found.append(Symbol(inner[:-1], LineRange(first, child.end_lineno or child.lineno)))
            if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                todo.append((inner, child))
    yield from sorted(found, key=lambda symbol: symbol.lines)


def _looked_through(text: str) -> int:
    found = (one[0] for one in _STRING.finditer(text) if one["f"])
    return sum(string.count("{") * len(string) for string in found)


def _braces(lines: Sequence[str], path: str) -> Iterator[Symbol]:
    text = "".join(f"{line}\n" for line in lines)
    for name, first, last in definitions(text, rust=path.endswith(".rs")):
        yield Symbol(name, LineRange(first, last))
