"""A MkDocs site as the command line sees it: its pages converted, without building anything."""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import markdown
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, ConfigurationError
from mkdocs.structure.files import File, Files, get_files
from mkdocs.structure.nav import Navigation, get_navigation

from ...deliver.progress import SILENT, Progress
from ...deliver.project import Project, Settings
from ...glossary.callout import split_front_matter
from ...glossary.library import Library, book_of, without_callout
from ...glossary.mapping import Row, read_mapping
from ...glossary.marks import Marks
from ...markdown.extension import MetalworkingExtension
from ...markdown.page import PageContext
from ...quote.blob import FileKey
from ...quote.diagnostics import Diagnostic, Diagnostics, Location, MetalworkingError, Severity
from ...quote.lines import text_lines
from .compatibility import take_over
from .plugin import MetalworkingConfig, MetalworkingPlugin


@dataclass
class Site:
    """A loaded mkdocs.yml. ``pages`` holds what the extension found, by source path, after *read*."""

    config: MkDocsConfig
    options: MetalworkingConfig
    files: Files
    root: Path
    library: Library = field(default_factory=Library)
    pages: dict[str, PageContext] = field(default_factory=dict)
    html: dict[str, str] = field(default_factory=dict)
    drafts: dict[Path, str] = field(default_factory=dict)
    """Texts that are read in the place of files: what a command is about to write."""
    _unlocked: dict[str, Location] = field(default_factory=dict)

    @classmethod
    def load(cls, config_file: str | None) -> Site:
        """Load mkdocs.yml and list its files. Raises MetalworkingError (``config``) when that fails."""
        try:
            with quiet() as told:
                config = load_config(config_file=config_file)
        except Abort as error:
            where = Location(Path(config_file or "mkdocs.yml").name)
            raise MetalworkingError("config", "; ".join(told) or str(error), "", where) from error
        except ConfigurationError as error:
            raise MetalworkingError(
                "config", str(error), "run this in the folder of mkdocs.yml, or name it with -f"
            ) from error
        listed = take_over(config)
        plugin = next((p for p in config.plugins.values() if isinstance(p, MetalworkingPlugin)), None)
        options = plugin.config if plugin is not None else MetalworkingConfig()
        if plugin is None:  # a site of an engine that knows no plugins: the extension has the options
            options.load_dict({name: value for name, value in listed.items() if name in options})
        return cls(config, options, get_files(config), Path(config.config_file_path or ".").resolve().parent)

    def settings(self, *, offline: bool) -> Settings:
        """Return where things are; *offline* keeps off the network whatever the configuration says."""
        settings = Settings.of(self.options, base=self.root)
        return replace(settings, offline=offline or settings.offline)

    def project(self, *, offline: bool, progress: Progress = SILENT, **changes: Any) -> Project:
        """Read sources.yml and sources.lock; *changes* stand in for settings."""
        return Project.load(replace(self.settings(offline=offline), **changes), progress=progress)

    def wanted(self) -> dict[FileKey, bool]:
        """Return every file the pages name, True for those of which lines are shown; fetches nothing."""
        scout = Project.load(replace(self.settings(offline=True), transports=()))
        for problem in self.read(scout):
            if problem.code == "not-locked":
                self._unlocked.setdefault(problem.message, problem.location)
        scout.close()
        return scout.quoter.wanted

    def first_use(self, key: FileKey) -> Location:
        """Return where *wanted* first met a file that is not locked yet; nowhere for one that is."""
        return next((where for text, where in self._unlocked.items() if text.startswith(f"{key} ")), Location())

    def label(self, file: File) -> str:
        """Return a page's path as messages show it, from the folder of mkdocs.yml."""
        path = self.path(file)
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else path.as_posix()

    def path(self, file: File) -> Path:
        """Return where a page's text lies."""
        return Path(self.config.docs_dir, file.src_uri)

    def read(self, project: Project) -> Diagnostics:
        """Convert every page and return all that is wrong with pages, sources, lock and nav."""
        diagnostics = Diagnostics(project.problems)
        extension = MetalworkingExtension(project=project)
        extension.late = True  # nobody looks at the colours
        extension.cites = self.options.citations
        for file in self.files.documentation_pages():
            if (draft := self.drafts.get(self.path(file))) is not None:
                file.content_string = draft
        self.library.read(self.files, self.label)
        for entry in self.library:
            diagnostics.extend(entry.problems)
        marks = Marks(self.library, self._mapping(diagnostics), project.sources)
        with contextlib.chdir(self.root):  # snippets and the like count their paths from here
            for file in self.files.documentation_pages():
                context = PageContext(
                    path=self.label(file),
                    source=file.content_string,
                    meta=self.library.entries[file.src_uri].meta,
                    diagnostics=diagnostics,
                )
                self.pages[file.src_uri] = context
                extension.page = context
                body = "\n".join(text_lines(file.content_string)[split_front_matter(file.content_string)[1] :])
                converter = markdown.Markdown(
                    extensions=[*self.config.markdown_extensions, extension],
                    extension_configs=self.config.mdx_configs or {},
                )
                self.html[file.src_uri] = converter.convert(marks.fill(body, file.src_uri))
        diagnostics.extend(self._nav_problems())
        if self.options.get("callouts") == "required":
            named = {file.src_uri: self.label(file) for file in self.files.documentation_pages()}
            book = book_of(self.navigation(), self.library)
            diagnostics.extend(without_callout(book, self.library, named.__getitem__))
        return diagnostics

    def _mapping(self, diagnostics: Diagnostics) -> list[Row]:
        name = str(self.options.get("mapping") or "")
        path = self.root / name
        rows, problems = read_mapping(path, name, self.drafts.get(path)) if name else ([], [])
        diagnostics.extend(problems)
        return rows

    def navigation(self) -> Navigation:
        """Return the nav, without MkDocs' own messages."""
        with quiet():
            return get_navigation(self.files, self.config)

    def _nav_problems(self) -> Iterator[Diagnostic]:
        where = Location(Path(self.config.config_file_path or "mkdocs.yml").name)
        known = {file.src_uri for file in self.files.documentation_pages()}
        for uri in _nav_uris(self.config.nav):
            if uri not in known:
                yield Diagnostic(
                    Severity.ERROR,
                    "nav",
                    f"the nav names {uri}, which does not exist",
                    "write it or take it out",
                    where,
                )
        if self.config.nav is not None:
            listed = set(_nav_uris(self.config.nav))
            for file in self.files.documentation_pages():
                if file.src_uri not in listed and file.inclusion.is_in_nav() and not file.inclusion.is_not_in_nav():
                    yield Diagnostic(
                        Severity.WARNING,
                        "nav",
                        "this page is not in the nav",
                        "add it, or list it under not_in_nav:",
                        Location(self.label(file)),
                    )

    def order(self) -> list[str]:
        """Return the source paths in order of reading."""
        return list(book_of(self.navigation(), self.library))


def _nav_uris(item: object) -> Iterator[str]:
    if isinstance(item, str):
        if item.endswith(".md") and "://" not in item:
            yield item
    elif isinstance(item, dict):
        for value in item.values():
            yield from _nav_uris(value)
    elif isinstance(item, list):
        for value in item:
            yield from _nav_uris(value)


@contextlib.contextmanager
def quiet() -> Iterator[list[str]]:
    """Keep MkDocs from printing; yields the list that gets its errors."""
    told: list[str] = []

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(record.getMessage())

    logger = logging.getLogger("mkdocs")
    collect, propagate = Collect(logging.ERROR), logger.propagate
    logger.addHandler(collect)
    logger.propagate = False
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            yield told
    finally:
        logger.removeHandler(collect)
        logger.propagate = propagate
