"""The options of the plugin in mkdocs.yml."""

from __future__ import annotations

from mkdocs.config import base
from mkdocs.config import config_options as c

from ...deliver.transports import KNOWN, ORDER


class MetalworkingConfig(base.Config):
    """Options of the plugin in mkdocs.yml; docs/plugin explains each."""

    sources = c.Type(str, default="sources.yml")
    lock = c.Type(str, default="sources.lock")
    code = c.Type(str, default="code")
    store = c.Type(str, default="")
    transports = c.ListOfItems(c.Choice(KNOWN), default=list(ORDER))
    offline = c.Type(bool, default=False)
    search = c.Type(bool, default=True)
    citations = c.Type(bool, default=True)
    chapters = c.Type(bool, default=True)
    callouts = c.Choice(("optional", "required"), default="optional")
    mapping = c.Type(str, default="")
