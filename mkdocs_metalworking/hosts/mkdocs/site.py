"""A MkDocs site as the commands see it: its pages read as a build reads them, without building anything.

The fast way takes the pages from docs/ and runs Markdown's extensions. Where other plugins make, change, move or leave
out pages, the site's own plugins run up to the last page's text: slower, and what the build sees.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from markdown import Markdown
from mkdocs.commands.build import build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, get_files
from mkdocs.structure.nav import Navigation, get_navigation

from ...deliver.progress import SILENT, Progress
from ...deliver.project import Project, Settings
from ...git.scratch import Scratch
from ...glossary.chapters import Book
from ...glossary.library import Library
from ...markdown.extension import MetalworkingExtension
from ...markdown.page import PageContext
from ...markdown.tracking import Met
from ...quote.blob import FileKey
from ...quote.diagnostics import Diagnostic, Diagnostics, Location, MetalworkingError, Severity
from ...quote.lock import RegionKey
from ...quote.repo import named_by
from .checking import with_nav
from .compatibility import shaping, take_over
from .docs_folder import docs_label
from .errand import AllRead, Errand, lay_drafts
from .listed import plugin_of
from .loading import load
from .options import MetalworkingConfig
from .outside import is_including, named_in, refuse_folders
from .quiet import quiet
from .reading import Reading
from .unreadable import give_up


@dataclass
class Site:
    """A loaded mkdocs.yml. ``pages`` holds what the extension found, by source path, after *read*."""

    config: MkDocsConfig
    options: MetalworkingConfig
    files: Files
    root: Path
    start: Path
    """Where relative paths of the site's extensions of Markdown count from."""
    through_plugins: bool = False
    """Whether *read* runs the site's plugins."""
    reading: Reading | None = None
    """The last reading."""
    drafts: dict[Path, str] = field(default_factory=dict)
    """Texts that are read in the place of files: what a command is about to write."""
    doubts: list[Diagnostic] = field(default_factory=list)
    """Errors that *wanted* met: a page that has one may name more files than were seen."""
    selected: tuple[RegionKey, ...] = ()
    """The named regions that *wanted* met."""
    _config_file: str | None = None
    _unlocked: dict[str, Location] = field(default_factory=dict)

    @classmethod
    def load(cls, config_file: str | None, *, plugins: bool | None = None, start: Path | None = None) -> Site:
        """Load mkdocs.yml and list its files; *plugins* says whether to read through them, None where it is needed.

        A build has *start* where it runs; without any, it is the folder of mkdocs.yml.
        Raises MetalworkingError (``config``) when that fails, and (``files``) for a folder of docs that lies elsewhere.
        """
        config_file = os.path.abspath(config_file) if config_file else None
        config = load(config_file)
        listed = take_over(config)
        plugin = plugin_of(config)
        options = plugin.config if plugin is not None else MetalworkingConfig()
        if plugin is None:  # a site of an engine that knows no plugins: the extension has the options
            options.load_dict({name: value for name, value in listed.items() if name in options})
        through = plugin is not None and (bool(shaping(config)) if plugins is None else plugins)
        root = Path(config.config_file_path or ".").resolve().parent
        refuse_folders(config)
        return cls(config, options, get_files(config), root, start or root, through, _config_file=config_file)

    @property
    def shaping(self) -> list[str]:
        """The plugins and hooks that may make, change, move or leave out pages."""
        return shaping(self.config)

    @property
    def whole(self) -> bool:
        """Whether *read* sees every page that a build sees."""
        return self.through_plugins or not self.shaping

    def settings(self, *, offline: bool) -> Settings:
        """Return where things are; *offline* keeps off the network whatever the configuration says."""
        home, named = named_by(self.config.repo_url or ""), named_in(self.config)
        settings = Settings.of(self.options, base=self.root, home=home, named=named)
        return replace(settings, offline=offline or settings.offline)

    def project(self, *, offline: bool, progress: Progress = SILENT, **changes: Any) -> Project:
        """Read sources.yml and sources.lock; *changes* stand in for settings."""
        settings = replace(self.settings(offline=offline), **changes)
        return Project.load(settings, progress=progress, drafts=self.drafts)

    def wanted(self) -> dict[FileKey, bool]:
        """Return every file the pages name, True for those of which lines are shown; fetches nothing."""
        scout = Project.load(replace(self.settings(offline=True), transports=()))
        # What is wrong with the lock is for whoever asks to mend: the sound entries serve.
        scout.problems = [problem for problem in scout.problems if problem.code != "lock"]
        self.doubts, scout.quoter.scouting = [], True
        for problem in self.read(scout):
            if problem.code == "not-locked":
                self._unlocked.setdefault(problem.message, problem.location)
            elif problem.severity is Severity.ERROR:
                self.doubts.append(problem)
        scout.close()
        self.selected = tuple(scout.quoter.selected)
        return scout.quoter.wanted

    def first_use(self, name: FileKey | str) -> Location:
        """Return where *wanted* first met a file, or named lines, that are not locked yet; else nowhere."""
        return next((where for text, where in self._unlocked.items() if text.startswith(f"{name} ")), Location())

    def label(self, file: File) -> str:
        """Return a page's path as messages show it, from the folder of mkdocs.yml."""
        return f"{docs_label(self.config)}{file.src_uri}"

    def path(self, file: File) -> Path:
        """Return where a page's text lies."""
        return Path(self.config.docs_dir, file.src_uri)

    # Reading

    def read(self, project: Project, *, only: Collection[str] | None = None) -> Diagnostics:
        """Convert every page and return all that is wrong with pages, sources, lock and nav.

        Where no plugin of the site is at work, the pages with the labels *only* are enough, for who asks of no other.
        """
        reading = self._through_plugins(project) if self.through_plugins else self._fast(project, only)
        self.reading, self.files = reading, reading.files
        return with_nav(reading)

    def _fast(self, project: Project, only: Collection[str] | None) -> Reading:
        with quiet(), contextlib.chdir(self.start):
            reading = self.begin(project)
            for file in reading.documents():
                if only is None or self.label(file) in only:
                    self._read_one(reading, file)
        reading.finish()
        return reading

    def _read_one(self, reading: Reading, file: File) -> None:
        """Read a page; what an extension of the site raises at it is a problem of that page."""
        try:
            reading.read(file)
        except (MetalworkingError, OSError, UnicodeError):
            raise
        except Exception as error:
            give_up(reading, file, error, file.content_string)

    def begin(self, project: Project) -> Reading:
        """Return a reading without the site's plugins, of which no page is converted yet."""
        config, files = self.config, get_files(self.config)
        lay_drafts(files, config, self.drafts)
        extension = MetalworkingExtension(project=project)
        extension.late = True  # nobody looks at the colours
        take_over(config)
        config.markdown_extensions.append(extension)  # type: ignore[arg-type]  # MkDocs takes instances too
        reading = Reading(config, self.options, project, extension)
        reading.start(get_navigation(files, config), files, self.drafts)
        return reading

    def _through_plugins(self, project: Project) -> Reading:
        """Run a build of the site up to the last page's text. Raises MetalworkingError (``plugins``) when it fails."""
        errand = Errand(project, self.drafts)
        with (
            quiet(streams=True) as told,
            contextlib.chdir(self.start),
            Scratch() as out,
        ):
            config = load(self._config_file, site_dir=out, strict=False)
            plugin = plugin_of(config)
            assert plugin is not None
            plugin.errand = errand
            try:
                config.plugins.on_startup(command="build", dirty=False)
                build(config)
            except AllRead:
                pass
            except (Exception, SystemExit) as error:
                reason = "; ".join([*told, str(error)]).strip("; ") or type(error).__name__
                hint = "see what mkdocs build says; --no-plugins reads the pages without them"
                raise MetalworkingError("plugins", f"the site's plugins end with: {reason}", hint) from error
            finally:
                config.plugins.on_shutdown()
                plugin.errand = None  # MkDocs gives the same plugin to the next configuration that this process loads
        reading = errand.reading
        if reading is None:
            raise MetalworkingError("plugins", "a plugin ended the build before the pages were read", "--no-plugins")
        return reading

    def accounts_of(self, texts: Mapping[str, str]) -> dict[str, list[Met]]:
        """Return the account of each of *texts*, by labels, as a page of this site; nothing is included, none is kept.

        A text that cannot be converted has none.
        """
        if not texts:
            return {}
        take_over(self.config)
        names = [one for one in self.config.markdown_extensions if not is_including(one)]
        found: dict[str, list[Met]] = {}
        with quiet(), contextlib.chdir(self.start), contextlib.closing(self.project(offline=True)) as project:
            extension = MetalworkingExtension(project=project)
            extension.late = True
            md = Markdown(extensions=[*names, extension], extension_configs=self.config.mdx_configs or {})
            for label, text in texts.items():
                extension.page = page = PageContext(path=label, source=text)
                found[label] = []
                with contextlib.suppress(Exception):  # of a page's other extensions, some refuse what a page says
                    md.reset().convert(text)
                    found[label] = page.met
        return found

    @property
    def pages(self) -> dict[str, PageContext]:
        """What the extension found on each page."""
        return self.reading.pages if self.reading is not None else {}

    @property
    def html(self) -> dict[str, str]:
        """The converted pages."""
        found = ((uri, self.files.get_file_from_path(uri)) for uri in self.pages)
        return {uri: file.page.content or "" for uri, file in found if file is not None and file.page is not None}

    @property
    def library(self) -> Library:
        """What each page says of itself."""
        return self.reading.library if self.reading is not None else Library()

    @property
    def book(self) -> Book[str]:
        """The chapters and the order of reading."""
        return self.reading.book if self.reading is not None else Book(())

    def navigation(self) -> Navigation:
        """Return the nav, without MkDocs' own messages."""
        with quiet():
            return get_navigation(self.files, self.config)

    def order(self) -> list[str]:
        """Return the source paths in order of reading."""
        return list(self.book)
