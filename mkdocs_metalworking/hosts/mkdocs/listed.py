"""The plugin as a configuration lists it, for commands and for the plugins beside it."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig

from .plugin import MetalworkingPlugin


def plugin_of(config: MkDocsConfig) -> MetalworkingPlugin | None:
    """Return the plugin of a site, whatever name it is listed under."""
    return next((one for one in config.plugins.values() if isinstance(one, MetalworkingPlugin)), None)
