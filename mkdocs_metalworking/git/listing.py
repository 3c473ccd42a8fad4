"""The files of a commit: their list, and what they take on disk. A tree may name one blob a million times."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..quote.diagnostics import MetalworkingError
from .command import Git

LISTED = 192 << 20
"""Bytes that the list of a commit's or an index's files may have: 1.5 million of them with paths of 75 bytes."""
MOST = 8 << 30
"""Bytes that the files of a clone may take on disk."""
_BLOCK = 4096
"""Bytes that a file takes at least, and a folder."""
_ENTRY = re.compile(rb"[0-7]+ ([a-z]+) ([0-9a-f]+)\t([^\0]*)\0")


def files_of(git: Git, commit: str) -> list[tuple[bytes, str]]:
    """Return path and blob of every file of *commit*; submodules are none."""
    listed = git.run("ls-tree", "-r", "-z", "--full-tree", commit)
    return [(one[3], one[2].decode("ascii")) for one in _ENTRY.finditer(listed) if one[1] == b"blob"]


def extent(files: Sequence[tuple[bytes, str]], sizes: Mapping[str, int]) -> int:
    """Return how many bytes *files*, path and blob each, in the order of their folders, take on disk.

    *sizes* has the bytes of each blob.
    """
    total, folders = 0, list[bytes]()
    around = b""
    for path, blob in files:
        total += max(1, -(-sizes.get(blob, 0) // _BLOCK)) * _BLOCK
        parent = path.rpartition(b"/")[0]
        if parent == around:
            continue
        parts = parent.split(b"/") if parent else []
        shared = next((n for n, (one, two) in enumerate(zip(parts, folders, strict=False)) if one != two), None)
        total += (len(parts) - (min(len(parts), len(folders)) if shared is None else shared)) * _BLOCK
        around, folders = parent, parts
    return total


def weigh(git: Git, folder: Path, commit: str, files: Sequence[tuple[bytes, str]], most: int) -> None:
    """Raise MetalworkingError (``clone``) when *files*, as in *extent*, take more than *most*, or than *folder* has."""
    blobs = sorted({blob for _, blob in files})
    told = git.run("cat-file", "--batch-check=%(objectsize)", stdin="".join(f"{blob}\n" for blob in blobs).encode())
    sizes = {blob: int(size) for blob, size in zip(blobs, told.split(b"\n"), strict=False) if size.isdigit()}
    size, free = extent(files, sizes), shutil.disk_usage(folder).free
    if size > min(most, free):
        bound = f"a clone may have {most:,}" if most < free else f"there is room for {free:,}"
        message = f"the files of commit {commit[:7]} take {size:,} bytes on disk, and {bound}"
        raise MetalworkingError("clone", message, "list the folders that you need as its paths: in sources.yml")
