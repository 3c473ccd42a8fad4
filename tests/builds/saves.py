"""The builds of one ``mkdocs serve``, run in this process: plugins live on, the configuration is read anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from mkdocs_metalworking.hosts.mkdocs.plugin import MetalworkingPlugin
from tests.builds.conftest import Site

IGNORED = {"sitemap.xml", "sitemap.xml.gz"}


class Serve:
    """A site that is served, and the same built from nothing."""

    def __init__(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        self.site = site
        monkeypatch.chdir(site.root)
        monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
        config = self._config("served")
        config.plugins.on_startup(command="serve", dirty=False)
        self.plugins = config.plugins
        plugin = config.plugins["metalworking"]
        assert isinstance(plugin, MetalworkingPlugin)
        self.plugin = plugin

    def _config(self, name: str):  # type: ignore[no-untyped-def]
        config = load_config(config_file=str(self.site.root / "mkdocs.yml"), site_dir=str(self.site.root / name))
        config.site_url = "http://127.0.0.1:8000/"
        return config

    def rebuild(self) -> dict[str, bytes]:
        """Build as a save does and return every file."""
        build(self._config("served"), serve_url="http://127.0.0.1:8000/")
        return _files(self.site.root / "served")

    def clean(self) -> dict[str, bytes]:
        """Build the same from nothing, with plugins that remember nothing."""
        fresh = self._config("clean")
        held = self.plugin._replay
        self.plugin._replay = None
        try:
            build(fresh, serve_url="http://127.0.0.1:8000/")
        finally:
            self.plugin._replay = held
        return _files(self.site.root / "clean")


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in IGNORED
    }
