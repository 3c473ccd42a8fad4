"""The entry of a commit that is not pinned yet: what git says of it, to be pasted or written into sources.yml."""

from __future__ import annotations

import json
import logging
import re
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import yaml

from ..deliver.project import Settings
from ..git.cat_file import CatFile
from ..git.command import Git, GitError
from ..git.fetch import Fetched
from ..git.objects import METADATA_MAX, commit_date, tree_of
from ..git.places import find_clone
from ..quote.blob import MAX_FILE
from ..quote.diagnostics import Location, MetalworkingError, printable
from ..quote.licenses import license_name
from ..quote.sources import Sources
from ..quote.sources_file import load_sources
from .files import Rewrite, read_page, write_all

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./+-]*")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
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


def entry_for(repo: str, commit: str, url: str, settings: Settings) -> str:
    """Return the entry of *commit*, with its day and what its license file looks like; asks a clone, else *url*.

    Raises Unavailable when nobody has the commit.
    """
    with ExitStack() as stack:
        git_dir = find_clone(settings.code, repo, settings.premises)
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
        lines.append(f"    license_file: {scalar(name)}")
    if day:
        lines.append(f'    date: "{day}"')
    return "".join(f"{line}\n" for line in lines)


def scalar(text: str) -> str:
    """Quote what YAML would read as something else: a commit of digits only, or what the name of a tag may have."""
    plain = _PLAIN.fullmatch(text) and isinstance(yaml.safe_load(text), str)
    return text if plain or _DAY.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def write_entry(path: Path, entry: str) -> None:
    """Put *entry* behind the last repository of the file *path*, or begin the file with it.

    The caller holds off other commands. Raises MetalworkingError (``schema``) when the text cannot be changed safely,
    ``not-written`` when it cannot at all.
    """
    before = read_page(path) if path.exists() else None
    write_all([Rewrite(path, before, with_entry(before, entry, path.name))])


def with_entry(text: str | None, entry: str, name: str) -> str:
    """Return *text* of the file *name*, None where there is none, with *entry* behind the last repository.

    Raises MetalworkingError (``schema``) when the text cannot be changed safely; the reader of the result is the judge.
    """
    old = "repositories:\n" if text is None else text
    before, _ = load_sources(old, name) if text is not None else (None, [])
    new = _appended(old, "repositories", entry)
    after, problems = load_sources(new, name) if new is not None else (None, [])
    if new is None or after is None or problems or _without_last(after) != (before or Sources(path=name)):
        raise _by_hand(name)
    return new


def _without_last(sources: Sources) -> Sources:
    return replace(sources, pins=sources.pins[:-1])


def with_reference(text: str, key: str, name: str) -> str | None:
    """Return *text* of the file *name* with an entry for *key* behind the last reference; its title is to be written.

    None when the text cannot be changed safely.
    """
    try:
        before, wrong = load_sources(text, name)
        begun = text if before.references or wrong else f"{text.rstrip()}\nreferences:\n"
        new = _appended(begun, "references", f"  - key: {key}\n    title: {key}\n")
        after, problems = load_sources(new, name) if new is not None else (before, wrong)
    except MetalworkingError:
        return None
    kept = len(after.references) > len(before.references) and replace(after, references=after.references[:-1]) == before
    return new if not problems and kept else None


def _appended(old: str, name: str, entry: str) -> str | None:
    """Return *old* with *entry* at the end of its list *name*; None when that is not written as a list of blocks."""
    try:
        root = yaml.compose(old, yaml.SafeLoader)
    except yaml.YAMLError:
        return None
    node = next((v for k, v in root.value if k.value == name), None) if isinstance(root, yaml.MappingNode) else None
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
        return None
    put = "".join(f"{' ' * indent}{line[2:]}" for line in entry.splitlines(keepends=True))
    return "".join([*lines[:at], put, *lines[at:]])


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


def _by_hand(name: str) -> MetalworkingError:
    return MetalworkingError("schema", "the entry cannot be added safely", "paste it by hand", Location(name))
