"""Bytes from a wheel or sdist that carries a pinned commit's files, fetched once from the user's own index."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ...git.scratch import Scratch
from ...quote.blob import LockedFile
from ...quote.diagnostics import MetalworkingError
from ...quote.packages import ArchivePin, PackageSpec
from ..archive_members import DEFAULT_BOUNDS, Bounds, Member, read_members
from ..catch import Catch
from ..package_index import Index, Offer
from ..pip_settings import IndexSettings, index_settings
from ..progress import SILENT, Progress
from ..store import Store
from ..transport import NotDelivered

_CHUNK = 1 << 20
_CANDIDATES = 4


class Package:
    """Reads locked files out of pinned archives.

    *specs* says which archives carry a commit's files, *pins* (by ``str(spec)``) which file of the release that is.
    *wanted* are the files of the lock: all that an archive holds of them are read in one pass when it is first opened.
    """

    name = "package"

    def __init__(
        self,
        specs: Mapping[tuple[str, str], Sequence[PackageSpec]],
        pins: Mapping[str, ArchivePin],
        store: Store,
        *,
        wanted: Iterable[LockedFile] = (),
        settings: IndexSettings | None = None,
        index: Index | None = None,
        progress: Progress = SILENT,
        bounds: Bounds = DEFAULT_BOUNDS,
        offline: bool = False,
    ) -> None:
        self._specs = {key: tuple(found) for key, found in specs.items()}
        self._pins = dict(pins)
        self._store = store
        self._settings = settings
        self._index = index
        self._progress = progress
        self._bounds = bounds
        self._offline = offline
        self._lock = threading.Lock()
        self._busy: dict[PackageSpec, threading.Lock] = {}
        self._wanted: dict[PackageSpec, dict[str, LockedFile]] = {}
        for file in wanted:
            for spec in self._specs.get((file.key.repo, file.key.commit), ()):
                self._wanted.setdefault(spec, {})[file.key.path] = file
        self._reasons: dict[PackageSpec, dict[str, str]] = {}
        """Why a path is not delivered; "" for one that was, and may have to be read again."""
        self._catch = Catch(store)
        self._failed: dict[PackageSpec, MetalworkingError] = {}
        self._scratch: Scratch | None = None

    def get(self, file: LockedFile) -> bytes:
        """Return the member that stands for *file*; raises NotDelivered with each archive's reason.

        Raises MetalworkingError ``wrong-archive`` when the index serves other bytes than the pinned archive, and
        ``wrong-bytes`` when the member is not *file*.
        """
        specs = self._specs.get((file.key.repo, file.key.commit), ())
        if not specs:
            raise NotDelivered("not-delivered", f"no package is named for {file.key.repo}@{file.key.commit[:7]}")
        reasons: list[str] = []
        for spec in specs:
            try:
                member = self._member(spec, file)
            except NotDelivered as error:
                reasons.append(error.diagnostic.message)
                continue
            if isinstance(member, bytes):
                return member
            reasons.append(f"{spec.name} {spec.version}: {spec.root}{file.key.path} {member}")
        raise NotDelivered("not-delivered", "; ".join(reasons))

    def pin_archive(self, spec: PackageSpec) -> ArchivePin:
        """Choose one archive of *spec* in the order of ``Index.release``, download, describe and store it.

        Archives that hold other bytes than the *wanted* files are passed over. Raises NotDelivered when no index has
        one, MetalworkingError ``wrong-archive`` when it is not what the index announced, or no archive holds the
        wanted files as they were committed.
        """
        index = self._opened_index()
        problems: list[str] = []
        for offer in index.release(spec)[:_CANDIDATES]:
            pin, problem = self._pin(index, spec, offer)
            if not problem:
                return pin
            problems.append(f"{offer.filename}: {problem}")
        raise MetalworkingError("wrong-archive", f"no archive of {spec} fits: {'; '.join(problems)}")

    def _pin(self, index: Index, spec: PackageSpec, offer: Offer) -> tuple[ArchivePin, str]:
        """Download *offer* and return its pin, and how it differs from the wanted files ("" when it does not)."""
        with Scratch() as folder:
            copy = Path(folder) / "archive"
            digest, size = hashlib.sha256(), 0
            with open(copy, "wb") as stream:
                for chunk in self._download(index, offer):
                    digest.update(chunk)
                    size += len(chunk)
                    stream.write(chunk)
            pin = ArchivePin(str(spec), offer.filename, digest.hexdigest(), size)
            if offer.sha256 not in {None, pin.sha256}:
                raise _wrong_archive(offer, "the download is not what the index announced")
            wanted = self._wanted.get(spec, {})

            def differs(path: str, member: Member) -> str:
                return member if isinstance(member, str) else wanted[path].mismatch(member) or ""

            for path, problem in self._extract(spec, pin, copy, wanted, differs).items():
                if problem:
                    return pin, f"{path}: {problem}"
            with open(copy, "rb") as archive:
                self._store.put_archive(pin, iter(lambda: archive.read(_CHUNK), b""))
            return pin, ""

    def close(self) -> None:
        """Release memory, connections and scratch files; may be called twice."""
        with self._lock:
            self._reasons.clear()
            self._catch.clear()
            if self._index is not None:
                self._index.close()
            if self._scratch is not None:
                self._scratch.cleanup()
                self._scratch = None

    def _member(self, spec: PackageSpec, file: LockedFile) -> Member:
        path = file.key.path
        with self._lock:
            busy = self._busy.setdefault(spec, threading.Lock())
        with busy:  # archives of different packages download side by side
            if spec in self._failed:
                raise _again(self._failed[spec])
            known = self._reasons.setdefault(spec, {})
            if known.get(path):
                return known[path]
            data = self._catch.get(file) if path in known else None
            if data is not None:
                return data
            others = {one: f for one, f in self._wanted.get(spec, {}).items() if one not in known}
            wanted = {**others, path: file}
            known.update(dict.fromkeys(wanted, "is not in the archive"))
            asked: list[bytes] = []

            def keep(one: str, member: Member) -> str:
                if isinstance(member, str):
                    return member
                self._catch.take(wanted[one], member)
                asked.extend([member] if one == path else [])
                return ""

            try:
                known.update(self._read(spec, wanted, keep))
            except MetalworkingError as error:
                self._failed[spec] = error
                raise
            return known[path] or asked[0]

    def _read(self, spec: PackageSpec, wanted: Iterable[str], keep: Callable[[str, Member], str]) -> dict[str, str]:
        pin = self._pins.get(str(spec))
        if pin is None:
            reason = f"sources.lock pins no archive of {spec.name} {spec.version}; run: metalworking lock"
            raise NotDelivered("not-delivered", reason)
        return self._extract(spec, pin, self._archive(spec, pin), wanted, keep)

    def _extract(
        self,
        spec: PackageSpec,
        pin: ArchivePin,
        archive: Path,
        wanted: Iterable[str],
        keep: Callable[[str, Member], str],
    ) -> dict[str, str]:
        top, paths = spec.kind == "sdist", set(wanted)
        return read_members(
            archive, pin.filename, root=spec.root, top_folder=top, wanted=paths, bounds=self._bounds, keep=keep
        )

    def _archive(self, spec: PackageSpec, pin: ArchivePin) -> Path:
        kept = self._store.archive(pin)
        if kept is not None:
            return kept
        index = self._opened_index()
        reasons: list[str] = []
        wrong: MetalworkingError | None = None
        for offer in index.named(spec, pin.filename):
            if isinstance(offer, NotDelivered):
                reasons.append(offer.diagnostic.message)
                continue
            try:
                if offer.sha256 not in {None, pin.sha256}:
                    raise _wrong_archive(offer, f"SHA-256 {str(offer.sha256)[:12]} instead of {pin.sha256[:12]}")
                return self._keep(pin, index, offer)
            except NotDelivered as error:
                reasons.append(error.diagnostic.message)
            except MetalworkingError as error:
                wrong = error
        raise wrong or NotDelivered("not-delivered", "; ".join(reasons) or "no package index is configured")

    def _keep(self, pin: ArchivePin, index: Index, offer: Offer) -> Path:
        kept = self._store.put_archive(pin, self._download(index, offer))
        if kept is None:  # a read-only store: this run keeps its own copy
            with self._lock:
                self._scratch = self._scratch or Scratch()
                folder = Path(self._scratch.name)
            kept = Store(folder).put_archive(pin, self._download(index, offer))
        if kept is None:
            raise NotDelivered("not-delivered", f"{pin.filename}: there is no disk to keep it on")
        return kept

    def _download(self, index: Index, offer: Offer) -> Iterator[bytes]:
        with self._progress.step(f"Downloading {offer.filename}", offer.size) as advance:
            for chunk in index.download(offer):
                yield chunk
                advance(len(chunk))

    def _opened_index(self) -> Index:
        if self._offline:
            raise NotDelivered("not-delivered", "offline, and the archive is not in the store")
        with self._lock:
            if self._index is None:
                self._index = Index(self._settings or index_settings())
            return self._index


def _wrong_archive(offer: Offer, problem: str) -> MetalworkingError:
    return MetalworkingError("wrong-archive", f"{offer.where}: {offer.filename}: {problem}", "it was not read")


def _again(error: MetalworkingError) -> MetalworkingError:
    """Return the same problem as a new exception, since each is placed where its quotation stands."""
    found = error.diagnostic
    return type(error)(found.code, found.message, found.hint)
