"""The MkDocs plugin: each hook hands MkDocs' data down and the result back; the work is done elsewhere."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, cast

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from ...deliver.project import Project, Settings
from ...git.interrupts import hear, leave
from ...glossary.chapters import Book
from ...glossary.library import Entry
from ...markdown.extension import MetalworkingExtension
from ...markdown.highlight_cache import DiskLineCache
from . import compatibility
from .assets import give_assets, used_by
from .browser_files import Lookup, add_browser_files
from .endings import Endings
from .errand import Errand
from .finishing import finish, join_page, join_template, populate, prepare_search, searched
from .opening import configuring, open_line_cache, open_project, settings_of, settle
from .options import MetalworkingConfig
from .reading import Reading
from .replay import Replay
from .report import report_elsewhere, report_problems, report_summary, stop_at
from .watch import Watch, inputs_of

if TYPE_CHECKING:
    from mkdocs.livereload import LiveReloadServer  # with watchdog, which only serve needs

Command = Literal["build", "gh-deploy", "serve"]
_LOG = logging.getLogger("mkdocs.plugins.metalworking")


class MetalworkingPlugin(BasePlugin[MetalworkingConfig]):
    """Verified excerpts, callouts, chapters and citations."""

    def __init__(self) -> None:
        self._command: Command | None = None
        self._dirty = False
        self._cache: DiskLineCache | None = None
        self._reading: Reading | None = None
        self._endings: Endings | None = None
        self._lookup = Lookup()
        self._built: MkDocsConfig | None = None
        self._replay: Replay | None = None
        self._watch = Watch()
        self._joins_late = self._everywhere = False
        self._heard: list[int] = []
        self.errand: Errand | None = None
        """Set by a command that reads the pages through the site's plugins and builds nothing."""

    def on_startup(self, *, command: Command, dirty: bool) -> None:
        """Remember the command. Being defined, it also lets this object survive the rebuilds of ``serve``."""
        self._command, self._dirty = command, dirty
        self._heard = hear()
        if command == "serve" and not dirty:
            self._replay = Replay()
            self._replay.watch()

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read sources.yml and sources.lock and put the Markdown extension in."""
        compatibility.check(config, cites=self.config.citations)
        compatibility.take_over(config)
        with configuring():
            settings = settings_of(self.config, config)
            project = self._project(settings)
        self._watch.inputs = inputs_of(settings, config, self.config.mapping)
        extension = MetalworkingExtension(project=project)
        extension.late = self.errand is not None or searched(config)  # a search reads plain code
        extension.search = self.config.search
        # Under serve a page is shown again as it was made, code and all.
        self._joins_late = self._replay is None and compatibility.joins_late(config)
        if self.errand is None:
            self._cache = self._cache or open_line_cache(settings)
            extension.line_cache = self._cache
        config.markdown_extensions.append(extension)  # type: ignore[arg-type]  # MkDocs takes instances too
        library = self._reading.library if self._reading is not None else None
        serving = self._command == "serve"
        with configuring():
            self._reading = Reading(config, self.config, project, extension, library=library, serving=serving)
        if config is not self._built:  # else a plugin builds the same site again, in another language
            self._built, self._lookup = config, Lookup()
        settle(self._command)
        return config

    def _project(self, settings: Settings) -> Project:
        if self.errand is not None:
            return self.errand.project
        self._close()
        return open_project(settings)

    @event_priority(-200)
    def on_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Let the drafts of a command stand in the place of files."""
        if self.errand is not None:
            self.errand.lay_drafts(files, config)
        return files

    @event_priority(-150)
    def on_nav(self, nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
        """Learn the order of reading and what every page says of itself, after every plugin that changes the nav."""
        self._current.start(nav, files, self.errand.drafts if self.errand else None)
        if self._replay is not None:
            self._replay.begin(config, files, self._watch.inputs)
        return nav

    @event_priority(-100)
    def on_page_markdown(self, markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Tell the extension which page comes; last of all plugins, so that the text is what will be converted."""
        text, context = self._current.begin(page, markdown)
        known = self._replay.prepare(page, text) if self._replay is not None else None
        self._current.convert_next(page, known or context)
        return "" if known is not None else text

    @event_priority(100)
    def on_page_content(self, html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Take what the extension found on the page; other plugins that read pages get the code, not its words."""
        if self._replay is not None:
            text = self._current.texts[page.file.src_uri]
            html = page.content = self._replay.restore(page, files, text) or html
        context = self._current.end(page)
        if self._replay is not None:
            self._replay.keep(page, context, sound=not context.diagnostics)
        return compatibility.told_to_others(html, page, context, config, self)

    @event_priority(100)
    def _all_read(self, env: Environment, config: MkDocsConfig, files: Files) -> Environment:
        """Read the pages that a dirty build passes over, since others show them; an errand ends here."""
        if self._dirty:
            populate(self._current, config, files)
        if self.errand is not None:
            self.errand.end(self._current, config)
        return env

    def _report(self, env: Environment, config: MkDocsConfig, files: Files) -> Environment:
        """Every page is rendered and none is written: report what is wrong, then link the pages to each other.

        Wrong bytes, ranges and grammar end ``build`` and ``gh-deploy`` here, even when quiet.
        """
        self._current.finish()
        if self.errand is not None:
            self._endings = Endings(self._current)
            return env
        errors = report_problems(self._current.diagnostics, _LOG)
        if self._command != "serve":
            stop_at(errors)
        self._endings = Endings(self._current)
        if "print-site" in config.plugins:
            compatibility.fill_kept(self._current.documents(), self._endings.fill)
        self._watch.also(self._current.project.watched)
        if self._replay is not None:
            self._replay.connect(self._current.nav, files, env)
        return env

    @event_priority(-100)
    def _add_files(self, env: Environment, config: MkDocsConfig, files: Files) -> Environment:
        """Add the styles, the scripts and their data, after plugins that move the files of a site."""
        if self.errand is None:
            self._everywhere = add_browser_files(files, self._current, self._lookup)
        return env

    on_env = CombinedEvent(_all_read, _report, _add_files)

    @event_priority(100)
    def _before_search(
        self, context: TemplateContext, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        """Put words in the place of code for the search, which reads the page at priority 0."""
        prepare_search(page, self._current)
        if self._replay is not None:
            self._replay.templates.before_search(page, config)
        return context

    @event_priority(-50)
    def _after_search(
        self, context: TemplateContext, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        """Finish the page, which the search has read: coloured code, and the parts that know the whole book."""
        assert self._endings is not None
        known, again = self._current.pages.get(page.file.src_uri), self._replay is not None
        late = self._joins_late or (self._replay is not None and self._replay.templates.known)
        ending = finish(page, known, self._endings, chapters=self.config.chapters, late=late, again=again)
        context["metalworking"] = ending  # type: ignore[typeddict-unknown-key]
        if ours := self._everywhere or used_by(page.content or ""):
            give_assets(context, config, page)
        if self._replay is not None:
            self._replay.templates.after_search(page, config, cast(dict[str, Any], context), (ending, ours), known)
        self._lookup.name(page, config)
        return context

    on_page_context = CombinedEvent(_before_search, _after_search)

    @event_priority(100)
    def on_post_page(self, output: str, page: Page, config: MkDocsConfig) -> str:
        """Put the coloured code in, before any plugin that changes finished pages."""
        return join_page(output, page, self._current, late=self._joins_late)

    @event_priority(100)
    def on_post_template(self, output: str, template_name: str, config: MkDocsConfig) -> str:
        """Do the same in what a template shows of pages."""
        return join_template(output, template_name, self._current)

    def on_template_context(
        self, context: TemplateContext, template_name: str, config: MkDocsConfig
    ) -> TemplateContext:
        """Give the 404 page what every page has."""
        if self._everywhere:
            give_assets(context, config)
        return context

    @event_priority(-50)
    def on_post_build(self, config: MkDocsConfig) -> None:
        """Say what was quoted and from where; under ``--strict`` a card is fatal, even when quiet."""
        if self._cache is not None:
            self._cache.flush()
        if self.errand is not None:
            return
        errors = report_elsewhere(self._current, _LOG)
        if self._command != "serve":
            stop_at(errors)
        report_summary(self._current, _LOG, strict=config.strict)

    def on_build_error(self, error: Exception) -> None:
        """Release what a build that broke off still holds."""
        self._close()

    def on_shutdown(self) -> None:
        """Release git processes, archives and the cache."""
        self._close()
        if self._cache is not None:
            self._cache.close()
        if self._replay is not None:
            self._replay.close()
        leave(self._heard)

    def _close(self) -> None:
        if self._reading is not None and self.errand is None:
            self._reading.project.close()

    def on_serve(self, server: LiveReloadServer, config: MkDocsConfig, builder: Callable[..., Any]) -> LiveReloadServer:
        """Rebuild when the sources, the lock or an override changes, or is made."""
        self._watch.begin(server)
        return server

    @property
    def book(self) -> Book[str]:
        """The book as the nav of the present build describes it."""
        return self._current.book

    def entry(self, uri: str) -> Entry | None:
        """Return what the page at *uri* says of itself, with its title, once all pages are read."""
        return self._current.entry(uri)

    @property
    def _current(self) -> Reading:
        if self._reading is None:
            raise ConfigurationError("metalworking: on_config has not run")
        return self._reading
