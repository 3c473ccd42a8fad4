"""What a build opens before it reads: the project, and the highlighted lines that earlier builds kept."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError

from ... import __version__
from ...deliver.project import Project, Settings
from ...markdown.highlight import FORMAT
from ...markdown.highlight_cache import DiskLineCache
from ...markdown.highlight_pool import HighlightPool
from ...quote.diagnostics import MetalworkingError
from ...quote.repo import named_by
from ..progress import Bar
from .options import MetalworkingConfig
from .outside import named_in, refuse_folders


@contextmanager
def configuring() -> Iterator[None]:
    """Tell MkDocs, in its own words, of a configuration that the package refuses. Raises ConfigurationError."""
    try:
        yield
    except MetalworkingError as problem:
        raise ConfigurationError(str(problem)) from problem


def settings_of(options: MetalworkingConfig, config: MkDocsConfig) -> Settings:
    """Return where things are, counted from the folder of mkdocs.yml.

    Raises MetalworkingError (``config``), and (``files``) for a folder of docs that lies elsewhere.
    """
    base = Path(config.config_file_path).parent if config.config_file_path else Path()
    home = named_by(config.repo_url or "")
    settings = Settings.of(dict(options), base=base, home=home, named=named_in(config))
    refuse_folders(config)
    return settings


def open_project(settings: Settings) -> Project:
    """Return the project; its downloads are told of unless MkDocs is quiet. Raises MetalworkingError."""
    quiet = logging.getLogger("mkdocs").getEffectiveLevel() > logging.INFO
    return Project.load(settings, progress=Bar(quiet=quiet))


def open_line_cache(settings: Settings) -> DiskLineCache:
    """Return the cache of highlighted lines, in the store."""
    return DiskLineCache(settings.kept / "highlight.sqlite", f"{__version__}:{FORMAT}", pool=HighlightPool())


def settle(command: str | None) -> None:
    """Let the garbage collector look at less, and less often, where *command* ends with its build.

    What was imported and read by now stays until the end. To walk it again and again takes 3% of the book's build, and
    a walk for each 700 objects more another 3%.
    """
    if command in ("build", "gh-deploy"):
        gc.freeze()
        gc.set_threshold(20_000, 20, 50)
