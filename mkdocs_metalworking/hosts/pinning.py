"""The entry of a commit that is not pinned yet: what git says of it, to be pasted or written into sources.yml."""

from __future__ import annotations

import logging
from contextlib import ExitStack, closing
from pathlib import Path

import yaml

from ..git.command import Git, GitError, find_clone
from ..git.fetch import Fetched
from ..git.objects import METADATA_MAX, CatFile, commit_date, tree_of
from ..quote.blob import MAX_FILE
from ..quote.diagnostics import Location, MetalworkingError, printable
from ..quote.licenses import license_name
from ..quote.sources import load_sources
from .files import write

_LOG = logging.getLogger(__name__)
# A phrase that stands in the text of one license and of no other of the list; the first that fits counts.
_PHRASES = (
    ("Apache-2.0", "apache license version 2.0"),
    ("BSD-3-Clause", "may be used to endorse or promote products"),
    ("BSD-2-Clause", "redistributions in binary form must reproduce"),
    ("ISC", "permission to use, copy, modify, and/or distribute this software"),
    ("MIT", "permission is hereby granted, free of charge, to any person obtaining a copy of this software"),
    ("CC0-1.0", "cc0 1.0 universal"),
    ("Zlib", "this software is provided 'as-is', without any express or implied warranty"),
)


def entry_for(repo: str, commit: str, url: str, code_dir: Path) -> str:
    """Return the entry of *commit*, with its day and what its license file looks like; asks a clone, else *url*.

    Raises Unavailable when nobody has the commit.
    """
    with ExitStack() as stack:
        git_dir = find_clone(code_dir, repo)
        fetched: Fetched | None = None
        objects = stack.enter_context(closing(CatFile(Git(git_dir)))) if git_dir else None
        try:
            found = _root(objects, commit) if objects else None
        except GitError:
            found = None
        if objects is None or found is None:
            fetched = stack.enter_context(Fetched(url, commit, timeout=300.0, logger=_LOG))
            objects = stack.enter_context(closing(CatFile(Git(fetched.git_dir))))
            found = _root(objects, commit)
        day, names = found
        name = license_name(names)
        text = ""
        if name:
            if fetched is not None:
                fetched.blobs({names[name]})
                objects.close()  # a running process may not see packs that came later
            text = objects.verified(names[name], kind="blob", max_bytes=MAX_FILE).decode("utf-8", "replace")
    spdx = _spdx(text)
    lines = [f"  - repo: {repo}", f'    commit: "{commit}"', f"    license: {spdx or 'null'}"]
    if name and name != "LICENSE":
        lines.append(f"    license_file: {yaml.safe_dump(name, allow_unicode=True).splitlines()[0]}")
    if day:
        lines.append(f'    date: "{day}"')
    return "".join(f"{line}\n" for line in lines)


def write_entry(path: Path, entry: str) -> None:
    """Put *entry* behind the last repository of the file *path*, or begin the file with it.

    Raises MetalworkingError (``schema``) when the text cannot be changed safely; the reader of the result is the judge.
    """
    old = path.read_text(encoding="utf-8") if path.exists() else "repositories:\n"
    before, _ = load_sources(old, path.name) if path.exists() else (None, [])
    root = yaml.compose(old, yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    node = next(value for key, value in root.value if key.value == "repositories")
    lines = old.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
        at, indent = node.end_mark.line, node.start_mark.column
        while at > 0 and not lines[at - 1].strip():
            at -= 1
    elif isinstance(node, yaml.ScalarNode) and not node.value:
        at, indent = node.start_mark.line + (node.start_mark.column > 0), 2
    else:
        raise _by_hand(path)
    put = "".join(f"{' ' * indent}{line[2:]}" for line in entry.splitlines(keepends=True))
    new = "".join([*lines[:at], put, *lines[at:]])
    after, problems = load_sources(new, path.name)
    if (
        problems
        or len(after.pins) != len(before.pins if before else ()) + 1
        or (before and after.pins[:-1] != before.pins)
    ):
        raise _by_hand(path)
    write(path, new)


def printable_lines(text: str) -> str:
    """Make each line of *text* safe for a terminal."""
    return "".join(f"{printable(line)}\n" for line in text.splitlines())


def _root(objects: CatFile, commit: str) -> tuple[str, dict[str, str]]:
    """Return the day of *commit*, and the files of its root folder with their blobs."""
    data = objects.verified(commit, kind="commit", max_bytes=METADATA_MAX)
    entries = tree_of(objects, commit)
    return commit_date(data), {
        name.decode("utf-8", "replace"): entry.oid for name, entry in entries if entry.kind == "file"
    }


def _spdx(text: str) -> str:
    words = " ".join(text.lower().replace(",", " , ").split()).replace(" , ", ", ")
    flat = words.replace(", ", " ")
    return next((spdx for spdx, phrase in _PHRASES if phrase in words or phrase in flat), "")


def _by_hand(path: Path) -> MetalworkingError:
    return MetalworkingError("schema", "the entry cannot be added safely", "paste it by hand", Location(path.name))
