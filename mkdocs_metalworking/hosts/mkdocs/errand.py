"""A build that a command starts only to read: every plugin of the site at work, up to the last page's text."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.utils import is_markdown_file

from ...deliver.project import Project
from .reading import Reading


class AllRead(Exception):
    """Ends such a build once every page is converted, before anything is written."""


@dataclass
class Errand:
    """What the build shall read with, and then the reading."""

    project: Project
    drafts: dict[Path, str] = field(default_factory=dict)
    """Texts in the place of files: what a command is about to write."""
    readings: list[Reading] = field(default_factory=list)
    """One, or one for each language of the site."""

    def lay_drafts(self, files: Files, config: MkDocsConfig) -> None:
        """Put the drafts in the place of the pages they are for."""
        lay_drafts(files, config, self.drafts)

    def end(self, reading: Reading, config: MkDocsConfig) -> None:
        """Take *reading* and end the build, unless another language follows. Raises AllRead."""
        self.readings.append(reading)
        _hold_generated(reading)
        if "i18n" not in config.plugins:  # which begins the other languages when a build has ended
            reading.finish()
            raise AllRead

    @property
    def reading(self) -> Reading | None:
        """What was read: of several languages the first, with the pages and problems of the others."""
        if not self.readings:
            return None
        first, *others = self.readings
        for other in others:
            first.diagnostics.extend(other.diagnostics)
            first.pages.update({f"{page.path} in another language": page for page in other.pages.values()})
        self.readings = [first]
        return first


def _hold_generated(reading: Reading) -> None:
    """Keep the texts of pages that a plugin made in a folder of its own: it clears it away when the build ends."""
    docs = Path(reading.config.docs_dir)
    for file in reading.documents():
        if file.abs_src_path is not None and not Path(file.abs_src_path).is_relative_to(docs):
            with contextlib.suppress(OSError, UnicodeDecodeError):
                file.content_string = file.content_string


def lay_drafts(files: Files, config: MkDocsConfig, drafts: dict[Path, str]) -> None:
    """Put *drafts*, by path, in the place of pages; one that no file holds yet is a page too."""
    folder = Path(config.docs_dir)
    for path, text in drafts.items():
        if not path.is_relative_to(folder) or not is_markdown_file(path.name):
            continue
        uri = path.relative_to(folder).as_posix()
        file = files.get_file_from_path(uri)
        if file is not None:
            file.content_string = text
        elif not path.exists():
            new = File(uri, config.docs_dir, config.site_dir, config.use_directory_urls)
            new.content_string = text
            files.append(new)
