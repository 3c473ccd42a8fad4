"""sources.lock as commands and editors change it: bound by git, and written while nobody else writes it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from ..deliver.project import Project, Settings
from ..deliver.store import Store
from ..git.binding import Binder
from ..git.links import hold_inside, not_written, target_of
from ..quote.blob import FileKey, LockedFile
from ..quote.diagnostics import Diagnostic, Location, MetalworkingError, reason_of
from ..quote.lock import Lock, load_lock


def store_of(settings: Settings) -> Store:
    """Return the store of verified files."""
    return Store(settings.kept)


@contextlib.contextmanager
def writing_alone(settings: Settings, path: Path | None = None) -> Iterator[None]:
    """Hold off every other command that writes a file of the site, from reading what is changed to writing it.

    Raises MetalworkingError (``not-written``) of *path*, or of the lock, when another command holds it for a minute, or
    the folder is read-only, and (``files``) where somebody's link leads out.
    """
    path = path or settings.lock
    target_of(hold_inside(settings.lock, settings.premises))
    guard = FileLock(str(settings.lock) + ".lock")
    try:
        guard.acquire(timeout=60)
    except Timeout:
        raise not_written(path, "another command has been writing here for a minute") from None
    except OSError as error:
        raise not_written(path, reason_of(error)) from None
    try:
        yield
    finally:
        # While it is still held: after that it could be another command's. (Windows keeps an open file.)
        with contextlib.suppress(OSError):
            Path(guard.lock_file).unlink()
        guard.release()


@contextlib.contextmanager
def locked_lock(settings: Settings) -> Iterator[Lock]:
    """Read sources.lock while no other command can write: what was added meanwhile stays. Raises MetalworkingError."""
    with writing_alone(settings):
        yield read_lock(settings)[0]


def read_lock(settings: Settings) -> tuple[Lock, list[Diagnostic]]:
    """Read sources.lock; a file that does not exist is an empty one. Raises MetalworkingError for one not readable."""
    try:
        text = settings.text(settings.lock)
    except FileNotFoundError:
        text = ""
    except (OSError, UnicodeDecodeError) as error:
        where = Location(settings.lock.name)
        raise MetalworkingError("config", f"cannot read it: {reason_of(error)}", "", where) from None
    return load_lock(text, settings.lock.name)


def bind(
    url: Callable[[str], str], project: Project, keys: Iterable[FileKey], mirrors: Iterable[str] | None = None
) -> tuple[list[LockedFile], list[tuple[FileKey, MetalworkingError]]]:
    """Ask git what each file is and keep its bytes; returns what is bound and what is wrong with the others.

    *url* is where git fetches a repository from. *mirrors* stand in for those of the pin, for a commit that is not
    pinned yet.
    """
    settings = project.settings
    store = store_of(settings)
    bound: list[LockedFile] = []
    failed: list[tuple[FileKey, MetalworkingError]] = []
    by_pin: dict[tuple[str, str], list[FileKey]] = {}
    for key in keys:
        by_pin.setdefault((key.repo, key.commit), []).append(key)
    for (repo, commit), group in by_pin.items():
        clones = project.sources.pin(repo, commit).mirrors if mirrors is None else mirrors
        binder = Binder(
            settings.code,
            premises=settings.premises,
            mirrors=clones,
            own=settings.own,
            url=url,
            keep=store.put,
            keep_object=store.put_git_object,
            offline=settings.offline,
        )
        for key, answer in binder.bind_many(group).items():
            if isinstance(answer, MetalworkingError):
                failed.append((key, answer))
            else:
                bound.append(answer)
    return bound, failed
