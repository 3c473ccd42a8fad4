"""Under ``serve``: files of the working tree that pages quote are watched, also those that a later save brings in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mkdocs.livereload import LiveReloadServer


class Watch:
    """The files that are watched beside what MkDocs and the plugin watch. Nothing is, before there is a server."""

    def __init__(self) -> None:
        self._server: LiveReloadServer | None = None
        self._paths: dict[Path, bool] = {}

    def begin(self, server: LiveReloadServer) -> None:
        """Watch by *server*, after the first build."""
        self._server = server
        self.also(())

    def also(self, paths: Iterable[Path]) -> None:
        """Watch *paths* too; one that is not there yet when it is."""
        for path in paths:
            self._paths.setdefault(path, False)
        if self._server is None:
            return
        for path, watched in self._paths.items():
            if not watched and path.is_file():
                self._server.watch(str(path))
                self._paths[path] = True
