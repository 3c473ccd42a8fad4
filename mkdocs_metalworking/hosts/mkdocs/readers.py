"""The files that quantities.yml names by patterns: scripts that read numbers by their keys."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from ...quote.blob import MAX_FILE

_ANY = "**"
"""Stands for folders within each other, or none."""
_MAGIC = re.compile(r"[*?\[]")


def reader_files(patterns: Iterable[str], root: Path) -> Iterator[Path]:
    """Yield the files that the glob *patterns* name, from *root*: no folder, no pipe, and what no link leads out to.

    No folder is looked into twice for patterns that begin in the same one, and none behind a link that no pattern
    names: that could be without an end.
    """
    top = root.resolve()
    wanted: dict[Path, list[Sequence[str]]] = {}
    for pattern in dict.fromkeys(patterns):
        parts = PurePosixPath(pattern).parts
        plain = next((number for number, part in enumerate(parts) if _MAGIC.search(part)), len(parts))
        wanted.setdefault(root.joinpath(*parts[:plain]), []).append(parts[plain:])
    told: set[Path] = set()
    for folder, rest in wanted.items():
        if not _is_within(folder, top):
            continue
        for path in ([folder] if () in rest else []) + list(_below(folder, rest)):
            with contextlib.suppress(OSError):
                if path not in told and _is_within(path, top) and path.is_file() and path.stat().st_size <= MAX_FILE:
                    told.add(path)
                    yield path


def _is_within(path: Path, top: Path) -> bool:
    try:
        return path.resolve().is_relative_to(top)
    except (OSError, RuntimeError, ValueError):  # links in a circle, a name that is none
        return False


def _below(folder: Path, patterns: Iterable[Sequence[str]]) -> Iterator[Path]:
    """Yield what *patterns* name below *folder*: each folder is entered with the places that they have come to."""
    left = [(folder, [(parts, {0}) for parts in patterns if parts])]
    while left:
        here, places = left.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            after = [(parts, _after(entry.name, parts, at)) for parts, at in places]
            if entry.is_dir(follow_symlinks=False):
                if further := [(parts, at) for parts, at in after if at]:
                    left.append((here / entry.name, further))
            elif any(len(parts) in _open(parts, at) for parts, at in after):
                yield here / entry.name


def _open(parts: Sequence[str], at: Iterable[int]) -> set[int]:
    """Return the places *at* which *parts* may go on, with those behind a ``**`` that stands for nothing."""
    found = set(at)
    for place, part in enumerate(parts):
        if place in found and part == _ANY:
            found.add(place + 1)
    return found


def _after(name: str, parts: Sequence[str], at: Iterable[int]) -> set[int]:
    """Return the places of *parts* behind *name*."""
    found = set[int]()
    for place in _open(parts, at):
        if place < len(parts) and parts[place] == _ANY:
            found.add(place)
        elif place < len(parts) and fnmatch(name, parts[place]):
            found.add(place + 1)
    return found
