"""Authors' files, read and written whole."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from pathlib import Path

from ..git.interrupts import held_back
from ..quote import texts
from ..quote.diagnostics import Location, MetalworkingError, reason_of

_GITS = re.compile(r"\.git[. ]*|git~[0-9]+", re.IGNORECASE)
"""Names of a folder that some file system takes for ``.git``."""


def read_text(path: Path) -> str:
    """Return what *path* holds. Raises MetalworkingError (``config``) when it cannot be read."""
    try:
        return texts.read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise MetalworkingError("config", f"cannot read it: {reason_of(error)}", "", Location(path.name)) from None


def write(path: Path, text: str) -> None:
    """Write all of *text* or nothing, with the line ends it has; where *path* is a link, what it leads to.

    Raises MetalworkingError (``not-written``) when that cannot be done: then the file is as it was. A link that leads
    out of the repository, or to what git keeps there, may be somebody else's doing and is not written through.
    """
    target = path.resolve()
    top = _top(path.absolute())
    if not target.is_relative_to(top) or any(map(_GITS.fullmatch, target.relative_to(top).parts)):
        raise not_written(path, "a link leads out of the repository")
    # A name that nobody knows before, and a file that is not there: where a link lay, it would be written through.
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.new")
    with held_back():
        try:
            with open(temporary, "x", encoding="utf-8", newline="") as stream:
                stream.write(text)
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


def _top(path: Path) -> Path:
    """Return the folder that *path* may be written in: its work tree, or its own folder where there is none."""
    found = next((parent for parent in path.parents if os.path.lexists(parent / ".git")), path.parent)
    return found.resolve()


def write_page(path: Path, text: str) -> None:
    """Write *text* in the place of an author's file, with the line ends and the byte order mark that it had."""
    raw = path.read_bytes()
    mark = "\ufeff" if raw.startswith(b"\xef\xbb\xbf") else ""
    write(path, mark + (text.replace("\n", "\r\n") if b"\r\n" in raw else text))


def not_written(path: Path, why: str) -> MetalworkingError:
    """Return the problem of a file that could not be written."""
    return MetalworkingError("not-written", f"{path.name} cannot be written: {why}", "it is as it was")
