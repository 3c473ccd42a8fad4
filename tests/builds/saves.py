"""The builds of one ``mkdocs serve``, run in this process: plugins live on, the configuration is read anew."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.theme import Theme

from mkdocs_metalworking.hosts.mkdocs.plugin import MetalworkingPlugin
from tests.builds.conftest import Site

IGNORED = {"sitemap.xml", "sitemap.xml.gz"}


class _Compiled(BytecodeCache):
    """Templates as Jinja compiled them, found by their texts: Material's take longer to compile than to render."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


@functools.cache
def _compiled() -> BytecodeCache:
    """Return what all builds from nothing share."""
    return _Compiled()


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
        plain = Theme.get_env

        def compiled(theme: Theme) -> Environment:
            env = plain(theme)
            env.bytecode_cache = _compiled()
            return env

        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(Theme, "get_env", compiled)
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
