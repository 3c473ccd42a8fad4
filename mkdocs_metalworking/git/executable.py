"""Where a program lies, looked up before it is started: by its bare name Windows would start one of this folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache


def on_path(name: str, env: Mapping[str, str]) -> str:
    """Return the file of the program *name* in one of the folders of PATH that are absolute; "" when there is none.

    The folder that a command runs in is none of them, whatever PATH says: what lies there is somebody's change.
    """
    path = next((value for key, value in env.items() if key.upper() == "PATH"), "")
    return _found(f"{name}.exe" if os.name == "nt" else name, path)


@lru_cache(maxsize=16)
def _found(file: str, path: str) -> str:
    for folder in path.split(os.pathsep):
        full = os.path.join(folder, file)
        if os.path.isabs(folder) and os.path.isfile(full) and os.access(full, os.X_OK):
            return full
    return ""
