"""What the commands share: the loaded site, its two files, and how problems end a command."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from filelock import FileLock, Timeout

from ...deliver.project import Project, Settings
from ...deliver.store import Store, default_root
from ...git.binding import Binder
from ...quote.blob import FileKey, LockedFile
from ...quote.diagnostics import (
    INVISIBLE,
    Diagnostic,
    Diagnostics,
    Location,
    MetalworkingError,
    Severity,
    Unavailable,
    reason_of,
)
from ...quote.lock import Lock, load_lock
from ..mkdocs.site import Site
from .program import Program


def open_site(program: Program, *, json_: bool = False, plugins: bool | None = False) -> Site:
    """Load mkdocs.yml, or end the command with what is wrong; *plugins* as for Site.load."""
    with ending(json_=json_):
        return Site.load(program.config_file, plugins=plugins)


def store_of(settings: Settings) -> Store:
    """Return the store of verified files."""
    return Store(settings.store or default_root())


@contextlib.contextmanager
def locked_lock(settings: Settings) -> Iterator[Lock]:
    """Read sources.lock while no other command can write it: what was added meanwhile stays.

    Raises MetalworkingError (``not-written``) when another command holds it for a minute, or the folder is read-only.
    """
    guard = FileLock(str(settings.lock) + ".lock")
    try:
        guard.acquire(timeout=60)
    except Timeout:
        raise _not_written(settings.lock, "another command has been writing it for a minute") from None
    except OSError as error:
        raise _not_written(settings.lock, reason_of(error)) from None
    try:
        yield read_lock(settings)[0]
    finally:
        # While it is still held: after that it could be another command's. (Windows keeps an open file.)
        with contextlib.suppress(OSError):
            Path(guard.lock_file).unlink()
        guard.release()


def read_lock(settings: Settings) -> tuple[Lock, list[Diagnostic]]:
    """Read sources.lock; a file that does not exist is an empty one. Raises MetalworkingError for one not readable."""
    try:
        text = settings.lock.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = ""
    except (OSError, UnicodeDecodeError) as error:
        where = Location(settings.lock.name)
        raise MetalworkingError("config", f"cannot read it: {reason_of(error)}", "", where) from None
    return load_lock(text, settings.lock.name)


def read_text(path: Path) -> str:
    """Return what *path* holds. Raises MetalworkingError (``config``) when it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MetalworkingError("config", f"cannot read it: {reason_of(error)}", "", Location(path.name)) from None


def write(path: Path, text: str) -> None:
    """Write all of *text* or nothing, with the line ends it has; where *path* is a link, what it leads to.

    Raises MetalworkingError (``not-written``) when that cannot be done: then the file is as it was. A link that leads
    out of the repository, or to what git keeps there, may be somebody else's doing and is not written through.
    """
    target = path.resolve()
    top = _top(path.absolute())
    if not target.is_relative_to(top) or ".git" in target.relative_to(top).parts:
        raise _not_written(path, "a link leads out of the repository")
    temporary = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        with open(temporary, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except OSError as error:
        raise _not_written(path, reason_of(error)) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _top(path: Path) -> Path:
    """Return the folder that *path* may be written in: its work tree, or its own folder where there is none."""
    found = next((parent for parent in path.parents if os.path.lexists(parent / ".git")), path.parent)
    return found.resolve()


def write_page(path: Path, text: str) -> None:
    """Write *text* in the place of an author's file, with the line ends and the byte order mark that it had."""
    raw = path.read_bytes()
    mark = "\ufeff" if raw.startswith(b"\xef\xbb\xbf") else ""
    write(path, mark + (text.replace("\n", "\r\n") if b"\r\n" in raw else text))


def _not_written(path: Path, why: str) -> MetalworkingError:
    return MetalworkingError("not-written", f"{path.name} cannot be written: {why}", "it is as it was")


def bind(
    program: Program, project: Project, keys: Iterable[FileKey], mirrors: Iterable[str] | None = None
) -> tuple[list[LockedFile], list[tuple[FileKey, MetalworkingError]]]:
    """Ask git what each file is and keep its bytes; returns what is bound and what is wrong with the others.

    *mirrors* stand in for those of the pin, for a commit that is not pinned yet.
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
            mirrors=clones,
            also=settings.also,
            url=program.url,
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


def as_json(data: Any) -> None:
    """Print *data* for other programs; what a terminal could take for a command is escaped in the way of JSON."""
    ascii_only = not (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    text = json.dumps(data, indent=2, ensure_ascii=ascii_only)
    click.echo(INVISIBLE.sub(lambda match: json.dumps(match[0])[1:-1], text))


def stop_at(problems: Iterable[Diagnostic], *, json_: bool = False) -> None:
    """Print *problems* and end the command, when there are any."""
    found = list(Diagnostics(problems))
    if found:
        _print(found, json_=json_)
        sys.exit(1)


@contextlib.contextmanager
def ending(*, json_: bool = False) -> Iterator[None]:
    """End the command with a problem's message: 1 when something is wrong, 2 when something could not be reached."""
    try:
        yield
    except MetalworkingError as problem:
        _print([problem.diagnostic], json_=json_)
        sys.exit(2 if isinstance(problem, Unavailable) else 1)
    except (OSError, UnicodeDecodeError) as error:  # a page, a table or an override that cannot be read
        named = isinstance(error, OSError) and isinstance(error.filename, (str, bytes))
        where = Location(Path(os.fsdecode(error.filename)).name if named else "")  # type: ignore[union-attr]
        _print([Diagnostic(Severity.ERROR, "files", reason_of(error), "", where)], json_=json_)
        sys.exit(1)


def _print(problems: list[Diagnostic], *, json_: bool) -> None:
    """Print problems a line each, or as the list that ``check --json`` prints."""
    if json_:
        as_json([problem.as_dict() for problem in problems])
    else:
        for problem in problems:
            click.echo(str(problem))
