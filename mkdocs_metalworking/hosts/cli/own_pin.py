"""The pin of one's own repository: where ``bump`` moves it to, and its entry in sources.yml."""

from __future__ import annotations

import re

import yaml

from ...deliver.project import Project
from ...quote.blob import HEX_ID
from ...quote.diagnostics import Location, MetalworkingError
from ...quote.repo import SELF
from ...quote.sources import Pin, Sources
from ...quote.sources_file import load_sources


def own_commit(project: Project, pin: Pin, to: str | None, *, keep_old: bool) -> str:
    """Return the full commit to move ``self`` to, HEAD when *to* names none; no network is asked.

    Raises MetalworkingError (``bump`` or ``self``) when there is nothing to move, or no such commit here.
    """
    if not pin.commit:
        hint = "metalworking accept takes what changed in it"
        raise MetalworkingError("bump", f"{SELF} is the working tree, which has no pin", hint, pin.location)
    if keep_old:
        raise MetalworkingError("bump", f"{SELF} has one pin", "leave --keep-old out", pin.location)
    if project.worktree is None:
        raise MetalworkingError("self", "no git repository encloses the site")
    commit = to if to is not None and HEX_ID.match(to) else project.worktree.commit(to or "HEAD")
    if commit == pin.commit:
        raise MetalworkingError("bump", f"{SELF} is at {pin.short} already", "", pin.location)
    return commit


def move_own(text: str, pin: Pin, commit: str) -> str:
    """Return *text*, that of sources.yml, with ``self`` at *commit*; the reader of the result is the judge.

    Raises MetalworkingError (``schema``) for an entry that cannot be edited safely.
    """
    root = yaml.compose(text, yaml.SafeLoader)
    entry = _value(root, SELF)
    node = _value(entry, "pin") if isinstance(entry, yaml.MappingNode) else None
    if not isinstance(node, yaml.ScalarNode):
        raise _by_hand(pin.location)
    new = text[: node.start_mark.index] + f'"{commit}"' + text[node.end_mark.index :]
    before, _ = load_sources(text, pin.location.path)
    after, problems = load_sources(new, pin.location.path)
    if problems or after.own is None or after.own.commit != commit or _rest(after) != _rest(before):
        raise _by_hand(pin.location)
    return new


def add_own(text: str, commit: str, path: str) -> str:
    """Return *text*, that of sources.yml, with an entry for ``self`` at *commit*, or for the working tree.

    Raises MetalworkingError (``schema``) when the text cannot be changed safely.
    """
    entry = own_entry(commit)
    new = text + ("" if not text or text.endswith("\n") else "\n") + entry
    before = load_sources(text, path)[0] if text.strip() else Sources()
    after, problems = load_sources(new, path)
    if problems or after.own is None or _rest(after) != _rest(before):
        raise _by_hand(Location(path))
    return new


def own_entry(commit: str) -> str:
    """Return the entry of ``self``; without a *commit* that of the working tree."""
    return f'{SELF}: {{pin: "{commit}"}}\n' if commit else f"{SELF}: working-tree\n"


def own_target(text: str) -> tuple[str, str] | None:
    """Return path and fragment of an argument that is no address: ``src/calc.py#L5-9``, ``src/calc.py:5-9``."""
    text = text.strip().strip("<>")
    if re.match(r"[a-z][a-z0-9+.-]*://", text, re.IGNORECASE):
        return None
    path, sign, fragment = text.partition("#")
    if not sign and (match := re.fullmatch(r"(.+?):(\d+(?:-\d+)?)", text)):
        path, fragment = match[1], f"L{match[2]}"
    return path, fragment


def _rest(sources: Sources) -> tuple[object, ...]:
    return sources.pins, sources.references


def _value(node: yaml.Node | None, key: str) -> yaml.Node | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for name, value in node.value if name.value == key), None)


def _by_hand(where: Location) -> MetalworkingError:
    return MetalworkingError("schema", f"the entry of {SELF} cannot be edited safely", "write it by hand", where)
