"""Blobs by id from real git servers: one request a repository, little more than the blobs, nothing unverified."""

from __future__ import annotations

import random
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from mkdocs_metalworking.deliver.resolver import Resolver
from mkdocs_metalworking.deliver.store import Store
from mkdocs_metalworking.deliver.transport import NotDelivered
from mkdocs_metalworking.deliver.transports.remote import Remote
from mkdocs_metalworking.git.proof import Contradiction
from mkdocs_metalworking.quote.blob import FileKey, LockedFile
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from tests.support import PATIENCE, commit_files, git


def locked(commit: str, files: dict[str, bytes]) -> list[LockedFile]:
    return [LockedFile.of(FileKey("acme/kernels", commit, name), data) for name, data in files.items()]


@pytest.fixture
def server(tmp_path: Path) -> tuple[Path, list[LockedFile]]:
    rng = random.Random(1)
    files = {f"src/f{i}.c": bytes(rng.choices(b"abc \n", k=2000)) for i in range(6)}
    files["huge.bin"] = rng.randbytes(2_000_000)
    commit = commit_files(tmp_path / "remote", files)
    git(tmp_path / "remote", "config", "uploadpack.allowReachableSHA1InWant", "true")
    git(tmp_path / "remote", "config", "uploadpack.allowFilter", "true")
    return tmp_path / "remote", [f for f in locked(commit, files) if f.key.path != "huge.bin"]


def remote(folder: Path, files: list[LockedFile], **options: object) -> Remote:
    return Remote(wanted=files, url=lambda _repo: f"file://{folder}", timeout=PATIENCE, **options)  # type: ignore[arg-type]


def test_every_blob_in_one_request(server: tuple[Path, list[LockedFile]], tmp_path: Path) -> None:
    folder, files = server
    transport = remote(folder, files)
    resolver = Resolver(Store(tmp_path / "store"), [transport])
    assert resolver.resolve(files[0]).via == "git"
    folder.rename(tmp_path / "gone")
    for file in files:
        assert file.mismatch(resolver.resolve(file).data) is None
    resolver.close()


def test_a_server_that_gives_nothing_by_id(server: tuple[Path, list[LockedFile]]) -> None:
    folder, files = server
    git(folder, "config", "uploadpack.allowReachableSHA1InWant", "false")
    transport = remote(folder, files)
    assert files[2].mismatch(transport.get(files[2])) is None


def test_a_blob_that_the_server_does_not_have(server: tuple[Path, list[LockedFile]]) -> None:
    folder, files = server
    stranger = LockedFile.of(FileKey("acme/kernels", files[0].key.commit, "x"), b"never committed\n")
    transport = remote(folder, [*files, stranger])
    with pytest.raises(Contradiction, match="the commit has no such file"):
        transport.get(stranger)
    assert files[0].mismatch(transport.get(files[0])) is None, "the others still come"


def test_offline_and_unreachable(server: tuple[Path, list[LockedFile]], tmp_path: Path) -> None:
    folder, files = server
    with pytest.raises(NotDelivered, match="offline"):
        remote(folder, files, offline=True).get(files[0])
    with pytest.raises(NotDelivered):
        remote(tmp_path / "nothing", files).get(files[0])
    with pytest.raises(NotDelivered, match="only file, http, https"):
        Remote(url=lambda _repo: "ext::sh -c id").get(files[0])


def test_sha256_repositories(tmp_path: Path) -> None:
    files = {"a.c": b"int a;\n"}
    commit = commit_files(tmp_path / "remote", files, "--object-format=sha256")
    git(tmp_path / "remote", "config", "uploadpack.allowReachableSHA1InWant", "true")
    (file,) = locked(commit, files)
    assert file.mismatch(remote(tmp_path / "remote", [file]).get(file)) is None


@pytest.mark.parametrize("kept", [True, False])
def test_of_the_blobs_of_a_lock_few_are_in_memory_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    """Right ones beyond that go to the store, or come once more; of wrong ones the reason is kept."""
    monkeypatch.setattr("mkdocs_metalworking.deliver.catch._ROOM", 1 << 20)
    files = {f"{n}.c": b"%d\n" % n + b"\n" * (1 << 20) for n in range(12)}
    commit = commit_files(tmp_path / "remote", files)
    git(tmp_path / "remote", "config", "uploadpack.allowReachableSHA1InWant", "true")
    git(tmp_path / "remote", "config", "uploadpack.allowFilter", "true")
    right = locked(commit, files)
    del files
    wanted = [*right[:6], *(replace(file, size=5, lines=1) for file in right[6:])]
    transport = remote(tmp_path / "remote", wanted, store=Store(tmp_path / "store") if kept else None)
    tracemalloc.start()
    try:
        assert right[2].mismatch(transport.get(right[2])) is None
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 9 << 20
    assert all(file.mismatch(transport.get(file)) is None for file in right[:6])
    for file in wanted[6:]:
        with pytest.raises(MetalworkingError, match="bytes instead of 5"):
            transport.get(file)
