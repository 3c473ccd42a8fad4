"""The options of the plugin in mkdocs.yml."""

from __future__ import annotations

from mkdocs.config import base
from mkdocs.config import config_options as c
from mkdocs.config.defaults import MkDocsConfig

from ...deliver.project import Settings
from ...deliver.transports import KNOWN, ORDER
from ...glossary.asked import Asked


class MetalworkingConfig(base.Config):
    """Options of the plugin in mkdocs.yml; docs/plugin explains each."""

    sources = c.Type(str, default="sources.yml")
    lock = c.Type(str, default="sources.lock")
    quantities = c.Type(str, default="quantities.yml")
    code = c.Type(str, default="code")
    store = c.Type(str, default="")
    transports = c.ListOfItems(c.Choice(KNOWN), default=list(ORDER))
    offline = c.Type(bool, default=False)
    search = c.Type(bool, default=True)
    callouts = c.Type((bool, dict), default=False)
    chapters = c.Type(bool, default=False)
    citations = c.Type(bool, default=False)
    lookup = c.Type(bool, default=False)
    previews = c.Type(bool, default=False)
    mapping = c.Type(str, default="")
    labels = c.Type(dict, default={})


def asked(options: MetalworkingConfig, config: MkDocsConfig, settings: Settings) -> Asked:
    """Return what the site asks for; labels are in the theme's language. Raises MetalworkingError (``config``)."""
    return Asked.of(dict(options), settings.root, language_of(config), settings.text)


def language_of(config: MkDocsConfig) -> str:
    """Return the tag (BCP 47) of the language that the theme is told: MkDocs' own have a locale, ``pt_BR``."""
    return str(config.theme.get("language") or config.theme.get("locale") or "en").replace("_", "-")
