"""A page put into the nav of mkdocs.yml, in its text: comments and formatting stay."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import yaml

from ...quote.diagnostics import Location, MetalworkingError

_PLAIN = re.compile(r"[A-Za-z0-9_][\w .,()/+'-]*(?<! )", re.ASCII)


def scalar(text: str) -> str:
    """Return *text* as YAML, quoted when it would be read as something else."""
    plain = _PLAIN.fullmatch(text) and isinstance(yaml.safe_load(text), str)
    return text if plain else json.dumps(text, ensure_ascii=False)


def nav_line(title: str, uri: str) -> str:
    """Return the item that names the page *uri*."""
    return f"- {scalar(title)}: {uri}"


def insert_page(text: str, after: str, title: str, uri: str, path: str = "mkdocs.yml") -> str:
    """Return *text*, a mkdocs.yml, with a line for the page *uri* behind the one that names the page *after*.

    Raises MetalworkingError (``nav``), with the line to add by hand, when the text cannot take it.
    """
    line = nav_line(title, uri)
    try:
        root = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise MetalworkingError("nav", f"{path} cannot be read: {error}", f"add: {line}") from error
    before = _pages(root)
    found = [node for node in before if node.value == after]
    if not found:
        raise MetalworkingError("nav", f"the nav does not name {after}", f"add: {line}", Location(path))
    number = found[0].end_mark.line
    where = Location(path, number + 1)
    lines = text.splitlines(keepends=True)
    item = re.match(r"(?P<indent>[ ]*(?:- +)*)- ", lines[number])
    if len(found) > 1 or item is None or "-" in item["indent"]:
        why = "is named several times" if len(found) > 1 else "does not stand on a line of its own"
        raise MetalworkingError("nav", f"{after} {why}", f"add by hand: {line}", where)
    end = "\r\n" if "\r\n" in text else "\n"
    if not lines[number].endswith("\n"):
        lines[number] += end
    lines.insert(number + 1, f"{item['indent']}{line}{end}")
    new = "".join(lines)
    values = [node.value for node in before]
    values.insert(values.index(after) + 1, uri)
    if [node.value for node in _pages(yaml.compose(new, yaml.SafeLoader))] != values:
        raise MetalworkingError("nav", f"no line can follow {after} here", f"add by hand: {line}", where)
    return new


def _pages(root: yaml.Node | None) -> list[yaml.ScalarNode]:
    """Return the pages that the nav names, in order; none when there is no nav."""
    if not isinstance(root, yaml.MappingNode):
        return []
    nav = next((value for key, value in root.value if key.value == "nav"), None)
    return list(_leaves(nav)) if nav is not None else []


def _leaves(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.ScalarNode):
        yield node
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _leaves(item)
    elif isinstance(node, yaml.MappingNode):
        for _, value in node.value:
            yield from _leaves(value)
