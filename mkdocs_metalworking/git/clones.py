"""The clones of a site's repositories, each read by one git process that stays open."""

from __future__ import annotations

import threading
from pathlib import Path

from .cat_file import CatFile
from .command import Git
from .places import CloneFolder, Premises


class Clones:
    """Opens clones below *code_dir* of the site on *premises* when they are asked for.

    Thread-safe; *timeout* bounds one answer, in seconds.
    """

    def __init__(self, code_dir: Path, premises: Premises | None = None, *, timeout: float = 30.0) -> None:
        self._folder = CloneFolder(code_dir, premises)
        self._timeout = timeout
        self._mutex = threading.Lock()
        self._open: dict[str | Path, CatFile | None] = {}

    @property
    def processes(self) -> int:
        """How many git processes were started so far."""
        with self._mutex:
            return sum(objects.started for objects in self._open.values() if objects)

    def objects(self, place: str | Path) -> CatFile | None:
        """Return the objects of a repository by its name, or of a git directory; None when there is no clone."""
        with self._mutex:
            if place not in self._open:
                git_dir = place if isinstance(place, Path) else self._folder.find(place)
                git = Git(git_dir, timeout=self._timeout) if git_dir else None
                self._open[place] = CatFile(git, timeout=self._timeout) if git else None
            return self._open[place]

    def close(self) -> None:
        """End the git processes; may be called twice."""
        with self._mutex:
            for objects in self._open.values():
                if objects is not None:
                    objects.close()
            self._open.clear()
