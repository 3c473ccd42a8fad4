"""One round over a site, page by page."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from mkdocs.structure.files import File

from ...deliver.project import Project
from .checking import Check
from .reading import Reading
from .site import Site


@dataclass
class Round:
    """One round over the site: what is read, and which pages are not read yet."""

    site: Site
    project: Project
    reading: Reading
    check: Check
    left: list[File]
    stamps: dict[Path, tuple[int, int]] = field(default_factory=dict)
    """When each file that was read was last written, and its size."""
