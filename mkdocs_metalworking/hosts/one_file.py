"""One file, or named lines of one, put into sources.lock: for ``add``, and for who asks in an editor."""

from __future__ import annotations

from collections.abc import Callable

from ..deliver.project import Project
from ..quote.blob import FileKey, LockedFile
from ..quote.selection import Selection
from ..quote.sources import Pin
from .files import write
from .lockfile import bind, locked_lock
from .selecting import find_regions


def lock_file(url: Callable[[str], str], project: Project, pin: Pin, path: str) -> LockedFile:
    """Return what git says of *path*, locked; *url* as for ``bind``. Raises MetalworkingError."""
    key = FileKey(pin.repo, pin.commit, path)
    file = project.lock.files.get(key)
    if file is None:
        bound, failed = bind(url, project, [key])
        if failed:
            raise failed[0][1]
        file = bound[0]
        with locked_lock(project.settings) as current:
            write(project.settings.lock, current.with_entries([file]).format())
    return file


def lock_region(project: Project, key: FileKey, selection: Selection, file: LockedFile | None = None) -> None:
    """Lock named lines that are not locked yet; raises MetalworkingError when they are not there."""
    found = find_regions(project, [(key, selection)], {key: file} if file is not None else {})
    if found.failed:
        raise found.failed[0][1]
    if (key, selection) not in project.lock.regions:
        with locked_lock(project.settings) as current:
            write(project.settings.lock, current.with_entries(regions=found.regions.values()).format())
