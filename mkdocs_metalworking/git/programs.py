"""Programs of the machine, found in the absolute folders of PATH: never one that lies where somebody happens to stand.

Windows looks into the current folder before PATH, and so does any system whose PATH has ``.`` or an empty entry. What
lies there may be anybody's: https://github.com/gitpython-developers/GitPython/security/advisories/GHSA-wfm5-v35h-vwf4.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Mapping
from functools import cache


def search_path(env: Mapping[str, str]) -> str:
    """Return the PATH of *env* without the entries that depend on where a program is started."""
    folders = env.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if os.path.isabs(folder))


@cache
def installed(name: str, path: str) -> str:
    """Return the file of the program *name* in the folders of *path*, as search_path gives them.

    Raises FileNotFoundError when none of them has it.
    """
    file = f"{name}.exe" if os.name == "nt" else name
    for folder in filter(None, path.split(os.pathsep)):
        if found := shutil.which(os.path.join(folder, file)):
            return found
    raise FileNotFoundError(errno.ENOENT, f"no folder of PATH has {file}")
