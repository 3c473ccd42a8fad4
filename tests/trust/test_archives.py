"""Archives made to harm: read in memory, within bounds, and never with anything but a reason."""

from __future__ import annotations

import gzip
import io
import os
import random
import resource
import stat
import struct
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from mkdocs_metalworking.deliver.archive_members import Bounds, Member, read_members
from mkdocs_metalworking.deliver.transport import NotDelivered
from tests.trust.conftest import files_below
from tests.trust.test_parsers import operations

COUNT = int(os.environ.get("TRUST_ARCHIVES", "600"))
DATA = b"kernel void k() {}\n" * 30
WANTED = ("a.metal", "src/b.metal", "absent")
BOUNDS = Bounds(member=1 << 16, total=1 << 22, count=500, seconds=5)
WHEEL, SDIST = "demo-1.0-py3-none-any.whl", "demo-1.0.tar.gz"


def read(path: Path, filename: str, bounds: Bounds = BOUNDS) -> dict[str, Member]:
    sdist = filename == SDIST
    return read_members(path, filename, root="inc/", top_folder=sdist, wanted=WANTED, bounds=bounds)


def outcome(path: Path, filename: str, bounds: Bounds = BOUNDS) -> dict[str, Member] | str:
    """Return the members, or why there are none."""
    try:
        return read(path, filename, bounds)
    except NotDelivered as refused:
        return str(refused)


def wheel(**extra: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data in {"inc/a.metal": DATA, "inc/src/b.metal": DATA, "x/y": b"z" * 3000, **extra}.items():
            bundle.writestr(name, data)
    return out.getvalue()


def sdist(form: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as bundle:
        for name, data in {"inc/a.metal": DATA, "inc/src/b.metal": DATA, "n" * 150: b"z" * 3000}.items():
            info = tarfile.TarInfo("demo-1.0/" + name)
            info.size = len(data)
            info.pax_headers = {"comment": "x" * 40} if form == tarfile.PAX_FORMAT else {}
            bundle.addfile(info, io.BytesIO(data))
    return out.getvalue()


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return *data* with a few bytes changed, moved, doubled or gone, near its structures more often than not."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 9))):
        if not out:
            break
        at = rng.choice(
            (rng.randrange(len(out)), max(0, len(out) - 1 - rng.randrange(300)), rng.randrange(min(600, len(out))))
        )
        way = rng.randrange(6)
        if way == 0:
            out[at] ^= 1 << rng.randrange(8)
        elif way == 1:
            out[at : at + 4] = rng.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x80\0\0\0", b"7777", b"----", b"    "))
        elif way == 2:
            del out[at : at + rng.choice((1, 4, 100, 512))]
        elif way == 3:
            out[at:at] = out[at : at + rng.choice((1, 46, 512, 1024))]
        elif way == 4:
            out[at : at + 1] = rng.randbytes(rng.choice((1, 2, 20)))
        else:
            del out[at:]
    return bytes(out)


def try_archives(count: int, folder: Path, *, first: int = 0) -> dict[str, int]:
    """Read *count* damaged archives; returns how many were read and how many refused."""
    originals = [(WHEEL, wheel()), *((SDIST, sdist(form)) for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT))]
    path = folder / "archive"
    told = {"read": 0, "refused": 0}
    for seed in range(first, first + count):
        rng = random.Random(seed)
        filename, data = rng.choice(originals)
        if filename == SDIST:
            data = damaged(data, rng)
            data = gzip.compress(data, 1) if rng.random() < 0.9 else damaged(gzip.compress(data, 1), rng)
        else:
            data = damaged(data, rng)
        path.write_bytes(data)
        try:
            found = outcome(path, filename)
        except BaseException as error:
            error.add_note(f"archive {seed}")
            raise
        if isinstance(found, dict):
            assert set(found) <= set(WANTED)
            assert all(len(member) <= BOUNDS.member for member in found.values())
            told["read"] += 1
        else:
            assert found.isprintable()
            told["refused"] += 1
    return told


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_damaged_archives_are_read_or_refused(tmp_path: Path) -> None:
    before = files_below(tmp_path)
    told = try_archives(COUNT, tmp_path)
    assert min(told.values()) > COUNT / 20, told
    assert {name.partition(":")[0] for name in files_below(tmp_path) - before} == {"archive"}


def header(name: str, size: int, kind: bytes) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.USTAR_FORMAT)


def padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 512)


def chain_of_headers() -> bytes:
    one = header("x", 20, tarfile.XHDTYPE) + padded(b"20 path=demo-1.0/x\n\n")
    return one * 3000 + header("demo-1.0/inc/a.metal", 3, tarfile.REGTYPE) + padded(b"abc")


def header_of_digits() -> bytes:
    """What takes hours to read before Python 3.11.10: a pax header of nothing but digits."""
    size = 1 << 20
    return (
        header("x", size, tarfile.XHDTYPE)
        + padded(b"1" * size)
        + header("demo-1.0/inc/a.metal", 3, tarfile.REGTYPE)
        + padded(b"abc")
    )


def many_headers_of_digits() -> bytes:
    size = 16 << 10
    one = header("x", size, tarfile.XGLTYPE) + padded(b"1" * size) + header("demo-1.0/f", 0, tarfile.REGTYPE)
    return one * 200


def negative_size() -> bytes:
    info = tarfile.TarInfo("demo-1.0/inc/a.metal")
    block = bytearray(info.tobuf(tarfile.USTAR_FORMAT))
    block[124:136] = b"\xff" * 12
    block[148:156] = b"%06o\0 " % (sum(block[:148]) + 8 * 32 + sum(block[156:512]))
    return bytes(block) + padded(b"abc")


def pax_size(text: bytes) -> bytes:
    record = b"size=" + text + b"\n"
    length = len(record) + 3
    line = b"%d %s" % (length + (length > 96), record)
    return (
        header("x", len(line), tarfile.XHDTYPE)
        + padded(line)
        + header("demo-1.0/inc/a.metal", 3, tarfile.REGTYPE)
        + padded(b"abc")
    )


def sparse_map() -> bytes:
    line = b"30 GNU.sparse.major=1\n30 GNU.sparse.minor=0\n"
    return (
        header("x", len(line), tarfile.XHDTYPE)
        + padded(line)
        + header("demo-1.0/inc/a.metal", 512, tarfile.REGTYPE)
        + padded(b"9" * 400)
    )


def old_sparse() -> bytes:
    return header("demo-1.0/inc/a.metal", 512, tarfile.GNUTYPE_SPARSE) + b"\xff" * 512 * 4


TARS = {
    "chain of headers": chain_of_headers(),
    "header of digits": header_of_digits(),
    "many headers of digits": many_headers_of_digits(),
    "negative size": negative_size(),
    "endless size": pax_size(b"9" * 5000),
    "size below zero": pax_size(b"-99999"),
    "size of no number": pax_size(b"NaN"),
    "sparse map": sparse_map(),
    "old sparse map": old_sparse(),
    "zeros": b"\0" * 100_000,
}


@pytest.mark.parametrize("name", TARS)
def test_tars_made_by_hand(tmp_path: Path, name: str) -> None:
    path = tmp_path / "archive"
    path.write_bytes(gzip.compress(TARS[name], 1))
    found = outcome(path, SDIST, Bounds(seconds=2))
    if isinstance(found, dict):  # bytes that are not the file's are the resolver's affair
        assert all(len(member) <= BOUNDS.member for member in found.values())


def zip_with(entries: bytes, count: int, *, data: bytes = b"") -> bytes:
    return data + entries + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(entries), len(data), 0)


def entry(name: bytes, **fields: int) -> bytes:
    given = {"version": 20, "flags": 0, "method": 0, "size": 0, "offset": 0, "extra": 0} | fields
    return (
        struct.pack(
            "<4s4B4HL2L5H2L",
            *(b"PK\1\2", 20, 0, given["version"], 0, given["flags"], given["method"], 0, 0, 0),
            *(given["size"], given["size"], len(name), given["extra"], 0, 0, 0, 0, given["offset"]),
        )
        + name
    )


ZIPS = {
    "a version of tomorrow": zip_with(entry(b"inc/a.metal", version=255), 1),
    "patched data": zip_with(entry(b"inc/a.metal", flags=0x20), 1),
    "strong encryption": zip_with(entry(b"inc/a.metal", flags=0x41), 1),
    "an offset beyond the end": zip_with(entry(b"inc/a.metal", offset=1 << 30), 1),
    "a size of four gigabytes": zip_with(entry(b"inc/a.metal", size=0xFFFFFFFE), 1),
    "an extra field that is cut": zip_with(entry(b"inc/a.metal", extra=9) + b"\1\0\xff\xff12345", 1),
    "a name that is no text": zip_with(entry(b"\xff\xfe\x00inc", flags=0x800), 1),
    "a directory that is not there": struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 9, 9, 1 << 31, 0, 0),
    "zip64 of nonsense": b"PK\6\6"
    + b"\xff" * 52
    + b"PK\6\7"
    + b"\0" * 16
    + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0),
    "names in another case": wheel(**{"inc/A.METAL": b"evil", "INC/a.metal": b"evil", "inc/a.metal ": b"evil"}),
}


@pytest.mark.parametrize("name", ZIPS)
def test_zips_made_by_hand(tmp_path: Path, name: str) -> None:
    path = tmp_path / "archive"
    path.write_bytes(ZIPS[name])
    found = outcome(path, WHEEL)
    if isinstance(found, dict):
        assert found.get("a.metal") in (None, DATA) or isinstance(found["a.metal"], str)
    else:
        assert found.isprintable()


def peak_of(run: object) -> int:
    tracemalloc.start()
    try:
        run()  # type: ignore[operator]
    except NotDelivered:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


def test_bombs_cost_no_memory_and_no_disk(tmp_path: Path) -> None:
    before = files_below(tmp_path)
    member = wheel(**{"inc/src/b.metal": b"\0" * 50_000_000})
    (tmp_path / "w").write_bytes(member)
    assert peak_of(lambda: read(tmp_path / "w", WHEEL, Bounds())) < 20_000_000
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as bundle:
        info = tarfile.TarInfo("demo-1.0/inc/a.metal")
        info.size = 50_000_000
        bundle.addfile(info, io.BytesIO(b"\0" * info.size))
    (tmp_path / "t").write_bytes(gzip.compress(out.getvalue(), 1))
    assert peak_of(lambda: read(tmp_path / "t", SDIST, Bounds())) < 20_000_000
    many = b"".join(entry(b"f%d" % n) for n in range(800_000))
    (tmp_path / "d").write_bytes(zip_with(many, 0xFFFF))
    peak = peak_of(lambda: read(tmp_path / "d", WHEEL, Bounds()))
    assert peak < 50_000_000, "a list of members of 40 MB is not made into objects"
    assert {name.partition(":")[0] for name in files_below(tmp_path) - before} == {"w", "t", "d"}


def crafted(kind: bytes, size: int, name: str = "demo-1.0/inc/a.metal", **pax: str) -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size, info.pax_headers = kind, size, {key.replace("_", "."): value for key, value in pax.items()}
    return info.tobuf(tarfile.PAX_FORMAT if pax else tarfile.GNU_FORMAT)


def sparse(form: str, mib: int) -> bytes:
    """Return an archive of one sparse file, whose map takes *mib* unpacked."""
    if form == "header":
        pair = b"77777777777\0" * 2
        head = bytearray(crafted(tarfile.GNUTYPE_SPARSE, 512))
        head[386:495] = pair * 4 + b"\1" + b"00000000004\0"
        head[148:156] = b" " * 8
        head[148:156] = b"%06o\0 " % sum(head)
        block = pair * 21 + b"\1" + bytes(7)
        return bytes(head) + block * (mib << 11) + pair * 21 + bytes(8)
    if form == "1.0":
        head = crafted(b"0", 512, GNU_sparse_major="1", GNU_sparse_minor="0", GNU_sparse_realsize="4")
        return head + b"%d\n" % (mib << 16) + b"999999999\n" * (mib << 17)
    if form == "0.1":
        return crafted(b"0", 4, GNU_sparse_map="0,1," * 1000 + "0,1") + b"one\n"
    return crafted(b"0", 4, GNU_sparse_size="4", GNU_sparse_numblocks="1") + b"one\n"


@pytest.mark.parametrize("form", ["header", "1.0", "0.1", "0.0"])
def test_no_map_of_a_sparse_file_is_read(tmp_path: Path, form: str) -> None:
    path = tmp_path / SDIST
    path.write_bytes(gzip.compress(sparse(form, 8) + bytes(1024), 1))
    told: list[object] = []
    assert peak_of(lambda: told.append(outcome(path, SDIST, Bounds()))) < 4_000_000
    assert told == [f"{SDIST}: broken archive (ReadError)"]


def test_records_for_all_members_are_few(tmp_path: Path) -> None:
    """Each member has a copy of them, and tarfile keeps each member."""

    def archive(records: int, folders: int) -> Path:
        path = tmp_path / SDIST
        many = b"".join(b"%d k%06x=\n" % (len(b"99 k000000=\n"), n) for n in range(records))
        parts = [many[at : at + 12_000] for at in range(0, len(many), 12_000)]
        globals_ = b"".join(crafted(b"g", len(part), "g") + part + bytes(-len(part) % 512) for part in parts)
        file = crafted(b"0", len(DATA)) + DATA + bytes(-len(DATA) % 512)
        path.write_bytes(gzip.compress(globals_ + crafted(b"5", 0, "demo-1.0/") * folders + file + bytes(1024), 1))
        return path

    told: list[object] = []
    assert peak_of(lambda: told.append(outcome(archive(5_000, 0), SDIST, Bounds()))) < 8_000_000
    assert told == [f"{SDIST}: broken archive (ReadError)"]
    path = archive(90, 40_000)
    found: list[object] = []
    assert peak_of(lambda: found.append(outcome(path, SDIST, Bounds()))) < 8_000_000
    assert found == [{"a.metal": DATA}]


def test_no_archive_member_is_ever_written(tmp_path: Path) -> None:
    """Even root may write no byte: the limit on file sizes is zero while everything is read."""
    for filename, data in ((WHEEL, wheel()), (SDIST, gzip.compress(sdist()))):
        path = tmp_path / filename
        path.write_bytes(data)
        path.chmod(stat.S_IREAD)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
        try:
            found = read(path, filename)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert found == {"a.metal": DATA, "src/b.metal": DATA}


def test_what_unpacks_to_nothing_is_timed_too(tmp_path: Path) -> None:
    """Empty members of gzip: the time is asked for while they are read, not when the first byte has come out."""

    def calls(members: int) -> int:
        path = tmp_path / "demo-1.0.tar.gz"
        path.write_bytes(gzip.compress(b"") * members)

        def read(_text: str) -> None:
            with pytest.raises(NotDelivered, match="broken archive"):
                read_members(path, path.name, root="", top_folder=True, wanted=["a"], bounds=Bounds(seconds=-1.0))

        read("")
        return operations(read, "")

    assert calls(20_000) <= calls(2_000) + 100
