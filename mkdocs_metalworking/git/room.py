"""How much lies in a folder into which somebody's server writes by way of git."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

_BLOCK = 4096


class Room:
    """A folder in which no more than *most* bytes shall lie."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder = folder
        self._most = most
        self._next = 0.0

    @classmethod
    def more(cls, folder: Path, most: int) -> Room:
        """Return *folder* with what lies there and *most* bytes more."""
        return cls(folder, most + cls(folder, most).size())

    def full(self) -> bool:
        """Tell whether more lies there. It is looked at for a twentieth of the time at most, however much there is."""
        begun = time.monotonic()
        if begun < self._next:
            return False
        size = self.size()
        self._next = time.monotonic() + 20 * (time.monotonic() - begun)
        return size > self._most

    def size(self) -> int:
        """Return the bytes in it; the smallest file takes a block."""
        size, todo = 0, [os.fspath(self._folder)]
        while todo:
            with contextlib.suppress(OSError), os.scandir(todo.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
                    else:
                        with contextlib.suppress(OSError):  # gone meanwhile
                            size += max(entry.stat(follow_symlinks=False).st_size, _BLOCK)
        return size
