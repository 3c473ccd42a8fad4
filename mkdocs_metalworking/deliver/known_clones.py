"""Folders of clones outside of their site, so that none of somebody else's is taken for a site later.

They are kept in the cache of the person, a JSON string a line. Nothing is believed because of it: a folder that stands
there is one of which less is done.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from ..git.links import place_of
from ..quote.diagnostics import MetalworkingError
from .store import default_root

_NAME = "clones.jsonl"
_LONGEST = 1 << 20


def remember(code: Path, root: Path) -> None:
    """Note that a site in *root* keeps its clones in *code*; what cannot be noted is not.

    None that lies below the site, where it is known, nor around it: there other sites of the person's lie as well.
    """
    place, site = code.resolve(), root.resolve()
    if place.is_relative_to(site) or site.is_relative_to(place) or place in remembered():
        return
    with contextlib.suppress(OSError, MetalworkingError):
        folder = default_root()
        folder.mkdir(parents=True, exist_ok=True)
        with open(place_of(folder / _NAME), "a", encoding="ascii") as stream:
            stream.write(f"{json.dumps(os.fspath(place))}\n")


def remembered() -> frozenset[Path]:
    """Return the folders that were noted."""
    try:
        with open(default_root() / _NAME, encoding="ascii") as stream:
            lines = stream.read(_LONGEST).splitlines()
    except (OSError, UnicodeDecodeError, MetalworkingError):
        return frozenset()
    found = set()
    for line in lines:
        with contextlib.suppress(ValueError):
            value = json.loads(line)
            if isinstance(value, str) and value:
                found.add(Path(value))
    return frozenset(found)
