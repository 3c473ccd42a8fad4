"""Why a commit has no file at a path: what stands on the way, or which name is nearly the same."""

from __future__ import annotations

import unicodedata

from ..quote.suggest import nearest
from .objects import TREE_MAX, Objects, entries_of, resolve_path, tree_of


def why_missing(objects: Objects, commit: str, path: str) -> tuple[str, str]:
    """Return what is wrong with *path*, of which *commit* has no file, and what to do about it.

    Raises what ``resolve_path`` raises.
    """
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        here = "/".join(parts[:depth])
        found = resolve_path(objects, commit, here)
        if found is None:
            return "the commit has no such file", _advice(objects, commit, parts[: depth - 1], parts[depth - 1])
        if depth < len(parts) and found.kind == "symlink":
            return f"{here} is a symbolic link in the commit", "quote the file by the folder it leads to"
        if depth < len(parts) and found.kind == "submodule":
            return f"{here} is a submodule", "quote the submodule's own repository"
        if depth < len(parts) and found.kind != "directory":
            return f"{here} is a file, not a folder", "check the spelling of the path"
    return "the commit has no such file", "check the spelling of the path"


def _advice(objects: Objects, commit: str, folder: list[str], name: str) -> str:
    entry = resolve_path(objects, commit, "/".join(folder)) if folder else None
    if folder and entry is None:
        return "check the spelling of the path"
    if entry is None:
        entries = tree_of(objects, commit)
    else:
        data = objects.verified(entry.oid, kind="tree", max_bytes=TREE_MAX)
        entries = list(entries_of(data, len(commit) // 2))
    names = [key.decode("utf-8", "replace") for key, _ in entries]
    same = next((known for known in names if _folded(known) == _folded(name)), "")
    if same and unicodedata.normalize("NFC", same) == unicodedata.normalize("NFC", name):
        told = " ".join(f"U+{ord(ch):04X}" for ch in same if not ch.isascii())
        return f"the same name there is made of other characters: {told}; copy it from git ls-tree"
    close = same or nearest(name, names[:10_000], 0.7)
    if close:
        return f"did you mean {'/'.join([*folder, close])}?"
    return "check the spelling and case of the path"


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
