"""What is in the store is what the lock says, whatever happened to the disk."""

from __future__ import annotations

import hashlib
import logging
import multiprocessing
import os
import time
from pathlib import Path

import pytest

from mkdocs_metalworking.deliver.store import Store, default_root
from mkdocs_metalworking.quote.blob import FileKey, LockedFile
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from mkdocs_metalworking.quote.packages import ArchivePin

DATA = b"kernel void k() {}\n" * 50
FILE = LockedFile.of(FileKey("o/n", "a" * 40, "k.metal"), DATA)


def entry(store: Store) -> Path:
    return store.root / "sha256" / FILE.sha256[:2] / FILE.sha256


def test_put_then_get(store, tools):
    assert store.get(FILE) is None
    assert store.put(FILE, DATA)
    assert store.get(FILE) == DATA
    assert tools.stored(store) == [entry(store)]


def test_wrong_bytes_are_refused(store, tools):
    for wrong in (DATA + b"x", DATA[:-1], DATA.replace(b"k", b"j"), b""):
        with pytest.raises(MetalworkingError, match="refused to store"):
            store.put(FILE, wrong)
    assert tools.stored(store) == []


def test_a_wrong_blob_id_is_refused_though_the_sha256_fits(store, tools):
    other = LockedFile(FILE.key, "0" * 40, FILE.sha256, FILE.size, FILE.lines)
    with pytest.raises(MetalworkingError, match="git blob"):
        store.put(other, DATA)
    assert tools.stored(store) == []


@pytest.mark.parametrize("damage", ["cut", "longer", "flipped", "empty", "directory", "link", "pipe"])
def test_a_damaged_entry_is_removed_reported_and_healed(store, damage, tmp_path, caplog):
    store.put(FILE, DATA)
    path = entry(store)
    path.unlink()
    if damage == "directory":
        (path / "in it").mkdir(parents=True)
    elif damage == "link":
        (tmp_path / "elsewhere").write_bytes(DATA)
        path.symlink_to(tmp_path / "elsewhere")
    elif damage == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes({"cut": DATA[:9], "longer": DATA + b"x", "flipped": b"X" + DATA[1:], "empty": b""}[damage])
    with caplog.at_level(logging.WARNING, "mkdocs_metalworking.deliver.store"):
        assert store.get(FILE) is None
    assert "damaged cache entry" in caplog.text
    assert not os.path.lexists(path)
    assert damage != "link" or (tmp_path / "elsewhere").read_bytes() == DATA
    assert store.put(FILE, DATA)
    assert store.get(FILE) == DATA


@pytest.mark.parametrize("damage", ["flipped", "directory"])
def test_put_over_a_damaged_entry_heals_it(store, damage):
    path = entry(store)
    path.parent.mkdir(parents=True)
    if damage == "directory":
        (path / "in it").mkdir(parents=True)
    else:
        path.write_bytes(b"X" + DATA[1:])
    assert store.put(FILE, DATA)
    assert store.get(FILE) == DATA


@pytest.mark.parametrize("where", ["root", "sha256", "shard"])
def test_a_file_where_a_folder_belongs_is_a_store_that_keeps_nothing(store, where, caplog):
    blocked = {"root": store.root, "sha256": store.root / "sha256", "shard": entry(store).parent}[where]
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_text("in the way")
    with caplog.at_level(logging.DEBUG, "mkdocs_metalworking.deliver.store"):
        assert store.get(FILE) is None
        assert not store.put(FILE, DATA)
        assert not store.put(FILE, DATA)
    assert caplog.text.count("the store is not written") == 1


@pytest.mark.skipif(not os.path.exists("/proc/self"), reason="needs a file system that is read-only even for root")
def test_a_read_only_store_keeps_nothing_says_so_once_and_goes_on(caplog):
    store = Store(Path("/proc/self"))  # nobody may create anything there
    pin = ArchivePin("wheel:demo==1.0", "demo-1.0.whl", hashlib.sha256(DATA).hexdigest(), len(DATA))
    with caplog.at_level(logging.DEBUG, "mkdocs_metalworking.deliver.store"):
        assert store.put_archive(pin, [DATA]) is None
        assert caplog.text.count("the store is not written: ") == 1
        assert not store.put(FILE, DATA)
        assert store.get(FILE) is None
        assert caplog.text.count("the store is not written: ") == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_store_without_write_permission_still_serves(store):
    store.put(FILE, DATA)
    other = LockedFile.of(FileKey("o/n", "a" * 40, "other"), b"other\n")
    for folder in (store.root, store.root / "sha256", entry(store).parent):
        folder.chmod(0o555)
    try:
        assert store.get(FILE) == DATA
        assert not store.put(other, b"other\n")
    finally:
        for folder in (store.root, store.root / "sha256", entry(store).parent):
            folder.chmod(0o755)


def test_two_builds_at_once_never_see_half_an_entry(store, caplog):
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as pool:
        results = [pool.apply_async(_unless_removed, (store.root, 60)) for _ in range(2)]
        assert all(result.get(30) for result in results)
    assert store.get(FILE) == DATA


def _unless_removed(root: Path, times: int) -> bool:
    """Put and get; an entry may vanish (the other build removed it) but is never wrong."""
    store = Store(root)
    for number in range(times):
        if not store.put(FILE, DATA) or store.get(FILE) not in (None, DATA):
            return False
        if number % 5 == 0:
            entry(store).unlink(missing_ok=True)
    return store.put(FILE, DATA)


def test_leftovers_older_than_a_day_are_swept(store):
    folder = entry(store).parent
    folder.mkdir(parents=True)
    old, young = folder / ".old.1.tmp", folder / ".young.2.tmp"
    old.write_bytes(b"half")
    young.write_bytes(b"half")
    os.utime(old, (time.time() - 90_000,) * 2)
    store.put(FILE, DATA)
    assert not old.exists()
    assert young.exists()


def pin(data: bytes) -> ArchivePin:
    import hashlib

    return ArchivePin("wheel:p==1", "p-1-py3-none-any.whl", hashlib.sha256(data).hexdigest(), len(data))


def test_an_archive_is_kept_whole_or_not_at_all(store, tools):
    right = pin(b"archive")
    assert store.archive(right) is None
    for wrong in ([b"archivE"], [b"arch"], [b"archive", b"!"], []):
        with pytest.raises(MetalworkingError) as caught:
            store.put_archive(right, iter(wrong))
        assert caught.value.diagnostic.code == "wrong-archive"
    assert tools.stored(store) == []
    assert store.put_archive(right, iter([b"arch", b"ive"])) == store.archive_path(right) == store.archive(right)


def test_a_damaged_archive_is_removed(store, caplog):
    right = pin(b"archive")
    store.put_archive(right, iter([b"archive"]))
    store.archive_path(right).write_bytes(b"archivE")
    assert store.archive(right) is None
    assert not store.archive_path(right).exists()
    assert "p-1-py3-none-any.whl" in caplog.text


def test_a_hash_from_a_hostile_lock_is_not_a_path(store):
    bad = LockedFile(FILE.key, FILE.blob, "../../../etc/passwd", 1, 1)
    with pytest.raises(MetalworkingError, match="not a SHA-256"):
        store.get(bad)


def test_default_root_is_the_cache_folder_unless_told():
    assert default_root({"METALWORKING_STORE": "/x/y"}) == Path("/x/y")
    assert default_root({}).name == "metalworking"


def test_what_a_link_leads_to_is_not_swept(store, tools, tmp_path):
    """A store that somebody else may write holds a folder that is a link to a place of ours."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    ours = elsewhere / ".draft.tmp"
    ours.write_text("mine")
    os.utime(ours, (1, 1))
    (store.root / "sha256").mkdir(parents=True)
    (store.root / "sha256/ab").symlink_to(elsewhere, target_is_directory=True)
    (tmp_path / "kind/cd").mkdir(parents=True)
    inner = tmp_path / "kind/cd/.old.tmp"
    inner.write_text("mine too")
    os.utime(inner, (1, 1))
    (store.root / "archives").symlink_to(tmp_path / "kind", target_is_directory=True)
    assert store.put(tools.locked(b"x\n"), b"x\n")
    assert ours.exists()
    assert inner.exists()


def test_what_a_link_leads_to_is_neither_removed_nor_replaced(store, tools, tmp_path, caplog):
    """A folder of entries is a link to somebody's blobs, which are named by their SHA-256 as ours are."""
    for number, kind in enumerate(("a file", "a folder")):
        file = tools.locked(b"x\n" * (number + 1))
        blobs = tmp_path / kind
        theirs = blobs / file.sha256
        if number:
            theirs.mkdir(parents=True)
            (theirs / "thesis.txt").write_text("years of work")
        else:
            blobs.mkdir()
            theirs.write_text("something else")
        (store.root / "sha256").mkdir(parents=True, exist_ok=True)
        (store.root / "sha256" / file.sha256[:2]).symlink_to(blobs, target_is_directory=True)
        assert store.get(file) is None
        assert "behind a link stays" in caplog.text
        assert store.put(file, b"x\n" * (number + 1)) is False, "a store that cannot be written keeps nothing"
        assert [path.name for path in blobs.iterdir()] == [file.sha256]
        assert (
            (theirs / "thesis.txt").read_text() == "years of work" if number else theirs.read_text() == "something else"
        )


def test_an_entry_that_somebody_reads_is_not_damaged(store, tools, monkeypatch, caplog):
    """On Windows a file that is open cannot be replaced; what is there stays, and nothing is reported."""
    file = tools.locked(b"x\n")
    assert store.put(file, b"x\n")
    (entry,) = tools.stored(store)
    entry.write_bytes(b"y\n")

    def refuse(source, target):
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(os, "replace", refuse)
    assert store.put(file, b"x\n") is False
    assert entry.exists()
    assert "damaged" not in caplog.text


def test_git_objects_are_hashed_again(store):
    data = b"tree " + b"a" * 40 + b"\n"
    oid = hashlib.sha1(b"commit %d\0" % len(data) + data).hexdigest()
    store.put_git_object("o/n", oid, "commit", data)
    assert store.git_object("o/n", oid, "commit") == data
    assert store.git_object("o/m", oid, "commit") is None, "a commit of one repository is none of another"
    (entry,) = (path for path in (store.root / "git").rglob("*") if path.is_file())
    entry.write_bytes(data + b"x")
    assert store.git_object("o/n", oid, "commit") is None
    assert not entry.exists()
    with pytest.raises(MetalworkingError, match="refused to store another tree"):
        store.put_git_object("o/n", oid, "tree", data)
    with pytest.raises(MetalworkingError):
        store.git_object("o/n", "../../x", "tree")


def test_a_tree_is_the_same_in_every_repository(store):
    oid = hashlib.sha1(b"tree 0\0").hexdigest()
    store.put_git_object("o/n", oid, "tree", b"")
    assert store.git_object("o/m", oid, "tree") == b""
    assert store.git_object("o/m", oid, "commit") is None


def test_what_the_rooms_log_counts_for_mkdocs(store, tools):
    """MkDocs shows and counts, for --strict, what is logged below its own name."""
    from mkdocs.utils import CountHandler

    import mkdocs_metalworking.hosts.mkdocs  # noqa: F401 (a host is there)

    counter = CountHandler()
    counter.setLevel(logging.WARNING)
    logger = logging.getLogger("mkdocs")
    logger.addHandler(counter)
    try:
        file = tools.locked(b"x\n")
        store.put(file, b"x\n")
        (entry,) = tools.stored(store)
        entry.write_bytes(b"y\n")
        assert store.get(file) is None
    finally:
        logger.removeHandler(counter)
    assert counter.get_counts() == [("WARNING", 1)]
