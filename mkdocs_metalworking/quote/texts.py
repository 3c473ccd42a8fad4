"""Files of the site, read whole: regular ones of a sane size, since a branch may have a link in the place of one."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

LARGEST = 64 << 20
"""Bytes that nobody writes by hand."""


def read_bytes(path: Path) -> bytes:
    """Return what the regular file at *path*, or where it links to, holds.

    Raises OSError, also for a pipe, a device, and a file of more than LARGEST bytes.
    """
    with open(path, "rb", opener=_opened) as stream:
        _hold_regular(os.fstat(stream.fileno()), path)
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return data


def read_text(path: Path, encoding: str = "utf-8", errors: str = "strict") -> str:
    """Return the same as text with LF as the only line end. Raises OSError and UnicodeDecodeError."""
    return read_bytes(path).decode(encoding, errors).replace("\r\n", "\n").replace("\r", "\n")


def hold_plain(path: Path) -> None:
    """Raise OSError for a *path* that `read_bytes` would not read, for those who read it in a way of their own."""
    if hold_regular(path) > LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))


def hold_regular(path: Path) -> int:
    """Return the size in bytes of the regular file at *path*. Raises OSError, also for a pipe and a device."""
    info = os.stat(path)
    _hold_regular(info, path)
    return info.st_size


def _hold_regular(info: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(info.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))


def _opened(path: str, flags: int) -> int:
    """Open *path*, and do not wait for who writes into a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
