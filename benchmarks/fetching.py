"""A cold fetch of what is quoted, from git servers on this machine."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

from benchmarks.gitserver import serving
from benchmarks.measure import Bench, Row
from benchmarks.sites import Corpus, Shape
from mkdocs_metalworking.deliver.resolver import Resolver
from mkdocs_metalworking.deliver.store import Store
from mkdocs_metalworking.deliver.transports.remote import Remote
from mkdocs_metalworking.quote.blob import FileKey, LockedFile


def fetching(bench: Bench) -> Iterator[Row]:
    """A cold fetch of what is quoted, from git servers on this machine, against shallow clones one after another."""
    small = bench.small
    repositories, files, quoted = (2, 12, 2) if small else (4, 800, 8)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        keys: list[LockedFile] = []
        for index in range(repositories):
            shape = Shape(pages=1, excerpts=1, files=files, length=400, seed=index)
            corpus = Corpus(root / f"bench/repo{index}", shape)
            commit = corpus.commit_to(corpus.folder)
            config = ["git", "-C", str(corpus.folder), "config"]
            subprocess.run([*config, "uploadpack.allowReachableSHA1InWant", "true"], check=True)
            subprocess.run([*config, "uploadpack.allowFilter", "true"], check=True)
            chosen = list(corpus.files)[:: max(1, files // quoted)][:quoted]
            keys += [
                LockedFile.of(FileKey(f"bench/repo{index}", commit, path), corpus.files[path].encode())
                for path in chosen
            ]
        blobs = sum(len(zlib.compress(corpus_bytes(root, key))) for key in keys)
        with serving(root) as (base, counter):

            def ours() -> float:
                shutil.rmtree(root / "store", ignore_errors=True)
                start = time.perf_counter()
                transport = Remote(wanted=keys, url=lambda repo: f"{base}/{repo}/.git")
                resolver = Resolver(Store(root / "store"), [transport])
                resolver.prefetch(keys)
                assert resolver.counts()["git"] == len({key.blob for key in keys})
                resolver.close()
                return time.perf_counter() - start

            def clones() -> float:
                start = time.perf_counter()
                for index in range(repositories):
                    target = root / f"clone{index}"
                    shutil.rmtree(target, ignore_errors=True)
                    address = f"{base}/bench/repo{index}/.git"
                    subprocess.run(["git", "clone", "-q", "--depth", "1", address, str(target)], check=True)
                return time.perf_counter() - start

            counter.sent = 0
            ours()
            mine = counter.sent
            counter.sent = 0
            clones()
            theirs = counter.sent
            fetch, clone = bench.alternate(ours, clones)
    what = f"cold fetch of {len(keys)} quoted files of {repositories} repositories"
    yield Row(f"{what}: bytes", "the quoted blobs, compressed", 2.0, [mine / 1024], [blobs / 1024], "KiB")
    yield Row(f"{what}: bytes", "git clone --depth 1 of each", 0.10, [mine / 1024], [theirs / 1024], "KiB")
    yield Row(f"{what}: time", "git clone --depth 1, one after another", 0.25, fetch, clone)


def corpus_bytes(root: Path, file: LockedFile) -> bytes:
    """Return the bytes of *file* in the repository made for it."""
    return (root / file.key.repo / file.key.path).read_bytes()
