"""Reading files out of a wheel or sdist: in one pass, in memory, bounded, and never to disk.

Nothing of an archive is run, built or unpacked. Links, doubled names, special files and traversal are refused, whatever
they hold; an honest archive of source has none of them where a quotation would look.
"""

from __future__ import annotations

import gzip
import io
import lzma
import os
import stat
import struct
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self, TypeVar

from ..quote.blob import MAX_FILE
from ..quote.diagnostics import printable
from .transport import NotDelivered

Member = bytes | str
"""The bytes of a member, or why it is not delivered."""

# A pax header of more is refused: before Python 3.11.10 the time to read one grows with the square of its size.
_HEADER_MAX = 16 << 10
# Records for all members that follow, of which each of them has a copy; an archive of source has one comment.
_GLOBAL_MAX = 100
# The list of members of a zip; each of its 46 bytes or more becomes an object of several hundred.
_DIRECTORY_MAX = 32 << 20
# What the two modules of the standard library raise for archives that somebody made by hand.
_BROKEN = (
    ArithmeticError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,  # and its kinds: too deep a chain of headers, a feature that zipfile lacks
    TypeError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one archive may cost: bytes a member, bytes in all when unpacked, number of members, and seconds."""

    member: int = MAX_FILE
    total: int = 2 << 30
    count: int = 200_000
    seconds: float = 300.0


DEFAULT_BOUNDS = Bounds()


T = TypeVar("T")


def _as_it_is(_path: str, member: Member) -> Any:
    return member


def read_members(
    archive: Path,
    filename: str,
    *,
    root: str,
    top_folder: bool,
    wanted: Collection[str],
    bounds: Bounds,
    keep: Callable[[str, Member], T] = _as_it_is,
) -> dict[str, T | str]:
    """Return what *archive* holds for each of *wanted*, paths below *root* (and below the one top folder of an sdist).

    A path that is not in it has no key; of the others it is what *keep* makes of path and member, one after the other,
    so that not all need be in memory. Raises NotDelivered when the archive is broken or unsafe as a whole.
    """
    if filename.endswith((".whl", ".zip")):
        source = _zip_members
    elif filename.endswith((".tar.gz", ".tgz")):
        source = _tar_members
    else:
        raise NotDelivered("not-delivered", f"{filename}: not a .whl, .zip or .tar.gz archive")
    found: dict[str, T | str] = {}
    tops: set[str] = set()
    names = {root + path: path for path in wanted}
    try:
        deadline = time.monotonic() + bounds.seconds
        for count, (name, member) in enumerate(source(archive, bounds)):
            if time.monotonic() > deadline:
                raise NotDelivered("not-delivered", f"{filename}: not read after {bounds.seconds:g} seconds")
            if count >= bounds.count:
                raise NotDelivered("not-delivered", f"{filename}: more than {bounds.count} members")
            inner = _inner_name(name, filename)
            if top_folder:
                top, _, inner = inner.partition("/")
                tops.add(top)
            path = names.get(inner)
            if path is not None:
                found[path] = "is in the archive twice" if path in found else keep(path, member())
    except _BROKEN as error:
        raise NotDelivered("not-delivered", f"{filename}: broken archive ({type(error).__name__})") from None
    if len(tops) > 1:
        raise NotDelivered("not-delivered", f"{filename}: an sdist has one top folder, this has {len(tops)}")
    return found


class _Lazy:
    """A member that is read only when it is wanted."""

    def __init__(self, problem: str, stream: IO[bytes] | None, limit: int) -> None:
        self._problem, self._stream, self._limit = problem, stream, limit

    def __call__(self) -> Member:
        if self._problem or self._stream is None:
            return self._problem or "cannot be read"
        with self._stream as stream:
            data = stream.read(self._limit + 1)
        return data if len(data) <= self._limit else f"is larger than the limit of {self._limit} bytes"


def _zip_members(archive: Path, bounds: Bounds) -> Iterator[tuple[str, _Lazy]]:
    with _Careful(archive) as stream, zipfile.ZipFile(stream) as bundle:
        for info in bundle.infolist():
            if info.is_dir():
                continue
            kind = stat.S_IFMT(info.external_attr >> 16)
            if stat.S_ISLNK(kind):
                problem = "is a symbolic link in the archive"
            elif kind not in {0, stat.S_IFREG}:
                problem = "is not a regular file in the archive"
            elif info.flag_bits & 1:
                problem = "is encrypted in the archive"
            elif info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
                problem = "is compressed in a way that wheels do not use"
            else:
                problem = ""
            yield info.filename, _Lazy(problem, None, 0) if problem else _ZipMember(bundle, info, bounds.member)


class _Careful(io.FileIO):
    """A file of which not too much is read at once: ``zipfile`` reads the whole list of members."""

    def read(self, size: int | None = -1, /) -> bytes:
        left = max(0, os.fstat(self.fileno()).st_size - self.tell())
        wanted = left if size is None or size < 0 else size
        if wanted > _DIRECTORY_MAX:
            raise zipfile.BadZipFile("oversized directory")
        return super().read(min(wanted, left))


class _ZipMember(_Lazy):
    def __init__(self, bundle: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> None:
        super().__init__("", None, limit)
        self._bundle, self._info = bundle, info

    def __call__(self) -> Member:
        self._stream = self._bundle.open(self._info)
        return super().__call__()


def _tar_members(archive: Path, bounds: Bounds) -> Iterator[tuple[str, _Lazy]]:
    with (
        _Timed(archive, bounds) as packed,
        gzip.open(packed) as unpacked,
        tarfile.open(mode="r|", fileobj=_Counted(unpacked, bounds), tarinfo=_Header) as bundle,
    ):
        while (info := bundle.next()) is not None:
            # tarfile keeps every one, with all its records
            bundle.members.clear()  # type: ignore[attr-defined]
            if info.isdir():
                continue
            if info.issym() or info.islnk():
                yield info.name, _Lazy("is a link in the archive", None, 0)
            elif not info.isreg():
                yield info.name, _Lazy("is not a regular file in the archive", None, 0)
            else:
                yield info.name, _Lazy("", bundle.extractfile(info), bounds.member)


class _Header(tarfile.TarInfo):
    """A member header whose extensions (long names, pax records) are held to a sane size.

    No archive of source has a sparse file, whose map stands in its data and may be as long as these.
    """

    @classmethod
    def fromtarfile(cls, bundle: tarfile.TarFile) -> Self:
        info = super().fromtarfile(bundle)
        if len(bundle.pax_headers) > _GLOBAL_MAX:
            raise tarfile.ReadError("too many global records")
        return info

    def _sparse(self, *_: object) -> Self:
        raise tarfile.ReadError("sparse file")

    # The four forms: in the header, and in pax records of versions 0.0, 0.1 and 1.0.
    _proc_sparse = _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _sparse

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        info = super().frombuf(buf, encoding, errors)
        extension = {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, *(b"L", b"K")}
        if info.type in extension and info.size > _HEADER_MAX:
            raise tarfile.ReadError("oversized header")
        return info


class _Timed(io.FileIO):
    """A file that is read for as many seconds as the bounds allow, also where nothing comes out of what is read."""

    def __init__(self, path: Path, bounds: Bounds) -> None:
        super().__init__(path)
        self._deadline = time.monotonic() + bounds.seconds

    def read(self, size: int | None = -1, /) -> bytes:
        if time.monotonic() > self._deadline:
            raise tarfile.ReadError("takes too long")
        return super().read(size)


class _Counted(io.RawIOBase):
    """A stream that refuses to unpack to more bytes than the bounds allow."""

    def __init__(self, stream: gzip.GzipFile, bounds: Bounds) -> None:
        super().__init__()
        self._stream, self._left = stream, bounds.total

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise tarfile.ReadError("unpacks to too much")
        return data


def _inner_name(name: str, filename: str) -> str:
    parts = name.removeprefix("./").split("/")
    if ".." in parts or name.startswith("/") or "\\" in name or "\0" in name:
        raise NotDelivered("not-delivered", f"{filename}: unsafe member name {printable(name[:80])!r}, nothing is read")
    return "/".join(parts)
