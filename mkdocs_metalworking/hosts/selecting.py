"""Named lines found in their files, for ``lock`` and ``accept``: at a commit by git's bytes, else in the work tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..deliver.project import Project
from ..quote.blob import FileKey, LockedFile
from ..quote.diagnostics import MetalworkingError
from ..quote.lines import source_lines
from ..quote.lock import LockedRegion, RegionKey
from ..quote.repo import SELF
from ..quote.selection import text_hash
from .lockfile import store_of


@dataclass
class Found:
    """Regions as they are now, the lines of their files, and why others could not be found."""

    regions: dict[RegionKey, LockedRegion] = field(default_factory=dict)
    lines: dict[FileKey, tuple[str, ...]] = field(default_factory=dict)
    failed: list[tuple[RegionKey, MetalworkingError]] = field(default_factory=list)


def find_regions(project: Project, wanted: Iterable[RegionKey], files: Mapping[FileKey, LockedFile]) -> Found:
    """Find each of *wanted*; *files* are the locked ones. What the work tree has is kept, to be compared with later."""
    found, blobs, store = Found(), dict[FileKey, str](), store_of(project.settings)
    for key, selection in wanted:
        try:
            if key not in found.lines:
                if key.repo == SELF and not key.commit:
                    if project.worktree is None:
                        raise MetalworkingError("self", "no git repository encloses the site")
                    file, data = project.worktree.read(key.path)
                    store.put_git_object(SELF, file.blob, "blob", data)
                elif key in files:
                    file = files[key]
                    data = project.resolver.resolve(file).data
                else:
                    continue  # why the file could not be had was told
                found.lines[key], blobs[key] = source_lines(data, key.path), file.blob
            lines = found.lines[key]
            ranges = selection.find(lines, key.path)
        except MetalworkingError as problem:
            found.failed.append(((key, selection), problem))
            continue
        region = LockedRegion(key, selection, ranges, text_hash(lines, ranges), blobs[key])
        found.regions[key, selection] = region
    return found
