"""The MkDocs plugin: each hook hands MkDocs' data down and the result back; the work is done elsewhere."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, cast

from jinja2 import Environment
from mkdocs.config import base
from mkdocs.config import config_options as c
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, ConfigurationError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from ... import __version__
from ...deliver.progress import Progress
from ...deliver.project import KNOWN_TRANSPORTS, TRANSPORTS, Project, Settings
from ...deliver.store import default_root
from ...glossary.chapters import Book
from ...markdown.extension import MetalworkingExtension
from ...markdown.highlight import FORMAT
from ...markdown.highlight_cache import DiskLineCache
from ...quote.diagnostics import MetalworkingError
from . import compatibility
from .assets import used_by, with_assets
from .build import Build
from .replay import Replay

Command = Literal["build", "gh-deploy", "serve"]
_LOG = logging.getLogger("mkdocs.plugins.metalworking")
_KEEPERS = frozenset({"llmstxt", "print-site"})
"""Plugins that take a page's content before the search has read it, and keep it."""


class MetalworkingConfig(base.Config):
    """Options of the plugin in mkdocs.yml; docs/plugin explains each."""

    sources = c.Type(str, default="sources.yml")
    lock = c.Type(str, default="sources.lock")
    code = c.Type(str, default="code")
    store = c.Type(str, default="")
    transports = c.ListOfItems(c.Choice(KNOWN_TRANSPORTS), default=list(TRANSPORTS))
    offline = c.Type(bool, default=False)
    search = c.Type(bool, default=True)
    citations = c.Type(bool, default=True)
    chapters = c.Type(bool, default=True)
    callouts = c.Choice(("optional", "required"), default="optional")
    mapping = c.Type(str, default="")


class MetalworkingPlugin(BasePlugin[MetalworkingConfig]):
    """Verified excerpts, CUDA callouts, chapters and citations."""

    def __init__(self) -> None:
        self._command: Command = "build"
        self._cache: DiskLineCache | None = None
        self._build: Build | None = None
        self._watched: list[str] = []
        self._replay: Replay | None = None

    def on_startup(self, *, command: Command, dirty: bool) -> None:
        """Remember the command. Being defined, it also lets this object survive the rebuilds of ``serve``."""
        self._command = command
        if command == "serve" and not dirty:
            self._replay = Replay()
            self._replay.watch()

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read sources.yml and sources.lock and put the Markdown extension in."""
        base_dir = Path(config.config_file_path).parent if config.config_file_path else Path()
        compatibility.check(config, cites=self.config.citations)
        compatibility.take_over(config)
        try:
            settings = Settings.of(dict(self.config), base=base_dir)
        except MetalworkingError as problem:
            raise ConfigurationError(str(problem)) from problem
        quiet = logging.getLogger("mkdocs").getEffectiveLevel() > logging.INFO
        project = Project.load(settings, progress=Progress(quiet=quiet))
        self._watched = [
            str(settings.sources),
            str(settings.lock),
            *([config.theme.custom_dir] if config.theme.custom_dir else []),
            *([str(settings.root / self.config.mapping)] if self.config.mapping else []),
        ]
        extension = MetalworkingExtension(project=project)
        # A search reads plain code; a plugin that keeps what a page holds must find all of it.
        searched = "material/search" in config.plugins or "search" in config.plugins
        extension.late = searched and not _KEEPERS.intersection(config.plugins)
        extension.search = self.config.search
        extension.cites = self.config.citations
        extension.line_cache = self._line_cache(settings)
        config.markdown_extensions.append(extension)  # type: ignore[arg-type]  # MkDocs takes instances too
        if self._build is not None:
            self._build.close()
        library = self._build.library if self._build is not None else None
        self._build = Build(project, extension, config, self.config, library=library, replay=self._replay)
        return config

    def _line_cache(self, settings: Settings) -> DiskLineCache:
        if self._cache is None:
            root = settings.store or default_root()
            self._cache = DiskLineCache(root / "highlight.sqlite", f"{__version__}:{FORMAT}")
        return self._cache

    @event_priority(-100)
    def on_nav(self, nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
        """Learn the order of reading and what every page says of itself."""
        if self._replay is not None:
            self._replay.begin(config, files, map(Path, self._watched))
        self._current.read_book(nav, files)
        return nav

    @event_priority(-100)
    def on_page_markdown(self, markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Tell the extension which page comes; last of all plugins, so that the text is what will be converted."""
        return self._current.begin_page(markdown, page)

    @event_priority(100)
    def on_page_content(self, html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Take what the extension found on the page; other plugins that read pages get the code, not its words."""
        self._current.end_page(page)
        readers = config.plugins.events["page_content"]
        return html if all(_owner(reader) is self for reader in readers) else self._current.reveal(html, page)

    def on_env(self, env: Environment, config: MkDocsConfig, files: Files) -> Environment:
        """Every page is rendered and none is written: report what is wrong, then link the pages to each other.

        Wrong bytes, ranges and grammar end ``build`` and ``gh-deploy`` here, even when quiet.
        """
        failed = self._current.report_errors(_LOG)
        if failed and self._command != "serve":
            raise Abort(f"metalworking: {failed} error{'s' if failed > 1 else ''}; nothing wrong may be published.")
        self._current.connect(files)
        if self._replay is not None:
            self._replay.connect(self._current.nav, env)
        return env

    @event_priority(100)
    def _before_search(
        self, context: TemplateContext, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        """Put words in the place of code for the search, which reads the page at priority 0."""
        self._current.conceal(page)
        return context

    @event_priority(-50)
    def _after_search(
        self, context: TemplateContext, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        """Finish the page: coloured code for plain, and the parts that know the whole book.

        Material's search reads the page at priority 0; what comes after it costs no search.
        """
        ending = self._current.finish_page(page)
        context["metalworking"] = ending  # type: ignore[typeddict-unknown-key]
        if self._current.parts or used_by(page.content or ""):
            context["config"] = with_assets(config)
        if self._replay is not None:
            self._replay.template_key(page, cast(dict[str, Any], context), ending)
        return context

    on_page_context = CombinedEvent(_before_search, _after_search)

    def on_template_context(
        self, context: TemplateContext, template_name: str, config: MkDocsConfig
    ) -> TemplateContext:
        """Give the 404 page what the site asked for on every page."""
        if self._current.parts:
            context["config"] = with_assets(config)
        return context

    @event_priority(-50)
    def on_post_build(self, config: MkDocsConfig) -> None:
        """Say what was quoted and from where; under ``--strict`` a card is fatal, even when quiet."""
        if self._cache is not None:
            self._cache.flush()
        missing = self._current.report_summary(_LOG)
        if missing and config.strict:
            raise Abort(
                f"metalworking: {missing} excerpt{'s' if missing > 1 else ''} could not be read, in strict mode."
            )

    def on_build_error(self, error: Exception) -> None:
        """Release what a build that broke off still holds."""
        if self._build is not None:
            self._build.close()

    def on_shutdown(self) -> None:
        """Release git processes, archives and the cache."""
        if self._build is not None:
            self._build.close()
        if self._cache is not None:
            self._cache.close()
        if self._replay is not None:
            self._replay.close()

    def on_serve(self, server: LiveReloadServer, config: MkDocsConfig, builder: Callable[..., Any]) -> LiveReloadServer:
        """Rebuild when the sources, the lock or an override changes."""
        for path in self._watched:
            if Path(path).exists():
                server.watch(path)
        return server

    @property
    def book(self) -> Book[str]:
        """The book as the nav of the present build describes it."""
        return self._current.book

    @property
    def _current(self) -> Build:
        if self._build is None:
            raise ConfigurationError("metalworking: on_config has not run")
        return self._build


def _owner(method: object) -> object:
    """Return the plugin or hook that *method* belongs to."""
    return getattr(method, "__self__", method)
