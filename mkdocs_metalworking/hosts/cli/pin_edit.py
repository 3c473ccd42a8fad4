"""A pin moved in the text of sources.yml: comments, order and formatting of everything else stay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import yaml

from ...quote.diagnostics import Location, MetalworkingError
from ...quote.sources import Pin
from ...quote.sources_file import load_sources
from ..pinning import scalar

_STALE = ("tag", "date", "packages", "mirrors")
"""What was true of the old commit and need not be of another."""
_NO_WAY = "its entry is written in a way that cannot be edited"


def move_pin(
    text: str, pin: Pin, commit: str, *, date: str = "", tag: str = "", beside: bool = False
) -> tuple[str, list[str]]:
    """Return *text* with *pin* at *commit*, and a remark for each key that went.

    With *beside* the old entry stays and the new one follows it. Raises MetalworkingError (``schema``) for an entry
    whose text cannot be changed safely; the reader of the result is the judge.
    """
    path = pin.location.path
    index, entry = _entry(text, pin)
    edited, remarks = _edited(text, entry, commit, date, tag)
    if beside:
        _, moved = _entry(edited, pin, index)
        lines, new = text.splitlines(keepends=True), edited.splitlines(keepends=True)
        end = _last_line(entry) + 1
        gap = ["\n"] if entry.start_mark.line and not lines[entry.start_mark.line - 1].strip() else []
        copied = new[moved.start_mark.line : _last_line(moved) + 1]
        if not lines[end - 1].endswith("\n"):
            lines[end - 1] += "\n"
        edited = "".join([*lines[:end], *gap, *copied, *lines[end:]])
    _judge(text, edited, pin, commit, tag if pin.tag else "", beside, path)
    return edited, remarks


def _entry(text: str, pin: Pin, index: int | None = None) -> tuple[int, yaml.MappingNode]:
    repositories = _value(yaml.compose(text, yaml.SafeLoader), "repositories")
    entries = repositories.value if isinstance(repositories, yaml.SequenceNode) else ()
    for number, item in enumerate(entries):
        found = number == index if index is not None else _written(item, "commit") == pin.commit
        if found and _written(item, "repo") == pin.repo:
            return number, item
    raise _by_hand(pin, _NO_WAY)


def _edited(text: str, entry: yaml.MappingNode, commit: str, date: str, tag: str) -> tuple[str, list[str]]:
    edits: list[tuple[int, int, str]] = []
    remarks: list[str] = []
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for key, value in entry.value:
        name = key.value
        new = {"commit": commit, "date": date, "tag": tag}.get(name, "")
        if new:
            edits.append((value.start_mark.index, value.end_mark.index, scalar(new)))
            if name != "commit":
                remarks.extend([f"{name}: {value.value} -> {new}"] if new != value.value else [])
        elif name in _STALE:
            edits.append((starts[key.start_mark.line], starts[_last_line(value, key.start_mark.column) + 1], ""))
            remarks.append(f"{name}: {_told(value)} dropped: it was of the old commit")
    for start, end, put in sorted(edits, reverse=True):
        text = text[:start] + put + text[end:]
    return text, remarks


def _judge(old: str, new: str, pin: Pin, commit: str, tag: str, beside: bool, path: str) -> None:
    """Raise unless *new* says what *old* says, but for the pin."""
    try:
        before, _ = load_sources(old, path)
        after, problems = load_sources(new, path)
    except MetalworkingError:
        raise _by_hand(pin, _NO_WAY) from None
    rest = [other for other in after.pins if (other.repo, other.commit) != (pin.repo, commit)]
    kept = [other for other in before.pins if beside or other != pin]
    come = [one for one in after.pins if one not in rest]
    moved = replace(pin, commit=commit, tag=tag, date=come[0].date, packages=(), mirrors=()) if come else None
    others = (after.references, after.own) == (before.references, before.own)
    if problems or rest != kept or come != [moved] or not others:
        raise _by_hand(pin, _NO_WAY)


def _by_hand(pin: Pin, why: str) -> MetalworkingError:
    hint = "write one key a line, with repo: first"
    return MetalworkingError("schema", f"{pin.repo}: {why}", hint, Location(pin.location.path, pin.location.line))


def _told(node: yaml.Node) -> str:
    return ", ".join(_leaves(node))


def _leaves(node: yaml.Node) -> Iterator[str]:
    if isinstance(node, yaml.ScalarNode):
        yield node.value
    elif isinstance(node, yaml.MappingNode):
        yield from (value.value for key, value in node.value if key.value != "root")
    else:
        for item in node.value:
            yield from _leaves(item)


def _last_line(node: yaml.Node, column: int = 0) -> int:
    """Return the last line of *node*, from 0; its end mark may stand behind blank lines and comments.

    *column* is that of its key: a comment there or to the left of it is no part of a block of text.
    """
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_line(last[1], last[0].start_mark.column) if isinstance(last, tuple) else _last_line(last)
    if not (isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")):
        return int(node.end_mark.line)
    lines = (node.end_mark.buffer or "").split("\n")
    end = int(node.end_mark.line) - (node.end_mark.column == 0)
    while end > node.start_mark.line:
        words = lines[end].lstrip(" ").rstrip("\0\r")
        if words and not (words.startswith("#") and len(lines[end]) - len(lines[end].lstrip(" ")) <= column):
            break
        end -= 1
    return end


def _written(item: yaml.Node, key: str) -> str | None:
    """Return what stands at *key* in an entry itself, and not in another one that YAML merges into it."""
    value = _value(item, key)
    return value.value if isinstance(value, yaml.ScalarNode) else None


def _value(node: yaml.Node | None, key: str) -> yaml.Node | None:
    pairs = node.value if isinstance(node, yaml.MappingNode) else ()
    return next((value for name, value in pairs if name.value == key), None)
