"""Git's name for a file's content, checked anywhere without git.

The rule is git's object format: hash("blob " + decimal size + NUL + bytes), SHA-1 for 40-digit ids,
SHA-256 for 64-digit ones (gitformat-pack, hash-function-transition).
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

MAX_FILE = 4 << 20
"""Bytes of the largest file that is quoted, however it comes."""
HEX_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")


def blob_id(data: bytes, *, digits: int = 40) -> str:
    """Return the git blob id of *data*: 40 hex digits (SHA-1) or 64 (SHA-256).

    Raises ValueError for any other *digits*.
    """
    header = b"blob %d\0" % len(data)
    if digits == 40:
        return hashlib.sha1(header + data, usedforsecurity=False).hexdigest()
    if digits == 64:
        return hashlib.sha256(header + data).hexdigest()
    raise ValueError(f"a git object id has 40 or 64 hex digits, not {digits}")


def count_lines(data: bytes) -> int:
    """Return how many lines *data* has, counted by LF only; a last line needs no LF."""
    return data.count(b"\n") + (0 if data.endswith(b"\n") or not data else 1)


@dataclass(frozen=True, slots=True, order=True)
class FileKey:
    """A file in a commit. ``repo`` is ``owner/name`` (GitHub), ``host/owner/name`` or ``self``; ``commit`` is full.

    No commit stands behind a file of the working tree, which only ``self`` has.
    """

    repo: str
    commit: str
    path: str

    def __str__(self) -> str:
        return f"{self.repo}@{self.commit[:7]}:{self.path}" if self.commit else f"{self.repo}:{self.path}"


@dataclass(frozen=True, slots=True, order=True)
class LockedFile:
    """What git says a file is: its blob id, the SHA-256 of its bytes, its size in bytes and its line count."""

    key: FileKey
    blob: str
    sha256: str
    size: int
    lines: int

    def mismatch(self, data: bytes) -> str | None:
        """Return why *data* is not this file, or None when it is, by size, both hashes and number of lines."""
        if len(data) != self.size:
            return f"{len(data)} bytes instead of {self.size}"
        found = hashlib.sha256(data).hexdigest()
        if found != self.sha256:
            return f"SHA-256 {found[:12]} instead of {self.sha256[:12]}"
        found = blob_id(data, digits=len(self.blob))
        if found != self.blob:
            return f"git blob {found[:12]} instead of {self.blob[:12]}"
        if count_lines(data) != self.lines:  # ranges are checked against it before any bytes are here
            return f"{count_lines(data)} lines, where sources.lock says {self.lines}"
        return None

    def mismatch_told(self, data: bytes) -> str | None:
        """Return what *mismatch* does, and where that is all of it, that only the line ends differ."""
        problem = self.mismatch(data)
        if problem is not None and b"\r\n" in data and self.mismatch(data.replace(b"\r\n", b"\n")) is None:
            problem += ", the same text with CRLF line ends"
        return problem

    @classmethod
    def of(cls, key: FileKey, data: bytes) -> LockedFile:
        """Describe *data*, which git gave for *key*; the id has as many digits as the commit's."""
        return cls(
            key, blob_id(data, digits=len(key.commit)), hashlib.sha256(data).hexdigest(), len(data), count_lines(data)
        )
