"""Authors' files, read and written whole."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..git.interrupts import held_back
from ..git.links import not_written, place_of, target_of
from ..quote import texts
from ..quote.diagnostics import Location, MetalworkingError, reason_of


def read_text(path: Path) -> str:
    """Return what *path* holds. Raises MetalworkingError (``config``) when it cannot be read."""
    try:
        return texts.read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise MetalworkingError("config", f"cannot read it: {reason_of(error)}", "", Location(path.name)) from None


def read_page(path: Path) -> str:
    """Return a text as MkDocs reads it, but for a lone CR, which is as long as the LF it is read as."""
    return path.read_bytes().decode("utf-8").replace("\r\n", "\n").removeprefix("\ufeff")


@dataclass(frozen=True)
class Rewrite:
    """What shall stand in an author's file, and what ``read_page`` gave of it: None where there was none."""

    path: Path
    before: str | None
    after: str


def write_all(rewrites: Sequence[Rewrite]) -> None:
    """Write all of these files, or none of them.

    Raises MetalworkingError (``not-written``) when one cannot be written, or is no longer what was read, since somebody
    saved it meanwhile. Then all are as they were.
    """
    done: list[tuple[Path, bytes | None]] = []
    with held_back():
        for one in rewrites:
            if _present(one.path) != one.before:
                raise not_written(one.path, "it was changed meanwhile", "nothing was written; run it again")
            target_of(one.path)
        try:
            for one in rewrites:
                raw = None if one.before is None else one.path.read_bytes()
                (write if raw is None else write_page)(one.path, one.after)
                done.append((one.path, raw))
        except (MetalworkingError, OSError):
            for path, raw in reversed(done):
                with contextlib.suppress(MetalworkingError, OSError):
                    path.unlink() if raw is None else write(path, raw.decode("utf-8"))
            raise


def _present(path: Path) -> str | None:
    try:
        return read_page(path)
    except (OSError, UnicodeDecodeError):
        return "" if os.path.lexists(path) else None


def write(path: Path, text: str) -> None:
    """Write all of *text* or nothing, with the line ends it has; where *path* is a link, what it leads to.

    Folders that lack are made. Raises MetalworkingError (``not-written``) when that cannot be done: then the file is as
    it was. A link that leads out of the repository, or to what git keeps there, may be somebody else's doing and is not
    written through.
    """
    _put(path, target_of(path), text.encode("utf-8"))


def write_made(path: Path, data: bytes) -> None:
    """Write all of *data*, which is made anew each time, or nothing. Folders that lack are made.

    Raises MetalworkingError (``not-written``), also where git tracks a link on the way: then the file is as it was.
    """
    _put(path, place_of(path), data)


def _put(path: Path, target: Path, data: bytes) -> None:
    # A name that nobody knows before, and a file that is not there: where a link lay, it would be written through.
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.new")
    with held_back():
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with open(temporary, "xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
            temporary.replace(target)
        except OSError as error:
            raise not_written(path, reason_of(error)) from None
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()


def write_page(path: Path, text: str) -> None:
    """Write *text* in the place of an author's file, with the line ends and the byte order mark that it had."""
    raw = path.read_bytes()
    mark = "\ufeff" if raw.startswith(b"\xef\xbb\xbf") else ""
    write(path, mark + _ended(text, re.findall(rb"\r?\n", raw)))


def _ended(text: str, ends: Sequence[bytes]) -> str:
    """Return *text* with these line ends, where it has as many lines; else with CRLF where there was any."""
    lines = text.split("\n")
    if len(lines) != len(ends) + 1:
        return ("\r\n" if b"\r\n" in ends else "\n").join(lines)
    return "".join(line + end.decode() for line, end in zip(lines, [*ends, b""], strict=True))
