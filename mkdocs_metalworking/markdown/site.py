"""What the extension knows of its site: its configuration, what a host tells, and the project, read when asked for."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from markdown.extensions import Extension

from ..deliver.project import Project, Settings
from ..glossary.asked import Asked
from ..quote.diagnostics import MetalworkingError
from ..quote.quantities import Quantities
from ..quote.quoter import Quoter
from . import highlight
from .highlight import LineCache
from .page import PageContext


class SiteExtension(Extension):
    """Configuration of the extension; the same names as the plugin's where they mean the same."""

    def __init__(self, *, project: Project | None = None, **kwargs: Any) -> None:
        self.config = {
            "root": [".", "Folder of sources.yml and sources.lock"],
            "sources": ["sources.yml", "The sources file, from root"],
            "lock": ["sources.lock", "The lock file, from root"],
            "quantities": ["quantities.yml", "The file of quantities, from root"],
            "code": ["code", "Folder of cloned repositories, from root"],
            "store": ["", "Folder of the store of verified files; empty for the user's cache"],
            "transports": [["checkout", "package", "raw"], "Ways to get bytes, in order"],
            "offline": [False, "Never use the network"],
            "search": [True, "Whether code may be searched"],
            "citations": [False, "Whether [@key] is a citation"],
            "callouts": [{}, "From what to what the callouts speak, and under which key of the front matter"],
            "language": ["en", "Language of the labels, by Material's code"],
            "labels": [{}, "Labels of the site's own, by key"],
            "strict": [False, "Where no host collects problems: raise for code that cannot be had, too"],
            "page": ["", "Name of the page in messages, where no host tells it"],
        }
        super().__init__(**kwargs)
        self.page: PageContext | None = None
        self.conversions: Callable[[str | None], PageContext] | None = None
        """Tells to which page a text that is to be converted belongs, where a host knows; no text, no page."""
        self.late = False
        self.search: bool = self.getConfig("search")
        self.asked: Asked | None = None
        """What the site asks for, when a host tells; else the configuration does."""
        self.line_cache: LineCache = highlight.no_cache
        self.base: Path | None = None
        """Where relative paths start, when the host tells: else the working directory."""
        self.home = ""
        """The name of the repository that the site lies in, when a host without plugins tells it."""
        self._project = project
        self._alone = project is None

    def begin(self) -> None:
        """Look at the site's files again, where no host has given the project: a page begins."""
        if self._alone:
            self._project = None

    def wishes(self, base: Path | None) -> Asked:
        """Return what the site asks for; its files start at *base*, or ``root``. Raises MetalworkingError."""
        if self.asked is not None:
            return self.asked
        settings = Settings.of(self.getConfigs(), base=base)
        return Asked.of(self.getConfigs(), settings.root, read=settings.text)

    def quoter(self) -> Quoter:
        """Return the quoter of this site, made at first use. Raises MetalworkingError."""
        project = self._loaded()
        # What is wrong with a quantity is told where it is asked for, and bars nobody from quoting.
        wrong = (one for one in project.problems if one.location.path != project.settings.quantities.name)
        if (problem := next(wrong, None)) is not None:
            raise MetalworkingError(problem.code, problem.message, problem.hint, problem.location)
        return project.quoter

    def quantities(self) -> Quantities:
        """Return the quantities of this site."""
        try:
            return self._loaded().quantities
        except MetalworkingError:
            return Quantities()  # who asks for the quoter tells it

    def settings(self) -> Settings:
        """Return where things are. Raises MetalworkingError."""
        if self._project is not None:
            return self._project.settings
        return Settings.of(self.getConfigs(), base=self.base, home=self.home)

    def _loaded(self) -> Project:
        if self._project is None:
            settings = self.settings()
            files = (settings.sources, settings.lock, settings.quantities, *sorted(settings.code.glob("*/*")))
            self._project = _shared(settings, *map(_stamp, files))
        return self._project


@lru_cache(maxsize=2)
def _shared(settings: Settings, *_stamps: tuple[int, int]) -> Project:
    """Return one project for all pages of a site: a host that knows only names makes an extension for every page."""
    project = Project.load(settings)
    weakref.finalize(project, project.resolver.close)  # nobody tells an extension that it is done
    return project


def _stamp(path: Path) -> tuple[int, int]:
    """Return what changes when a file is written anew."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
