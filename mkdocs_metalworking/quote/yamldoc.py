"""YAML with line numbers, checked against a JSON Schema.

Dates stay strings; a key given twice is an error.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Any

import yaml
from jsonschema.exceptions import ValidationError

from .diagnostics import Diagnostic, Location, MetalworkingError, Severity
from .schema import Schema, packaged, told
from .suggest import did_you_mean

Position = tuple[str | int, ...]


# What a value's own tag (``!!int x``), an endless number or an odd key make PyYAML's constructors raise.
_BAD_VALUE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
_SURROGATE = re.compile("[\ud800-\udfff]")


_MAX_SIZE = 200_000
"""How large a document may be whose aliases are counted as what they stand for: a few hundred bytes can mean billions.
A value counts one, and one more for every 16 characters; a document without aliases may be any size."""


_INT = "tag:yaml.org,2002:int"
_FLOAT = "tag:yaml.org,2002:float"
_MAX_DIGITS = 1000
_OTHERWISE = re.compile(r"[-+]?0(?:[xXbBoO]|[0-9_]+(?:\.|\Z))|.*[:_]")
"""What YAML 1.1 reads as another number than its digits say: 0100 in octal, 1:30 in sixties, 0x1F, 1_0."""


class _Loader(yaml.SafeLoader):
    """SafeLoader that leaves dates as the author wrote them."""


class _QuickLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # not on every platform
    """The same on libyaml, ten times as fast; whatever it does not read is for _Loader, and so are messages."""


_Loader.yaml_implicit_resolvers = _QuickLoader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_DEEPEST = 100
"""Levels that libyaml is given to compose: it does so by recursion, on a stack that nothing guards."""


class YamlDocument:
    """Plain data and the line of every key and item in it."""

    def __init__(
        self, data: Any, lines: dict[Position, int], path: str, otherwise: dict[Position, str] | None = None
    ) -> None:
        self.data = data
        self.path = path
        self.otherwise = otherwise or {}
        """Numbers that YAML reads in another way than people do, as they are written."""
        self._lines = lines

    def location(self, *position: str | int) -> Location:
        """Return where *position* (keys and indexes from the top) stands, or the nearest thing around it."""
        while position and position not in self._lines:
            position = position[:-1]
        return Location(self.path, self._lines.get(position))

    def problems(self, schema: str | Schema) -> Iterator[Diagnostic]:
        """Yield one diagnostic for each breach of *schema*, one that was made or the name of a file in ``schemas/``."""
        found = packaged(schema) if isinstance(schema, str) else schema
        for error in sorted(found.errors(self.data), key=lambda e: list(map(str, e.absolute_path))):
            yield from self._explain(error)

    def _explain(self, error: ValidationError) -> Iterator[Diagnostic]:
        at = tuple(error.absolute_path)
        schema: Any = error.schema
        value: Any = error.validator_value
        name = ".".join(str(p) for p in at if isinstance(p, str)) or "the document"
        if error.validator == "additionalProperties":
            known = list(schema.get("properties", {}))
            for key in [key for key in _keys(error.instance) if key not in known]:
                hint = did_you_mean(str(key), known, f"known: {', '.join(known)}")
                yield self._problem(f"unknown key {told(key)}", hint, (*at, key))
        elif error.validator == "required":
            missing = next(k for k in value if k not in _keys(error.instance))
            yield self._problem(f"{name} has no {missing!r}", f"add {missing}:", at)
        elif error.validator == "enum":
            allowed = ", ".join("null" if v is None else str(v) for v in value)
            yield self._problem(f"{name} is {told(error.instance)}", f"one of: {allowed}", at)
        elif error.validator == "type":
            wanted = value if isinstance(value, str) else " or ".join(value)
            yield self._problem(f"{name} is {_kind(error.instance)}", f"it should be {wanted}", at)
        else:
            yield self._problem(f"{name}: {schema.get('errorMessage', told(error.message)[1:-1])}", "", at)

    def _problem(self, message: str, hint: str, at: Position) -> Diagnostic:
        return Diagnostic(Severity.ERROR, "schema", message, hint, self.location(*at))


def _keys(value: Any) -> list[str]:
    return list(value) if isinstance(value, dict) else []


def _kind(value: object) -> str:
    names = {str: "text", bool: "true or false", list: "a list", dict: "a mapping", type(None): "empty"}
    return names.get(type(value), "a number")


def load_yaml(text: str, path: str, *, first_line: int = 1) -> YamlDocument:
    """Parse *text*, whose first line is line *first_line* of *path*.

    Raises MetalworkingError (``yaml``) with file and line for bad YAML and for a key given twice.
    """
    loader: Any = None
    try:
        loader = (_QuickLoader if _readable(text) else _Loader)(text)
        node = loader.get_single_node()
        lines: dict[Position, int] = {(): first_line}
        if node is None:
            return YamlDocument(None, lines, path)
        limit = max(_MAX_SIZE, len(text))
        if "&" in text and _size(node, {}, limit) > limit:  # no alias without the anchor that it stands for
            message = "bad YAML: its aliases stand for more than anybody wrote"
            raise MetalworkingError("yaml", message, "write the values out", Location(path, first_line))
        otherwise: dict[Position, str] = {}
        _walk(node, (), lines, first_line, path, set(), otherwise)
        return YamlDocument(loader.construct_document(node), lines, path, otherwise)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = Location(path, mark.line + first_line if mark else first_line)
        problem = (error.problem or error.context or "cannot be read").replace("\n", " ")
        raise MetalworkingError("yaml", f"bad YAML: {problem}", "quote text that holds : or #", where) from error
    except yaml.reader.ReaderError as error:
        where = Location(path, text.count("\n", 0, error.position) + first_line)
        shown = f"U+{error.character:04X}" if isinstance(error.character, int) else "a character"
        raise MetalworkingError("yaml", f"bad YAML: {shown} may not stand in YAML", "take it out", where) from error
    except yaml.YAMLError as error:
        raise MetalworkingError("yaml", f"bad YAML: {error}", "", Location(path, first_line)) from error
    except RecursionError as error:
        raise MetalworkingError("yaml", "bad YAML: nested too deeply", "", Location(path, first_line)) from error
    except _BAD_VALUE as error:
        message = f"bad YAML: a value cannot be read ({type(error).__name__})"
        raise MetalworkingError(
            "yaml", message, "look for tags (!!) and numbers", Location(path, first_line)
        ) from error
    finally:
        if loader is not None:
            loader.dispose()


def _readable(text: str) -> bool:
    """Tell whether libyaml reads *text* whole, and nothing in it is nested beyond what it may compose."""
    if "\t" in text:  # which the two do not take in the same places
        return False
    depth = 0
    try:
        for event in yaml.parse(text, _QuickLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                return False
    except (yaml.YAMLError, ValueError, RecursionError):
        return False
    return True


def _size(node: yaml.Node, known: dict[int, int], limit: int) -> int:
    """Return how large *node* is, or more than *limit*, also for one that holds itself."""
    if isinstance(node, yaml.ScalarNode):
        return 1 + len(node.value) // 16
    if id(node) not in known:
        parts = node.value if isinstance(node, yaml.SequenceNode) else [part for pair in node.value for part in pair]
        total = 1
        known[id(node)] = limit + 1  # while it is counted: what holds itself has no end
        for part in parts:
            total = min(total + _size(part, known, limit), limit + 1)
        known[id(node)] = total
    return known[id(node)]


def _walk(
    node: yaml.Node,
    at: Position,
    lines: dict[Position, int],
    offset: int,
    path: str,
    visited: set[int],
    otherwise: dict[Position, str],
) -> None:
    if id(node) in visited:  # an alias: walking it again could take exponential time
        return
    visited.add(id(node))
    if isinstance(node, yaml.MappingNode):
        seen: set[Hashable] = set()
        for key, value in node.value:
            line = key.start_mark.line + offset
            if not isinstance(key, yaml.ScalarNode):
                raise MetalworkingError("yaml", "a key is not plain text", "write key: value", Location(path, line))
            if key.value in seen:
                raise MetalworkingError(
                    "yaml", f"key {told(key.value)} is given twice", "keep one", Location(path, line)
                )
            seen.add(key.value)
            lines[(*at, key.value)] = line
            _walk(key, at, lines, offset, path, visited, otherwise)
            _walk(value, (*at, key.value), lines, offset, path, visited, otherwise)
    elif isinstance(node, yaml.ScalarNode):
        if _SURROGATE.search(node.value):
            where = Location(path, node.start_mark.line + offset)
            raise MetalworkingError("yaml", "half of a surrogate pair is no character", "write the whole one", where)
        if node.tag == _INT and len(node.value) > _MAX_DIGITS:  # in hexadecimal, say, where Python has no bound
            where = Location(path, node.start_mark.line + offset)
            raise MetalworkingError("yaml", f"a number of {len(node.value)} characters", "quote what is text", where)
        if node.tag in (_INT, _FLOAT) and _OTHERWISE.match(node.value):
            otherwise[at] = node.value
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            lines[(*at, index)] = item.start_mark.line + offset
            _walk(item, (*at, index), lines, offset, path, visited, otherwise)
