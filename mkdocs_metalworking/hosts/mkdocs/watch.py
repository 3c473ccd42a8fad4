"""Under ``serve``: files of the working tree that pages quote are watched, also those that a later save brings in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.config.defaults import MkDocsConfig

from ...deliver.project import Settings

if TYPE_CHECKING:
    from mkdocs.livereload import LiveReloadServer  # with watchdog, which only serve needs


def inputs_of(settings: Settings, config: MkDocsConfig, mapping: str) -> list[Path]:
    """Return the files that shape every page, and the folder of overrides, whether or not they are there."""
    found = [settings.sources, settings.lock, settings.quantities]
    if config.theme.custom_dir:
        found.append(Path(config.theme.custom_dir))
    return [*found, settings.path(mapping)] if mapping else found


class Watch:
    """The files that are watched beside what MkDocs and the plugin watch. Nothing is, before there is a server."""

    def __init__(self) -> None:
        self._server: LiveReloadServer | None = None
        self._paths: dict[Path, bool] = {}
        self.inputs: list[Path] = []
        """What shapes every page."""

    def begin(self, server: LiveReloadServer) -> None:
        """Watch by *server*, after the first build; for an input that is not there yet, its folder."""
        self._server = server
        for path in self.inputs:
            if path.exists():
                server.watch(str(path))
            elif path.parent.exists():
                server.watch(str(path.parent), recursive=False)
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
