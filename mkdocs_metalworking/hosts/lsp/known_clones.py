"""Folders of clones outside of their site, so that none of somebody else's is taken for a site later; and the sites.

They are kept in the cache of the person, a JSON string a line, and not in the store, which may lie in a site. A clone
that stands there is a folder of which less is done, unless it was a site of the person's before: one that an editor
was opened for when nothing was known of it, or one that was named.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import platformdirs

from ...deliver.store_folder import open_plain
from ...git.places import Premises, enclosing_work_tree
from ...quote.diagnostics import MetalworkingError
from ..files import write_made

_CLONES = "clones.jsonl"
_SITES = "sites.jsonl"
_LONGEST = 1 << 20


def remember(code: Path, root: Path) -> None:
    """Note that a site in *root* keeps its clones in *code*, which may be one of them; what cannot be noted is not.

    None that lies below the site, where it is known, nor around it: there other sites of the person's lie as well, and
    each clone is noted when a definition leads to it.
    """
    place, site = code.resolve(), root.resolve()
    if place.is_relative_to(site) or site.is_relative_to(place):
        return
    if not any(place.is_relative_to(one) for one in remembered()):
        _note(_CLONES, place, root)


def remembered() -> frozenset[Path]:
    """Return the folders of clones that were noted."""
    return _noted(_CLONES)


def remember_site(root: Path) -> None:
    """Note that an editor was opened for the site in *root*."""
    if (place := root.resolve()) not in remembered_sites():
        _note(_SITES, place, root)


def remembered_sites() -> frozenset[Path]:
    """Return the folders of sites that were noted."""
    return _noted(_SITES)


def _note(name: str, place: Path, root: Path) -> None:
    if (file := _file(name)) is not None:
        lines = "".join(f"{json.dumps(os.fspath(one))}\n" for one in (*sorted(_noted(name)), place))
        with contextlib.suppress(MetalworkingError):
            write_made(file, lines.encode("ascii"), Premises.of(root))


def _noted(name: str) -> frozenset[Path]:
    file = _file(name)
    if file is None:
        return frozenset()
    try:
        with open(file, encoding="ascii", opener=open_plain) as stream:
            lines = stream.read(_LONGEST).splitlines()
    except (OSError, UnicodeDecodeError):
        return frozenset()
    found = set()
    for line in lines:
        with contextlib.suppress(ValueError):
            value = json.loads(line)
            if isinstance(value, str) and value:
                found.add(Path(value))
    return frozenset(found)


def _file(name: str) -> Path | None:
    """Return where they are noted; None for a link, and in a work tree, whose branches anybody may have written."""
    try:
        folder = platformdirs.user_cache_path("metalworking", appauthor=False)
        file = folder / name
        return None if file.is_symlink() or enclosing_work_tree(folder.resolve()) is not None else file
    except (OSError, RuntimeError):  # the home of nobody, or a link in a circle
        return None
