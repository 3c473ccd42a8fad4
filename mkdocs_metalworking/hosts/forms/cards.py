"""The plugin ``metalworking-cards``: an image of each page for shared links, drawn while the site is built.

A template finds its address as ``metalworking_card``; nothing is drawn while ``serve`` runs.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from mkdocs.config import base
from mkdocs.config import config_options as c
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from ...git.links import hold_inside
from ...glossary.callout import PageMeta
from ...glossary.labels import labels_for
from ...quote.diagnostics import MetalworkingError
from ..mkdocs.listed import plugin_of
from ..mkdocs.options import language_of
from ..mkdocs.outside import premises_of
from .card import Card
from .lettering import Lettering

_LOG = logging.getLogger("mkdocs.plugins.metalworking.cards")
FOLDER = "assets/cards"


class CardsConfig(base.Config):
    """Options of the plugin in mkdocs.yml."""

    enabled = c.Type(bool, default=True)
    font = c.Type(str, default="")


class CardsPlugin(BasePlugin[CardsConfig]):
    """Draws title, summary, section and verdict of every page on a card."""

    def __init__(self) -> None:
        self._built: MkDocsConfig | None = None
        self._taken: dict[str, str] = {}

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Remember whether anyone will share what is built."""
        self._serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Forget the cards of an earlier build; raise ConfigurationError where nothing can draw, or with no font."""
        self._cards: dict[str, Card] = {}
        self._lacking: dict[str, str] = {}
        if config is not self._built:  # else a plugin builds the same site again, in another language
            self._built, self._taken = config, {}
        if self._wanted(config):
            try:
                import PIL  # noqa: F401
            except ImportError as error:
                raise ConfigurationError(
                    "metalworking-cards draws with Pillow: install the package with its extra [cards]"
                ) from error
            self._letters = self._lettering(config)
        return config

    def _lettering(self, config: MkDocsConfig) -> Lettering:
        if not self.config.font:
            return Lettering()
        path = Path(config.config_file_path or "mkdocs.yml").absolute().parent / self.config.font
        try:
            return Lettering(hold_inside(path, premises_of(config)))
        except (MetalworkingError, OSError) as problem:
            raise ConfigurationError(f"metalworking-cards: font: {self.config.font}: {problem}") from None

    def _wanted(self, config: MkDocsConfig) -> bool:
        return self.config.enabled and bool(config.site_url) and not getattr(self, "_serving", False)

    def on_page_context(
        self, context: TemplateContext, /, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        """Tell the template where the page's card will be."""
        if not self._wanted(config) or getattr(page, "encryptcontent", None):
            return context
        name = self._name(page.file.src_uri, page.file.dest_uri)
        known = plugin_of(config)
        entry = known.entry(page.file.src_uri) if known is not None else None
        meta = entry.meta if entry is not None else PageMeta()
        callout = meta.callout
        verdict = str(callout.verdict) if callout is not None else ""
        labels = labels_for(language_of(config))
        card = Card(
            site=config.site_name,
            section=next((str(one.title or "") for one in reversed(list(page.ancestors))), ""),
            title=config.site_name if page.is_homepage else str(page.title),
            summary=meta.summary,
            term=callout.term if callout is not None else "",
            verdict=verdict,
            says=labels[verdict] if verdict else "",
        )
        if lacking := card.lacking(self._letters):
            self._lacking.setdefault(lacking, page.file.src_uri)
            return context
        self._cards[f"{name}.png"] = card
        place = quote(f"{FOLDER}/{name}.png")
        context["metalworking_card"] = f"{str(config.site_url).rstrip('/')}/{place}"  # type: ignore[typeddict-unknown-key]
        return context

    def _name(self, uri: str, place: str) -> str:
        """Return a name that no other card has, on no file system: ``a/b.md`` and ``a-b.md`` are two pages.

        So is one that stands in the site of two languages; *place* is where it is in the site.
        """
        plain = name = uri.removesuffix(".md").replace("/", "-")
        count = 1
        while self._taken.setdefault(name.casefold(), place) != place:
            count += 1
            name = f"{plain}-{count}"
        return name

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write the cards, and warn of letters for which there are none."""
        if self._lacking:
            told = ", ".join(f"{one} ({uri})" for one, uri in [*self._lacking.items()][:5])
            more = ", …" if len(self._lacking) > 5 else ""
            _LOG.warning("No card where the font lacks a letter: %s%s; name another file under font:", told, more)
        folder = Path(config.site_dir, FOLDER)
        for name, card in self._cards.items():
            folder.mkdir(parents=True, exist_ok=True)
            card.draw(folder / name, self._letters)
