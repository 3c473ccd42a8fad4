"""Authors' files, read and written whole."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..deliver.project import Settings
from ..git.interrupts import held_back
from ..git.links import not_written, place_of, target_of
from ..git.places import Premises
from ..quote import texts
from ..quote.diagnostics import Location, MetalworkingError, reason_of


def read_text(path: Path, settings: Settings) -> str:
    """Return what *path*, a file of the site, holds. Raises MetalworkingError when it cannot be read, or is not."""
    try:
        return settings.text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise MetalworkingError("config", f"cannot read it: {reason_of(error)}", "", Location(path.name)) from None


def read_page(path: Path) -> str:
    """Return a text as MkDocs reads it, but for a lone CR, which is as long as the LF it is read as."""
    return _as_page(texts.read_bytes(path))


def _as_page(raw: bytes) -> str:
    return raw.decode("utf-8").replace("\r\n", "\n").removeprefix("\ufeff")


@dataclass(frozen=True)
class Rewrite:
    """What shall stand in an author's file, and what ``read_page`` gave of it: None where there was none."""

    path: Path
    before: str | None
    after: str


def write_all(rewrites: Sequence[Rewrite]) -> None:
    """Write all of these files, or none of them.

    Raises MetalworkingError (``not-written``) when one cannot be written, or is no longer what was read, since somebody
    saved it meanwhile. Then all are as they were. Several names may lead to one file, which is written once.
    """
    rewrites = _one_a_file(rewrites)
    done: list[tuple[Path, bytes | None]] = []
    with held_back(), contextlib.ExitStack() as stack:
        try:
            # All that takes time comes first: what a file holds is looked at again right before it is replaced.
            beside = [
                stack.enter_context(_beside(one.path, target_of(one.path), _as_it_ends(one).encode()))
                for one in rewrites
            ]
            for one, put in zip(rewrites, beside, strict=True):
                raw = _unchanged(one)
                put()
                done.append((one.path, raw))
        except (MetalworkingError, OSError):
            for path, raw in reversed(done):
                with contextlib.suppress(MetalworkingError, OSError):
                    path.unlink() if raw is None else write(path, raw.decode("utf-8"))
            raise


def _one_a_file(rewrites: Sequence[Rewrite]) -> list[Rewrite]:
    """Return one rewrite of each file. Raises MetalworkingError where a file would be written in two ways."""
    files: dict[Path, Rewrite] = {}
    for one in rewrites:
        other = files.setdefault(target_of(one.path), one)
        if (other.before, other.after) != (one.before, one.after):
            raise not_written(one.path, f"{other.path.name} is the same file, and would be written otherwise")
    return list(files.values())


def _unchanged(one: Rewrite) -> bytes | None:
    """Return the bytes of the file; None where there is none. Raises MetalworkingError when it is not what was read."""
    try:
        raw = texts.read_bytes(one.path)
        same = one.before is not None and _as_page(raw) == one.before
    except (OSError, UnicodeDecodeError):
        raw, same = None, one.before is None and not os.path.lexists(one.path)
    if not same:
        raise not_written(one.path, "it was changed meanwhile", "nothing was written; run it again")
    return raw


def _as_it_ends(one: Rewrite) -> str:
    """Return the text to write, with the line ends and the byte order mark that an author's file has."""
    raw = _unchanged(one)
    if raw is None:
        return one.after
    mark = "\ufeff" if raw.startswith(b"\xef\xbb\xbf") else ""
    return mark + _ended(one.after, re.findall(rb"\r?\n", raw))


def write(path: Path, text: str) -> None:
    """Write all of *text* or nothing, with the line ends it has; where *path* is a link, what it leads to.

    Folders that lack are made. Raises MetalworkingError (``not-written``) when that cannot be done: then the file is as
    it was. A link that leads out of the repository, or to what git keeps there, may be somebody else's doing and is not
    written through.
    """
    with held_back(), _beside(path, target_of(path), text.encode("utf-8")) as put:
        put()


def write_made(path: Path, data: bytes, premises: Premises | None = None) -> None:
    """Write all of *data*, which is made anew each time, or nothing. Folders that lack are made.

    Raises MetalworkingError (``not-written``), also where a link on the way may be somebody else's (``place_of``, which
    *premises* are for): then the file is as it was.
    """
    with held_back(), _beside(path, place_of(path, premises), data) as put:
        put()


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise not_written(path, reason_of(error)) from None


@contextlib.contextmanager
def _beside(path: Path, target: Path, data: bytes) -> Iterator[Callable[[], None]]:
    """Write *data* beside *target*, to which *path* leads; what is yielded puts it in place, at once."""
    # A name that nobody knows before, and a file that is not there: where a link lay, it would be written through.
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.new")

    def put() -> None:
        with _told(path):
            temporary.replace(target)

    try:
        with _told(path):
            target.parent.mkdir(parents=True, exist_ok=True)
            with open(temporary, "xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
        yield put
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _ended(text: str, ends: Sequence[bytes]) -> str:
    """Return *text* with these line ends, where it has as many lines; else with CRLF where there was any."""
    lines = text.split("\n")
    if len(lines) != len(ends) + 1:
        return ("\r\n" if b"\r\n" in ends else "\n").join(lines)
    return "".join(line + end.decode() for line, end in zip(lines, [*ends, b""], strict=True))
