"""A file of a package index that contains a repository's files, and its pinned hash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, order=True)
class PackageSpec:
    """One release that carries a commit's files: ``mlx-cpu==0.32.1``, a wheel, under ``mlx/include/``.

    ``root`` is where the repository's root lies inside the archive, with a trailing slash or empty. For an sdist
    it is counted from inside the archive's single top folder.
    """

    kind: Literal["wheel", "sdist"]
    name: str
    version: str
    root: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}=={self.version}"


@dataclass(frozen=True, slots=True, order=True)
class ArchivePin:
    """The one archive of a release that is read: its file name, SHA-256 and size in bytes, from sources.lock."""

    spec: str
    filename: str
    sha256: str
    size: int
